//! Pasted `/proc/slabinfo`, `slabtop` and `/proc/spl/kmem/slab`: what the kernel's caches of objects take.

use super::clean::Line;
use super::prompt::Prompt;
use super::{Again, Taken, Text};
use crate::nicenum;
use crate::read::slabs::{ALL_OF_SPL, NAME};

/// Takes any of them.
pub(super) fn slabs(lines: &[Line], prompt: &Prompt) -> Option<Taken> {
    if let Some(text) = sum(&lines.first()?.text, prompt) {
        let texts = vec![Text { name: NAME.to_owned(), text, again: Again::More }];
        return Some(Taken { lines: 1, texts });
    }
    slab(&lines.first()?.text)?;
    let rows: Vec<Slab<'_>> = lines.iter().map_while(|line| slab(&line.text)).collect();
    let told = rows.iter().filter_map(|slab| Some((slab.name?, slab.bytes?, slab.used)));
    let line = |(name, bytes, used): (&str, u64, Option<u64>)| match used {
        Some(used) => format!("{name} {bytes} {used}\n"),
        None => format!("{name} {bytes}\n"),
    };
    let text = told.map(line).collect();
    let texts = vec![Text { name: NAME.to_owned(), text, again: Again::More }];
    Some(Taken { lines: rows.len(), texts })
}

/// Returns all of SPL's caches as one, where somebody added them up:
/// `cat /proc/spl/kmem/slab | awk '{ SUM += $3} END { print SUM/1024/1024/1024}'`.
fn sum(line: &str, prompt: &Prompt) -> Option<String> {
    let words = prompt.arguments().join(" ");
    let adds = words.contains("/proc/spl/kmem/slab") && words.contains("+= $3");
    let unit = match words.matches("/1024").count() {
        _ if !adds => return None,
        // As `{ print SUM/1024/1024/1024 }` says; another way of dividing is not read.
        steps @ 0..=3 => 1024_f64.powi(i32::try_from(steps).ok()?),
        _ => return None,
    };
    let number: f64 = line.trim().parse().ok()?;
    let bytes = nicenum::whole(number * unit).filter(|bytes| *bytes > 0)?;
    Some(format!("{ALL_OF_SPL} {bytes}\n"))
}

/// A line of one of them; titles have no name, and a cache that Linux keeps has no size in SPL's list.
#[derive(Default)]
struct Slab<'a> {
    name: Option<&'a str>,
    bytes: Option<u64>,
    /// What of it objects in use take.
    used: Option<u64>,
}

fn slab(line: &str) -> Option<Slab<'_>> {
    const WORDS_MAX: usize = 24;
    let words: Vec<&str> = line.split_whitespace().take(WORDS_MAX).collect();
    let words = words.as_slice();
    if is_title(line, words) {
        return Some(Slab::default());
    }
    of_info(words).or_else(|| of_top(words)).or_else(|| of_spl(words))
}

fn is_title(line: &str, words: &[&str]) -> bool {
    let spl = words.starts_with(&["name", "flags", "size", "alloc", "slabsize"])
        || line.contains("- cache -") && line.contains("- slab -");
    let top = words.starts_with(&["OBJS", "ACTIVE", "USE", "OBJ", "SIZE"])
        || words.starts_with(&["Active", "/", "Total"])
        || words.starts_with(&["Minimum", "/", "Average", "/", "Maximum"]);
    let info = line.starts_with("slabinfo - version")
        || line.starts_with("# name") && line.contains("<objsize>");
    spl || top || info
}

fn number(word: &str) -> Option<u64> {
    word.parse().ok()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-:.()".contains(c))
}

/// `dnode_t  17993321 18036144   96   42    1 : tunables    0    0    0 : slabdata 429432 429432 0`.
fn of_info<'a>(words: &[&'a str]) -> Option<Slab<'a>> {
    let [name, active, all, size, _, _, ":", "tunables", ..] = words else { return None };
    let bytes = number(all)?.checked_mul(number(size)?);
    let used = number(active).zip(number(size)).and_then(|(count, size)| count.checked_mul(size));
    is_name(name).then_some(Slab { name: Some(name), bytes, used })
}

/// `300048 300048 100%    1.13K  21432       14    342912K dnode_t`.
fn of_top<'a>(words: &[&'a str]) -> Option<Slab<'a>> {
    let [all, used, share, size, rest @ ..] = words else { return None };
    let counted = number(all).is_some() && number(used).is_some() && share.ends_with('%');
    (counted && number(share.trim_end_matches('%')).is_some()).then_some(())?;
    let each = nicenum::binary(size).filter(|_| size.ends_with('K'))?;
    // A line that was cut has no name.
    let [_, _, whole, name] = rest else { return Some(Slab::default()) };
    let whole = whole.strip_suffix('K').and_then(number).and_then(|kib| kib.checked_mul(1024));
    let bytes =
        whole.or_else(|| nicenum::whole(each * f64::from(u32::try_from(number(all)?).ok()?)));
    // The size of an object is rounded, what all of them take is not.
    let used = bytes.zip(number(all)).zip(number(used)).and_then(|((bytes, all), used)| {
        let part = u128::from(bytes).checked_mul(u128::from(used))?.checked_div(u128::from(all))?;
        u64::try_from(part).ok()
    });
    is_name(name).then_some(Slab { name: Some(name), bytes, used })
}

/// `zio_buf_512   0x00020 1052508160 386351104    32768      512  32120 …`; `-` where Linux keeps the objects.
fn of_spl<'a>(words: &[&'a str]) -> Option<Slab<'a>> {
    let [name, flags, size, used, each, object, ..] = words else { return None };
    let amount = |word: &&str| *word == "-" || number(word).is_some();
    let counted = [size, used, each, object].into_iter().all(amount);
    let is_row = is_name(name) && flags.starts_with("0x") && counted;
    // Where Linux keeps the objects, SPL counts those in use alone.
    let in_use = number(used).filter(|_| number(size).is_some());
    let bytes = number(size).or_else(|| number(used));
    is_row.then_some(Slab { name: Some(name), bytes, used: in_use })
}
