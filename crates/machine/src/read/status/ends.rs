//! Where a list of devices ends too early: within a row, or before the device that its states speak of.

use super::is_on_more_devices;
use super::row::{self, Titles};
use crate::cut::is_left_out;
use crate::pool::Vdev;

/// Returns why a list ends too early: its last line has a name and no state, or a state and not the three counts
/// that stand behind those above it.
pub(super) fn torn_off(config: &[(usize, String)]) -> Option<String> {
    const COUNTS: usize = 3;
    let (number, last) = config.iter().rfind(|(_, line)| !line.trim().is_empty())?;
    let is_row = row::is_row(last) || is_on_more_devices(last) || is_left_out(last);
    let read = |line: &str| row::read(line, &Titles::default());
    let has_few = read(last).is_some_and(|row| {
        let is_spare =
            row.state.as_deref().is_some_and(|state| ["AVAIL", "INUSE"].contains(&state));
        let words = last.split_whitespace().skip(1 + row.name.split_whitespace().count()).count();
        !is_spare && words < COUNTS
    });
    let counted =
        || config.iter().any(|(_, line)| read(line).is_some_and(|row| row.errors.is_some()));
    let is_torn = !is_row || has_few && counted();
    is_torn.then(|| format!("the list ends within line {number}"))
}

/// Returns why a list ends before the device that makes its pool, or its last group, DEGRADED, or that the words
/// above it are of: all that it names work, and nothing stands behind them.
pub(super) fn hides_ill(state: Option<&str>, is_told: bool, vdevs: &[Vdev]) -> Option<String> {
    let is_well = |vdev: &Vdev| {
        let well = ["ONLINE", "AVAIL", "INUSE"];
        vdev.state.as_deref().is_none_or(|state| well.contains(&state)) && vdev.note.is_none()
    };
    let all_well = vdevs.iter().flat_map(Vdev::leaves).all(is_well);
    let is_degraded = |state: Option<&str>| state == Some("DEGRADED");
    let ill = is_told
        || is_degraded(state)
        || vdevs.last().is_some_and(|vdev| is_degraded(vdev.state.as_deref()));
    (ill && all_well && !vdevs.is_empty())
        .then(|| "the list ends before the device that is not ONLINE".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    /// Checks how many vdevs of a pool are known with their place.
    fn check(rows: &str, expected: usize) {
        let text = format!(
            "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n{rows}"
        );
        let machine = Machine::read(&Sources::recognize(&text));
        assert_eq!(machine.pools[0].vdevs.len(), expected, "{rows}: {:?}", machine.problems);
    }

    #[test]
    fn a_list_without_the_device_that_the_words_above_it_are_of_has_lost_its_end() {
        let check = |status: &str, end: &str, expected: usize| {
            let text = format!(
                "  pool: tank\n state: ONLINE\nstatus: {status}\nconfig:\n\n\tNAME  STATE READ WRITE CKSUM\n\ttank  \
                 ONLINE 0 0 0\n\t  mirror-0  ONLINE 0 0 0\n\t    sda  ONLINE 0 0 0\n\t    sdb  ONLINE 0 0 0\n{end}"
            );
            let machine = Machine::read(&Sources::recognize(&text));
            assert_eq!(machine.pools[0].vdevs.len(), expected, "{status}: {:?}", machine.problems);
        };
        let unlabelled =
            "One or more devices could not be used because the label is missing or\n\tinvalid.";
        check(unlabelled, "", 0);
        check(unlabelled, "\terrors: No known data errors\n", 1);
        check(unlabelled, "\tcache\n\t  sdc  UNAVAIL 0 0 0\n", 2);
        check("Some supported features are not enabled on the pool.", "", 1);
    }

    #[test]
    fn a_list_without_the_device_that_its_states_speak_of_has_lost_its_end() {
        let open = "\ttank  DEGRADED 0 0 0\n\t  raidz1-0  DEGRADED 0 0 0\n\t    sda  ONLINE 0 0 0\n\t    sdb  ONLINE 0 0 0\n";
        check(open, 0);
        check(&format!("{open}\nerrors: No known data errors\n"), 1);
        check(&format!("{open}\t    sdc  UNAVAIL 0 0 0\n"), 1);
        check(&format!("{open}\t    sdc  ONLINE 0 0 0  (resilvering)\n"), 1);
    }
}
