//! A value of the file as the type that is wanted, or what is wrong with it.

use arcwright_units::{Bytes, Nanos, ParseUnitError, Rate};

use super::section::Section;
use super::tree::{Kind, Node};
use crate::error::{Checked, Fault};

/// The longest name of an arm, a phase, a file or a tree: tables have columns as wide as these.
pub const NAME_CHARS_MAX: usize = 200;

impl Node {
    /// Returns a problem with this value.
    pub(crate) fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        Fault::at(&self.span, message)
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> Checked<&str> {
        match &self.kind {
            Kind::Text(text) => Ok(text),
            _ => Err(self.wrong("text in quotes")),
        }
    }

    /// Returns the text, which must not be empty.
    pub(crate) fn name_text(&self) -> Checked<&str> {
        match self.text()? {
            "" => Err(self.fault(format!("“{}” is empty", self.name))),
            text => Ok(text),
        }
    }

    /// Returns the text as a name: not empty, nor longer than a table can show.
    pub(crate) fn short_name(&self) -> Checked<&str> {
        let text = self.name_text()?;
        match text.chars().count() {
            count if count > NAME_CHARS_MAX => Err(self.fault(format!(
                "“{}” has {count} characters, and at most {NAME_CHARS_MAX} are supported",
                self.name
            ))),
            _ => Ok(text),
        }
    }

    /// Returns a size in bytes.
    pub(crate) fn size(&self) -> Checked<Bytes> {
        self.quantity("a size", "16GiB", Bytes::parse)
    }

    /// Returns a text of a decimal size (`128KB`) with the binary unit that may have been meant (`128KiB`).
    pub(crate) fn binary_text(&self) -> Option<String> {
        let Kind::Text(text) = &self.kind else { return None };
        let number = text.trim().strip_suffix('B')?;
        let letter = number.chars().next_back().filter(char::is_ascii_alphabetic)?;
        (!letter.eq_ignore_ascii_case(&'i')).then(|| {
            format!("{}{}iB", number.trim_end_matches(letter), letter.to_ascii_uppercase())
        })
    }

    /// Returns a size in bytes above zero.
    pub(crate) fn size_above_zero(&self) -> Checked<Bytes> {
        match self.size()? {
            Bytes(0) => Err(self.zero()),
            size => Ok(size),
        }
    }

    /// Returns a time span.
    pub(crate) fn time(&self) -> Checked<Nanos> {
        self.quantity("a time", "10ms", Nanos::parse)
    }

    /// Returns a throughput above zero.
    pub(crate) fn rate(&self) -> Checked<Rate> {
        match self.quantity("a rate", "100MiB/s", Rate::parse)? {
            Rate(0) => Err(self.zero()),
            rate => Ok(rate),
        }
    }

    /// Returns a whole number of at least zero.
    pub(crate) fn whole(&self) -> Checked<u64> {
        match self.kind {
            Kind::Integer(number) => u64::try_from(number)
                .map_err(|_| self.fault(format!("“{}” is negative", self.name))),
            _ => Err(self.wrong("a whole number")),
        }
    }

    /// Returns a whole number of at least one.
    pub(crate) fn whole_above_zero(&self) -> Checked<u64> {
        match self.whole()? {
            0 => Err(self.zero()),
            number => Ok(number),
        }
    }

    /// Returns true or false.
    pub(crate) fn flag(&self) -> Checked<bool> {
        match self.kind {
            Kind::Flag(flag) => Ok(flag),
            _ => Err(self.wrong("true or false")),
        }
    }

    /// Returns a finite number.
    pub(crate) fn number(&self) -> Checked<f64> {
        match self.kind {
            Kind::Integer(number) => Ok(number as f64),
            Kind::Float(number) if number.is_finite() => Ok(number),
            _ => Err(self.wrong("a number")),
        }
    }

    /// Returns a finite number above zero.
    pub(crate) fn number_above_zero(&self) -> Checked<f64> {
        let number = self.number()?;
        if number > 0.0 { Ok(number) } else { Err(self.must("be larger than 0")) }
    }

    /// Returns a share from 0 to 1, which a text may say in percent.
    pub(crate) fn share(&self) -> Checked<f64> {
        const RULE: &str = "be a share from 0 to 1, or a text such as \"60%\"";
        let share = match &self.kind {
            Kind::Text(text) => {
                let (number, whole) = match text.trim().strip_suffix('%') {
                    Some(percent) => (percent.trim_end(), 100.0),
                    None => (text.trim(), 1.0),
                };
                number.parse::<f64>().map_err(|_| self.must(RULE))? / whole
            }
            _ => self.number()?,
        };
        if (0.0..=1.0).contains(&share) { Ok(share) } else { Err(self.must(RULE)) }
    }

    /// Returns the elements of a list.
    pub(crate) fn list(&self) -> Checked<&[Self]> {
        match &self.kind {
            Kind::List(list) => Ok(list),
            _ => Err(self.wrong("a list in square brackets")),
        }
    }

    /// Returns a table whose keys are among `keys`; `what` names it in messages.
    pub(crate) fn section<'a>(&'a self, what: &'a str, keys: &[&str]) -> Checked<Section<'a>> {
        match &self.kind {
            Kind::Table(entries) => Section::new(self, entries, what, keys),
            _ => Err(self.wrong("a table, written { key = value }")),
        }
    }

    /// Returns the choice that the text names.
    pub(crate) fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Checked<T> {
        let text = self.text()?;
        let found = choices.iter().find(|(name, _)| *name == text);
        found.map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            self.fault(format!("“{}” cannot be “{text}”", self.name)).nearest(text, &names)
        })
    }

    /// Returns the problem that the value does not do what it must.
    pub(crate) fn must(&self, rule: &str) -> Box<Fault> {
        self.fault(format!("“{}” must {rule}", self.name))
    }

    /// Returns the problem that the value is zero.
    pub(crate) fn zero(&self) -> Box<Fault> {
        self.fault(format!("“{}” is zero", self.name))
    }

    /// Returns the problem that the value is of another kind than `wanted`.
    pub(crate) fn wrong(&self, wanted: &str) -> Box<Fault> {
        let found = match self.kind {
            Kind::Text(_) => "text",
            Kind::Integer(_) | Kind::Float(_) => "a number",
            Kind::Flag(_) => "true or false",
            Kind::Date => "a date",
            Kind::List(_) => "a list",
            Kind::Table(_) => "a table",
        };
        self.fault(format!("“{}” must be {wanted}, not {found}", self.name))
    }

    fn quantity<T>(
        &self,
        wanted: &str,
        example: &str,
        parse: impl Fn(&str) -> Result<T, ParseUnitError>,
    ) -> Checked<T> {
        match &self.kind {
            Kind::Text(text) => {
                parse(text).map_err(|error| self.fault(format!("“{}”: {error}", self.name)))
            }
            _ => {
                let wrong = self.wrong(&format!("{wanted} with its unit, as text"));
                Err(wrong.help(format!("write for example {} = \"{example}\"", self.name)))
            }
        }
    }
}
