//! Lines of columns, parted by commas or another letter, with a line of names first or columns that somebody names.
//!
//! A description of columns is their roles in order, such as `time:us,volume,op,offset,bytes`. `-` is a column that
//! says nothing here. `time` takes a unit (`s`, `ms`, `us`, `ns`, `100ns`); without one the first time tells it. `offset` and `bytes` take `sectors` (of
//! 512 bytes).

use arcwright_units::{Nanos, nearest};

use super::field::{digits, shown, time};
use super::{Line, cut, delimiter};
use crate::traces::{Addressing, Request, RequestKind, Volumes};

/// The most columns of a line that are looked at.
const COLUMNS_MAX: usize = 256;

/// What a column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Nothing,
    /// In this unit; none: the first time tells it.
    Time(Option<Nanos>),
    Object,
    Offset(u64),
    Bytes(u64),
    Kind,
    Volume,
}

/// What stands in which column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    roles: Vec<Role>,
}

/// Names of columns as they are met in published traces, without regard to case.
const KNOWN: [(&str, Role); 50] = [
    ("time", Role::Time(None)),
    ("timestamp", Role::Time(None)),
    ("ts", Role::Time(None)),
    ("clock_time", Role::Time(None)),
    ("real_time", Role::Time(None)),
    ("op_time", Role::Time(None)),
    ("seconds", Role::Time(Some(Nanos::SECOND))),
    ("time_s", Role::Time(Some(Nanos::SECOND))),
    ("time_ms", Role::Time(Some(Nanos(1_000_000)))),
    ("time_us", Role::Time(Some(Nanos(1000)))),
    ("time_ns", Role::Time(Some(Nanos(1)))),
    ("timestamp_us", Role::Time(Some(Nanos(1000)))),
    ("object", Role::Object),
    ("object_id", Role::Object),
    ("obj_id", Role::Object),
    ("obj", Role::Object),
    ("id", Role::Object),
    ("key", Role::Object),
    ("page", Role::Object),
    ("block", Role::Object),
    ("offset", Role::Offset(1)),
    ("io_offset", Role::Offset(1)),
    ("lba", Role::Offset(512)),
    ("lbn", Role::Offset(512)),
    ("sector", Role::Offset(512)),
    ("bytes", Role::Bytes(1)),
    ("size", Role::Bytes(1)),
    ("obj_size", Role::Bytes(1)),
    ("io_size", Role::Bytes(1)),
    ("length", Role::Bytes(1)),
    ("len", Role::Bytes(1)),
    ("sectors", Role::Bytes(512)),
    ("op", Role::Kind),
    ("kind", Role::Kind),
    ("operation", Role::Kind),
    ("type", Role::Kind),
    ("iotype", Role::Kind),
    ("rw", Role::Kind),
    ("volume", Role::Volume),
    ("device", Role::Volume),
    ("dev", Role::Volume),
    ("file", Role::Volume),
    ("device_id", Role::Volume),
    ("disk_id", Role::Volume),
    ("disknumber", Role::Volume),
    ("hostname", Role::Volume),
    ("lun", Role::Volume),
    ("opcode", Role::Kind),
    ("op_name", Role::Kind),
    ("io_type", Role::Kind),
];

impl Columns {
    /// Reads a description such as `time:us,volume,op,offset,bytes`.
    ///
    /// # Errors
    /// A sentence that says which role is not known, or that none says where.
    pub fn parse(description: &str) -> Result<Self, String> {
        let roles = description.split(',').map(|role| role_of(role.trim()));
        let columns = Self { roles: roles.collect::<Result<_, _>>()? };
        columns.checked().map_err(|why| format!("“{}”: {why}", shown(description.as_bytes())))
    }

    /// Reads a first line of names; none when it names no place.
    pub(in crate::traces) fn of_names(line: &[u8], delimiter: u8) -> Option<Self> {
        let roles = line.split(|byte| *byte == delimiter).take(COLUMNS_MAX).map(|name| {
            // A line of names may begin as a comment.
            let name = cut(name.strip_prefix(b"#").unwrap_or(name));
            let name = name.strip_prefix(b"\"").unwrap_or(name);
            let name = name.strip_suffix(b"\"").unwrap_or(name);
            let known = KNOWN.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
            let with_unit = || role_of(&String::from_utf8_lossy(name).to_ascii_lowercase()).ok();
            known.map(|(_, role)| *role).or_else(with_unit).unwrap_or(Role::Nothing)
        });
        Self { roles: roles.collect() }.checked().ok()
    }

    /// Returns whether lines say where a request is by a byte or by the number of an object.
    #[must_use]
    pub fn addressing(&self) -> Addressing {
        match self.roles.contains(&Role::Object) {
            true => Addressing::Objects,
            false => Addressing::Bytes,
        }
    }

    /// Returns whether lines say when.
    #[must_use]
    pub fn has_times(&self) -> bool {
        self.roles.iter().any(|role| matches!(role, Role::Time(_)))
    }

    fn checked(self) -> Result<Self, String> {
        let many = |is: fn(&Role) -> bool| self.roles.iter().filter(|role| is(role)).count();
        let places = many(|role| matches!(role, Role::Object | Role::Offset(_)));
        let twice = many(|role| matches!(role, Role::Time(_))) > 1
            || many(|role| matches!(role, Role::Bytes(_))) > 1
            || many(|role| *role == Role::Kind) > 1;
        match () {
            () if self.roles.len() > COLUMNS_MAX => Err(format!("more than {COLUMNS_MAX} columns")),
            () if places == 0 => Err("no column is an “object” or an “offset”".to_owned()),
            () if places > 1 || twice => Err("two columns have one role".to_owned()),
            () => Ok(self),
        }
    }
}

fn role_of(text: &str) -> Result<Role, String> {
    let (name, unit) = text.split_once(':').unwrap_or((text, ""));
    let role = match name {
        "-" | "" => Some(Role::Nothing),
        name => KNOWN.iter().find(|(known, _)| *known == name).map(|(_, role)| *role),
    };
    let role = role.ok_or_else(|| {
        let near = nearest(name, KNOWN.iter().map(|(known, _)| *known));
        let near = near.map_or(String::new(), |near| format!("; did you mean “{near}”?"));
        format!("“{}” is not known as a column{near}", shown(name.as_bytes()))
    })?;
    match (role, unit) {
        (role, "") => Ok(role),
        (Role::Time(_), "s") => Ok(Role::Time(Some(Nanos::SECOND))),
        (Role::Time(_), "ms") => Ok(Role::Time(Some(Nanos::millis(1)))),
        (Role::Time(_), "us") => Ok(Role::Time(Some(Nanos::micros(1)))),
        (Role::Time(_), "100ns") => Ok(Role::Time(Some(Nanos(100)))),
        (Role::Time(_), "ns") => Ok(Role::Time(Some(Nanos(1)))),
        (Role::Offset(_), "sectors") => Ok(Role::Offset(512)),
        (Role::Bytes(_), "sectors") => Ok(Role::Bytes(512)),
        (Role::Time(_), _) => Err(format!("“{text}”: times are in s, ms, us, 100ns or ns")),
        _ => Err(format!("“{text}”: offset and bytes alone take a unit, “sectors”")),
    }
}

/// Reads lines of columns.
#[derive(Debug)]
pub(in crate::traces) struct Table {
    /// None until the first line has named them.
    columns: Option<Columns>,
    delimiter: u8,
    /// The parts of a volume's name, where several columns are.
    volume: Vec<u8>,
    begun: bool,
    /// The unit of times that do not name theirs.
    unit: Option<Nanos>,
}

impl Table {
    /// Reads lines of these columns; none: the first line names them.
    pub(in crate::traces) fn new(columns: Option<Columns>) -> Self {
        Self { columns, delimiter: b',', volume: Vec::new(), begun: false, unit: None }
    }

    /// Returns the columns, once they are known.
    pub(in crate::traces) fn columns(&self) -> Option<&Columns> {
        self.columns.as_ref()
    }
}

impl Line for Table {
    fn request(&mut self, line: &[u8], volumes: &mut Volumes) -> Result<Option<Request>, String> {
        if !std::mem::replace(&mut self.begun, true) {
            self.delimiter = delimiter(line).unwrap_or(self.delimiter);
            let named = Columns::of_names(line, self.delimiter);
            match (&self.columns, named) {
                // Columns that somebody names tell more than the line of names that is there as well.
                (Some(_), Some(_)) => return Ok(None),
                (Some(_), None) => {}
                (None, Some(named)) => {
                    self.columns = Some(named);
                    return Ok(None);
                }
                (None, None) => {
                    return Err(
                        "the first line names no object and no offset; say with --columns \
                                what stands where"
                            .to_owned(),
                    );
                }
            }
        }
        let Some(columns) = &self.columns else { return Ok(None) };
        let mut request =
            Request { time: Nanos::ZERO, place: 0, bytes: 0, volume: 0, kind: RequestKind::Read };
        self.volume.clear();
        let mut fields = line.split(|byte| *byte == self.delimiter);
        for (index, role) in columns.roles.iter().enumerate() {
            let Some(field) = fields.next() else {
                return Err(format!("column {} is missing", index + 1));
            };
            match role {
                Role::Nothing => {}
                Role::Time(Some(unit)) => request.time = time(cut(field), *unit)?,
                Role::Time(None) => {
                    let unit = *self.unit.get_or_insert_with(|| unit_of(cut(field)));
                    request.time = time(cut(field), unit)?;
                }
                Role::Object => request.place = object(cut(field)),
                Role::Offset(worth) => request.place = quantity(cut(field), *worth)?,
                Role::Bytes(worth) => {
                    let bytes = quantity(cut(field), *worth)?;
                    request.bytes =
                        u32::try_from(bytes).map_err(|_| format!("a request of {bytes} bytes"))?;
                }
                Role::Kind => match RequestKind::of(cut(field)) {
                    Some(kind) => request.kind = kind,
                    None => return Err(format!("“{}” is no kind of request", shown(field))),
                },
                Role::Volume => {
                    if !self.volume.is_empty() {
                        self.volume.push(b'.');
                    }
                    self.volume.extend_from_slice(cut(field));
                }
            }
        }
        if !self.volume.is_empty() {
            request.volume = volumes.index(&self.volume)?;
        }
        Ok(Some(request))
    }
}

/// Returns the unit of a time by its size: seconds since 1970 have ten digits, milliseconds 13, and so on. A time that
/// begins at zero is in seconds.
fn unit_of(time: &[u8]) -> Nanos {
    match digits(time) {
        None | Some(0..=99_999_999_999) => Nanos::SECOND,
        Some(100_000_000_000..=99_999_999_999_999) => Nanos::millis(1),
        Some(100_000_000_000_000..=99_999_999_999_999_999) => Nanos::micros(1),
        // Windows counts 100 ns since 1601.
        Some(100_000_000_000_000_000..=999_999_999_999_999_999) => Nanos(100),
        Some(_) => Nanos(1),
    }
}

fn quantity(field: &[u8], worth: u64) -> Result<u64, String> {
    let number = digits(field).and_then(|number| number.checked_mul(worth));
    number.ok_or_else(|| format!("“{}” is not a whole number that is in range", shown(field)))
}

/// The number of an object; a name that is no number stands for its digest of 64 bits, which two of a million names
/// share once in 30 million traces.
fn object(field: &[u8]) -> u64 {
    digits(field).unwrap_or_else(|| {
        // FNV-1a (Fowler, Noll, Vo), then mixed so that all bits depend on all letters.
        let sum = field.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let sum = (sum ^ (sum >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        sum ^ (sum >> 29)
    })
}
