//! Lines with which people say that they left others out.

/// What stands there, in small letters and without rules around it.
const CUTS: [&str; 12] = [
    "...", "[...]", "(...)", "<...>", "…", "[…]", "snip", "<snip>", "[snip]", "(snip)", "--more--",
    "<cut>",
];

/// Returns whether a line says that others were left out: dots, `<snip>`, the mark of a pager.
pub(crate) fn is_cut(line: &str) -> bool {
    let line = line.trim().trim_matches(['-', '=', '*', ' ']);
    let dots = line.contains('.') && line.chars().all(|c| matches!(c, '.' | ' ' | ':'));
    dots || CUTS.contains(&line.to_ascii_lowercase().as_str())
}

/// Returns whether a line does so in an output none of whose own lines stands in brackets:
/// `<skipping unrelated vdevs here>`.
pub(crate) fn is_bracketed_cut(line: &str) -> bool {
    let line = line.trim();
    let pairs = [('<', '>'), ('[', ']'), ('(', ')')];
    let within = |(open, close)| line.len() > 2 && line.starts_with(open) && line.ends_with(close);
    is_cut(line) || pairs.into_iter().any(within)
}

/// Returns whether a line of a tree says so in words between rules: `~~~ Trimmed for brevity ~~~`.
pub(crate) fn is_left_out(line: &str) -> bool {
    const SAYS: [&str; 7] = ["trim", "snip", "omit", "cut", "skip", "truncat", "removed for"];
    let line = line.trim();
    let is_rule = |c: char| matches!(c, '~' | '-' | '=' | '*' | '#' | '.' | '…' | '+');
    let bare = line.trim_matches(|c: char| is_rule(c) || c == ' ');
    let is_framed = line.chars().take_while(|c| is_rule(*c)).count() > 1;
    let says = || {
        let bare = bare.to_ascii_lowercase();
        SAYS.iter().any(|word| bare.starts_with(word))
    };
    is_bracketed_cut(line) || is_framed && says()
}

#[cfg(test)]
mod tests {
    use super::{is_bracketed_cut, is_cut, is_left_out};

    #[test]
    fn words_between_rules_say_that_rows_were_left_out() {
        for (line, expected) in [
            ("~~~~ Trimmed for brevity ~~~~", true),
            ("--- snipped 40 disks ---", true),
            ("[...]", true),
            ("tank ONLINE 0 0 0", false),
            ("cut-0 ONLINE 0 0 0", false),
            ("--", false),
            ("", false),
        ] {
            assert_eq!(is_left_out(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_were_left_out_are_known_by_what_stands_for_them() {
        let all = [
            (".", true, true),
            ("...", true, true),
            ("[...]", true, true),
            ("---- snip ----", true, true),
            ("  <skipping unrelated vdevs here>", false, true),
            ("[root@nas ~]# zpool status", false, false),
            ("tank ONLINE 0 0 0", false, false),
            ("", false, false),
        ];
        for (line, anywhere, in_tree) in all {
            assert_eq!((is_cut(line), is_bracketed_cut(line)), (anywhere, in_tree), "{line}");
        }
    }
}
