//! The arcwright program: reads the arguments, calls one command, and turns its result into an
//! exit code.

mod arguments;
mod capture_names;
mod commands;
mod consent;
mod differences;
mod engines;
mod exit;
mod gallery;
mod interrupt;
mod labels;
mod new_file;
mod observing;
mod one_trace;
mod output;
mod pages;
mod parallel;
mod pool_disks;
mod preferences;
mod problem;
mod progress;
mod scenario_file;
mod summary;
mod takes;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::arguments::Arguments;

fn main() -> ExitCode {
    // Ends here when a shell asks for completions.
    clap_complete::CompleteEnv::with_factory(Arguments::command).complete();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return problem::of_arguments(&error).into(),
    };
    match commands::perform(&arguments) {
        Ok(exit) => exit.into(),
        Err(problem) => {
            problem.show();
            problem.exit().into()
        }
    }
}
