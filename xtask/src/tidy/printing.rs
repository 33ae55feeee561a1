//! Text leaves the program through one place, which writes out whatever steers a terminal.

use super::{Source, Violation};

/// Where text leaves: the commands' output, the dashboard's screen, the lab's last words before it aborts, and
/// the lab's own program, which says nothing but what it is.
const EXITS: [&str; 4] = [
    "crates/cli/src/output.rs",
    "crates/tui/src/terminal.rs",
    "crates/lab/src/main.rs",
    "crates/lab/src/schedule/scheduler.rs",
];
/// How Rust writes to standard output and standard error, without blanks.
const WAYS: [&str; 12] = [
    "println!(",
    "print!(",
    "eprintln!(",
    "eprint!(",
    "stdout().lock(",
    "stderr().lock(",
    "stdout().write",
    "stderr().write",
    "write!(std::io::std",
    "writeln!(std::io::std",
    "write!(io::std",
    "writeln!(io::std",
];

/// Finds what prints past that place; tools of the project and examples print as they like.
pub(super) fn check(sources: &[Source]) -> Vec<Violation> {
    let is_program = |source: &&Source| {
        let is_code = source.path.starts_with("crates/") && source.path.contains("/src/");
        is_code && source.path.ends_with(".rs") && !EXITS.contains(&source.path.as_str())
    };
    sources.iter().filter(is_program).flat_map(of_source).collect()
}

fn of_source(source: &Source) -> Vec<Violation> {
    let code =
        source.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    // A call may go on in the next line.
    let mut joined = String::new();
    let mut starts = Vec::new();
    for (number, line) in code {
        starts.push((joined.len(), number + 1));
        joined.extend(line.chars().filter(|c| !c.is_whitespace()));
    }
    let line_of = |at: usize| {
        let after = starts.partition_point(|(start, _)| *start <= at);
        after.checked_sub(1).and_then(|index| starts.get(index)).map_or(1, |(_, number)| *number)
    };
    let mut lines: Vec<usize> =
        WAYS.iter().flat_map(|way| joined.match_indices(way).map(|(at, _)| line_of(at))).collect();
    lines.sort_unstable();
    lines.dedup();
    let finding = |line| Violation {
        place: format!("{}:{line}", source.path),
        what: "prints by itself; go through output.rs, which writes out what steers a terminal"
            .to_owned(),
    };
    lines.into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::check;

    fn places(path: &str, text: &str) -> Vec<String> {
        check(&[source(path, text)]).into_iter().map(|finding| finding.place).collect()
    }

    #[test]
    fn printing_is_found_in_the_program_and_nowhere_else() {
        let text = ["//! x\nfn f() {\n    print", "ln!(\"{name}\");\n}\n"].concat();
        assert_eq!(places("crates/a/src/b.rs", &text), ["crates/a/src/b.rs:3"]);
        assert_eq!(places("xtask/src/b.rs", &text), [""; 0]);
        assert_eq!(places("crates/cli/src/output.rs", &text), [""; 0]);
    }

    #[test]
    fn a_call_over_two_lines_is_found_where_it_begins() {
        let text = "fn f() {\n    std::io::stderr()\n        .write_all(b\"x\");\n}\n";
        assert_eq!(places("crates/a/src/b.rs", text), ["crates/a/src/b.rs:2"]);
        let text = "fn f() {\n    // println!(\n    std::io::stdout().is_terminal();\n}\n";
        assert_eq!(places("crates/a/src/b.rs", text), [""; 0]);
    }
}
