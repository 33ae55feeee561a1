//! The genuine kernel statistics: what the library registers is kept and read like the kernel does.
//!
//! In user space `kstat_create` of lib/libzpool returns nothing, so the counters have no reader.
//! This one hands out real records. The layout is that of `kstat_t` in libspl's `sys/kstat.h`,
//! the same in 2.1 and 2.3.

use std::ffi::{CStr, c_char, c_int, c_longlong, c_uchar, c_uint, c_void};
use std::sync::Mutex;

use arcwright_kstat::{KstatValue, NamedKstat};
use arcwright_units::Nanos;

use super::Hook;
use crate::schedule::Clock;

const NAME_MAX: usize = 255;
const TYPE_NAMED: c_uchar = 1;
/// Counters of a pool's I/O, up to 2.0; nobody reads them here, but the library counts.
const TYPE_IO: c_uchar = 3;
/// Room for libspl's `kstat_io_t` (100 bytes in 2.0.3), and more.
const IO_BYTES: usize = 256;
const FLAG_VIRTUAL: c_uchar = 1;
const READ: c_int = 0;

/// libspl's `kstat_t`.
#[repr(C)]
struct Kstat {
    crtime: c_longlong,
    next: *mut Self,
    kid: c_int,
    module: [c_char; NAME_MAX],
    resv: c_uchar,
    instance: c_int,
    name: [c_char; NAME_MAX],
    kind: c_uchar,
    class: [c_char; NAME_MAX],
    flags: c_uchar,
    data: *mut c_void,
    ndata: c_uint,
    data_size: usize,
    snaptime: c_longlong,
    update: Option<unsafe extern "C" fn(*mut Self, c_int) -> c_int>,
    private: *mut c_void,
    snapshot: Option<unsafe extern "C" fn(*mut Self, *mut c_void, c_int) -> c_int>,
    lock: *mut c_void,
    /// Room for fields that a newer library may have appended.
    slack: [u8; 256],
}

/// libspl's `kstat_named_t`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Named {
    name: [c_char; NAME_MAX],
    kind: c_uchar,
    value: NamedValue,
}

#[repr(C)]
#[derive(Clone, Copy)]
union NamedValue {
    text: [c_char; 16],
    i32: i32,
    u32: u32,
    i64: i64,
    u64: u64,
    string: LongString,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct LongString {
    address: *const c_char,
    len: u32,
}

/// Addresses of the records handed out, in order of creation.
static RECORDS: Mutex<Vec<usize>> = Mutex::new(Vec::new());

#[expect(non_snake_case, reason = "a table; it is a function because pointers are not Sync")]
pub(super) fn HOOKS() -> Vec<Hook> {
    vec![
        ("kstat_create", kstat_create as *const c_void),
        ("kstat_install", kstat_install as *const c_void),
        ("kstat_delete", kstat_delete as *const c_void),
        ("kstat_set_raw_ops", kstat_set_raw_ops as *const c_void),
    ]
}

fn records() -> std::sync::MutexGuard<'static, Vec<usize>> {
    RECORDS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

unsafe fn copy_text(from: *const c_char, to: &mut [c_char; NAME_MAX]) {
    if from.is_null() {
        return;
    }
    // SAFETY: the caller passes a NUL-terminated string.
    let text = unsafe { CStr::from_ptr(from) };
    for (place, byte) in to.iter_mut().take(NAME_MAX - 1).zip(text.to_bytes()) {
        *place = byte.cast_signed();
    }
}

unsafe extern "C" fn kstat_create(
    module: *const c_char,
    instance: c_int,
    name: *const c_char,
    class: *const c_char,
    kind: c_uchar,
    ndata: u64,
    flags: c_uchar,
) -> *mut c_void {
    let mut kept = records();
    // SAFETY: all-zero bytes are a valid record: null pointers, no callbacks, empty names.
    let mut record: Box<Kstat> = Box::new(unsafe { std::mem::zeroed() });
    // SAFETY: the library passes NUL-terminated names.
    unsafe {
        copy_text(module, &mut record.module);
        copy_text(name, &mut record.name);
        copy_text(class, &mut record.class);
    }
    record.instance = instance;
    record.kind = kind;
    record.flags = flags;
    record.kid = i32::try_from(kept.len()).unwrap_or(i32::MAX);
    record.ndata = c_uint::try_from(ndata).unwrap_or(0);
    record.crtime = i64::try_from(Clock::get().now().0).unwrap_or(0);
    let size = match kind {
        TYPE_NAMED => size_of::<Named>(),
        TYPE_IO => IO_BYTES,
        _ => 0,
    };
    if size > 0 && flags & FLAG_VIRTUAL == 0 {
        let count = usize::try_from(ndata).unwrap_or(0);
        record.data_size = count * size;
        // SAFETY: calloc returns zeroed memory aligned for any object, or null, which the library
        // checks as it would in the kernel.
        record.data = unsafe { libc::calloc(count.max(1), size) };
    }
    let address = Box::into_raw(record);
    kept.push(address as usize);
    address.cast()
}

extern "C" fn kstat_install(_record: *mut c_void) {}

extern "C" fn kstat_set_raw_ops(
    _record: *mut c_void,
    _headers: *mut c_void,
    _data: *mut c_void,
    _address: *mut c_void,
) {
}

/// Forgets a record; its memory is left alone, since the process is short-lived.
extern "C" fn kstat_delete(record: *mut c_void) {
    records().retain(|kept| *kept != record as usize);
}

/// Reads every named kstat that the library has registered.
pub(crate) fn read_all() -> Vec<NamedKstat> {
    let addresses = records().clone();
    // SAFETY: the addresses are records that the library created and has not deleted.
    addresses.iter().filter_map(|address| unsafe { read(*address as *mut Kstat) }).collect()
}

unsafe fn read(record: *mut Kstat) -> Option<NamedKstat> {
    // SAFETY: the record is alive; its data is an array of `ndata` named values, refreshed by the
    // library's own update function first, as the kernel does for a reader of /proc.
    unsafe {
        let kind = (*record).kind;
        if kind != TYPE_NAMED {
            return None;
        }
        if let Some(update) = (*record).update {
            update(record, READ);
        }
        if (*record).data.is_null() {
            return None;
        }
        let count = usize::try_from((*record).ndata).unwrap_or(0);
        let rows = std::slice::from_raw_parts((*record).data.cast::<Named>(), count);
        Some(NamedKstat {
            module: text_of(&(*record).module),
            name: text_of(&(*record).name),
            class: text_of(&(*record).class),
            kid: (*record).kid.unsigned_abs(),
            kind,
            flags: (*record).flags,
            crtime: Nanos((*record).crtime.unsigned_abs()),
            snaptime: Clock::get().now(),
            rows: rows.iter().map(|row| (text_of(&row.name), value_of(row))).collect(),
        })
    }
}

fn text_of(text: &[c_char]) -> String {
    let bytes: Vec<u8> =
        text.iter().take_while(|byte| **byte != 0).map(|byte| byte.cast_unsigned()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads a value by its `KSTAT_DATA_*` number.
fn value_of(row: &Named) -> KstatValue {
    // SAFETY: the number says which member of the union the library wrote; every bit pattern is
    // valid for the integer members.
    unsafe {
        match row.kind {
            0 => KstatValue::Char(text_of(&row.value.text)),
            1 => KstatValue::I32(row.value.i32),
            2 => KstatValue::U32(row.value.u32),
            3 => KstatValue::I64(row.value.i64),
            5 => KstatValue::Long(row.value.i64),
            6 => KstatValue::ULong(row.value.u64),
            7 if !row.value.string.address.is_null() => KstatValue::Text(
                CStr::from_ptr(row.value.string.address).to_string_lossy().into_owned(),
            ),
            7 => KstatValue::Text(String::new()),
            _ => KstatValue::U64(row.value.u64),
        }
    }
}
