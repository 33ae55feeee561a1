//! Name-value lists in the form that travels between programs (XDR, RFC 4506).
//!
//! Layout as read by `nvlist_unpack` (libnvpair): a header of four bytes, a list's version and flags,
//! its pairs, eight zero bytes. A pair has its size here, its size in memory, name, type, count, value.

/// `NV_ENCODE_XDR`, little-endian writer, two reserved bytes.
const HEADER: [u8; 4] = [1, 1, 0, 0];
/// `NV_UNIQUE_NAME`.
const UNIQUE_NAME: u32 = 1;
/// Bytes of `nvpair_t` before the name, and of an embedded `nvlist_t` with its pointer.
const PAIR_HEADER: usize = 16;
const LIST_IN_MEMORY: usize = 24;

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Number(u64),
    Text(String),
    List(List),
    Lists(Vec<List>),
}

/// A list of named values.
#[derive(Debug, Clone, Default)]
pub(super) struct List(Vec<(&'static str, Value)>);

impl List {
    /// Returns the list with one more pair.
    pub(super) fn with(mut self, name: &'static str, value: Value) -> Self {
        self.0.push((name, value));
        self
    }

    /// Returns the list as it is sent.
    pub(super) fn pack(&self) -> Vec<u8> {
        let mut out = HEADER.to_vec();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        number(out, 0);
        number(out, UNIQUE_NAME);
        for (name, value) in &self.0 {
            let mut body = Vec::new();
            text(&mut body, name);
            number(&mut body, value.kind());
            number(&mut body, u32::try_from(value.count()).unwrap_or(0));
            value.write(&mut body);
            number(out, u32::try_from(body.len() + 8).unwrap_or(0));
            let in_memory = align(PAIR_HEADER + name.len() + 1) + align(value.size_in_memory());
            number(out, u32::try_from(in_memory).unwrap_or(0));
            out.extend(body);
        }
        number(out, 0);
        number(out, 0);
    }
}

impl Value {
    /// `DATA_TYPE_*`.
    fn kind(&self) -> u32 {
        match self {
            Self::Number(_) => 8,
            Self::Text(_) => 9,
            Self::List(_) => 19,
            Self::Lists(_) => 20,
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Lists(lists) => lists.len(),
            _ => 1,
        }
    }

    fn size_in_memory(&self) -> usize {
        match self {
            Self::Number(_) => size_of::<u64>(),
            Self::Text(text) => text.len() + 1,
            Self::List(_) => LIST_IN_MEMORY,
            Self::Lists(lists) => lists.len() * (size_of::<u64>() + LIST_IN_MEMORY),
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(value) => out.extend(value.to_be_bytes()),
            Self::Text(value) => text(out, value),
            Self::List(list) => list.write(out),
            Self::Lists(lists) => lists.iter().for_each(|list| list.write(out)),
        }
    }
}

fn number(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}

/// A string: its length, its bytes, zeroes up to a multiple of four.
fn text(out: &mut Vec<u8>, text: &str) {
    number(out, u32::try_from(text.len()).unwrap_or(0));
    out.extend(text.as_bytes());
    out.resize(out.len().next_multiple_of(4), 0);
}

fn align(size: usize) -> usize {
    size.next_multiple_of(8)
}

#[cfg(test)]
mod tests {
    use super::{List, Value};

    #[test]
    fn a_number_is_packed_as_rfc_4506_says() {
        let packed = List::default().with("ab", Value::Number(7)).pack();
        let expected: Vec<u8> = [
            vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            // Size here, size in memory, name with its length, type, count, value.
            vec![0, 0, 0, 32, 0, 0, 0, 32, 0, 0, 0, 2, b'a', b'b', 0, 0, 0, 0, 0, 8, 0, 0, 0, 1],
            vec![0, 0, 0, 0, 0, 0, 0, 7],
            vec![0; 8],
        ]
        .concat();
        assert_eq!(packed, expected);
    }
}
