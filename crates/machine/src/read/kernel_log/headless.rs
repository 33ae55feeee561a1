//! Reports of waiting tasks whose first line was cut off: the task stands below the line that all of them have.
//!
//! ```text
//! "echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
//! z_wr_int_2      D ffff8800360e6768     0   334      2 0x00000000
//! ```

/// What was read of a report so far.
#[derive(Debug, Default)]
pub(super) struct Headless {
    /// Lines since a report's first line; none before one.
    since_report: Option<usize>,
    /// Whether the task's own line is next.
    is_next: bool,
}

impl Headless {
    /// Takes a line, and whether it is a report's first; returns the task of one that has none.
    pub(super) fn task<'a>(&mut self, said: &'a str, is_report: bool) -> Option<&'a str> {
        /// What the kernel runs stands between the two.
        const BETWEEN_MAX: usize = 3;
        if is_report {
            (self.since_report, self.is_next) = (Some(0), false);
            return None;
        }
        let was_next = std::mem::take(&mut self.is_next);
        let since = self.since_report.map(|lines| lines.saturating_add(1));
        self.since_report = since;
        self.is_next = said.contains("hung_task_timeout_secs\" disables this message")
            && since.is_none_or(|lines| lines > BETWEEN_MAX);
        let mut words = said.split_whitespace();
        let name = words.next().filter(|name| name.len() < 64)?;
        let is_task = words.next() == Some("D") && words.next().is_some();
        (was_next && is_task).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    fn check(text: &str, expected: &[(&str, u64, bool)]) {
        let machine = Machine::read(&Sources::recognize(text));
        let all: Vec<_> =
            machine.hung.iter().map(|task| (&*task.name, task.waited.0, task.in_zfs)).collect();
        assert_eq!(all, expected, "{text}");
    }

    #[test]
    fn a_report_without_its_first_line_names_its_task() {
        let rest = "[9.1] \"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.\n\
                    [9.2] z_wr_int_2      D ffff8800360e6768     0   334      2 0x00000000\n\
                    [9.3] Call Trace:\n[9.4]  [<ffffffffa028fc89>] ? zio_done+0x2c9/0xe10 [zfs]\n";
        check(rest, &[("z_wr_int_2", 0, true)]);
        let whole =
            format!("[9.0] INFO: task z_wr_int_2:334 blocked for more than 120 seconds.\n{rest}");
        check(&whole, &[("z_wr_int_2", 120_000_000_000, true)]);
    }

    #[test]
    fn the_modules_own_messages_tell_of_a_sync_that_does_not_end() {
        check(
            "1527970244   spa_misc.c:546:spa_deadman(): slow spa_sync: started 33858 seconds ago, calls 6417\n\
             1527970249   spa_misc.c:546:spa_deadman(): slow spa_sync: started 33863 seconds ago, calls 6418\n",
            &[("txg_sync", 33_863_000_000_000, false)],
        );
    }
}
