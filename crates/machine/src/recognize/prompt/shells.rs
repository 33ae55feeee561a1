//! What shells print before a command, which host it names, and how they take its words.

/// A prompt is short.
const PROMPT_CHARS_MAX: usize = 80;

/// Splits `root@nas:~# command`, `[root@nas ~]$ command` and `root@truenas[~]% command` into the
/// host and the command.
pub(super) fn shell(line: &str) -> Option<(&str, &str)> {
    let open = line.strip_prefix('[').or_else(|| line.strip_prefix('(')).unwrap_or(line);
    let (user, rest) = open.split_once('@')?;
    let is_user = user.len() <= 32
        && !user.is_empty()
        && user.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))?;
    let (host, rest) = rest.split_at_checked(end)?;
    let near = rest.char_indices().take(PROMPT_CHARS_MAX);
    let mark = near.filter(|(_, c)| matches!(c, '#' | '$' | '%' | '>' | '❯')).map(|(at, c)| {
        let after = rest.get(at + c.len_utf8()..).unwrap_or_default();
        (rest.get(..at).unwrap_or_default(), after)
    });
    let (path, typed) =
        mark.into_iter().find(|(_, after)| after.is_empty() || after.starts_with(' '))?;
    // Mail addresses and prose have no path between the host and the mark.
    let is_path = path.is_empty()
        || path.starts_with([':', '[', ' ', ']']) && path.split_whitespace().count() <= 2;
    (is_user && !host.is_empty() && is_path).then_some((host, typed.trim()))
}

/// Returns the host of a prompt without a user behind which nothing was typed: `nas:~#`.
pub(super) fn idle(line: &str) -> Option<&str> {
    let (host, path) = line.strip_suffix(['#', '$'])?.split_once(':')?;
    let is_path = path.starts_with(['/', '~']) && !path.contains(char::is_whitespace);
    (is_plain(host) && is_path).then_some(host)
}

/// Splits a prompt without a mark, `anna@nas ~ sudo zpool status` or `[root@nas ~] zpool status`, into the host and what
/// may be a command.
pub(super) fn unmarked(line: &str) -> Option<(&str, &str)> {
    let (who, rest) = line.strip_prefix('[').unwrap_or(line).split_once(' ')?;
    let (user, host) = who.split_once('@')?;
    let (path, typed) = rest.split_once(' ')?;
    let is_path = path.starts_with(['/', '~']) && path.ends_with(']') == line.starts_with('[');
    (is_plain(user) && is_plain(host) && is_path).then_some((host, typed))
}

/// Returns whether a text may be the name of a user or a host.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= PROMPT_CHARS_MAX
        && text.bytes().all(|c| c.is_ascii_alphanumeric() || b"-_.".contains(&c))
}

/// Returns the host of a prompt's line that may have a folder behind it, and what was typed on the next.
pub(super) fn above(line: &str) -> Option<&str> {
    // `[~]-[anna@nas]-[0]-[12:00:01]`: who and where among other parts.
    if let Some(parts) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'))
        && parts.contains("]-[")
    {
        let who = parts.split("]-[").find_map(|part| part.split_once('@'));
        return who.filter(|(user, host)| is_plain(user) && is_plain(host)).map(|(_, host)| host);
    }
    let (inner, path) = line.strip_prefix('[')?.split_once(']')?;
    let (user, host) = inner.split_once('@')?;
    let path = path.trim();
    let is_path =
        path.is_empty() || path.starts_with(['/', '~']) && !path.contains(char::is_whitespace);
    (is_plain(user) && is_plain(host) && is_path).then_some(host)
}

/// Returns what a loop does first, and what `watch` repeats: `while true; do zpool list; sleep 1; done`.
pub(super) fn repeated(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['#', '$', '%', '>', ' ']);
    if ["while ", "until ", "for "].iter().any(|word| line.starts_with(word)) {
        let (_, body) =
            line.split_once("do ").filter(|(head, _)| head.trim_end().ends_with(';'))?;
        let first = body.split(';').map(str::trim).find(|part| !is_aside(part));
        return Some(first.unwrap_or_default());
    }
    let rest = line.strip_prefix("watch ")?.trim_start();
    let rest = rest.strip_prefix(['-', '\'', '"']).map(|_| rest)?;
    let is_option = |word: &&str| word.starts_with('-') || word.parse::<f64>().is_ok();
    let begin = rest.split_whitespace().find(|word| !is_option(word))?;
    let at = rest.find(begin)?;
    Some(rest.get(at..)?.trim_matches(['\'', '"']))
}

/// Returns whether a part of a loop prints nothing that is looked for.
fn is_aside(part: &str) -> bool {
    let first = part.split_whitespace().next().unwrap_or_default();
    matches!(first, "echo" | "date" | "printf" | "clear" | "sleep" | "done") || first.contains('=')
}

/// Returns a word as the shell takes it: a path ends at a pipe, `/dev/sda|grep`.
pub(super) fn at_pipe(word: &str) -> Vec<String> {
    match word.split_once('|') {
        Some((path, next)) if path.starts_with('/') && !next.is_empty() => {
            vec![path.to_owned(), "|".to_owned(), next.to_owned()]
        }
        _ => vec![word.to_owned()],
    }
}
