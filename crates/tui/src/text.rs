//! Lines of figures that fit their panel: pairs of a label and a value side by side, bars, parts that wrap.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::format::{padded, whole, width};
use crate::palette::Palette;

/// A label and what it says; the label's columns and the value's are the same in every line.
pub(crate) type Item = (&'static str, String);

/// Columns of a value: `1023 MiB/s`.
const VALUE: usize = 10;
/// Columns between two pairs.
const GAP: usize = 2;
/// More pairs than these beside each other are no longer read as lines.
const ACROSS_MAX: usize = 4;

/// Returns how many pairs stand beside each other, and how wide each is.
fn across(label: usize, columns: usize) -> (usize, usize) {
    let pair = label + 1 + VALUE;
    let count = ((columns + GAP) / (pair + GAP)).clamp(1, ACROSS_MAX);
    // What is left goes between them, as far as the eye follows.
    let spread = (columns + GAP) / count;
    (count, spread.saturating_sub(GAP).clamp(pair, pair + 12))
}

/// Returns how many lines so many pairs take.
pub(crate) fn grid_rows(count: usize, label: usize, columns: usize) -> usize {
    count.div_ceil(across(label, columns).0)
}

/// Returns pairs side by side, as many as there is room for.
pub(crate) fn grid(
    items: &[Item],
    label: usize,
    columns: usize,
    palette: Palette,
) -> Vec<Line<'static>> {
    let (count, pair) = across(label, columns);
    let line = |items: &[Item]| {
        let mut spans = Vec::new();
        for (index, (name, value)) in items.iter().enumerate() {
            if index > 0 {
                spans.push(Span::raw(" ".repeat(GAP)));
            }
            let room = pair.saturating_sub(label);
            let blanks = " ".repeat(room.saturating_sub(width(value)));
            spans.push(Span::styled(padded(name, label), palette.dim()));
            spans.push(Span::raw(format!("{blanks}{value}")));
        }
        Line::from(spans)
    };
    items.chunks(count).map(line).collect()
}

/// A part of a line that is not cut: a sign with its style, and words.
pub(crate) type Part = (Option<(char, Style)>, String);

/// Returns parts one after the other, on as many lines as they need.
pub(crate) fn flow(parts: Vec<Part>, columns: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (sign, text) in parts {
        let mut spans: Vec<Span<'static>> = Vec::new();
        spans.extend(sign.map(|(sign, style)| Span::styled(format!("{sign} "), style)));
        spans.push(Span::raw(text));
        let wide: usize = spans.iter().map(Span::width).sum();
        match lines.last_mut() {
            Some(line) if line.width() + GAP + wide <= columns => {
                line.push_span(Span::raw(" ".repeat(GAP)));
                line.extend(spans);
            }
            _ => lines.push(Line::from(spans)),
        }
    }
    lines
}

/// Returns a bar of so many blocks cut into shares.
pub(crate) fn bar(shares: &[(f64, Style, char)], columns: usize) -> Vec<Span<'static>> {
    let all: f64 = shares.iter().map(|share| share.0).sum();
    if all <= 0.0 || columns == 0 {
        return vec![Span::raw(" ".repeat(columns))];
    }
    let mut end = 0.0;
    let mut from = 0;
    let mut spans = Vec::new();
    for (share, style, sign) in shares {
        end += share / all * f64::from(u16::try_from(columns).unwrap_or(u16::MAX));
        let to = usize::try_from(whole(end)).unwrap_or(columns).clamp(from, columns);
        spans.push(Span::styled(sign.to_string().repeat(to - from), *style));
        from = to;
    }
    spans
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::Style;

    use super::{bar, flow, grid, grid_rows};
    use crate::palette::Palette;

    proptest! {
        #[test]
        fn lines_fit_and_nothing_of_them_is_cut(columns in 22usize..260, count in 1usize..12) {
            let palette = Palette::new(false);
            let items: Vec<_> = (0..count).map(|n| ("label", format!("{n}23 MiB/s"))).collect();
            let lines = grid(&items, 9, columns, palette);
            prop_assert_eq!(lines.len(), grid_rows(count, 9, columns));
            let parts = (0..count).map(|n| (Some(('█', Style::new())), format!("part {n}"))).collect();
            let text: String = flow(parts, columns).iter().chain(&lines).map(|line| {
                assert!(line.width() <= columns, "{line}");
                line.to_string() + "\n"
            }).collect();
            for n in 0..count {
                for whole in [format!("{n}23 MiB/s"), format!("█ part {n}")] {
                    prop_assert!(text.contains(&whole), "no {whole} in {text}");
                }
            }
        }

        #[test]
        fn a_bar_fills_its_columns(shares in prop::collection::vec(0.0f64..1e12, 1..5), columns in 0usize..200) {
            let style = Style::new();
            let shares: Vec<_> = shares.iter().map(|share| (*share, style, '█')).collect();
            let wide: usize = bar(&shares, columns).iter().map(ratatui::text::Span::width).sum();
            prop_assert_eq!(wide, columns);
        }
    }
}
