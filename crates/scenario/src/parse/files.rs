//! The files and trees that exist before the first phase.

use arcwright_units::Bytes;

use super::tree::Node;
use super::{FILES_MAX, at_most, dataset, pool, unique};
use crate::error::Checked;
use crate::experiment::{FileSpec, TreeSpec};
use crate::system::PoolSpec;

const FILE_KEYS: [&str; 5] = ["name", "size", "recordsize", "dataset", "compressratio"];
const TREE_KEYS: [&str; 6] =
    ["name", "files", "files_per_directory", "size_min", "size_max", "compressratio"];
/// What holds anything at all is not made smaller than this.
const COMPRESSRATIO_MAX: f64 = 100.0;

/// Everything that clients can work on.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) files: Vec<FileSpec>,
    pub(crate) trees: Vec<TreeSpec>,
    /// What they take together, and what the pool holds.
    used: u128,
    usable: Bytes,
}

/// Reads every `[[file]]` and `[[tree]]`, and refuses what the pool cannot hold.
pub(crate) fn read(files: &[Node], trees: &[Node], pool: &PoolSpec) -> Checked<Contents> {
    let mut contents = Contents { usable: pool::usable(pool), ..Contents::default() };
    at_most(files, FILES_MAX, "files")?;
    at_most(trees, FILES_MAX, "trees")?;
    for node in files {
        let file = file(node, pool)?;
        unique(node, &file.name, contents.names(), "file")?;
        contents.add_file(file, node)?;
    }
    for node in trees {
        let tree = tree(node)?;
        unique(node, &tree.name, contents.names(), "file or tree")?;
        let size = u128::from(tree.size_min.0.midpoint(tree.size_max.0)) * u128::from(tree.files);
        contents.take(size, node, &tree.name)?;
        contents.trees.push(tree);
    }
    Ok(contents)
}

impl Contents {
    /// Adds a file that the pool has room for; `node` is the place that asks for it.
    pub(crate) fn add_file(&mut self, file: FileSpec, node: &Node) -> Checked<()> {
        if self.files.len() >= FILES_MAX {
            let message =
                format!("a scenario has at most {FILES_MAX} files, including those of job files");
            return Err(node.fault(message).help("write fewer jobs or files of a job (nrfiles)"));
        }
        self.take(u128::from(file.size.0), node, &file.name)?;
        self.files.push(file);
        Ok(())
    }

    fn take(&mut self, size: u128, node: &Node, name: &str) -> Checked<()> {
        self.used += size;
        check_space(self.used, self.usable, node, name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().map(|file| file.name.as_str());
        files.chain(self.trees.iter().map(|tree| tree.name.as_str()))
    }
}

fn file(node: &Node, pool: &PoolSpec) -> Checked<FileSpec> {
    let section = node.section("[[file]]", &FILE_KEYS)?;
    let dataset = section.maybe("dataset", |node| dataset::named(node, &pool.datasets))?;
    Ok(FileSpec {
        name: section.need("name", "name = \"test.dat\"")?.short_name()?.to_owned(),
        size: section.need("size", "size = \"20GiB\"")?.size_above_zero()?,
        recordsize: section.maybe("recordsize", pool::recordsize)?,
        dataset: dataset.map(|dataset| dataset.name.clone()),
        compressratio_percent: section.maybe("compressratio", compressratio)?,
    })
}

/// Reads how well LZ4 compresses what is stored, in hundredths.
pub(crate) fn compressratio(node: &Node) -> Checked<u32> {
    let ratio = node.number()?;
    if !(1.0..=COMPRESSRATIO_MAX).contains(&ratio) {
        let fault = node.must("be from 1.0 (nothing) to 100.0");
        return Err(fault.help("zfs get compressratio shows it: 1.80x is compressratio = 1.8"));
    }
    // In bounds, so that nothing is lost but what is below a hundredth.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 100 to 10,000"
    )]
    let percent = (ratio * 100.0).round() as u32;
    Ok(percent)
}

fn tree(node: &Node) -> Checked<TreeSpec> {
    let section = node.section("[[tree]]", &TREE_KEYS)?;
    let size_max = section.need("size_max", "size_max = \"200KiB\"")?;
    let tree = TreeSpec {
        name: section.need("name", "name = \"pictures\"")?.short_name()?.to_owned(),
        files: section.need("files", "files = 100000")?.whole_above_zero()?,
        files_per_directory: section
            .need("files_per_directory", "files_per_directory = 1000")?
            .whole_above_zero()?,
        size_min: section.need("size_min", "size_min = \"50KiB\"")?.size_above_zero()?,
        size_max: size_max.size_above_zero()?,
        compressratio_percent: section.maybe("compressratio", compressratio)?,
    };
    if tree.size_max < tree.size_min {
        return Err(size_max.must(&format!("not be below size_min, {}", tree.size_min)));
    }
    Ok(tree)
}

fn check_space(used: u128, usable: Bytes, node: &Node, name: &str) -> Checked<()> {
    if used <= u128::from(usable.0) {
        return Ok(());
    }
    let used = Bytes(u64::try_from(used).unwrap_or(u64::MAX));
    let message = format!("the files up to “{name}” need {used}, the pool has room for {usable}");
    Err(node.fault(message).help("use more or larger disks in system.pool.data, or smaller files"))
}
