//! Which sentence is said, and what may stand in it.

use arcwright_scenario::{Difference, Scenario};

use super::GOOD;

const ANSWER: &str = r#"[[answer]]
arm = "two"
against = "one"
phase = "copy"
better = "{times} times as fast: {here} instead of {there}"
same = "no difference"
worse = "{change}"
"#;

fn refused(from: &str, to: &str, expected: &str) {
    assert_eq!(ANSWER.matches(from).count(), 1, "{from}");
    let text = format!("{GOOD}{}", ANSWER.replace(from, to));
    let error = Scenario::parse(&text, "bad.toml").unwrap_err();
    let message = format!("{error} | {}", error.hint().unwrap_or_default());
    assert!(message.contains(expected), "{message} should say {expected}");
}

#[test]
fn an_answer_names_what_is_there() {
    let scenario = Scenario::parse(&format!("{GOOD}{ANSWER}"), "good.toml").unwrap();
    let answer = &scenario.answers[0];
    assert_eq!(answer.sentence(Difference::Same), "no difference");
    refused("arm = \"two\"", "arm = \"tow\"", "did you mean “two”?");
    refused("against = \"one\"", "against = \"noe\"", "did you mean “one”?");
    refused("phase = \"copy\"", "phase = \"cpoy\"", "did you mean “copy”?");
    refused(
        "{here}",
        "{hear}",
        "the sentence has an unknown placeholder {hear} | known are: here, there",
    );
    refused("against = \"one\"", "against = \"two\"", "must compare two different places");
    refused("same = \"no difference\"\n", "", "lacks “same”");
    refused("worse =", "worst =", "did you mean “worse”?");
    refused("against = \"one\"\n", "", "lacks “say”");
    for share in ["-0.01", "1.01", "1e308", "inf", "nan", "\"5 %\""] {
        refused("worse =", &format!("alike = {share}\nworse ="), "“alike” must be a share");
    }
    refused("worse =", "measure = \"trouhgput\"\nworse =", "did you mean “throughput”?");
}
