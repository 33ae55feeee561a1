//! Two samples with a window between them, and `zpool iostat` running beside it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use arcwright_machine::{Reason, Sources};

use super::commands::{Command, QUICK, Tools, first_that_works};
use super::files::{Tree, note};
use super::sampler::kstat_paths;
use super::{ObserveProgress, Options, System, freebsd};
use crate::clock::Clock;

/// How often progress is reported.
const TICK: Duration = Duration::from_millis(100);

/// Forms of `zpool iostat`: what is asked, and simpler forms for old tools.
const FORMS: [(&str, &[&str]); 3] = [
    ("lq", &["-lqHpvP", "-lqHpv", "-Hpv", "-v"]),
    ("w", &["-wHpvP", "-wHpv"]),
    ("r", &["-rHpvP", "-rHpv"]),
];

pub(super) fn samples(
    (system, tree): (System, &Tree),
    options: &Options,
    sources: &mut Sources,
    watch: &mut dyn ObserveProgress,
) {
    let (live, tools) = (options.live, &options.tools);
    // The last reading is taken although the user stopped: it ends the window.
    let readers = tools.to_the_end();
    let of = Looked { system, tree, tools: &readers };
    let clock = Clock::start();
    watch.step("taking the first sample");
    sample(0, &of, &clock, sources);
    if live {
        let since_import = iostat(tools, None, None);
        finish(0, since_import, sources);
    }
    // A copy of files does not change while one waits.
    if options.window.is_zero() || !live {
        return;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let beside = iostat(tools, Some(options.window), Some(&stop));
    watch.step(&format!("watching for {} s", options.window.as_secs_f64().ceil()));
    let stopped = wait(options.window, watch);
    stop.store(stopped, Ordering::Relaxed);
    watch.step("taking the second sample");
    sample(1, &of, &clock, sources);
    finish(1, beside, sources);
}

/// What is looked at, and through what.
struct Looked<'a> {
    system: System,
    tree: &'a Tree,
    tools: &'a Tools,
}

/// Waits and tells how far it is; whether it was stopped.
fn wait(window: Duration, watch: &mut dyn ObserveProgress) -> bool {
    let begin = Instant::now();
    loop {
        let done = begin.elapsed();
        watch.waited(done.min(window), window);
        if done >= window || watch.stop() {
            return done < window;
        }
        thread::sleep(TICK.min(window.saturating_sub(done)));
    }
}

fn sample(number: u32, of: &Looked<'_>, clock: &Clock, sources: &mut Sources) {
    note(&format!("sample-{number}/at"), Ok(clock.now().as_nanos().to_string()), sources);
    if of.system == System::FreeBsd {
        return freebsd::counters(of.tools, &format!("sample-{number}/commands/sysctl"), sources);
    }
    match kstat_paths(of.tree.root()) {
        Ok(paths) => {
            for path in paths {
                let text = of.tree.read(&path);
                // A pool may be exported between the listing and the reading.
                if text != Err(Reason::Absent) {
                    note(&format!("sample-{number}/{path}"), text, sources);
                }
            }
        }
        Err(reason) => note(&format!("sample-{number}/proc/spl/kstat/zfs"), Err(reason), sources),
    }
}

type Answers = Vec<(&'static str, JoinHandle<Result<String, Reason>>)>;

/// Starts `zpool iostat` in all forms: over a window, or since import.
fn iostat(tools: &Tools, window: Option<Duration>, stop: Option<&Arc<AtomicBool>>) -> Answers {
    let seconds = window.map(|window| window.as_secs().max(1).to_string());
    let start = |(form, flags): (&'static str, &[&str])| {
        let commands: Vec<Command> = flags
            .iter()
            .map(|flags| {
                let command = command(tools, flags, seconds.as_deref());
                match stop {
                    Some(stop) => command.until(stop),
                    None => command,
                }
            })
            .collect();
        let time = window.unwrap_or_default() + QUICK;
        (form, thread::spawn(move || first_that_works(&commands, time)))
    };
    FORMS.into_iter().map(start).collect()
}

fn command(tools: &Tools, flags: &str, seconds: Option<&str>) -> Command {
    match seconds {
        None => tools.command("zpool", &["iostat", flags]),
        // Tools without -H have no -y either: two reports, of which the first counts since import.
        Some(seconds) if flags == "-v" => tools.command("zpool", &["iostat", flags, seconds, "2"]),
        Some(seconds) => tools.command("zpool", &["iostat", "-y", flags, seconds, "1"]),
    }
}

fn finish(number: u32, answers: Answers, sources: &mut Sources) {
    for (form, answer) in answers {
        let answer =
            answer.join().unwrap_or_else(|_| Err(Reason::Failed("its thread died".to_owned())));
        note(&format!("sample-{number}/commands/zpool-iostat-{form}"), answer, sources);
    }
}
