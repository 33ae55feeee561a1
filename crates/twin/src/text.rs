//! The scenario file of a machine, as its owner reads it: every value with where it is from.

use std::fmt::Write as _;

use arcwright_scenario::{Kernel, Scenario, VdevLayout, VdevSpec};
use arcwright_units::{Bytes, visible};

use crate::TwinError;
use crate::hardware::{Hardware, Kinds};
use crate::names::{OF_A_DIRECTORY, SIZES};
use crate::plan::{Client, Contents, Plan};
use crate::sizes::size;

/// Rounds of warming up.
const ROUNDS_MAX: u32 = 6;
/// Columns of a comment.
const WIDTH: usize = 100;

/// A file as it is written.
#[derive(Debug, Default)]
struct Page(String);

impl Page {
    /// Adds a comment, which may have hostile names in it.
    fn comment(&mut self, text: &str) {
        let text = visible(text);
        let options = textwrap::Options::new(WIDTH).initial_indent("# ").subsequent_indent("# ");
        for line in textwrap::wrap(&text, options) {
            self.line(&line);
        }
    }

    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Adds a key with its value, and what stands beside it above.
    fn key(&mut self, hardware: &Hardware, key: &'static str, value: &str) {
        for text in hardware.beside.get(key).into_iter().flatten() {
            self.comment(text);
        }
        self.line(&format!("{key} = {value}"));
    }

    fn table(&mut self, head: &str) {
        self.line(&format!("\n{head}"));
    }
}

/// Returns a text in the quotation marks of the file's format.
pub(crate) fn quoted(text: &str) -> String {
    toml_edit::Value::from(visible(text).as_ref()).to_string()
}

/// Returns the file; `head` are lines that stand above all.
pub(crate) fn file(hardware: &Hardware, plan: &Plan, head: &[Vec<String>]) -> String {
    let mut page = Page::default();
    for (number, paragraph) in head.iter().enumerate() {
        if number > 0 {
            page.line("#");
        }
        paragraph.iter().for_each(|line| page.comment(line));
    }
    page.line("");
    let title = match &plan.played {
        Some(trace) => format!("pool {} under {trace}", hardware.pool),
        None => format!("pool {}, as it was captured", hardware.pool),
    };
    page.line(&format!("title = {}", quoted(&title)));
    page.line("question = \"What would a change bring under this load?\"");
    system(&mut page, hardware, plan);
    contents(&mut page, plan);
    for phase in &plan.phases {
        page.table("[[phase]]");
        page.comment(phase.said);
        page.line(&format!("name = \"{}\"", phase.name));
        if phase.until_warm {
            page.line("until_warm = true");
            page.line(&format!("rounds_max = {ROUNDS_MAX}"));
        }
        if let Some(limit) = plan.limit.filter(|_| phase.looks_up && !phase.until_warm) {
            page.line(&format!("limit = \"{limit}ms\""));
        }
        page.line("clients = [");
        phase.clients.iter().for_each(|client| page.line(&format!("  {{ {} }},", written(client))));
        if let Some(names) = plan.names.filter(|_| phase.looks_up) {
            let each = names.clients as f64 / names.per_s.max(0.01);
            let pace = match phase.until_warm {
                true => String::new(),
                false => format!(
                    ", think = \"{}us\", count = {}",
                    Bytes::of_f64(each * 1e6).0.max(1),
                    names.clients
                ),
            };
            page.line(&format!("  {{ tree-stat = \"names\", pattern = \"random\"{pace} }},"));
        }
        page.line("]");
    }
    for arm in &plan.arms {
        page.table("[[arm]]");
        for line in &arm.said {
            page.comment(line);
        }
        page.line(&format!("name = {}", quoted(&arm.name)));
        arm.keys.iter().for_each(|key| page.line(key));
    }
    for answer in &plan.answers {
        page.table("[[answer]]");
        answer.iter().for_each(|line| page.line(line));
    }
    page.0
}

fn system(page: &mut Page, hardware: &Hardware, plan: &Plan) {
    let kinds = Kinds::of(hardware);
    if let Some(lines) = kinds.table() {
        page.table("[devices]");
        lines.iter().for_each(|line| page.line(line));
    }
    page.table("[system]");
    page.key(hardware, "zfs", &format!("\"{}\"", hardware.zfs));
    let os = if hardware.os == Kernel::Freebsd { "freebsd" } else { "linux" };
    page.key(hardware, "os", &format!("\"{os}\""));
    page.line(&format!("memory = {}", size(hardware.memory)));
    page.comment(
        "Assumed: how fast the processor copies and checks is not in a capture. Others: nas-dual, desktop.",
    );
    page.line("cpu = \"nas-quad\"");
    page.table("[system.pool]");
    page.key(hardware, "data", &vdevs(&hardware.data, &kinds));
    for (key, list) in [("special", &hardware.special), ("log", &hardware.log)] {
        if !list.is_empty() {
            page.key(hardware, key, &vdevs(list, &kinds));
        }
    }
    if !hardware.cache.is_empty() {
        let disks: Vec<String> = hardware.cache.iter().map(|disk| kinds.name(disk)).collect();
        page.key(hardware, "cache", &format!("[{}]", disks.join(", ")));
    }
    if let Some(ashift) = hardware.ashift {
        page.line(&format!("ashift = {ashift}"));
    }
    if let Some(fill) = plan.fill {
        page.comment("What fills the pool beside the files below, which lie behind it.");
        page.line(&format!("fill = \"{fill}%\""));
    }
    page.table("[system.tunables]");
    page.comment("The limit in force (c_max), and what differs from the defaults of this version.");
    page.line(&format!("zfs_arc_max = {}", hardware.arc_max.0));
    for (name, value) in &hardware.tunables {
        page.line(&format!("{name} = {value}"));
    }
}

fn contents(page: &mut Page, plan: &Plan) {
    if let Some(names) = plan.names {
        page.table("[[tree]]");
        page.comment(
            "Names that are looked up: accesses to metadata that reads and writes of files do not explain. How many was \
             fitted to the misses of metadata.",
        );
        page.line("name = \"names\"");
        page.line(&format!("files = {}", names.files));
        page.line(&format!("files_per_directory = {OF_A_DIRECTORY}"));
        page.line(&format!("size_min = {}", size(SIZES.0)));
        page.line(&format!("size_max = {}", size(SIZES.1)));
    }
    for dataset in &plan.datasets {
        page.table(if dataset.is_volume { "[[zvol]]" } else { "[[dataset]]" });
        for line in &dataset.said {
            page.comment(line);
        }
        page.line(&format!("name = {}", quoted(&dataset.name)));
        if let Some(size_of_volume) = dataset.size {
            page.line(&format!("size = {}", size(size_of_volume)));
        }
        dataset.keys.iter().for_each(|key| page.line(key));
    }
    for Contents { name, dataset, size: bytes, ratio, said } in &plan.files {
        page.table("[[file]]");
        for line in said {
            page.comment(line);
        }
        page.line(&format!("name = {}", quoted(name)));
        page.line(&format!("size = {}", size(*bytes)));
        page.line(&format!("dataset = {}", quoted(dataset)));
        if let Some(ratio) = ratio {
            page.line(&format!("compressratio = {ratio}"));
        }
    }
}

/// Returns a client as the file has it.
fn written(client: &Client) -> String {
    let Client { verb, file, io, pattern, zipf, amount, rate, depth, .. } = client;
    let mut text = format!("{verb} = {}, io = \"{}\"", quoted(file), io_text(*io));
    // Writing into a string cannot fail.
    let _ = write!(text, ", pattern = \"{pattern}\"");
    if let Some(zipf) = zipf {
        let _ = write!(text, ", zipf = {zipf:?}");
    }
    let _ = write!(text, ", amount = {}", size(*amount));
    if let Some(rate) = rate {
        let _ = write!(text, ", rate = \"{rate}B/s\"");
    }
    if *depth > 1 {
        let _ = write!(text, ", depth = {depth}");
    }
    text
}

fn io_text(io: Bytes) -> String {
    if io.0 >= 1024 { format!("{}KiB", io.0 >> 10) } else { format!("{}B", io.0) }
}

fn vdevs(vdevs: &[VdevSpec], kinds: &Kinds) -> String {
    let mut parts: Vec<(String, usize)> = Vec::new();
    for vdev in vdevs {
        let text = vdev_text(vdev, kinds);
        match parts.last_mut().filter(|(last, _)| *last == text) {
            Some((_, count)) => *count += 1,
            None => parts.push((text, 1)),
        }
    }
    let parts = parts.into_iter().map(|(text, count)| match (count, text.strip_suffix(" }")) {
        (1, _) => text,
        (count, Some(open)) => format!("{open}, count = {count} }}"),
        (count, _) => vec![text; count].join(", "),
    });
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

fn vdev_text(vdev: &VdevSpec, kinds: &Kinds) -> String {
    let disks: Vec<String> = vdev.disks.iter().map(|disk| kinds.name(disk)).collect();
    if vdev.layout == VdevLayout::Single {
        return disks.join(", ");
    }
    let alike = disks.first().filter(|first| disks.iter().all(|disk| disk == *first));
    let list = match alike.and_then(|first| first.strip_prefix('"')) {
        Some(name) => format!("\"{} x {name}", disks.len()),
        None => disks.join(", "),
    };
    let more = match vdev.layout {
        VdevLayout::Draid { data, spares, .. } => format!(", data = {data}, spares = {spares}"),
        _ => String::new(),
    };
    format!("{{ {} = [{list}]{more} }}", vdev.layout.name())
}

/// Reads the file as its owner's program will.
pub(crate) fn scenario(hardware: &Hardware, plan: &Plan) -> Result<Scenario, TwinError> {
    let text = file(hardware, plan, &[]);
    Scenario::parse(&text, "twin.toml")
        .map_err(|error| TwinError::Model { what: error.to_string() })
}
