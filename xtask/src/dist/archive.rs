//! A tree of files as NAME.tar.gz: to be unpacked anywhere, or below /usr/local.

use std::fs::{self, File};
use std::path::Path;

use anyhow::Context as _;
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::Release;
use super::programs::Target;
use super::tree::Tree;

/// Packs `tree` below a folder of its own name.
pub(super) fn write(
    folder: &Path,
    target: Target,
    tree: &Tree,
    release: &Release,
) -> anyhow::Result<()> {
    let name = format!("arcwright-{}-{}", release.version, target.triple());
    let path = folder.join(format!("{name}.tar.gz"));
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    // Neither a name nor a time: the same files make the same archive.
    let packed = GzBuilder::new().mtime(0).write(file, Compression::best());
    let mut builder = Builder::new(packed);
    let header = |mode: u32, size: u64, kind: EntryType| {
        let mut header = Header::new_ustar();
        header.set_mode(mode);
        header.set_size(size);
        header.set_mtime(release.epoch);
        header.set_entry_type(kind);
        header
    };
    for below in tree.folders() {
        let path = format!("{name}/{below}/");
        builder.append_data(&mut header(0o755, 0, EntryType::Directory), path, [].as_slice())?;
    }
    for (path, entry) in tree.files() {
        let mut header = header(entry.mode, entry.bytes.len() as u64, EntryType::Regular);
        builder.append_data(&mut header, format!("{name}/{path}"), entry.bytes.as_slice())?;
    }
    builder.into_inner()?.finish()?.sync_all()?;
    println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
    Ok(())
}
