//! What each operation of a program consists of.

use super::{Id, Part, Thread};
use crate::schedule::Kind;
use crate::schedule::tests::program::{Op, Program, STEPS_LOCKED};

pub(super) fn parts(program: &Program) -> Vec<Thread> {
    let ops = |(id, ops): (Id, &Vec<Op>)| {
        let mut parts = Vec::new();
        for (place, op) in ops.iter().enumerate() {
            if id == 0 && place + 1 < program.threads.len() {
                parts.push(Part::Spawn(place + 1));
            }
            parts.extend(parts_of(id, *op));
            parts.push(Part::Done(place));
        }
        if id == 0 {
            parts.extend((ops.len() + 1..program.threads.len()).map(Part::Spawn));
            parts.push(Part::UntilEnded);
        }
        let is_disk = program.kind(id) == Kind::Disk;
        Thread { parts, is_disk, ..Thread::default() }
    };
    program.threads.iter().enumerate().map(ops).collect()
}

fn parts_of(id: Id, op: Op) -> Vec<Part> {
    match op {
        Op::Spend(span) => vec![Part::Spend(span)],
        Op::Steps(count) => vec![Part::Step; usize::from(count)],
        Op::Sleep(span) => vec![Part::Sleep(span)],
        Op::Wait(queue, patience) => vec![Part::Enqueue(queue), Part::Wait(patience)],
        Op::JoinThenWait(queue, patience) => {
            vec![Part::Enqueue(queue), Part::Step, Part::Wait(patience)]
        }
        Op::Wake(queue) => vec![Part::Wake(queue)],
        Op::Broadcast(queue) => vec![Part::WakeAll(queue)],
        Op::Critical(lock, span) => locked(&[lock], &[Part::Spend(span)]),
        Op::SleepLocked(lock, span) => {
            let mut parts = vec![Part::Step; STEPS_LOCKED];
            parts.push(Part::Sleep(span));
            locked(&[lock], &parts)
        }
        Op::AllLocks(span) => locked(&[0, 1], &[Part::Spend(span)]),
        Op::Request(device, span) => vec![Part::Request(device, span)],
        Op::GiveWay => vec![Part::GiveWay],
        Op::Join(before) => match id.checked_sub(before) {
            None | Some(0) => Vec::new(),
            Some(other) => vec![Part::Join(other)],
        },
    }
}

fn locked(locks: &[usize], parts: &[Part]) -> Vec<Part> {
    let before = locks.iter().flat_map(|lock| [Part::Step, Part::Acquire(*lock)]);
    let after = locks.iter().flat_map(|lock| [Part::Step, Part::Release(*lock)]);
    before.chain(parts.iter().copied()).chain(after).collect()
}
