//! What is in the programs, as a bill of materials in the form of CycloneDX 1.5.
//!
//! `cargo metadata` says which packages are linked, `Cargo.lock` what their archives' digests are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Release;
use super::programs::Target;
use crate::guest::program::output;

/// The package whose dependencies are in the program.
const PROGRAM: &str = "arcwright";

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    description: Option<String>,
    source: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

#[derive(Debug, Deserialize)]
struct Kind {
    kind: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Debug, Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// A package as CycloneDX describes it.
#[derive(Debug, Serialize)]
struct Component {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    reference: String,
    name: String,
    version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<Value>,
    purl: String,
}

/// Writes the bill of the programs for `target`.
pub(super) fn write(
    root: &Path,
    folder: &Path,
    target: Target,
    release: &Release,
) -> anyhow::Result<PathBuf> {
    let metadata = metadata(root, target)?;
    let lock = fs::read_to_string(root.join("Cargo.lock")).context("there is no Cargo.lock")?;
    let lock: Lock = toml::from_str(&lock).context("Cargo.lock cannot be read")?;
    let bill = bill(&metadata, &lock, release)?;
    let path = folder.join(format!("arcwright-{}-{}.cdx.json", release.version, target.triple()));
    fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&bill)?))?;
    println!("{}", path.display());
    Ok(path)
}

fn metadata(root: &Path, target: Target) -> anyhow::Result<Metadata> {
    let mut command = Command::new("cargo");
    command
        .current_dir(root)
        .args(["metadata", "--format-version", "1", "--locked", "--no-default-features"])
        .args(["--features", "lab", "--filter-platform", target.triple()])
        .args(["--manifest-path", "crates/cli/Cargo.toml"]);
    serde_json::from_str(&output(&mut command)?).context("cargo metadata cannot be read")
}

fn bill(metadata: &Metadata, lock: &Lock, release: &Release) -> anyhow::Result<Value> {
    let links = links(&metadata.resolve);
    let named = |id: &str| metadata.packages.iter().find(|package| package.id == id);
    let program = metadata.packages.iter().find(|package| package.name == PROGRAM);
    let program = program.context("the program is no package of the workspace")?;
    let mut linked = BTreeSet::new();
    let mut open = vec![program.id.as_str()];
    while let Some(id) = open.pop() {
        if linked.insert(id) {
            open.extend(links.get(id).into_iter().flatten());
        }
    }
    let mut packages: Vec<&Package> = linked.iter().filter_map(|id| named(id)).collect();
    packages.sort_by_key(|package| (&package.name, &package.version));
    let components = packages.iter().filter(|package| package.name != PROGRAM);
    let components: Vec<Component> =
        components.map(|package| component(package, lock, "library")).collect();
    let dependencies = packages.iter().map(|package| {
        let on = links.get(package.id.as_str()).into_iter().flatten().filter_map(|id| named(id));
        let mut on: Vec<String> = on.map(reference).collect();
        on.sort();
        json!({ "ref": reference(package), "dependsOn": on })
    });
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": release.time()?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "component": component(program, lock, "application"),
        },
        "components": components,
        "dependencies": dependencies.collect::<Vec<Value>>(),
    }))
}

/// Returns what each package links, by identity: not what only builds or tests it.
fn links(resolve: &Resolve) -> BTreeMap<&str, Vec<&str>> {
    let is_linked = |it: &&Dependency| it.dep_kinds.iter().any(|kind| kind.kind.is_none());
    let nodes = resolve.nodes.iter().map(|node| {
        let linked = node.deps.iter().filter(is_linked);
        (node.id.as_str(), linked.map(|it| it.pkg.as_str()).collect())
    });
    nodes.collect()
}

/// Returns the package's address in the registry, or its place in this release.
fn reference(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

fn component(package: &Package, lock: &Lock, kind: &'static str) -> Component {
    let is_own = package.source.is_none();
    let locked = lock.package.iter().filter(|_| !is_own);
    let locked = locked.filter(|it| it.name == package.name && it.version == package.version);
    let checksum = locked.filter_map(|it| it.checksum.as_ref()).next();
    let one_line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The slash is an old way of writing OR, which SPDX does not know.
    let expression = |text: &String| json!({ "expression": text.replace('/', " OR ") });
    Component {
        kind,
        reference: reference(package),
        name: package.name.clone(),
        version: package.version.clone(),
        description: package.description.as_ref().map(one_line),
        hashes: checksum.iter().map(|it| json!({ "alg": "SHA-256", "content": it })).collect(),
        licenses: package.license.iter().map(expression).collect(),
        purl: reference(package),
    }
}
