//! Where ZFS stopped because something inside it contradicts itself, in the log of a kernel or in what `zdb`
//! and `zpool` print when it happens to them.
//!
//! ```text
//! VERIFY3(range_tree_end(rt) >= end) failed (4096 >= 8192)              what did not hold
//! PANIC at range_tree.c:503:range_tree_remove_impl()                    where; Linux, up to 2.4
//! PANIC: zfs: allocating allocated segment(offset=1 size=2) of (…)      zfs_panic_recover()
//! panic: VERIFY(…) failed                                               FreeBSD
//! panic: solaris assert: …, file: /usr/src/…/dmu.c, line: 1234          FreeBSD, up to 12
//! ASSERT at module/zfs/arc.c:1234:arc_read()                            a program (lib/libspl/assert.c)
//! BUG: unable to handle page fault for address: …                       Linux, with calls of ZFS below it
//! ```

use super::is_call;
use crate::machine::Panic;

/// Panics that are kept; one machine has one, a program of them may repeat it.
const PANICS_MAX: usize = 16;
/// Words that are kept of what did not hold.
const CHARS_MAX: usize = 160;

/// What was read of panics so far.
#[derive(Debug, Default)]
pub(super) struct Panics {
    found: Vec<Panic>,
    /// What did not hold; where it is stands in the next lines. It is of the kernel where that is seen by itself.
    open: Option<(String, bool)>,
    /// The processor's own fault, which is of ZFS if the calls below are.
    fault: Option<String>,
}

impl Panics {
    /// Takes a line, and what it says without its time.
    pub(super) fn take(&mut self, line: &str, said: &str) {
        if let Some(condition) = condition(said) {
            self.close();
            // A program prints no time before it.
            let is_of_kernel = line.trim() != said || said.starts_with("panic: ");
            self.open = Some((cut(condition), is_of_kernel));
        } else if let Some((place, in_program)) = place(said) {
            let condition = self.open.take().map(|(condition, _)| condition);
            self.push(Panic { condition, place: Some(cut(place)), in_program, reports: 1 });
        } else if let Some(condition) = recovered(said) {
            self.close();
            self.push(Panic { condition: Some(cut(condition)), ..Panic::once() });
        } else if is_fault(said) {
            self.fault = Some(cut(said));
        } else if let Some(fault) = self.fault.take_if(|_| is_of_zfs(said)) {
            let place = said.split_once("RIP: ").map_or(said, |(_, rest)| rest);
            self.push(Panic {
                condition: Some(fault),
                place: Some(cut(place.trim())),
                ..Panic::once()
            });
        }
    }

    /// Returns all of them; one of the kernel without a place is one, too.
    pub(super) fn end(mut self) -> Vec<Panic> {
        self.close();
        self.found
    }

    fn close(&mut self) {
        if let Some((condition, _)) = self.open.take().filter(|(_, is_of_kernel)| *is_of_kernel) {
            self.push(Panic { condition: Some(condition), ..Panic::once() });
        }
    }

    fn push(&mut self, panic: Panic) {
        let is_full = self.found.len() >= PANICS_MAX;
        let same = |known: &&mut Panic| {
            (known.place.as_ref(), known.in_program) == (panic.place.as_ref(), panic.in_program)
                && (panic.place.is_some() || known.condition == panic.condition)
        };
        match self.found.iter_mut().find(same) {
            Some(known) => known.reports = known.reports.saturating_add(1),
            None if is_full => {}
            None => self.found.push(panic),
        }
    }
}

/// Returns whether only a panic of ZFS has such a line.
pub(super) fn is_panic(said: &str) -> bool {
    condition(said).is_some() || place(said).is_some() || recovered(said).is_some()
}

/// Returns what did not hold.
fn condition(said: &str) -> Option<&str> {
    const BEGINS: [&str; 4] = ["VERIFY", "ASSERT", "panic: VERIFY", "panic: ASSERT"];
    let begins = BEGINS.iter().any(|begin| said.starts_with(begin));
    let opens = said.split_once('(').is_some_and(|(name, _)| name.len() <= "panic: VERIFY3U".len());
    let holds = begins && opens && said.contains(") failed");
    holds.then(|| said.strip_prefix("panic: ").unwrap_or(said))
}

/// Returns where it is, and whether a program stopped there instead of the kernel.
fn place(said: &str) -> Option<(&str, bool)> {
    let (rest, in_program) = match said.strip_prefix("PANIC at ") {
        Some(rest) => (rest, false),
        None => (said.strip_prefix("ASSERT at ")?, true),
    };
    let mut parts = rest.split(':');
    let file = parts.next().filter(|file| file.ends_with(".c") || file.ends_with(".h"))?;
    let is_place = file.len() < CHARS_MAX && parts.next()?.parse::<u32>().is_ok();
    // `Aborted` may stand right behind it.
    let end = rest.find("()").map_or(rest.len(), |end| end + "()".len());
    is_place.then_some((rest.get(..end)?, in_program))
}

/// Returns what ZFS says when it goes no further, in words of its own.
fn recovered(said: &str) -> Option<&str> {
    if let Some(rest) = said.strip_prefix("panic: solaris assert: ") {
        return Some(rest);
    }
    let rest = said.strip_prefix("PANIC: ").or_else(|| said.strip_prefix("panic: "))?;
    rest.strip_prefix("zfs: ").or_else(|| rest.starts_with("avl_").then_some(rest))
}

/// Returns whether a line is of the processor's faults (arch/x86/mm/fault.c, traps.c).
fn is_fault(said: &str) -> bool {
    const BEGINS: [&str; 3] = [
        "BUG: unable to handle ",
        "BUG: kernel NULL pointer dereference",
        "general protection fault",
    ];
    BEGINS.iter().any(|begin| said.starts_with(begin))
}

/// Returns whether a line names an instruction of ZFS: `RIP: 0010:abd_copy+0x1f/0x40 [zfs]`.
fn is_of_zfs(said: &str) -> bool {
    const MODULES: [&str; 4] = [" [zfs]", " [spl]", " [zavl]", " [zcommon]"];
    let at = said.split_once("RIP: ").map_or("", |(_, rest)| rest);
    let call = at.split_once(':').map_or(at, |(_, call)| call);
    is_call(call) && MODULES.iter().any(|module| call.ends_with(module))
}

fn cut(text: &str) -> String {
    text.chars().take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;
    use crate::sources::Sources;

    fn check(text: &str, expected: &[(Option<&str>, Option<&str>, bool, u64)]) {
        let machine = Machine::read(&Sources::recognize(text));
        let all: Vec<_> = machine
            .panics
            .iter()
            .map(|one| {
                (one.condition.as_deref(), one.place.as_deref(), one.in_program, one.reports)
            })
            .collect();
        assert_eq!(all, expected, "{text}");
    }

    #[test]
    fn each_system_says_in_its_own_words_that_zfs_stopped() {
        check(
            "[39.8] VERIFY3(end(rs) >= end) failed (1 >= 2)\n[39.9] PANIC at range_tree.c:503:range_tree_remove_impl()\n\
             [40.0] Showing stack for process 11931\n",
            &[(
                Some("VERIFY3(end(rs) >= end) failed (1 >= 2)"),
                Some("range_tree.c:503:range_tree_remove_impl()"),
                false,
                1,
            )],
        );
        check(
            "[1.5] PANIC: zfs: allocating allocated segment(offset=1 size=2) of (offset=1 size=4)\n",
            &[(
                Some("allocating allocated segment(offset=1 size=2) of (offset=1 size=4)"),
                None,
                false,
                1,
            )],
        );
        check(
            "panic: VERIFY(BP_GET_PSIZE(bp) == size) failed\n\ncpuid = 3\n",
            &[(Some("VERIFY(BP_GET_PSIZE(bp) == size) failed"), None, false, 1)],
        );
        check(
            "panic: solaris assert: rs == NULL, file: /usr/src/sys/x/range_tree.c, line: 435\n",
            &[(Some("rs == NULL, file: /usr/src/sys/x/range_tree.c, line: 435"), None, false, 1)],
        );
        check(
            "# zdb -e tank\nVERIFY3(0 == error) failed (0 == 5)\nASSERT at module/zfs/zap.c:12:zap_deref()Aborted\n",
            &[(
                Some("VERIFY3(0 == error) failed (0 == 5)"),
                Some("module/zfs/zap.c:12:zap_deref()"),
                true,
                1,
            )],
        );
    }

    #[test]
    fn a_fault_is_of_zfs_where_its_instruction_is() {
        let fault = "[5.1] BUG: unable to handle page fault for address: ffff\n[5.2] #PF: supervisor read\n";
        check(
            &format!("{fault}[5.3] RIP: 0010:abd_copy+0x1f/0x40 [zfs]\n"),
            &[(
                Some("BUG: unable to handle page fault for address: ffff"),
                Some("0010:abd_copy+0x1f/0x40 [zfs]"),
                false,
                1,
            )],
        );
        check(&format!("{fault}[5.3] RIP: 0010:i915_gem+0x1f/0x40 [i915]\n"), &[]);
    }

    #[test]
    fn one_place_is_one_panic_however_often_it_is_reported() {
        let once = "[1.1] VERIFY(x) failed\n[1.2] PANIC at dmu.c:7:dmu_read()\n";
        let place = Some("dmu.c:7:dmu_read()");
        check(&once.repeat(3), &[(Some("VERIFY(x) failed"), place, false, 3)]);
        check("We VERIFY that (this) failed\n", &[]);
    }
}
