//! The table of clients in a text.

use super::Sheet;
use crate::clients;
use crate::table::{Table, Tone, wrapped};

impl Sheet<'_> {
    /// Returns what clients got that differ; an empty text where there are none.
    pub(super) fn all_clients(&self) -> String {
        let Some(table) = self.clients() else { return String::new() };
        let parts = table.split(self.options.width);
        let parts: Vec<String> =
            parts.iter().map(|part| part.render(self.options.colour)).collect();
        let legend = self
            .clients_legend()
            .map(|legend| self.painted(Tone::Faint, &wrapped("", legend, self.options.width)));
        self.title("Clients") + &parts.join("\n") + &legend.unwrap_or_default()
    }

    pub(crate) fn clients(&self) -> Option<Table> {
        clients::table(self.outcome, self.options.clients, self.options.precision)
    }

    /// Explains lines that stand for several clients, where there are some.
    pub(crate) fn clients_legend(&self) -> Option<&'static str> {
        clients::has_groups(self.outcome, self.options.clients).then_some(clients::LEGEND)
    }
}
