//! The device file that comes out: the nearest profile with what was measured in it.
//!
//! Each value says beside it whether it was measured, with its spread, or which profile it is from.

use crate::profile::{DeviceProfile, ProfileBasis, ProfileError, ValueBasis};

/// A value that was measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredValue {
    /// Its key in the file.
    pub key: &'static str,
    /// The value as TOML.
    pub value: String,
    /// How sure it is, in words.
    pub note: String,
}

/// A device file in the making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFile {
    like: String,
    text: String,
    values: Vec<MeasuredValue>,
    /// What was seen besides, one line each.
    remarks: Vec<String>,
}

impl DeviceFile {
    /// Begins with the values of a profile that comes with the program.
    pub(crate) fn like(name: &str, text: &str) -> Self {
        let (values, remarks) = (Vec::new(), Vec::new());
        Self { like: name.to_owned(), text: text.to_owned(), values, remarks }
    }

    pub(crate) fn set(&mut self, key: &'static str, value: String, note: String) {
        self.values.retain(|known| known.key != key);
        self.values.push(MeasuredValue { key, value, note });
    }

    pub(crate) fn remark(&mut self, line: String) {
        self.remarks.push(line);
    }

    /// Returns what was measured.
    #[must_use]
    pub fn values(&self) -> &[MeasuredValue] {
        &self.values
    }

    /// Returns what was seen besides, one line each.
    #[must_use]
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the profile that the other values are from.
    #[must_use]
    pub fn profile_name(&self) -> &str {
        &self.like
    }

    /// Returns the profile that the file is.
    ///
    /// # Errors
    /// [`ProfileError`] where what was measured makes no device.
    pub fn profile(&self, title: &str) -> Result<DeviceProfile, ProfileError> {
        DeviceProfile::parse("measured", &self.text(title))
    }

    /// Returns the text of the file; the title may hold anything.
    #[must_use]
    pub fn text(&self, title: &str) -> String {
        let basis = DeviceProfile::parse(&self.like, &self.text).ok();
        let basis = basis.as_ref().and_then(DeviceProfile::basis);
        let mut text = format!(
            "# Measured by arcwright calibrate device, by reads alone.\n# What they do not tell is from {}.\n",
            self.like
        );
        text.extend(self.remarks.iter().map(|line| format!("# {line}\n")));
        text.push_str(&format_line("title", &format!("\"{}\"", plain(title)), ""));
        let before_basis = self.text.split("\n[basis]").next().unwrap_or_default();
        let mut lines = before_basis.lines();
        while let Some(line) = lines.next() {
            if line.starts_with('[') {
                text.extend(["\n", line, "\n"]);
            }
            let Some((key, rest)) = line.split_once(" = ").filter(|_| !line.starts_with('#'))
            else {
                continue;
            };
            // A list goes on until its bracket.
            let mut value = rest.split(" #").next().unwrap_or_default().trim().to_owned();
            while value.starts_with('[') && !is_closed(&value) {
                let Some(next) = lines.next() else { break };
                value = format!("{value}\n{next}");
            }
            match key {
                "title" => {}
                "class" => text.push_str(&format_line(key, &value, "")),
                _ => text.push_str(&self.line(key, &value, basis)),
            }
        }
        text + &self.basis(basis)
    }

    /// Returns the line of a value: as measured, or as the profile has it.
    fn line(&self, key: &str, value: &str, basis: Option<&ProfileBasis>) -> String {
        match self.values.iter().find(|known| known.key == key) {
            Some(known) => format_line(key, &known.value, &format!("measured; {}", known.note)),
            None => {
                let basis = basis.and_then(|basis| basis.of(key));
                let how = basis.map(|basis| format!(" ({})", basis.name())).unwrap_or_default();
                format_line(key, value, &format!("from {}{how}", self.like))
            }
        }
    }

    /// Returns the table that says what each value rests on; nothing where the profile does not.
    fn basis(&self, basis: Option<&ProfileBasis>) -> String {
        let Some(basis) = basis else { return String::new() };
        let is_measured = |key: &str| self.values.iter().any(|known| known.key == key);
        let mut text = "\n[basis]\n".to_owned();
        for kind in ValueBasis::ALL {
            let its = |key: &&str| match is_measured(key) {
                true => kind == ValueBasis::Measured,
                // What was measured on another drive is no measurement of this one.
                false => match basis.of(key) {
                    Some(ValueBasis::Measured) => kind == ValueBasis::Published,
                    other => other == Some(kind),
                },
            };
            let keys: Vec<&str> = basis.keys().filter(its).collect();
            if !keys.is_empty() {
                text.push_str(&format_list(kind.name(), &keys));
            }
        }
        text
    }
}

/// Returns whether all brackets of a list are closed.
fn is_closed(list: &str) -> bool {
    list.matches('[').count() <= list.matches(']').count()
}

fn format_line(key: &str, value: &str, comment: &str) -> String {
    match (comment, value.contains('\n')) {
        ("", _) => format!("{key} = {value}\n"),
        (_, false) => format!("{key} = {value} # {comment}\n"),
        (_, true) => format!("# {comment}\n{key} = {value}\n"),
    }
}

/// Returns a list of texts in lines that fit a terminal.
fn format_list(name: &str, items: &[&str]) -> String {
    const COLUMNS: usize = 78;
    let quoted: Vec<String> = items.iter().map(|item| format!("\"{item}\"")).collect();
    let short = format!("{name} = [{}]\n", quoted.join(", "));
    if short.len() <= COLUMNS {
        return short;
    }
    let mut lines = vec![String::from("   ")];
    for item in quoted {
        let item = format!(" {item},");
        let is_full = lines.last().is_some_and(|line| line.len() + item.len() > COLUMNS);
        if is_full {
            lines.push(String::from("   "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(&item);
        }
    }
    format!("{name} = [\n{}\n]\n", lines.join("\n"))
}

/// Returns a whole number as files have it: `4_000_000`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let is_start = |index: usize| index > 0 && (digits.len() - index).is_multiple_of(3);
    let letters = digits.chars().enumerate();
    letters
        .flat_map(|(index, digit)| is_start(index).then_some('_').into_iter().chain([digit]))
        .collect()
}

/// Returns a text that stands between quotes of TOML as it is.
fn plain(text: &str) -> String {
    let is_plain = |letter: &char| !letter.is_control() && !matches!(letter, '"' | '\\');
    text.chars().filter(is_plain).take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn a_number_has_its_digits_in_threes() {
        let check = |number, expected| assert_eq!(grouped(number), expected);
        check(0, "0");
        check(999, "999");
        check(1000, "1_000");
        check(18_446_744_073_709_551_615, "18_446_744_073_709_551_615");
    }
}
