//! Names as words of a shell command.

/// Returns a name from outside as one word of a shell command: as it is where nothing in it means
/// anything to a shell, else between single quotes. Control characters, which no name of ZFS has, are
/// shown as question marks.
#[must_use]
pub fn shell(name: &str) -> String {
    if name.starts_with('-') { quoted(name) } else { shell_word(name) }
}

/// Returns a word of a command as [`shell`] does, which may be an option.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@%+,=".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => quoted(word),
    }
}

fn quoted(text: &str) -> String {
    let shown = text.replace(char::is_control, "?");
    format!("'{}'", shown.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::shell;

    #[test]
    fn a_name_is_one_word_of_a_shell() {
        for (name, word) in [
            ("tank", "tank"),
            ("tank/home", "tank/home"),
            ("/dev/disk/by-id/ata-X_1-part1", "/dev/disk/by-id/ata-X_1-part1"),
            ("my data", "'my data'"),
            ("$(reboot)", "'$(reboot)'"),
            ("it's", r"'it'\''s'"),
            ("x; rm -rf $HOME '", r"'x; rm -rf $HOME '\'''"),
            ("-rf", "'-rf'"),
            ("a\nb\u{1b}[2J", "'a?b?[2J'"),
            ("", "''"),
        ] {
            assert_eq!(shell(name), word);
        }
    }
}
