//! What holds for all formats.

use arcwright_units::{Bytes, Nanos};
use proptest::prelude::*;

use super::super::{
    ACCESSES_MAX, Addressing, BlockOptions, Blocks, Request, RequestKind, Trace, TraceFormat,
    TraceWriter, Volumes, compile, read,
};
use super::{WholeTrace, read_in_pieces};

fn some_requests() -> impl Strategy<Value = Vec<Request>> {
    let request = (0..5_000_000_u64, 0..1u64 << 40, 0..9_000_000u32, 0..3u32, 0..4usize);
    let request = request.prop_map(|(micros, place, bytes, volume, kind)| Request {
        time: Nanos::micros(micros),
        place,
        bytes,
        volume,
        kind: RequestKind::ALL[kind],
    });
    proptest::collection::vec(request, 1..40)
}

/// Requests in the order of time, the first at zero, with volumes numbered as they come.
fn in_order(mut requests: Vec<Request>) -> Vec<Request> {
    requests.sort_by_key(|request| request.time);
    let first = requests[0].time;
    let mut known: Vec<u32> = Vec::new();
    for request in &mut requests {
        request.time = Nanos(request.time.0 - first.0);
        let volume = request.volume;
        let index = known.iter().position(|one| *one == volume).unwrap_or_else(|| {
            known.push(volume);
            known.len() - 1
        });
        request.volume = u32::try_from(index).unwrap();
    }
    requests
}

fn written(requests: &[Request], format: TraceFormat, addressing: Addressing) -> Vec<u8> {
    let mut names = Volumes::default();
    for name in ["a", "b", "c"] {
        names.index(name.as_bytes()).unwrap();
    }
    let mut writer = TraceWriter::new(format, (addressing, true), Bytes::kib(4)).unwrap();
    let mut bytes = Vec::new();
    writer.write(requests, &names, &mut bytes).unwrap();
    bytes
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(requests in some_requests()) {
        let requests = in_order(requests);
        for format in [TraceFormat::Csv, TraceFormat::Iolog] {
            let bytes = written(&requests, format, Addressing::Bytes);
            prop_assert_eq!(TraceFormat::recognize(&bytes, ""), Some(format));
            let (read, source) = read_in_pieces(&bytes, format, 100).unwrap();
            prop_assert_eq!(&read, &requests);
            prop_assert_eq!(source.volumes.name(0), Some("a".to_owned()));
        }
    }

    /// Without times none are written, so that none are made up.
    #[test]
    fn what_has_no_times_gets_none(requests in some_requests()) {
        let mut requests = in_order(requests);
        requests.iter_mut().for_each(|request| request.time = Nanos::ZERO);
        for format in [TraceFormat::Csv, TraceFormat::Iolog] {
            let mut writer = TraceWriter::new(format, (Addressing::Bytes, false), Bytes(512)).unwrap();
            let mut bytes = Vec::new();
            let mut names = Volumes::default();
            for name in ["a", "b", "c"] {
                names.index(name.as_bytes()).unwrap();
            }
            writer.write(&requests, &names, &mut bytes).unwrap();
            let (read, source) = read_in_pieces(&bytes, format, 100).unwrap();
            prop_assert_eq!(&read, &requests);
            prop_assert!(!source.timed);
        }
    }

    #[test]
    fn the_compiled_form_says_the_same(requests in some_requests(), times: bool) {
        let requests = in_order(requests);
        let options = BlockOptions { block: None, times, accesses_max: ACCESSES_MAX };
        let mut blocks = Blocks::new(options);
        blocks.add(&requests).unwrap();
        let trace = blocks.finish();
        prop_assume!(!trace.accesses.is_empty());
        let bytes = compile(&trace);
        let mut again = read(&bytes, TraceFormat::Compiled, options).unwrap();
        if times {
            let from = trace.millis[0];
            prop_assert!(again.millis.iter().zip(&trace.millis).all(|(a, b)| a + from == *b));
            again.millis.clone_from(&trace.millis);
        }
        prop_assert_eq!(again, trace);
    }

    /// In memory as a whole or in pieces, a compiled trace says the same, whatever the order of its numbers, and whatever was
    /// damaged.
    #[test]
    fn a_compiled_trace_is_read_alike_as_a_whole(
        numbers in proptest::collection::vec(0..20u32, 1..200),
        (times, keeps) in any::<(bool, bool)>(),
        (at, byte) in (0..1000usize, any::<u8>()),
        cut in 0..1000usize,
    ) {
        let millis = if times { (0..).take(numbers.len()).collect() } else { Vec::new() };
        let bytes = (100..120).collect();
        let mut trace = Trace { accesses: numbers, pages: 20, bytes, millis, ..Trace::default() };
        (0..trace.accesses.len()).step_by(3).for_each(|index| trace.writes.insert(index));
        let options = BlockOptions { block: None, times: keeps, accesses_max: ACCESSES_MAX };
        let whole = compile(&trace);
        let mut changed = whole.clone();
        if let Some(place) = changed.get_mut(at) {
            *place = byte;
        }
        let short = &whole[..cut.min(whole.len())];
        for bytes in [&whole, &changed, short] {
            let in_pieces = read_in_pieces(bytes, TraceFormat::Compiled, 7).map(|(requests, source)| {
                let mut blocks = Blocks::new(BlockOptions { times: keeps && source.timed, ..options });
                blocks.add(&requests).unwrap();
                blocks.finish()
            });
            let as_whole = read(bytes, TraceFormat::Compiled, options).map(|mut trace| {
                if !times || bytes.get(12) != Some(&1) {
                    trace.millis.clear();
                }
                trace
            });
            prop_assert_eq!(as_whole, in_pieces);
        }
    }

    /// However the bytes come, they say the same; cut or changed ones never panic.
    #[test]
    fn pieces_make_no_difference(
        requests in some_requests(),
        which in 0..3usize,
        piece in 1..300usize,
        (at, byte) in (0..4000usize, any::<u8>()),
    ) {
        let requests = in_order(requests);
        let format = [TraceFormat::Csv, TraceFormat::Iolog, TraceFormat::OracleGeneral][which];
        let mut bytes = written(&requests, format, Addressing::Bytes);
        if let Some(changed) = bytes.get_mut(at) {
            *changed = byte;
        }
        let shown = |read: WholeTrace| match read {
            Ok((requests, source)) => format!("{requests:?} {:?}", source.volumes),
            Err(error) => error.to_string(),
        };
        for other in TraceFormat::ALL.map(|(format, _)| format) {
            prop_assert_eq!(
                shown(read_in_pieces(&bytes, other, piece)),
                shown(read_in_pieces(&bytes, other, bytes.len()))
            );
        }
    }
}
