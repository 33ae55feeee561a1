//! `arcwright compare`: two saved results side by side.

use arcwright_report::{Precision, TextOptions};

use super::show::read;
use crate::arguments::CompareArguments;
use crate::exit::Exit;
use crate::output;
use crate::pages::PendingPage;
use crate::problem::Problem;

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Exit, Problem> {
    let (one, other) = (read(&arguments.one)?, read(&arguments.other)?);
    let page = arguments.html.as_deref().map(PendingPage::begin).transpose()?;
    let precision = if arguments.exact { Precision::Exact } else { Precision::Rounded };
    let options = TextOptions { precision, ..output::text_options() };
    output::print_page(&arcwright_report::pair(&one, &other, &options))?;
    if let Some(page) = page {
        page.complete(&arcwright_report::compare_html(&one, &other))?;
    }
    Ok(Exit::Fine)
}
