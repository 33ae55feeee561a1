//! Tables of `zpool iostat -v` whose indentation a page took: pools stand below titles and rules, what they are made of below them.
//!
//! ```text
//! pool alloc free read write read write
//! ----------- ----- ----- ----- ----- ----- -----
//! tank 598G 6.67T 23 177 387K 1.17M              a pool: the first row below a rule
//! raidz2 598G 6.67T 23 167 387K 966K
//! c1t10d0 - - 5 26 59.6K 180K
//! ```

use super::super::status::{class_of, is_group};
use super::{columns, indent_of};

/// Returns whether a text has vdevs, and none of its rows is indented.
pub(super) fn is_flat(text: &str) -> bool {
    let titles = text.lines().find(|line| columns::of_lower_titles(line).is_some());
    let Some(base) = titles.map(indent_of) else { return false };
    let is_vdev = |line: &&str| {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        is_group(name) || class_of(name).is_some() || words.take(2).eq(["-", "-"])
    };
    let mut vdevs = text.lines().filter(|line| is_vdev(line) && !begins_pool(line)).peekable();
    vdevs.peek().is_some() && vdevs.all(|line| indent_of(line) <= base)
}

/// Returns whether a row below a line is a pool's.
pub(super) fn begins_pool(line: &str) -> bool {
    let rule = line.contains("--") && line.chars().all(|c| matches!(c, '-' | ' '));
    rule || columns::of_lower_titles(line).is_some() || columns::of_titles(line).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::{RequestedColumns, parse};

    #[test]
    fn rows_below_a_rule_are_pools_and_the_others_are_in_them() {
        let text = "capacity operations bandwidth\npool alloc free read write read write\n\
                    ----- ----- ----- ----- ----- ----- -----\n\
                    tank 598G 6.67T 23 177 387K 1.17M\nraidz2 598G 6.67T 23 167 387K 966K\n\
                    c1t0d0 - - 5 26 59.6K 180K\nc0t3d0 1.91M 18.6G 0 9 0 235K\n\
                    cache - - - - - -\nc0t2d0 55.9G 7.94M 10 2 161K 253K\n\
                    ----- ----- ----- ----- ----- ----- -----\nrpool 1G 9G 0 0 0 0\nsda 1G 9G 0 0 0 0\n";
        let reports = parse(text, &[], RequestedColumns::default());
        assert!(reports.strays.is_empty(), "{:?}", reports.strays);
        let report = reports.series.first().expect("a report");
        let pools: Vec<(&str, Vec<&str>)> = report
            .iter()
            .map(|(pool, vdevs)| (pool.as_str(), vdevs.keys().map(String::as_str).collect()))
            .collect();
        let tank = vec!["c0t2d0", "c0t3d0", "c1t0d0", "raidz2-0", "tank"];
        assert_eq!(pools, [("rpool", vec!["rpool", "sda"]), ("tank", tank)]);
    }
}
