//! Random requests in the queue of a disk, as they were recorded.

use arcwright_units::Nanos;

use super::super::class::CLASSES;
use super::{Batch, Class, Queue, Waiting};
use crate::ids::IoId;
use crate::vectors::{check, in_turn, index, once_in, one_of, wide};
use crate::versions::rules::QueueOrder;
use crate::versions::settings::Settings;

/// 64 x 16 384 steps: 1 048 576.
const STEPS: u64 = 16_384;
/// Numbers of requests; one is used again when its request is done.
const IOS: usize = 400;

#[test]
fn requests_go_to_the_disk_as_recorded() {
    check("vdev-queue", |chunk, chance, record| {
        let orders = [
            QueueOrder::Elevator,
            QueueOrder::Buckets,
            QueueOrder::Deadlines { grain: Nanos::millis(64) },
        ];
        let settings = Settings::defaults(None).queues;
        let mut queue = Queue::new(&settings, once_in(chance, 2), in_turn(chunk, &orders));
        if once_in(chance, 2) {
            queue.keep_min_active();
        }
        queue.fill_gaps(one_of(chance, &[0, 4096]));
        // How far requests are apart, and how eagerly the disk takes them.
        let (spread, eager) = (1 + wide(chance, 1 << 32), 2 + chance.below(6));
        let (mut now, mut next) = (Nanos::SECOND, 0u64);
        let mut waiting: [Option<Waiting>; IOS] = [None; IOS];
        let mut active: Vec<Batch> = Vec::new();
        let mut answers = Vec::new();
        for _ in 0..STEPS {
            now += Nanos(wide(chance, 300_000_000));
            answers.clear();
            let place = index(chance, IOS);
            let io = IoId::at(place);
            let is_used = active.iter().any(|batch| batch.ios.contains(&io));
            let words = match (chance.below(eager + 6), waiting[place]) {
                (0..=5, None) if !is_used => {
                    // Most continue where one ended.
                    let offset = if once_in(chance, 4) { wide(chance, spread) << 12 } else { next };
                    let size = u32::try_from(512 * (1 + wide(chance, 300))).unwrap();
                    let class = one_of(chance, &CLASSES);
                    let request = Waiting { offset, size, class, since: now };
                    next = offset + u64::from(size) + (chance.below(4) << 12);
                    waiting[place] = Some(request);
                    queue.push(io, request);
                    format!("push {} {request:?}", io.0)
                }
                (0, Some(mut request)) if request.class == Class::AsyncRead => {
                    queue.upgrade(io, &mut request);
                    waiting[place] = Some(request);
                    format!("upgrade {}", io.0)
                }
                (1, _) if once_in(chance, 8) => {
                    let count = 1 + chance.below(12);
                    queue.allow_writes(count);
                    format!("allow {count} writes")
                }
                (2..=4, _) if !active.is_empty() => {
                    let place = index(chance, active.len());
                    let batch = active.remove(place);
                    queue.finish(batch.class);
                    queue.take_back(batch.ios);
                    queue.look(true);
                    format!("finish {place}")
                }
                _ => {
                    if once_in(chance, 3) {
                        queue.look(false);
                    }
                    if let Some(batch) = queue.pick() {
                        answers.extend([batch.offset, u64::from(batch.size), batch.class as u64]);
                        answers.extend(batch.ios.iter().map(|io| u64::from(io.0)));
                        batch.ios.iter().for_each(|io| waiting[io.place()] = None);
                        active.push(batch);
                    }
                    "pick".to_owned()
                }
            };
            answers.extend([queue.load(), queue.last_end(), u64::from(queue.is_empty())]);
            record.step(format_args!("{words}"), &answers);
        }
    });
}
