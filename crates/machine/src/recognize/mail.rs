//! Text as mails carry it: quoted-printable (RFC 2045, 6.7), where lines are broken and signs escaped.
//!
//! ```text
//!   zio pool=3Dtank vdev=3D/dev/sda1 error=3D5 ty=
//!   pe=3D1                                             zio pool=tank vdev=/dev/sda1 error=5 type=1
//! ```
//!
//! A text counts as that where its equals signs are written as `=3D`, or where it has none but at the ends of
//! two long lines.

/// A line is put together of no more broken ones: mails break them at 76 characters.
const PARTS_MAX: usize = 64;

/// Returns the lines of a text with their numbers from 1, put together where a mail broke them.
pub(super) fn lines(text: &str, count_max: usize) -> Vec<(usize, String)> {
    let numbered = text.lines().take(count_max).enumerate();
    if !is_quoted(text) {
        return numbered.map(|(index, line)| (index + 1, line.to_owned())).collect();
    }
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut open = 0;
    for (index, line) in numbered {
        let line = line.trim_end_matches('\r');
        let broken = line.strip_suffix('=').filter(|_| open < PARTS_MAX);
        let part = decoded(broken.unwrap_or(line));
        match lines.last_mut().filter(|_| open > 0) {
            Some((_, last)) => last.push_str(&part),
            None => lines.push((index + 1, part)),
        }
        open = if broken.is_some() { open + 1 } else { 0 };
    }
    lines
}

/// Returns whether a text is of that form.
fn is_quoted(text: &str) -> bool {
    const BROKEN_MIN: usize = 2;
    let broken = |line: &&str| {
        let before = line.trim_end_matches('\r').strip_suffix('=');
        before.is_some_and(|before| before.len() > 30 && !before.ends_with(['=', '-', '*']))
    };
    let (mut escaped, mut bare) = (0_usize, 0_usize);
    for after in text.split('=').skip(1) {
        let mut signs = after.bytes();
        match [signs.next().unwrap_or(b'\n'), signs.next().unwrap_or(b'\n')] {
            [b'3', b'D'] => escaped += 1,
            [b'\n' | b'\r', _] | [b'2', b'0'] | [b'8' | b'9' | b'A'..=b'F', _] => {}
            _ => bare += 1,
        }
    }
    let breaks = || text.lines().filter(broken).take(BROKEN_MIN).count() == BROKEN_MIN;
    escaped > 0 && escaped >= bare / 2 || bare == 0 && breaks()
}

/// Returns a line with `=3D` and its like as the signs that they stand for.
fn decoded(line: &str) -> String {
    if !line.contains('=') {
        return line.to_owned();
    }
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'=').and_then(byte);
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the byte that two upper-case digits stand for; line ends are none.
fn byte(digits: &[u8]) -> Option<u8> {
    let upper = |byte: &u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(byte);
    digits.iter().all(upper).then_some(())?;
    let byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (byte >= b' ').then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::lines;

    fn check(text: &str, expected: &[(usize, &str)]) {
        let found = lines(text, 100);
        let found: Vec<(usize, &str)> = found.iter().map(|(at, line)| (*at, &**line)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn broken_lines_are_put_together() {
        check("a=3D1 is =\nb=3D2\nc =C3=A4", &[(1, "a=1 is b=2"), (3, "c ä")]);
        let long = "x".repeat(40);
        check(
            &format!("{long}=\ny\n{long}=\r\nz"),
            &[(1, &format!("{long}y")), (3, &format!("{long}z"))],
        );
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        check("a=1=\nb=3E", &[(1, "a=1="), (2, "b=3E")]);
        check(
            "zio pool=tank error=5\n====\n====",
            &[(1, "zio pool=tank error=5"), (2, "===="), (3, "====")],
        );
    }
}
