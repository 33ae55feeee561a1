//! The intent log: who waits for it, and where it is written.

use ratatui::text::Line;

use super::Sheet;
use crate::format;

pub(super) fn lines(sheet: &Sheet<'_>) -> Vec<Line<'static>> {
    let rates = sheet.rates.clone().unwrap_or_default();
    let commits = match rates.commits {
        Some(commits) if commits < 0.05 => "no synchronous writes".to_owned(),
        commits => format!("{} commits", format::per_second(commits)),
    };
    vec![
        Line::from(commits),
        Line::from(format!("on the pool's disks {}", format::rate(rates.log_normal))),
        Line::from(format!("on log devices {}", format::rate(rates.log_slog))),
    ]
}
