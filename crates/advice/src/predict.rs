//! What settings would bring on a machine, before anybody makes them: the model runs the case that each
//! kind of setting is for, or the machine's own load where a window tells it. What it does not simulate, or what depends on work that no counter describes,
//! is said to be not estimated, with the reason.

use arcwright_machine::{Class, Machine};
use arcwright_scenario::Setting;

use crate::drives::leaves_of;
use crate::estimate::Estimate;
use crate::finding::Gain;
use crate::gains;
use crate::model;
use crate::own_load;
use crate::view::View;

/// What some settings would bring together.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The parameters, by their names on Linux.
    pub names: Vec<String>,
    /// What they would bring.
    pub gain: Gain,
}

/// What a kind of setting is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    /// What the cache device may be fed and asked: a file larger than the ARC, read again.
    Reread,
    /// How far is read ahead: one reader of a large file.
    Stream,
    /// Has no effect here, for this reason.
    Nothing(&'static str),
    /// Asked about under the machine's own load alone; no case of its own, for this reason.
    Other(&'static str),
}

/// Returns what `settings`, names on Linux and numbers, would bring on `machine`.
#[must_use]
pub fn predict(machine: &Machine, settings: &[Setting]) -> Vec<Prediction> {
    let view = View::of(machine, Estimate::WithOwnLoad);
    let has_cache = machine.pools.iter().any(|pool| !leaves_of(pool, Class::Cache).is_empty());
    let mut questions: Vec<Question> = Vec::new();
    for setting in settings.iter().cloned() {
        let case = case_of(&setting.name, has_cache);
        match questions.iter_mut().find(|other| other.case == case) {
            Some(question) => question.settings.push(setting),
            None => questions.push(Question { case, settings: vec![setting] }),
        }
    }
    questions.into_iter().map(|question| prediction(&view, question)).collect()
}

/// The settings of one kind, which the model is asked about together.
struct Question {
    case: Case,
    settings: Vec<Setting>,
}

fn prediction(view: &View<'_>, Question { case, settings }: Question) -> Prediction {
    let gain = match case {
        Case::Reread => model::reread(view, &settings),
        Case::Stream => model::streamed(view, &settings),
        Case::Nothing(why) => Gain::NotEstimated(why.to_owned()),
        Case::Other(why) => {
            gains::gain(view, own_load::settings(&settings), || Err(why.to_owned()))
        }
    };
    let names = settings.into_iter().map(|setting| setting.name).collect();
    Prediction { names, gain }
}

fn case_of(name: &str, has_cache: bool) -> Case {
    match name {
        "l2arc_noprefetch" | "l2arc_write_max" | "l2arc_write_boost" | "l2arc_headroom" => {
            match has_cache {
                true => Case::Reread,
                false => {
                    Case::Nothing("no pool shows a cache device, and without one it has no effect")
                }
            }
        }
        "zfetch_max_distance" if has_cache => Case::Reread,
        "zfetch_max_distance" | "zfs_prefetch_disable" => Case::Stream,
        "zfs_arc_max" | "zfs_arc_min" => Case::Other(
            "the effect of the ARC's size depends on what is read again; the ghost hits that \
             arcwright doctor counts show it for up to twice the size",
        ),
        name if name.starts_with("zfs_arc_meta") || name.starts_with("zfs_arc_dnode") => {
            Case::Other(
                "how much metadata is reused depends on your files; compare the metadata reads \
                 that arcwright doctor counts, before and after",
            )
        }
        _ => Case::Other("the model does not predict this parameter"),
    }
}
