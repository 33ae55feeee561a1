//! The disks, each with what it did and how long that took.

use arcwright_machine::DeviceRates;
use ratatui::text::{Line, Span};

use super::Sheet;
use crate::format;

/// Columns of the figures.
const FIGURE: usize = 12;

pub(super) fn lines(sheet: &Sheet<'_>) -> Vec<Line<'static>> {
    let palette = sheet.board.palette;
    let Some(rates) = sheet.rates.as_ref().filter(|rates| !rates.devices.is_empty()) else {
        return vec![Line::styled("no disk statistics", palette.dim())];
    };
    let name = sheet.width.saturating_sub(7 + 5 * FIGURE).clamp(8, 28);
    let heads = ["read", "written", "requests", "latency", "busy"];
    let heads: String = heads.iter().map(|head| format!("{head:>FIGURE$}")).collect();
    let head = Line::styled(format!("{:<name$} {:<6}{heads}", "", ""), palette.dim());
    let slowest = rates.devices.iter().filter_map(|device| device.latency_ns).fold(0.0, f64::max);
    let rows = rates.devices.iter().map(|device| row(sheet, device, (name, slowest)));
    std::iter::once(head).chain(rows).collect()
}

fn row(sheet: &Sheet<'_>, device: &DeviceRates, (width, slowest): (usize, f64)) -> Line<'static> {
    let palette = sheet.board.palette;
    let name = cut(&device.name, width);
    let room = width.saturating_sub(name.chars().count() + 1);
    let detail = if room > 5 { cut(&device.detail, room) } else { String::new() };
    let blanks = " ".repeat(width.saturating_sub(name.chars().count() + detail.chars().count()));
    let is_slow = device.latency_ns.is_some_and(|latency| {
        let others = sheet.rates.iter().flat_map(|rates| &rates.devices);
        let peers = others.filter(|other| other.role == device.role && other.name != device.name);
        let known: Vec<f64> = peers.filter_map(|other| other.latency_ns).collect();
        // Three times what its equals take is more than chance.
        latency >= slowest && !known.is_empty() && known.iter().all(|other| latency > other * 3.0)
    });
    let style = if is_slow { palette.bad() } else { ratatui::style::Style::new() };
    let latency = format::latency(device.latency_ns);
    Line::from(vec![
        Span::raw(name),
        Span::raw(blanks),
        Span::styled(detail, palette.dim()),
        Span::raw(format!(" {:<6}", device.role)),
        Span::raw(format!("{:>FIGURE$}", format::rate(Some(device.read)))),
        Span::raw(format!("{:>FIGURE$}", format::rate(Some(device.write)))),
        Span::raw(format!("{:>FIGURE$}", format::per_second(Some(device.requests.round())))),
        Span::styled(format!("{latency:>FIGURE$}"), style),
        Span::raw(format!("{:>FIGURE$}", format::share(device.busy))),
    ])
}

/// Returns the end of a text that is too long, since that tells disks apart.
fn cut(text: &str, width: usize) -> String {
    let letters = text.chars().count();
    match letters.checked_sub(width) {
        None | Some(0) => text.to_owned(),
        Some(over) => std::iter::once('…').chain(text.chars().skip(over + 1)).collect(),
    }
}
