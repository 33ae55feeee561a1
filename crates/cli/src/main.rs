//! The arcwright program: reads the arguments, calls one command, and turns its result into an
//! exit code.

mod arguments;
mod commands;
mod parallel;

mod engines;
mod exit;
mod interrupt;
mod observing;
mod output;
mod problem;
mod progress;
mod scenario_file;
mod summary;
mod takes;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return problem::of_arguments(&error).into(),
    };
    match commands::perform(&arguments.verb) {
        Ok(exit) => exit.into(),
        Err(problem) => {
            problem.show();
            problem.exit().into()
        }
    }
}
