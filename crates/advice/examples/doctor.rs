//! Diagnoses the machine whose command output is pasted on standard input.
//!
//! ```text
//! cargo run -p arcwright-advice --example doctor < fixtures/pastes/arcstat-2.2-default.txt
//! ```
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use arcwright_advice::{Estimate, advise};
use arcwright_machine::{Machine, Sources};

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::io::read_to_string(std::io::stdin())?;
    let machine = Machine::read(&Sources::recognize_one(&text)?);
    let advice = advise(&machine, Estimate::WithModel);
    for finding in &advice.findings {
        println!("[{}] {}", finding.severity.label(), finding.title);
        if let Some(remedy) = &finding.remedy {
            println!("    do: {}", remedy.what);
        }
    }
    for unjudged in &advice.unjudged {
        println!("not judged, {}: {}", unjudged.why, unjudged.what.join(", "));
    }
    Ok(())
}
