//! The files that a scenario names, in the folder that it lies in.

use std::path::Path;

use arcwright_scenario::{Beside, SCENARIO_BYTES_MAX, WantedTrace};
use arcwright_units::visible_path;
use arcwright_workload::Replay;

use crate::plain::{TextError, path_within, read_text};
use crate::traces::replay;

/// The folder of a scenario.
#[derive(Debug, Clone, Copy)]
pub struct ScenarioFolder<'a> {
    /// Where paths begin.
    pub folder: &'a Path,
    /// Whether files must lie in it, since a scenario may come from elsewhere.
    pub is_bound: bool,
    /// What permits others, for whoever names one.
    pub permits: Option<&'static str>,
}

impl ScenarioFolder<'_> {
    /// Does something with a file that the scenario names.
    fn at<T>(
        &self,
        other: &str,
        read: impl FnOnce(&Path) -> Result<T, String>,
    ) -> Result<T, String> {
        let path = self.folder.join(other);
        if !self.is_bound {
            return read(&path);
        }
        let within = path_within(self.folder, Path::new(other));
        let within = within.map_err(|error| {
            let shown = visible_path(&path);
            match (&error, self.permits) {
                (TextError::Outside(_), Some(how)) => format!("{shown}: {error}; {how} permits it"),
                _ => format!("{shown}: {error}"),
            }
        })?;
        read(&within)
    }
}

impl Beside for ScenarioFolder<'_> {
    fn text(&self, other: &str) -> Result<String, String> {
        let shown = visible_path(&self.folder.join(other));
        self.at(other, |path| {
            read_text(path, SCENARIO_BYTES_MAX).map_err(|error| format!("{shown}: {error}"))
        })
    }

    fn replay(&self, wanted: &WantedTrace<'_>) -> Result<Replay, String> {
        self.at(wanted.path, |path| replay(path, wanted))
    }
}
