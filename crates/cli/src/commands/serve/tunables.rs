//! Parameters as they are, and what a change would do: plans, never changes.

use std::sync::Arc;

use arcwright_host::tune::Facts;
use axum::http::StatusCode;
use axum::response::Response;
use clap::Parser as _;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use super::answers;
use crate::arguments::tune::{ApplyArguments, PersistArguments, TuneVerb};
use crate::arguments::{Arguments, Verb};
use crate::commands::tune::{page_list, page_show, plan_to_apply, plan_to_persist};
use crate::problem::Problem;

/// Characters of a request.
const SETTINGS_MAX: usize = 2000;

/// Reads the parameters anew for every request, one at a time.
pub(super) struct Tunables {
    facts: Arc<dyn Fn() -> Result<Facts, Problem> + Send + Sync>,
    turn: Semaphore,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanQuery {
    /// `zfs_arc_max=4GiB`, several with blanks between them.
    settings: String,
}

/// What a change would do, now and at boot.
#[derive(Debug, Serialize)]
struct Preview {
    now: Planned,
    boot: Planned,
}

/// A plan as `arcwright tune` prints it, and the command that carries it out.
#[derive(Debug, Serialize)]
struct Planned {
    text: Option<String>,
    /// Why there is none, or why it needs a word of consent.
    problem: Option<String>,
    command: Option<String>,
}

impl Tunables {
    pub(super) fn new(facts: Arc<dyn Fn() -> Result<Facts, Problem> + Send + Sync>) -> Self {
        Self { facts, turn: Semaphore::new(1) }
    }

    /// Returns all parameters of the module.
    pub(super) async fn list(&self) -> Response {
        self.answer(|facts| Ok(answers::shown(&page_list(&facts)))).await
    }

    /// Returns everything about one, named by `name=`.
    pub(super) async fn show(&self, query: &str) -> Response {
        let Some(name) = query.strip_prefix("name=").map(str::to_owned) else {
            return answers::problem(StatusCode::BAD_REQUEST, "expected name=NAME", None);
        };
        self.answer(move |facts| Ok(answers::shown(&page_show(&name, &facts)?))).await
    }

    /// Returns what settings would change.
    pub(super) async fn plan(&self, body: &[u8]) -> Response {
        let wrong = |why: &str| answers::problem(StatusCode::BAD_REQUEST, why, None);
        let Ok(PlanQuery { settings }) = serde_json::from_slice(body) else {
            return wrong("expected settings");
        };
        let settings: Vec<String> = settings.split_whitespace().map(str::to_owned).collect();
        let length: usize = settings.iter().map(String::len).sum();
        if settings.is_empty() || length > SETTINGS_MAX {
            return wrong("expected settings such as zfs_arc_max=4GiB");
        }
        self.answer(move |facts| Ok(answers::shown(&preview(&settings, &facts)))).await
    }

    async fn answer(
        &self,
        of: impl FnOnce(Facts) -> Result<Response, Problem> + Send + 'static,
    ) -> Response {
        let Ok(_turn) = self.turn.acquire().await else {
            return answers::text(StatusCode::SERVICE_UNAVAILABLE, "the server ends");
        };
        let facts = Arc::clone(&self.facts);
        let answered = tokio::task::spawn_blocking(move || of(facts()?)).await;
        match answered {
            Ok(Ok(response)) => response,
            Ok(Err(problem)) => {
                answers::problem(StatusCode::BAD_REQUEST, &problem.to_string(), None)
            }
            Err(_) => answers::problem(
                StatusCode::INTERNAL_SERVER_ERROR,
                "this stopped unexpectedly; that is a bug",
                None,
            ),
        }
    }
}

fn preview(settings: &[String], facts: &Facts) -> Preview {
    let now = apply_arguments(settings)
        .and_then(|arguments| plan_to_apply(&arguments, facts))
        .map(|(text, accept)| planned(("apply", ""), settings, text, accept));
    let boot = persist_arguments(settings)
        .and_then(|arguments| plan_to_persist(&arguments, facts))
        .map(|(text, accept)| planned(("persist", " --write"), settings, text, accept));
    let told = |planned: Result<Planned, Problem>| {
        planned.unwrap_or_else(|problem| Planned {
            text: None,
            problem: Some(problem.to_string()),
            command: None,
        })
    };
    Preview { now: told(now), boot: told(boot) }
}

/// Returns a plan with its command; `accept` names what does harm that somebody must confirm.
fn planned(
    (verb, end): (&str, &str),
    settings: &[String],
    text: String,
    accept: Option<Vec<String>>,
) -> Planned {
    let Some(accept) = accept else {
        return Planned { text: Some(text), problem: None, command: None };
    };
    let consent: String = accept.iter().map(|name| format!(" --accept {name}")).collect();
    let settings: Vec<String> = settings.iter().map(|setting| quoted(setting)).collect();
    let problem = (!accept.is_empty()).then(|| {
        format!("This may do harm: the command confirms that with{consent}. Read why above.")
    });
    let command = format!("sudo arcwright tune {verb} {}{consent}{end}", settings.join(" "));
    Planned { text: Some(text), problem, command: Some(command) }
}

/// Returns a word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_=.,-".contains(&byte);
    match word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

fn apply_arguments(settings: &[String]) -> Result<ApplyArguments, Problem> {
    match verb("apply", settings)? {
        TuneVerb::Apply(arguments) => Ok(arguments),
        _ => Err(unlike()),
    }
}

fn persist_arguments(settings: &[String]) -> Result<PersistArguments, Problem> {
    match verb("persist", settings)? {
        TuneVerb::Persist(arguments) => Ok(arguments),
        _ => Err(unlike()),
    }
}

/// Reads settings as the command line does; none of them can be an option.
fn verb(verb: &str, settings: &[String]) -> Result<TuneVerb, Problem> {
    let words = ["arcwright", "tune", verb, "--"].into_iter();
    let words = words.chain(settings.iter().map(String::as_str));
    let arguments = Arguments::try_parse_from(words)
        .map_err(|error| Problem::Usage(anyhow::anyhow!("{}", first_line(&error))))?;
    match arguments.verb {
        Some(Verb::Tune(tune)) => Ok(tune.verb),
        _ => Err(unlike()),
    }
}

fn unlike() -> Problem {
    Problem::Usage(anyhow::anyhow!("expected settings such as zfs_arc_max=4GiB"))
}

/// Returns what clap says is wrong, without its usage.
pub(super) fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{planned, quoted, verb};

    #[test]
    fn a_setting_is_never_an_option() {
        assert!(verb("apply", &["--yes".to_owned()]).is_ok_and(|verb| {
            matches!(verb, crate::arguments::tune::TuneVerb::Apply(arguments) if !arguments.yes)
        }));
    }

    #[test]
    fn a_command_is_quoted_and_names_the_harm_to_confirm() {
        let settings = ["zfs_arc_max=4GiB".to_owned(), "a=$(reboot);'x".to_owned()];
        let accept = Some(vec!["zfs_arc_max".to_owned()]);
        let planned = planned(("persist", " --write"), &settings, String::new(), accept);
        assert_eq!(
            planned.command.unwrap(),
            "sudo arcwright tune persist zfs_arc_max=4GiB 'a=$(reboot);'\\''x' --accept zfs_arc_max --write"
        );
        assert!(planned.problem.unwrap().contains("may do harm"));
        assert_eq!(quoted("a b"), "'a b'");
    }
}
