//! A trace as a Parquet file, for DuckDB, Polars, pandas and Spark.
//!
//! One row for each request, with the columns that a CSV of it would have: `time_ns` (nanoseconds from the first request on; absent in
//! a trace without times), `volume` (absent where places are objects), `op` (`read`, `write`, `flush`, `trim`), `offset` in bytes
//! or `object` by its number, `bytes` (0 where the trace does not say). Row groups of a million rows, packed with gzip.
//!
//! Files of others are not read here: the library panics on damaged ones (docs/decisions/0013-parquet.md).

use std::sync::Arc;

use arcwright_workload::traces::{Addressing, Request, Volumes};
use parquet::basic::{Compression, GzipLevel, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// Rows of a group.
const ROWS: usize = 1 << 20;

/// Writes one trace, piece by piece, into memory.
pub(super) struct ParquetWriter {
    file: SerializedFileWriter<Vec<u8>>,
    columns: Vec<Column>,
    rows: Vec<Request>,
    /// Names of volumes by their numbers.
    names: Vec<ByteArray>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Time,
    Volume,
    Op,
    Offset,
    Object,
    Bytes,
}

impl Column {
    fn schema(self) -> Result<Type, ParquetError> {
        let (name, physical, logical) = match self {
            Self::Time => ("time_ns", Physical::INT64, None),
            Self::Volume => ("volume", Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Self::Op => ("op", Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Self::Offset => ("offset", Physical::INT64, None),
            Self::Object => {
                let unsigned = LogicalType::integer(64, false);
                ("object", Physical::INT64, Some(unsigned))
            }
            Self::Bytes => ("bytes", Physical::INT64, None),
        };
        let column = Type::primitive_type_builder(name, physical);
        column.with_repetition(Repetition::REQUIRED).with_logical_type(logical).build()
    }
}

impl std::fmt::Debug for ParquetWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetWriter").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl ParquetWriter {
    /// Begins with no row; `source` says what places are, and whether there are times.
    pub(super) fn new((addressing, timed): (Addressing, bool)) -> Result<Self, String> {
        let place = match addressing {
            Addressing::Bytes => &[Column::Volume, Column::Op, Column::Offset, Column::Bytes][..],
            Addressing::Objects => &[Column::Op, Column::Object, Column::Bytes][..],
        };
        let times = timed.then_some(Column::Time);
        let columns: Vec<Column> = times.into_iter().chain(place.iter().copied()).collect();
        let open = || -> Result<_, ParquetError> {
            let fields = columns.iter().map(|column| column.schema().map(Arc::new));
            let fields = fields.collect::<Result<_, _>>()?;
            let schema = Type::group_type_builder("request").with_fields(fields).build()?;
            let properties = WriterProperties::builder()
                .set_compression(Compression::GZIP(GzipLevel::default()))
                .set_created_by(concat!("arcwright ", env!("CARGO_PKG_VERSION")).to_owned());
            let properties = Arc::new(properties.build());
            SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties)
        };
        let file = open().map_err(said)?;
        Ok(Self { file, columns, rows: Vec::new(), names: Vec::new() })
    }

    /// Adds requests.
    pub(super) fn write(&mut self, requests: &[Request], volumes: &Volumes) -> Result<(), String> {
        let known = self.names.len();
        let new = (known..volumes.count()).filter_map(|number| u32::try_from(number).ok());
        let new =
            new.map(|number| ByteArray::from(volumes.name(number).unwrap_or_default().as_str()));
        self.names.extend(new);
        self.rows.extend_from_slice(requests);
        match self.rows.len() >= ROWS {
            true => self.group().map_err(said),
            false => Ok(()),
        }
    }

    /// Returns how many bytes the file has so far.
    pub(super) fn written(&self) -> usize {
        self.file.bytes_written()
    }

    /// Ends the file and returns it.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, String> {
        if !self.rows.is_empty() {
            self.group().map_err(said)?;
        }
        self.file.into_inner().map_err(said)
    }

    /// Writes the rows that were collected as a group.
    fn group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.file.next_row_group()?;
        for column in &self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            match column {
                Column::Volume | Column::Op => texts(*column, &mut writer, (&rows, &self.names))?,
                _ => numbers(*column, &mut writer, &rows)?,
            }
            writer.close()?;
        }
        group.close().map(drop)
    }
}

fn numbers(
    column: Column,
    writer: &mut SerializedColumnWriter<'_>,
    rows: &[Request],
) -> Result<(), ParquetError> {
    let of = |row: &Request| match column {
        Column::Time => row.time.0.cast_signed(),
        Column::Bytes => i64::from(row.bytes),
        _ => row.place.cast_signed(),
    };
    let values: Vec<i64> = rows.iter().map(of).collect();
    writer.typed::<Int64Type>().write_batch(&values, None, None).map(drop)
}

fn texts(
    column: Column,
    writer: &mut SerializedColumnWriter<'_>,
    (rows, names): (&[Request], &[ByteArray]),
) -> Result<(), ParquetError> {
    let none = ByteArray::from("");
    let of = |row: &Request| match column {
        Column::Op => ByteArray::from(row.kind.name()),
        _ => names.get(row.volume as usize).unwrap_or(&none).clone(),
    };
    let values: Vec<ByteArray> = rows.iter().map(of).collect();
    writer.typed::<ByteArrayType>().write_batch(&values, None, None).map(drop)
}

fn said(error: ParquetError) -> String {
    format!("failed to write Parquet: {error}")
}

#[cfg(test)]
mod tests {
    use arcwright_units::Nanos;
    use arcwright_workload::traces::{Addressing, Request, RequestKind, Volumes};
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::ParquetWriter;

    #[test]
    fn a_file_has_a_row_for_each_request() {
        let request = |number: u64| Request {
            time: Nanos(number),
            place: number * 4096,
            bytes: 512,
            volume: 0,
            kind: RequestKind::Write,
        };
        let check = |source: (Addressing, bool), expected: &[&str]| {
            let mut writer = ParquetWriter::new(source).unwrap();
            // More than a group.
            for piece in 0..3u64 {
                let requests: Vec<Request> =
                    (0..500_000).map(|number| request(piece * 500_000 + number)).collect();
                writer.write(&requests, &Volumes::default()).unwrap();
            }
            let file = bytes::Bytes::from(writer.finish().unwrap());
            let reader = SerializedFileReader::new(file).unwrap();
            let metadata = reader.metadata().file_metadata();
            assert_eq!(metadata.num_rows(), 1_500_000);
            let columns = metadata.schema_descr().columns().iter().map(|column| column.name());
            assert_eq!(columns.collect::<Vec<_>>(), expected);
            let last = reader.get_row_iter(None).unwrap().last().unwrap().unwrap();
            let last = last.to_string();
            assert!(last.contains("6143995904") && last.contains("\"write\""), "{last}");
        };
        let bytes = ["time_ns", "volume", "op", "offset", "bytes"];
        check((Addressing::Bytes, true), &bytes);
        check((Addressing::Objects, false), &["op", "object", "bytes"]);
    }
}
