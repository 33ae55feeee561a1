//! A page with figures: its marks, the blocks that are written, the sentences that are held.

use anyhow::{Context as _, bail};

use super::strays::Section;

/// Units whose figures come from runs. Sizes do not stand here: most are given, not measured.
const UNITS: [&str; 10] =
    ["MiB/s", "GiB/s", "KiB/s", "%", "ms", "µs", "times", "times as fast", "points", "IOPS"];

/// A page, cut at its marks.
#[derive(Debug)]
pub(super) struct Page<'a> {
    parts: Vec<Part<'a>>,
}

/// A stretch of a page.
#[derive(Debug)]
struct Part<'a> {
    /// The number of its first line.
    line: usize,
    mark: Option<Mark>,
    lines: Vec<&'a str>,
}

/// What a mark says of the lines behind it.
#[derive(Debug, PartialEq, Eq)]
enum Mark {
    /// The code block, or the quotation, is cut out of what a run prints.
    Output {
        form: Form,
        command: String,
        cuts: Vec<Cut>,
    },
    /// Figures stand in what these runs print, or are named as known from elsewhere.
    Figures {
        commands: Vec<String>,
        also: Vec<String>,
    },
    End,
}

/// How a page shows what a run prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As a code block that begins with the command.
    Block,
    /// As a quotation, without the command.
    Quote,
}

/// Lines from one that begins with a text, up to one that begins with another.
#[derive(Debug, PartialEq, Eq)]
struct Cut {
    from: String,
    to: Option<String>,
}

/// What came of a page.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) text: String,
    /// Lines with figures that no run prints.
    pub(super) stale: Vec<String>,
    /// Figures and blocks that were held.
    pub(super) held: usize,
}

impl<'a> Page<'a> {
    pub(super) fn parse(text: &'a str) -> anyhow::Result<Self> {
        let mut parts = vec![Part { line: 1, mark: None, lines: Vec::new() }];
        for (number, line) in text.lines().enumerate() {
            let mark = mark(line).with_context(|| format!("line {}", number + 1))?;
            if mark.is_some() {
                parts.push(Part { line: number + 1, mark, lines: Vec::new() });
            }
            if let Some(part) = parts.last_mut() {
                part.lines.push(line);
            }
        }
        Ok(Self { parts })
    }

    /// Returns the commands of all its marks.
    pub(super) fn commands(&self) -> impl Iterator<Item = &str> {
        self.parts
            .iter()
            .filter_map(|part| part.mark.as_ref())
            .flat_map(|mark| match mark {
                Mark::Output { command, .. } => std::slice::from_ref(command),
                Mark::Figures { commands, .. } => commands,
                Mark::End => &[],
            })
            .map(String::as_str)
    }

    /// Holds the page against what `printed` says of its commands.
    pub(super) fn against(
        &self,
        printed: &mut dyn FnMut(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<Checked> {
        let mut checked = Checked::default();
        let mut lines: Vec<String> = Vec::new();
        // Figures hold on over written blocks, until another mark of theirs.
        let mut sources: Option<(String, Vec<String>)> = None;
        let mut section = Section::default();
        for part in &self.parts {
            let mut rest = part.lines.as_slice();
            match &part.mark {
                Some(Mark::Output { form, command, cuts }) => {
                    let place = || format!("line {}: arcwright {command}", part.line);
                    let block = block(command, cuts, &printed(command)?).with_context(place)?;
                    let behind = form.end(rest).with_context(place)?;
                    lines.extend(form.lines(rest, block));
                    rest = rest.get(behind..).unwrap_or_default();
                    checked.held += 1;
                }
                Some(Mark::Figures { commands, also }) => {
                    let mut all = String::new();
                    for command in commands {
                        all.push_str(&printed(command)?);
                        all.push('\n');
                    }
                    sources = Some((all, also.clone()));
                }
                Some(Mark::End) => sources = None,
                None => {}
            }
            let from = part.line + part.lines.len() - rest.len();
            match &sources {
                Some((all, also)) => hold(rest, from, (all, also), &mut checked),
                None => section.look_for_strays(rest, from, &mut checked.stale),
            }
            section.read(&part.lines);
            lines.extend(rest.iter().map(|line| (*line).to_owned()));
        }
        checked.text = lines.join("\n") + "\n";
        Ok(checked)
    }
}

/// Reads the mark of a line, if it is one.
fn mark(line: &str) -> anyhow::Result<Option<Mark>> {
    let Some(inner) = line.trim().strip_prefix("<!--").and_then(|l| l.strip_suffix("-->")) else {
        return Ok(None);
    };
    let inner = inner.trim();
    if inner == "/figures" {
        return Ok(Some(Mark::End));
    }
    let forms = [("output:", Form::Block), ("quote:", Form::Quote)];
    let output = forms.iter().find_map(|(word, form)| Some((*form, inner.strip_prefix(word)?)));
    if let Some((form, rest)) = output {
        let mut parts = rest.split(';').map(str::trim);
        let command = parts.next().filter(|command| !command.is_empty()).context("no command")?;
        let cuts = parts.map(cut).collect::<anyhow::Result<_>>()?;
        return Ok(Some(Mark::Output { form, command: command.to_owned(), cuts }));
    }
    let Some(rest) = inner.strip_prefix("figures:") else { return Ok(None) };
    let (mut commands, mut also) = (Vec::new(), Vec::new());
    for part in rest.split(';').map(str::trim) {
        match part.strip_prefix("also ") {
            Some(known) => also.extend(known.split(',').map(|text| text.trim().to_owned())),
            None => commands.push(part.to_owned()),
        }
    }
    Ok(Some(Mark::Figures { commands, also }))
}

fn cut(text: &str) -> anyhow::Result<Cut> {
    let Some(from) = text.strip_prefix("from ") else {
        bail!("“{text}” is no cut: from A to B")
    };
    Ok(match from.split_once(" to ") {
        Some((from, to)) => Cut { from: from.trim().to_owned(), to: Some(to.trim().to_owned()) },
        None => Cut { from: from.trim().to_owned(), to: None },
    })
}

/// Returns the lines of a block: the command, and what is cut out of what it prints.
fn block(command: &str, cuts: &[Cut], printed: &str) -> anyhow::Result<Vec<String>> {
    // What was kept of the lab begins with its command.
    let first = format!("$ arcwright {command}");
    let lines: Vec<&str> = printed.lines().filter(|line| **line != first).collect();
    let mut block = vec![first];
    let mut at = 0;
    for cut in cuts {
        let find = |text: &str, from: usize| {
            let places = lines.iter().enumerate().skip(from);
            places.filter(|(_, line)| line.trim_start().starts_with(text)).map(|(at, _)| at).next()
        };
        let from = find(&cut.from, at).with_context(|| format!("no line “{}”", cut.from))?;
        let to = match &cut.to {
            Some(to) => find(to, from + 1).with_context(|| format!("no line “{to}”"))?,
            None => lines.len(),
        };
        if from > at {
            block.push("…".to_owned());
        }
        block.extend(lines.get(from..to).unwrap_or_default().iter().map(|line| (*line).to_owned()));
        at = to;
    }
    if cuts.is_empty() {
        block.extend(lines.iter().map(|line| (*line).to_owned()));
    } else if at < lines.len() {
        block.push("…".to_owned());
    }
    while block.last().is_some_and(|line| line.trim().is_empty()) {
        block.pop();
    }
    Ok(block)
}

impl Form {
    /// Returns how many lines a mark and what is written behind it take.
    fn end(self, lines: &[&str]) -> anyhow::Result<usize> {
        let follows = |text: &str| lines.get(1).is_some_and(|line| line.starts_with(text));
        match self {
            Self::Block if !follows("```") => bail!("no code block follows"),
            Self::Block => {
                let end = lines.iter().skip(2).position(|line| *line == "```");
                Ok(end.context("the block has no end")? + 3)
            }
            Self::Quote if !follows(">") => bail!("no quotation follows"),
            Self::Quote => {
                Ok(1 + lines.iter().skip(1).take_while(|line| line.starts_with('>')).count())
            }
        }
    }

    /// Returns the lines of a mark and of a block behind it, whose lines before are `old`.
    fn lines(self, old: &[&str], block: Vec<String>) -> Vec<String> {
        let mut lines: Vec<String> = old.iter().take(1).map(|line| (*line).to_owned()).collect();
        match self {
            Self::Block => {
                lines.extend(old.get(1).map(|fence| (*fence).to_owned()));
                lines.extend(block);
                lines.push("```".to_owned());
            }
            Self::Quote => {
                // Without the command, and what is left out around it.
                let said = block.iter().skip(1).filter(|line| *line != "…");
                lines.extend(said.map(|line| format!("> {}", line.trim())));
            }
        }
        lines
    }
}

/// Holds each figure of some lines against what runs print.
fn hold(lines: &[&str], first: usize, known: (&str, &[String]), checked: &mut Checked) {
    let (printed, also) = known;
    let there: Vec<&str> = numbers(printed).collect();
    let mut in_code = false;
    for (number, line) in lines.iter().enumerate() {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        if in_code || line.trim_start().starts_with("<!--") {
            continue;
        }
        for figure in figures(line) {
            let digits = figure.split(' ').next().unwrap_or(figure);
            let is_known = also.iter().any(|text| text == figure || text == digits);
            if is_known || there.contains(&digits) {
                checked.held += 1;
            } else {
                checked.stale.push(format!("{}: “{figure}” is in no run's output", first + number));
            }
        }
    }
}

/// Returns the numbers of a text, without what is glued to letters.
fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_digit(c) && !c.is_ascii_alphabetic())
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty() && word.chars().all(is_digit))
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit() || c == '.'
}

/// Returns the figures of a line that a run has to print: those with a unit of measurement, and the cells
/// of a table that are numbers with a decimal point or of three digits at least.
pub(super) fn figures(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let is_row = line.starts_with('|');
    for (at, _) in line.char_indices() {
        let (before, rest) = line.split_at(at);
        if before.chars().last().is_some_and(|c| c.is_alphanumeric() || ".-_/=`".contains(c)) {
            continue;
        }
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let digits = rest.get(..length).unwrap_or_default().trim_end_matches('.');
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let behind = rest.get(digits.len()..).unwrap_or_default();
        let unit = UNITS.iter().find(|unit| {
            let end = behind.strip_prefix(' ').and_then(|behind| behind.strip_prefix(**unit));
            end.is_some_and(|end| !end.starts_with(|c: char| c.is_alphanumeric() || c == '/'))
        });
        let is_cell = is_row
            && (digits.contains('.') || digits.len() > 2)
            && behind.trim_start().starts_with(['|', ',', ';', '(']);
        match unit {
            Some(unit) => {
                found.extend(rest.get(..digits.len() + 1 + unit.len()));
            }
            None if is_cell => found.push(digits),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Page, figures};

    fn check_figures(line: &str, expected: &[&str]) {
        assert_eq!(figures(line), expected, "{line}");
    }

    #[test]
    fn figures_are_what_was_measured() {
        check_figures("reads at 1073 MiB/s instead of 399 MiB/s.", &["1073 MiB/s", "399 MiB/s"]);
        check_figures("2.95 times as fast, 78.1 % of 20 GiB", &["2.95 times", "78.1 %"]);
        check_figures("OpenZFS 2.1.11 of 2024, `a=20 ms`, 1/32", &[]);
        check_figures("| arm | 399 | 20 | 1.18 |", &["399", "1.18"]);
    }

    /// A page, what a run prints, the page as it should be, and what is stale.
    fn check(page: &str, printed: &str, expected: &str, stale: &[&str]) {
        let checked = Page::parse(page).unwrap().against(&mut |_| Ok(printed.to_owned())).unwrap();
        assert_eq!((checked.text.as_str(), checked.stale), (expected, stale_of(stale)), "{page}");
    }

    fn stale_of(stale: &[&str]) -> Vec<String> {
        stale.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn blocks_are_written_and_sentences_held() {
        let printed = "table\n  a 12 MiB/s\nAnswer\n  It is 12.5 MiB/s.\n";
        let mark = "<!-- output: run a.toml; from Answer -->";
        let block = |body: &str| format!("# A\n\n{mark}\n```\n{body}```\nBehind.\n");
        let whole = block("$ arcwright run a.toml\n…\nAnswer\n  It is 12.5 MiB/s.\n");
        check(&block("stale\n"), printed, &whole, &[]);
        check(&whole, printed, &whole, &[]);
        let quote = |body: &str| format!("<!-- quote: run a.toml; from It -->\n{body}Behind.\n");
        check(&quote("> stale\n> lines\n"), printed, &quote("> It is 12.5 MiB/s.\n"), &[]);
        let held =
            "<!-- figures: run a.toml; also 7 % -->\n12 MiB/s, 7 %.\n8 %\n<!-- /figures -->\n9 %\n";
        let stray = "5: no mark says which run “9 %” is from";
        check(held, printed, held, &["3: “8 %” is in no run's output", stray]);
    }

    #[test]
    fn a_mark_that_cannot_be_meant_is_an_error() {
        let fails = |page: &str| {
            let page = Page::parse(page);
            page.and_then(|page| page.against(&mut |_| Ok("a\n".to_owned()))).is_err()
        };
        assert!(fails("<!-- output: run a; until b -->\n```\n```\n"));
        assert!(fails("<!-- output: run a; from b -->\n```\n```\n"));
        assert!(fails("<!-- output: run a -->\nno block\n"));
        assert!(fails("<!-- quote: run a -->\nno quotation\n"));
        assert!(!fails("<!-- a remark -->\n"));
    }
}
