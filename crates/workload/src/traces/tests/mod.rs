//! Every format on texts and bytes of its own; the laws of all are in `laws.rs`.

mod laws;

use arcwright_units::Bytes;

use super::{
    BlockOptions, Columns, ReadOptions, Request, TraceError, TraceFormat, TraceReader, TraceSource,
    read,
};

type WholeTrace = Result<(Vec<Request>, TraceSource), TraceError>;

fn read_in_pieces(bytes: &[u8], format: TraceFormat, piece: usize) -> WholeTrace {
    read_with(bytes, format, &ReadOptions::default(), piece)
}

fn read_with(bytes: &[u8], format: TraceFormat, options: &ReadOptions, piece: usize) -> WholeTrace {
    let fault = |problem| TraceError { record: 1, offset: 0, problem };
    let mut reader = TraceReader::new(format, options).map_err(fault)?;
    let mut requests = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        reader.push(piece, &mut requests)?;
    }
    let source = reader.finish(&mut requests)?;
    Ok((requests, source))
}

/// `seconds volume kind place bytes` of each request.
fn check(text: &[u8], format: TraceFormat, expected: &[&str]) {
    assert_eq!(TraceFormat::recognize(text, ""), Some(format));
    let (requests, source) = read_in_pieces(text, format, 7).unwrap();
    let shown: Vec<String> = requests.iter().map(|request| show(request, &source)).collect();
    assert_eq!(shown, expected);
}

fn show(request: &Request, source: &TraceSource) -> String {
    let Request { time, place, bytes, volume, kind } = *request;
    let name = source.volumes.name(volume).unwrap_or_else(|| "-".to_owned());
    format!("{} {name} {} {place} {bytes}", time.as_secs_f64(), kind.name())
}

fn problem(bytes: &[u8], format: TraceFormat) -> String {
    read_in_pieces(bytes, format, 5).unwrap_err().to_string()
}

fn oracle(records: &[(u32, u64, u32)]) -> Vec<u8> {
    let record = |(time, object, bytes): &(u32, u64, u32)| {
        let mut record = time.to_le_bytes().to_vec();
        record.extend(object.to_le_bytes());
        record.extend(bytes.to_le_bytes());
        record.extend((-1i64).to_le_bytes());
        record
    };
    records.iter().flat_map(record).collect()
}

#[test]
fn oracle_general() {
    let bytes = oracle(&[(100, 7, 512), (101, u64::MAX, 4)]);
    check(
        &bytes,
        TraceFormat::OracleGeneral,
        &["0 - read 7 512", "1 - read 18446744073709551615 4"],
    );
    assert_eq!(
        problem(&bytes[..40], TraceFormat::OracleGeneral),
        "record 2, at byte 24: the trace ends in the middle of a record, after 16 of its bytes"
    );
    assert_eq!(
        problem(&[], TraceFormat::OracleGeneral),
        "record 1, at byte 0: the trace has no request"
    );
}

fn lcs(version: u64, records: &[u8]) -> Vec<u8> {
    let mut bytes = 0x1234_5678_9abc_def0_u64.to_le_bytes().to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.resize(8192, 0);
    bytes.extend_from_slice(records);
    bytes
}

#[test]
fn lcs_of_three_versions() {
    check(&lcs(1, &oracle(&[(5, 9, 100)])), TraceFormat::Lcs, &["0 - read 9 100"]);
    let mut second = oracle(&[(5, 9, 100)]);
    second.splice(16..16, [13, 1, 0, 0]);
    check(&lcs(2, &second), TraceFormat::Lcs, &["0 - write 9 100"]);
    let mut third = oracle(&[(5, 9, 100)]);
    third.splice(16..16, [0, 0, 0, 0, 9, 1, 0, 0, 60, 0, 0, 0]);
    check(&lcs(3, &third), TraceFormat::Lcs, &["0 - trim 9 100"]);
    let mut fifth = third.clone();
    fifth.extend([0; 8]);
    check(&lcs(5, &fifth), TraceFormat::Lcs, &["0 - trim 9 100"]);
    assert_eq!(
        problem(&lcs(9, &[]), TraceFormat::Lcs),
        "record 1, at byte 0: lcs of version 9; versions 1 to 8 are supported"
    );
    third[20] = 77;
    assert_eq!(
        problem(&lcs(3, &third), TraceFormat::Lcs),
        "record 1, at byte 8192: operation 77 is not known; 0 to 14 are"
    );
    let cut = lcs(1, &oracle(&[(5, 9, 100)])[..23]);
    assert!(problem(&cut, TraceFormat::Lcs).starts_with("record 1, at byte 8192: the trace ends"));
}

#[test]
fn vscsi_of_two_versions() {
    let first = |command: u16, sector: u64, micros: u64| {
        let mut record = vec![0u8; 4];
        record.extend(4096u32.to_le_bytes());
        record.extend([1, 0, 0, 0]);
        record.extend(command.to_le_bytes());
        record.extend(0x100u16.to_le_bytes());
        record.extend(sector.to_le_bytes());
        record.extend(micros.to_le_bytes());
        record
    };
    let bytes = [first(0x28, 8, 10), first(0x00, 0, 11), first(0x8a, 16, 2_000_010)].concat();
    check(&bytes, TraceFormat::Vscsi, &["0 - read 4096 4096", "2 - write 8192 4096"]);
    let second = |sector: u64| {
        let mut record = 0x28u16.to_le_bytes().to_vec();
        record.extend(0x200u16.to_le_bytes());
        record.extend([0; 4]);
        record.extend(512u32.to_le_bytes());
        record.extend([0; 4]);
        record.extend(sector.to_le_bytes());
        record.extend([0; 16]);
        record
    };
    let bytes = [second(1), second(2), second(3)].concat();
    check(
        &bytes,
        TraceFormat::Vscsi,
        &["0 - read 512 512", "0 - read 1024 512", "0 - read 1536 512"],
    );
    let late = [second(1), first(0x28, 1, 1)].concat();
    assert!(problem(&late, TraceFormat::Vscsi).starts_with("record 2, at byte 40"));
    let far = second(u64::MAX);
    assert!(problem(&far, TraceFormat::Vscsi).contains("behind the end of any disk"));
}

#[test]
fn columns_with_names() {
    check(
        b"time:ns,object,bytes,op\n0,7,4096,read\n2000000000,8,512,read\n",
        TraceFormat::Csv,
        &["0 - read 7 4096", "2 - read 8 512"],
    );
    check(
        b"time,offset,size,op,device\r\n0.25,512,1024,R,sda\r\n\r\n1.5,0,512,write,sdb\r\n",
        TraceFormat::Csv,
        &["0 sda read 512 1024", "1.25 sdb write 0 512"],
    );
    check(
        b"timestamp_us;obj_id;obj_size\n0;9;1\n1000000;9;2",
        TraceFormat::Csv,
        &["0 - read 9 1", "1 - read 9 2"],
    );
    check(
        b"# device_id, opcode, offset, length, timestamp\n7, R, 512, 512, 1577808000000046\n7, W, 0, 512, 1577808001000046\n",
        TraceFormat::Csv,
        &["0 7 read 512 512", "1 7 write 0 512"],
    );
    let names = b"key,x\nfront-page,1\nother,1\nfront-page,1\n";
    let trace = read(names, TraceFormat::Csv, BlockOptions::OBJECTS).unwrap();
    assert_eq!(trace.accesses, [0, 1, 0]);
    assert_eq!(
        problem(b"time,offset\n1,2\n3\n", TraceFormat::Csv),
        "record 3, at byte 16: column 2 is missing"
    );
    assert_eq!(
        problem(b"time,offset\n1,-2\n", TraceFormat::Csv),
        "record 2, at byte 12: “-2” is not a whole number that is in range"
    );
    assert!(problem(b"a,b\n1,2\n", TraceFormat::Csv).contains("--columns"));
}

#[test]
fn columns_that_somebody_names() {
    let read = |columns: &str, text: &[u8]| {
        let columns = Some(Columns::parse(columns).unwrap());
        let options = ReadOptions { columns, ..ReadOptions::default() };
        let (requests, source) = read_with(text, TraceFormat::Csv, &options, 3).unwrap();
        requests.iter().map(|request| show(request, &source)).collect::<Vec<_>>()
    };
    assert_eq!(read("time:ms,-,object", b"1000,x,7\n2000,x,8\n"), ["0 - read 7 0", "1 - read 8 0"]);
    // A line of names that is there as well is passed over.
    assert_eq!(read("offset:sectors,volume", b"offset\tfile\n3\ta\n"), ["0 a read 1536 0"]);
}

#[test]
fn descriptions_of_columns_are_checked() {
    let problem = |text: &str| Columns::parse(text).unwrap_err();
    assert!(problem("time,bytes").contains("no column is an “object” or an “offset”"));
    assert!(problem("offset,object").contains("two columns have one role"));
    assert!(problem("ofset").contains("did you mean “offset”?"), "{}", problem("ofset"));
    assert!(problem("time:h,offset").contains("times are in"));
    assert!(problem("object:sectors").contains("alone take a unit"));
}

#[test]
fn published_columns() {
    check(
        b"128166372003061629,usr,0,Read,7014609920,24576,41286\n\
          128166372013061629,hm,1,Write,512,512,100\n",
        TraceFormat::Msr,
        &["0 usr.0 read 7014609920 24576", "1 hm.1 write 512 512"],
    );
    check(
        b"419,W,8792731648,16384,1577808000000046\n725,R,59110326272,360448,1577808000500046\n",
        TraceFormat::Alibaba,
        &["0 419 write 8792731648 16384", "0.5 725 read 59110326272 360448"],
    );
    check(
        b"1538323200,12910952,128,0,1063\n1538323201,6942808,8,1,1320\n",
        TraceFormat::Tencent,
        &["0 1063 read 6610407424 65536", "1 1320 write 3554717696 4096"],
    );
    check(
        b"0,20941264,8192,W,0.551706\n1,20939840,8192,w,1.551706\n",
        TraceFormat::Spc,
        &["0 0 write 10721927168 8192", "1 1 write 10721198080 8192"],
    );
}

#[test]
fn logs_of_fio() {
    check(
        b"fio version 2 iolog\n/f add\n/f open\n/f read 0 4096\n/f wait 500000\n/f write 8192 512\n/f sync\n/f close\n",
        TraceFormat::Iolog,
        &["0 /f read 0 4096", "0.5 /f write 8192 512", "0.5 /f flush 0 0"],
    );
    check(
        b"fio version 3 iolog\n10 /f add\n10 /f open\n103 /f read 0 4096\n1000103 /f trim 4096 512\n",
        TraceFormat::Iolog,
        &["0 /f read 0 4096", "1 /f trim 4096 512"],
    );
    let text = b"fio version 3 iolog\n1 /f sing 0 1\n";
    assert_eq!(
        problem(text, TraceFormat::Iolog),
        "record 2, at byte 20: “sing” is no action of fio"
    );
    assert!(problem(b"fio version 1\n", TraceFormat::Iolog).contains("version 2 or 3"));
}

#[test]
fn text_of_blkparse() {
    let text = b"  8,0    3        1     0.000000000   697  A   R 223490 + 8 <- (8,1) 223427\n\
          8,0    3        2     0.000000100   697  Q   R 223490 + 8 [kjournald]\n\
          8,0    3        3     0.000001000   697  G   R 223490 + 8 [kjournald]\n\
          8,0    3        4     0.000000000     0  m   N cfq schedule\n\
          8,16   1        9     2.000000100   697  Q  WS 16 + 16 [x]\n\
          8,16   1       10     2.000000200   697  Q FWS [x]\n\
        CPU0 (8,0):\n Reads Queued:           1,        4KiB\n";
    check(
        text,
        TraceFormat::Blkparse,
        &["0 8,0 read 114426880 4096", "2 8,16 write 8192 8192", "2.0000001 8,16 flush 0 0"],
    );
}

#[test]
fn traces_of_the_arc_paper_and_of_pages() {
    check(b"7 1 0 0\n7 2 0 1\n", TraceFormat::Lis, &["0 - read 3584 512", "0 - read 3584 1024"]);
    check(b"9\n4\n*\n9\n", TraceFormat::Pages, &["0 - read 9 0", "0 - read 4 0", "0 - read 9 0"]);
    let lines = |text: &str| problem(text.as_bytes(), TraceFormat::Lis);
    assert_eq!(
        lines("1 1 0 0\nx 1 0 0"),
        "record 2, at byte 8: “x” is not a page; expected a whole number"
    );
    assert!(lines("1").contains("expected “start count ignored number”"));
    assert!(lines("18446744073709551615 2 0 0").contains("go beyond the last page"));
    assert!(lines("1 1048577 0 0").contains("at most 1048576"));
    assert!(problem(b"9\n4 4\n", TraceFormat::Pages).starts_with("record 2"));
    let long = [b'1'; 70_000];
    assert!(problem(&long, TraceFormat::Pages).contains("a line of more than"));
}

#[test]
fn requests_become_blocks() {
    let check = |block: u64, text: &str, accesses: &[u32]| {
        let trace =
            read(text.as_bytes(), TraceFormat::Lis, BlockOptions::of(Bytes(block))).unwrap();
        assert_eq!(trace.accesses, accesses, "{text}");
        assert_eq!(trace.bytes.len(), trace.pages as usize);
    };
    check(512, "100 3 0 0\n\n101 1 0 0", &[0, 1, 2, 1]);
    check(1024, "1 1 0 0\n0 4 0 0\n", &[0, 0, 1]);
    let few = BlockOptions { accesses_max: 100, ..BlockOptions::of(Bytes(512)) };
    let long = read(b"1 100 0 0\n0 1 0 0", TraceFormat::Lis, few).unwrap_err().to_string();
    assert!(long.contains("more than 100 accesses"), "{long}");
}

#[test]
fn blocks_of_two_volumes_are_two() {
    let text = b"offset,bytes,file\n0,1,a\n0,1,b\n0,1,a\n";
    let trace = read(text, TraceFormat::Csv, BlockOptions::of(Bytes::kib(4))).unwrap();
    assert_eq!(trace.accesses, [0, 1, 0]);
}
