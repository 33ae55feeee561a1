//! `arcwright-lab`: what `arcwright --engine lab` starts for every arm, where it cannot load OpenZFS itself.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "says what it is")]

use std::process::ExitCode;

const ABOUT: &str = "\
Runs one arm of an experiment on the real OpenZFS. It is started by arcwright --engine lab,
which finds it beside itself, in ../libexec/arcwright, or by the variable ARCWRIGHT_LAB.

Usage: arcwright-lab work        read a job on standard input and do it
       arcwright-lab --version";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next();
    match (first.as_ref().and_then(|first| first.to_str()), arguments.next()) {
        (Some("work"), None) => match arcwright_lab::worker::main() {
            0 => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        },
        (Some("--version" | "-V"), None) => {
            println!("arcwright-lab {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        (Some("--help" | "-h") | None, None) => {
            println!("{ABOUT}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("error: no such argument\n\n{ABOUT}");
            ExitCode::from(2)
        }
    }
}
