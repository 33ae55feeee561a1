//! The columns of `arcstat` in 0.6 to 2.4, and what each says of the rows of kstats.
//!
//! `dmis`, `dm%`, `pmis`, `mmis` and their kin are sums over two classes: demand is of data and
//! metadata, metadata is of demand and prefetch. They are no row of `arcstats` and are read only where
//! their sum is one; as what they are, they stand beside it (`arcstat.dmis`). From 2.2 on accesses whose block was on its way are counted apart (`iohs`); where
//! a line does not show them, hits that are derived as accesses less misses hold them too. Then the
//! row `iohits` is given as 0, so that who adds hits and iohits counts nothing twice.

use std::collections::BTreeMap;

use crate::nicenum;

const ARC: &str = "zfs/arcstats";
const FETCH: &str = "zfs/zfetchstats";
/// What columns tell of two classes together; no kstat has it. Its rows are called as the columns are.
const SUMS: &str = "zfs/arcstat";

/// The numbers of a line by the titles of their columns.
pub(crate) type Row = BTreeMap<String, f64>;

/// A column, the kstat and the row that it is.
type Meaning = (&'static str, &'static str, &'static str);

/// Columns that count per second by 1000.
const COUNTED: [Meaning; 39] = [
    ("hits", ARC, "hits"),
    ("miss", ARC, "misses"),
    ("iohs", ARC, "iohits"),
    ("ddhit", ARC, "demand_data_hits"),
    ("ddmis", ARC, "demand_data_misses"),
    ("ddioh", ARC, "demand_data_iohits"),
    ("dmhit", ARC, "demand_metadata_hits"),
    ("dmmis", ARC, "demand_metadata_misses"),
    ("dmioh", ARC, "demand_metadata_iohits"),
    ("pdhit", ARC, "prefetch_data_hits"),
    ("pdmis", ARC, "prefetch_data_misses"),
    ("pdioh", ARC, "prefetch_data_iohits"),
    ("pmhit", ARC, "prefetch_metadata_hits"),
    ("pmmis", ARC, "prefetch_metadata_misses"),
    ("pmioh", ARC, "prefetch_metadata_iohits"),
    ("mfu", ARC, "mfu_hits"),
    ("mru", ARC, "mru_hits"),
    ("mfug", ARC, "mfu_ghost_hits"),
    ("mrug", ARC, "mru_ghost_hits"),
    ("unc", ARC, "uncached_hits"),
    ("eskip", ARC, "evict_skip"),
    ("el2skip", ARC, "evict_l2_skip"),
    ("el2cach", ARC, "evict_l2_cached"),
    ("el2el", ARC, "evict_l2_eligible"),
    ("el2mfu", ARC, "evict_l2_eligible_mfu"),
    ("el2mru", ARC, "evict_l2_eligible_mru"),
    ("el2inel", ARC, "evict_l2_ineligible"),
    ("mtxmis", ARC, "mutex_miss"),
    ("l2hits", ARC, "l2_hits"),
    ("l2miss", ARC, "l2_misses"),
    ("l2bytes", ARC, "l2_read_bytes"),
    ("l2wbytes", ARC, "l2_write_bytes"),
    ("zhits", FETCH, "hits"),
    ("zpast", FETCH, "past"),
    ("zmisses", FETCH, "misses"),
    ("zmax", FETCH, "max_streams"),
    ("zfuture", FETCH, "future"),
    ("zstride", FETCH, "stride"),
    ("zissued", FETCH, "io_issued"),
];
/// Counted columns that are of bytes.
const BYTES: [&str; 7] = ["el2cach", "el2el", "el2mfu", "el2mru", "el2inel", "l2bytes", "l2wbytes"];
/// Columns that are levels, in bytes.
const LEVELS: [Meaning; 30] = [
    ("size", ARC, "size"),
    ("arcsz", ARC, "size"),
    ("c", ARC, "c"),
    // OpenZFS on OS X.
    ("tsize", ARC, "c"),
    ("l2size", ARC, "l2_size"),
    ("l2asize", ARC, "l2_asize"),
    ("l2pref", ARC, "l2_prefetch_asize"),
    ("l2mfu", ARC, "l2_mfu_asize"),
    ("l2mru", ARC, "l2_mru_asize"),
    ("l2data", ARC, "l2_bufc_data_asize"),
    ("l2meta", ARC, "l2_bufc_metadata_asize"),
    ("need", ARC, "arc_need_free"),
    ("free", ARC, "memory_free_bytes"),
    ("avail", ARC, "memory_available_bytes"),
    ("waste", ARC, "abd_chunk_waste_size"),
    ("abdsz", ARC, "abd_chunk_waste_size"),
    ("cmpsz", ARC, "compressed_size"),
    ("ovhsz", ARC, "overhead_size"),
    ("bonsz", ARC, "bonus_size"),
    ("dnosz", ARC, "dnode_size"),
    ("dbusz", ARC, "dbuf_size"),
    ("hdrsz", ARC, "hdr_size"),
    ("l2hsz", ARC, "l2_hdr_size"),
    ("datasz", ARC, "data_size"),
    ("metasz", ARC, "metadata_size"),
    ("anosz", ARC, "anon_size"),
    ("mfusz", ARC, "mfu_size"),
    ("mrusz", ARC, "mru_size"),
    ("mfugsz", ARC, "mfu_ghost_size"),
    ("mrugsz", ARC, "mru_ghost_size"),
];
/// Columns of sums and shares, which only tell together with others.
const OTHERS: [&str; 46] = [
    "time", "read", "hit%", "ioh%", "miss%", "dhit", "dioh", "dmis", "dh%", "di%", "dm%", "ddh%",
    "ddi%", "ddm%", "dmh%", "dmi%", "dmm%", "phit", "pioh", "pmis", "ph%", "pi%", "pm%", "pdh%",
    "pdi%", "pdm%", "pmh%", "pmi%", "pmm%", "mhit", "mioh", "mmis", "mread", "mh%", "mi%", "mm%",
    "dread", "ddread", "dmread", "pread", "pdread", "pmread", "l2read", "l2hit%", "l2miss%",
    "grow",
];
/// Shares and counts of L2ARC contents, of the prefetcher and of older tools that tell nothing more.
const UNUSED: [&str; 9] =
    ["l2pref%", "l2mfu%", "l2mru%", "l2data%", "l2meta%", "ztotal", "zahead", "zactive", "rmis"];
/// Endings of the many columns of 2.3 and later that divide the ARC's room further.
const ROOM_STARTS: [&str; 12] =
    ["cmp", "ovh", "bon", "dno", "dbu", "hdr", "l2h", "abd", "data", "meta", "ano", "unc"];

/// Accesses of a class: all, the shares of hits, of I/O hits and of misses, and the rows.
struct Class {
    all: &'static str,
    shares: [&'static str; 3],
    rows: [&'static str; 3],
}

const CLASSES: [Class; 5] = [
    Class {
        all: "ddread",
        shares: ["ddh%", "ddi%", "ddm%"],
        rows: ["demand_data_hits", "demand_data_iohits", "demand_data_misses"],
    },
    Class {
        all: "dmread",
        shares: ["dmh%", "dmi%", "dmm%"],
        rows: ["demand_metadata_hits", "demand_metadata_iohits", "demand_metadata_misses"],
    },
    Class {
        all: "pdread",
        shares: ["pdh%", "pdi%", "pdm%"],
        rows: ["prefetch_data_hits", "prefetch_data_iohits", "prefetch_data_misses"],
    },
    Class {
        all: "pmread",
        shares: ["pmh%", "pmi%", "pmm%"],
        rows: ["prefetch_metadata_hits", "prefetch_metadata_iohits", "prefetch_metadata_misses"],
    },
    Class { all: "read", shares: ["hit%", "ioh%", "miss%"], rows: ["hits", "iohits", "misses"] },
];

fn is_column(word: &str) -> bool {
    let known = |all: &[Meaning]| all.iter().any(|(title, ..)| *title == word);
    let room = || {
        let start = ROOM_STARTS.iter().chain(&["mfu", "mru"]).find_map(|s| word.strip_prefix(s));
        let endings = ["sz", "tg", "dt", "mt", "da", "me", "ed", "em", "gsz", "gd", "gm"];
        start.is_some_and(|rest| endings.contains(&rest.trim_end_matches('%')))
    };
    known(&COUNTED) || known(&LEVELS) || OTHERS.contains(&word) || UNUSED.contains(&word) || room()
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',', ';', '|']).filter(|word| !word.is_empty())
}

/// Returns the titles that a line is made of; none when it has words that are no columns. Among many columns a few that no
/// version here has are of another one: what stands below them is not read.
pub(crate) fn titles(line: &str) -> Option<Vec<String>> {
    /// Fewer than this are words of a sentence as well.
    const TITLES_MIN: usize = 2;
    /// So many known columns stand beside one that is not.
    const KNOWN_MIN: usize = 6;
    /// Words of everyday language among the titles.
    const EVERYDAY: [&str; 9] =
        ["time", "read", "hits", "miss", "size", "c", "free", "need", "grow"];
    const LENGTH_MAX: usize = 2000;
    (line.len() <= LENGTH_MAX).then_some(())?;
    // The first arcstat.pl wrote it so.
    let first = |word| if word == "Time" { "time" } else { word };
    let all = || cells(line).map(first);
    let known = all().filter(|word| is_column(word)).count();
    let unknown = all().count() - known;
    let is_title = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '%');
    let of_another = known >= KNOWN_MIN && KNOWN_MIN * unknown <= known && all().all(is_title);
    let columns = (unknown == 0 || of_another) && known >= TITLES_MIN;
    let telling = all().any(|word| !EVERYDAY.contains(&word)) || all().count() > 2;
    (columns && telling).then(|| all().map(str::to_owned).collect())
}

/// Returns the cells of a line where all of them are titles of columns, however few; none where one is not.
pub(crate) fn titles_in(line: &str) -> Option<Vec<&str>> {
    cells(line).map(|word| (word == "Time" || is_column(word)).then_some(word)).collect()
}

/// Returns how many cells a line has, as far as they are of interest.
pub(crate) fn width(line: &str) -> usize {
    const CELLS_MAX: usize = 256;
    cells(line).take(CELLS_MAX).count()
}

/// Returns the numbers of a line below `titles`; none when it is none of theirs.
pub(crate) fn row(titles: &[String], line: &str) -> Option<Row> {
    const LENGTH_MAX: usize = 4000;
    (line.len() <= LENGTH_MAX && !titles.is_empty()).then_some(())?;
    let values: Vec<&str> = cells(line).collect();
    (values.len() == titles.len()).then_some(())?;
    let mut row = Row::new();
    let known = titles.iter().zip(values).filter(|(title, _)| is_column(title));
    for (title, word) in known {
        if title == "time" {
            seconds(word)?;
        } else if let Some(number) = number(title, word) {
            row.insert(title.clone(), number);
        } else if !matches!(word, "-" | "n/a" | "nan" | "inf") {
            return None;
        }
    }
    Some(row)
}

/// Returns the second of the day of a line that shows it.
pub(crate) fn time(titles: &[String], line: &str) -> Option<u64> {
    let at = titles.iter().position(|title| title == "time")?;
    seconds(cells(line).nth(at)?)
}

/// Returns the second of the day that `10:00:01` is.
fn seconds(word: &str) -> Option<u64> {
    let parts: Vec<u64> = word.split(':').map_while(|part| part.parse().ok()).collect();
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    let of_day = *hours < 24 && *minutes < 60 && *seconds < 61;
    of_day.then(|| hours * 3600 + minutes * 60 + seconds)
}

fn number(title: &str, word: &str) -> Option<f64> {
    let in_bytes = BYTES.contains(&title) || LEVELS.iter().any(|(name, ..)| *name == title);
    let read = |word: &str| if in_bytes { nicenum::binary(word) } else { nicenum::decimal(word) };
    match word.strip_prefix('-') {
        Some(positive) => read(positive).map(|number| -number),
        None => read(word),
    }
}

/// Returns what a line counts per second, by kstat and row.
pub(crate) fn counts(row: &Row) -> Vec<Counted> {
    let get = |name: &str| row.get(name).copied().filter(|value| *value >= 0.0);
    let counted =
        COUNTED.iter().filter_map(|(column, path, name)| Some((*path, *name, get(column)?)));
    let mut all: Vec<Counted> = counted.collect();
    derive_from_misses(row, &mut all);
    for class in &CLASSES {
        derive_from_shares(row, class, &mut all);
    }
    derive_l2(row, &mut all);
    derive_total(row, &mut all);
    derive_sums(row, &mut all);
    all
}

/// A kstat, a row and its value.
pub(crate) type Counted = (&'static str, &'static str, f64);

fn has(all: &[Counted], row: &str) -> bool {
    all.iter().any(|(path, name, _)| *path == ARC && *name == row)
}

fn of(all: &[Counted], row: &str) -> Option<f64> {
    all.iter().find(|(path, name, _)| *path == ARC && *name == row).map(|(.., value)| *value)
}

/// All accesses less the misses are hits; those that joined a read under way are among them.
fn derive_from_misses(row: &Row, all: &mut Vec<Counted>) {
    let (Some(read), Some(missed)) = (row.get("read"), of(all, "misses")) else { return };
    if has(all, "hits") {
        return;
    }
    let joined = of(all, "iohits");
    all.push((ARC, "hits", (read - missed - joined.unwrap_or(0.0)).max(0.0)));
    if joined.is_none() {
        all.push((ARC, "iohits", 0.0));
    }
}

/// Accesses of a class and the share of them that hit; what is neither hit nor told apart missed.
fn derive_from_shares(row: &Row, class: &Class, all: &mut Vec<Counted>) {
    let share = |name: &str| row.get(name).map(|percent| (percent / 100.0).clamp(0.0, 1.0));
    let Some(reads) = row.get(class.all).copied().filter(|reads| *reads >= 0.0) else { return };
    let [hits, joined, missed] = class.shares.map(share);
    let [hits_row, joined_row, missed_row] = class.rows;
    let found = of(all, hits_row).or_else(|| hits.map(|share| share * reads));
    let on_way = of(all, joined_row).or_else(|| joined.map(|share| share * reads));
    let not = of(all, missed_row).or_else(|| missed.map(|share| share * reads));
    let rest = |one: Option<f64>| one.map(|one| (reads - one - on_way.unwrap_or(0.0)).max(0.0));
    let (found, not) = (found.or_else(|| rest(not)), not.or_else(|| rest(found)));
    let (Some(found), Some(not)) = (found, not) else { return };
    for (name, value) in [(hits_row, found), (joined_row, on_way.unwrap_or(0.0)), (missed_row, not)]
    {
        if !has(all, name) {
            all.push((ARC, name, value));
        }
    }
}

fn derive_l2(row: &Row, all: &mut Vec<Counted>) {
    let share = |name: &str| row.get(name).map(|percent| (percent / 100.0).clamp(0.0, 1.0));
    // Where the reads are not shown, the misses and their share tell them.
    let missed = of(all, "l2_misses").zip(share("l2miss%")).filter(|(_, share)| *share > 0.0);
    let reads = row.get("l2read").copied().or_else(|| missed.map(|(count, share)| count / share));
    let Some(reads) = reads else { return };
    let hit = share("l2hit%").or_else(|| share("l2miss%").map(|missed| 1.0 - missed));
    let hits = of(all, "l2_hits").or_else(|| hit.map(|share| share * reads));
    let hits = hits.or_else(|| of(all, "l2_misses").map(|missed| (reads - missed).max(0.0)));
    let Some(hits) = hits else { return };
    for (name, value) in [("l2_hits", hits), ("l2_misses", (reads - hits).max(0.0))] {
        if !has(all, name) {
            all.push((ARC, name, value));
        }
    }
}

/// Where no column is of all accesses, demand and prefetch together are.
fn derive_total(row: &Row, all: &mut Vec<Counted>) {
    let get = |name: &str| row.get(name).copied();
    let share = |all: &str, share: &str| Some(get(all)? * (get(share)? / 100.0).clamp(0.0, 1.0));
    let demand = |one: &str, other: &str| Some(of(all, one)? + of(all, other)?);
    let demand_hits = get("dhit")
        .or_else(|| share("dread", "dh%"))
        .or_else(|| demand("demand_data_hits", "demand_metadata_hits"));
    let demand_misses =
        get("dmis").or_else(|| demand("demand_data_misses", "demand_metadata_misses"));
    let hits = get("phit").or_else(|| share("pread", "ph%"));
    let misses = get("pmis").or_else(|| Some((get("pread")? - hits?).max(0.0)));
    let sum = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
    let total = [("hits", sum(demand_hits, hits)), ("misses", sum(demand_misses, misses))];
    if has(all, "hits") || has(all, "misses") {
        return;
    }
    let [(_, Some(hits)), (_, Some(misses))] = total else { return };
    all.extend([(ARC, "hits", hits), (ARC, "misses", misses)]);
    if !has(all, "iohits") {
        all.push((ARC, "iohits", 0.0));
    }
}

/// Columns that are sums over two classes: all, hits, misses, the shares of hits and of misses.
const PAIRS: [[&str; 5]; 3] = [
    ["dread", "dhit", "dmis", "dh%", "dm%"],
    ["mread", "mhit", "mmis", "mh%", "mm%"],
    ["pread", "phit", "pmis", "ph%", "pm%"],
];

/// Accesses of two classes together, and how many of them missed.
fn derive_sums(row: &Row, all: &mut Vec<Counted>) {
    for [reads, hits, misses, hit_share, miss_share] in PAIRS {
        let get = |name: &str| row.get(name).copied().filter(|value| *value >= 0.0);
        let share = |name: &str| get(name).map(|percent| (percent / 100.0).min(1.0));
        let counted = get(reads).or_else(|| Some(get(hits)? + get(misses)?));
        let missed = get(misses)
            .or_else(|| Some((counted? - get(hits)?).max(0.0)))
            .or_else(|| Some(counted? * share(miss_share)?))
            .or_else(|| Some(counted? * (1.0 - share(hit_share)?)));
        let Some(missed) = missed else { continue };
        let asked = counted.or_else(|| asked(row, missed, share(miss_share), reads));
        all.push((SUMS, misses, missed));
        all.extend(asked.map(|asked| (SUMS, reads, asked.max(missed))));
    }
}

/// Returns the accesses of two classes that only their misses and the share of these tell.
fn asked(row: &Row, missed: f64, share: Option<f64>, reads: &str) -> Option<f64> {
    /// A share in whole percents is one of the accesses to a tenth from here on.
    const TELLING: f64 = 0.05;
    if let Some(share) = share.filter(|share| *share >= TELLING) {
        return Some(missed / share);
    }
    // What is not prefetched is demanded; prefetches mostly miss, so that their share tells.
    let all = row.get("read").copied().filter(|_| reads == "dread")?;
    let prefetched = match (row.get("pmis").copied()?, row.get("pm%").copied()?) {
        (missed, percent) if percent >= 100.0 * TELLING => missed * 100.0 / percent,
        (0.0, _) => 0.0,
        _ => return None,
    };
    Some((all - prefetched).max(missed))
}

/// Returns the levels of a line.
pub(crate) fn levels(row: &Row) -> Vec<Counted> {
    let level = |(column, path, name): &Meaning| Some((*path, *name, row.get(*column).copied()?));
    let mut all: Vec<Counted> = Vec::new();
    for found in LEVELS.iter().filter_map(level) {
        if !has(&all, found.1) {
            all.push(found);
        }
    }
    // The column says whether the ARC may grow, the row that it may not.
    all.extend(row.get("grow").map(|grow| (ARC, "arc_no_grow", 1.0 - grow.clamp(0.0, 1.0))));
    all
}
