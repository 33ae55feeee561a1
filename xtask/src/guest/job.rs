//! What goes into a guest and what comes back: archives on raw drives, which need no file system.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use super::layout::GuestLayout;
use super::program::output;

/// Room for what a script may leave in `/out`; the file is sparse.
const OUT_BYTES: u64 = 64 << 20;
/// Room for `/etc` and `/var` between two boots.
const STATE_BYTES: u64 = 16 << 20;
/// The script's exit code, among what it left.
const EXIT_CODE: &str = "exit-code";

/// The files of one job, in a folder of the host.
#[derive(Debug)]
pub(super) struct Job {
    folder: PathBuf,
}

impl Job {
    /// Begins a job in `folder`, which is emptied of what a former one left.
    pub(super) fn begin(folder: &Path) -> anyhow::Result<Self> {
        let content = folder.join("job");
        for old in [&content, &folder.join("out")] {
            if old.exists() {
                fs::remove_dir_all(old)?;
            }
        }
        fs::create_dir_all(&content)
            .with_context(|| format!("failed to make {}", content.display()))?;
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// Adds a file of the host, under a path below the guest's `/job`.
    pub(super) fn add(&self, file: &Path, path: &str) -> anyhow::Result<()> {
        let target = self.place(path)?;
        let failed = || format!("failed to copy {}", file.display());
        fs::copy(file, target).with_context(failed)?;
        Ok(())
    }

    /// Adds the folders of a folder of the host with their files, under a path below the guest's `/job`.
    pub(super) fn add_tree(&self, folder: &Path, path: &str) -> anyhow::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let below = format!("{path}/{}", name.to_string_lossy());
            if !entry.file_type()?.is_dir() {
                continue;
            }
            for file in fs::read_dir(entry.path())? {
                let file = file?;
                let below = format!("{below}/{}", file.file_name().to_string_lossy());
                match file.file_type()?.is_dir() {
                    true => self.add_tree(&file.path(), &below)?,
                    false => self.add(&file.path(), &below)?,
                }
            }
        }
        Ok(())
    }

    /// Adds a text, under a path below the guest's `/job`.
    pub(super) fn add_text(&self, text: &str, path: &str) -> anyhow::Result<()> {
        Ok(fs::write(self.place(path)?, text)?)
    }

    fn place(&self, path: &str) -> anyhow::Result<PathBuf> {
        let target = self.folder.join("job").join(path);
        fs::create_dir_all(target.parent().unwrap_or(&self.folder))?;
        Ok(target)
    }

    /// Packs the job and makes the drives for its answers.
    pub(super) fn pack(&self, layout: &GuestLayout) -> anyhow::Result<()> {
        let kinds = layout.drive.iter().map(|drive| {
            let kind = if drive.turns { "turns" } else { "flash" };
            format!("{} {kind}\n", drive.name)
        });
        self.add_text(&kinds.collect::<String>(), "drives")?;
        let (archive, content) = (self.folder.join("job.img"), self.folder.join("job"));
        output(Command::new("tar").arg("-cf").arg(archive).arg("-C").arg(content).arg("."))?;
        File::create(self.folder.join("out.img"))?.set_len(OUT_BYTES)?;
        let state = self.folder.join("state.img");
        if !state.exists() {
            File::create(state)?.set_len(STATE_BYTES)?;
        }
        Ok(())
    }

    /// Unpacks what came back, and returns its folder and the script's exit code; no code when the
    /// guest did not come to the script's end.
    pub(super) fn answer(&self) -> anyhow::Result<(PathBuf, Option<i32>)> {
        let out = self.folder.join("out");
        fs::create_dir_all(&out)?;
        let archive = self.folder.join("out.img");
        output(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(&out))?;
        let code = fs::read_to_string(out.join(EXIT_CODE)).ok();
        Ok((out, code.and_then(|text| text.trim().parse().ok())))
    }
}
