//! What tabs of the served page ask that the browser page has as well: answered as the program does, refused where it means no good.

use crate::serve::{OWN, Server};
use crate::served::status;

/// A scenario that takes a moment.
const SCENARIO: &str = "title = \"A film\"\n[system]\nzfs = \"2.3.2\"\nmemory = \"4GiB\"\n[system.pool]\ndata = [\"hdd-nas-7200\"]\n\
    [[file]]\nname = \"film\"\nsize = \"2GiB\"\n[[phase]]\nname = \"read\"\nclients = [{ read = \"film\" }]\n";

#[test]
fn the_browser_pages_questions_are_answered_as_the_program_does() {
    let server = Server::of_files(&[]);
    let ask = |what: &str, given: &serde_json::Value| {
        let answer = server.post(&format!("/api/page/{what}"), OWN, &given.to_string());
        assert_eq!(status(&answer), "200", "{what}: {answer}");
        answer
    };
    let text = "  pool: <b>tank</b>\n state: DEGRADED\nerrors: No known data errors\n";
    let said = ask("diagnose", &serde_json::json!({ "text": text }));
    assert!(
        said.contains("content-type: application/x-ndjson") && said.contains("\"findings\""),
        "{said}"
    );
    let said = ask("diagnose", &serde_json::json!({ "text": "a lovely day \u{1b}[2J" }));
    assert!(said.contains("\"error\"") && !said.contains('\u{1b}'), "{said}");
    assert!(ask("choices", &serde_json::json!({})).contains("\"gallery\""));
    let experiment = serde_json::json!({ "file": SCENARIO, "changes": { "memory": "8GiB" } });
    let said = ask("experiment", &experiment);
    assert!(said.contains("\"whole\"") && said.contains("8GiB"), "{said}");
    let run = |file: &str| ask("run", &serde_json::json!({ "file": file, "isCoarse": false }));
    let said = run(SCENARIO);
    assert!(said.contains("\"answer\"") && said.contains("\"is_coarse\":false"), "{said}");
    // No file beside a scenario is opened, and a mistake has its place.
    let said = run(&SCENARIO.replace("read = \"film\"", "fio = \"/etc/passwd\""));
    assert!(said.contains("a page opens no files") && !said.contains("root:"), "{said}");
    assert!(run(&SCENARIO.replace("memory", "memroy")).contains("\"line\":4"));
    // A capture as a file: its name and size, then its bytes.
    let body = format!("[{{\"name\":\"a.txt\",\"size\":{}}}]\n{text}", text.len());
    let said = server.post("/api/page/diagnoseFiles", OWN, &body);
    assert!(said.contains("\"findings\""), "{said}");
}

#[test]
fn questions_that_mean_no_good_are_refused() {
    let server = Server::of_files(&[]);
    let text = serde_json::json!({ "text": "pool: tank" }).to_string();
    let large = |bytes: usize| format!("{{\"text\":\"{}\"}}", "x".repeat(bytes));
    let evil = format!("{OWN}Origin: http://evil.example\r\n");
    let cases = [
        ("diagnose", "", text.clone(), "403"),
        ("diagnose", evil.as_str(), text.clone(), "403"),
        ("diagnose", OWN, large(5 << 20), "413"),
        ("diagnose", OWN, "{\"text\":1}".to_owned(), "error"),
        ("diagnose", OWN, "[".repeat(100_000), "error"),
        ("diagnoseFiles", OWN, "[{\"name\":\"a\",\"size\":9}]\nx".to_owned(), "error"),
        ("diagnoseFiles", OWN, "x".repeat(17 << 20), "413"),
        ("run", OWN, text.clone(), "error"),
        ("run", OWN, large(3 << 20), "413"),
        ("experiment", OWN, "{\"changes\":{\"evil\":1}}".to_owned(), "error"),
        ("choices", OWN, text.clone() + &text + &text + &text, "413"),
        ("evil", OWN, text.clone(), "404"),
        ("../whatif", OWN, text, "404"),
    ];
    for (what, headers, body, expected) in &cases {
        let answer = server.post(&format!("/api/page/{what}"), headers, body);
        // A server that has refused a body need not read it to its end, which may break the connection.
        let is_cut = answer.is_empty() && *expected == "413";
        let is_so = match *expected {
            // What makes no sense is answered in the line that is the answer.
            "error" => status(&answer) == "200" && answer.contains("{\"error\":{"),
            expected => status(&answer) == expected,
        };
        assert!(is_cut || is_so, "{what} {expected}: {answer}");
    }
    assert_eq!(status(&server.get("/api/page/diagnose", "")), "404");
    assert_eq!(status(&server.get("/api/about", "")), "200");
}
