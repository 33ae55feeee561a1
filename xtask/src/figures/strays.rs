//! Figures that stand outside of all marks, so that no run holds them.

use super::page::figures;

/// Where a page is read that no mark stands before: its own figures have no place there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Section {
    /// It tells what a report says, whose figures no run prints.
    is_on_report: bool,
    is_code: bool,
}

impl Section {
    /// Finds figures with a unit that no mark names a run for; what is quoted or code is somebody else's.
    pub(super) fn look_for_strays(&self, lines: &[&str], first: usize, stale: &mut Vec<String>) {
        let mut here = *self;
        for (number, line) in lines.iter().enumerate() {
            here.read(&[line]);
            if here.is_code || here.is_on_report || line.starts_with(['>', '<']) {
                continue;
            }
            let own = without_quotes(line);
            let strays = figures(&own).into_iter().filter(|figure| figure.contains(' '));
            let place = first + number;
            stale.extend(
                strays.map(|figure| format!("{place}: no mark says which run “{figure}” is from")),
            );
        }
    }

    /// Goes on behind these lines.
    pub(super) fn read(&mut self, lines: &[&str]) {
        for line in lines {
            if line.starts_with("```") {
                self.is_code = !self.is_code;
            } else if line.starts_with('#') && !self.is_code {
                self.is_on_report = line.to_lowercase().contains("report");
            }
        }
    }
}

/// Returns a line without what stands between quotation marks or backticks.
fn without_quotes(line: &str) -> String {
    let mut is_code = false;
    let mut depth = 0_u32;
    let is_own = |letter: &char| {
        match letter {
            '`' => is_code = !is_code,
            '“' => depth += 1,
            '”' => depth = depth.saturating_sub(1),
            _ => return !is_code && depth == 0,
        }
        false
    };
    line.chars().filter(is_own).collect()
}

#[cfg(test)]
mod tests {
    use super::Section;

    fn check(page: &str, expected: &[&str]) {
        let (lines, mut stale): (Vec<&str>, _) = (page.lines().collect(), Vec::new());
        Section::default().look_for_strays(&lines, 1, &mut stale);
        assert_eq!(stale, expected, "{page}");
    }

    #[test]
    fn a_figure_needs_a_run_unless_a_report_says_it() {
        check("It reads 12 MiB/s.", &["1: no mark says which run “12 MiB/s” is from"]);
        check("Of 20 GiB it says “12 MiB/s”, set by `a=12 ms`, or:\n```\n12 ms\n```\n> 7 %", &[]);
        check("## The report\n\n12 MiB/s.\n\n## We\n", &[]);
        let behind = "6: no mark says which run “1 ms” is from";
        check("## The report\n\n12 MiB/s.\n\n## We\n1 ms\n", &[behind]);
    }
}
