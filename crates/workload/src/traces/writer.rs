//! Writes requests in a format of others.

use arcwright_units::{Bytes, Nanos};

use super::{Addressing, Request, RequestKind, TraceFormat, Volumes};

/// Blocks of one device: the number of the device stands above them in the number of an object.
const BLOCKS_OF_A_VOLUME: u64 = 1 << 40;

/// Writes one trace, piece by piece.
#[derive(Debug)]
pub struct TraceWriter {
    format: Written,
    addressing: Addressing,
    timed: bool,
    block: u64,
    begun: bool,
    /// Devices or files that have been named.
    named: u32,
}

/// Formats that are written piece by piece.
#[derive(Debug, Clone, Copy)]
enum Written {
    Csv,
    OracleGeneral,
    Iolog,
}

impl TraceWriter {
    /// Writes `format`, from requests of an addressing, with their times where they have some. Where it knows objects
    /// alone, requests for bytes are cut into blocks of `block`, which become objects.
    ///
    /// # Errors
    /// A sentence, when the format is not written, or cannot say what objects are.
    pub fn new(
        format: TraceFormat,
        (from, timed): (Addressing, bool),
        block: Bytes,
    ) -> Result<Self, String> {
        let format = match format {
            TraceFormat::Csv => Written::Csv,
            TraceFormat::OracleGeneral => Written::OracleGeneral,
            TraceFormat::Iolog if from == Addressing::Objects => {
                return Err("objects have no place in a file, so fio cannot replay them".to_owned());
            }
            TraceFormat::Iolog => Written::Iolog,
            other => return Err(format!("{} is read, but not written", other.name())),
        };
        let block = block.0.max(512);
        Ok(Self { format, addressing: from, timed, block, begun: false, named: 0 })
    }

    /// Appends requests to `into`.
    ///
    /// # Errors
    /// A sentence, when a request cannot be said in this format.
    pub fn write(
        &mut self,
        requests: &[Request],
        volumes: &Volumes,
        into: &mut Vec<u8>,
    ) -> Result<(), String> {
        if !std::mem::replace(&mut self.begun, true) {
            into.extend_from_slice(self.first_line().as_bytes());
        }
        for request in requests {
            match self.format {
                Written::Csv => into.extend_from_slice(self.csv(request, volumes).as_bytes()),
                Written::OracleGeneral => self.oracle(request, into)?,
                Written::Iolog => {
                    let text = self.iolog(request, volumes);
                    into.extend_from_slice(text.as_bytes());
                }
            }
        }
        Ok(())
    }

    fn first_line(&self) -> &'static str {
        match (self.format, self.addressing, self.timed) {
            (Written::Csv, Addressing::Bytes, true) => "time,volume,op,offset,bytes\n",
            (Written::Csv, Addressing::Bytes, false) => "volume,op,offset,bytes\n",
            (Written::Csv, Addressing::Objects, true) => "time,op,object,bytes\n",
            (Written::Csv, Addressing::Objects, false) => "op,object,bytes\n",
            // Only the third version has times.
            (Written::Iolog, _, true) => "fio version 3 iolog\n",
            (Written::Iolog, _, false) => "fio version 2 iolog\n",
            (Written::OracleGeneral, ..) => "",
        }
    }

    fn csv(&self, request: &Request, volumes: &Volumes) -> String {
        let Request { time, place, bytes, volume, kind } = *request;
        let (whole, rest) = (time.0 / Nanos::SECOND.0, time.0 % Nanos::SECOND.0);
        let kind = kind.name();
        let time = if self.timed { format!("{whole}.{rest:09},") } else { String::new() };
        match self.addressing {
            Addressing::Objects => format!("{time}{kind},{place},{bytes}\n"),
            Addressing::Bytes => {
                let name = volumes.name(volume).map(|name| plain(&name)).unwrap_or_default();
                format!("{time}{name},{kind},{place},{bytes}\n")
            }
        }
    }

    /// Flushes and trims are nothing to a format that knows objects alone.
    fn oracle(&self, request: &Request, into: &mut Vec<u8>) -> Result<(), String> {
        if !matches!(request.kind, RequestKind::Read | RequestKind::Write) {
            return Ok(());
        }
        let seconds = u32::try_from(request.time.0 / Nanos::SECOND.0).unwrap_or(u32::MAX);
        let mut put = |object: u64, bytes: u32| {
            into.extend(seconds.to_le_bytes());
            into.extend(object.to_le_bytes());
            // A size of zero would be taken for no object.
            into.extend(bytes.max(1).to_le_bytes());
            into.extend((-1i64).to_le_bytes());
        };
        if self.addressing == Addressing::Objects {
            put(request.place, request.bytes);
            return Ok(());
        }
        let end = request.place.saturating_add(u64::from(request.bytes.max(1)));
        let (first, last) = (request.place / self.block, (end - 1) / self.block);
        if last >= BLOCKS_OF_A_VOLUME {
            return Err(format!("byte {} lies too far to be numbered in blocks", request.place));
        }
        let volume = u64::from(request.volume) * BLOCKS_OF_A_VOLUME;
        let bytes = u32::try_from(self.block).unwrap_or(u32::MAX);
        (first..=last).for_each(|block| put(volume | block, bytes));
        Ok(())
    }

    /// fio wants a file to be added and opened before it is used.
    fn iolog(&mut self, request: &Request, volumes: &Volumes) -> String {
        let Request { time, place, bytes, volume, kind } = *request;
        let time = if self.timed { format!("{} ", time.0 / 1000) } else { String::new() };
        let name = volumes.name(volume).map(|name| plain(&name)).filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "trace".to_owned());
        let begin = match volume >= self.named {
            true => format!("{time}{name} add\n{time}{name} open\n"),
            false => String::new(),
        };
        self.named = self.named.max(volume.saturating_add(1));
        let action = if kind == RequestKind::Flush { "sync" } else { kind.name() };
        format!("{begin}{time}{name} {action} {place} {bytes}\n")
    }
}

/// A name that neither parts columns nor ends a line.
fn plain(name: &str) -> String {
    let letter = |letter: char| match letter {
        ',' | ';' | '|' | '"' => '_',
        letter if letter.is_whitespace() || letter.is_control() => '_',
        letter => letter,
    };
    name.chars().map(letter).collect()
}
