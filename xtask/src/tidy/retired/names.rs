//! The names and words of a file, each with its line and what it is there.

use proc_macro2::{TokenStream, TokenTree};

use super::super::Source;
use super::super::syntax::Code;

/// What a name is where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A struct, enum, trait or alias that is declared here.
    Type,
    /// A function that is declared here.
    Function,
    /// A file or folder on the way here.
    File,
    /// Any other name in code, or between backticks.
    Name,
    /// A word of a comment, a text or a document.
    Prose,
}

/// A name or word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) role: Role,
}

/// Lists the names of a file; of a document that is no code, its words.
pub(super) fn of(source: &Source, code: Option<&Code>) -> Vec<Name> {
    let mut names = Vec::new();
    for text in source.path.trim_end_matches(".rs").split('/') {
        names.push(Name { text: text.to_owned(), line: 1, role: Role::File });
    }
    match source.text.parse::<TokenStream>() {
        Ok(tokens) if code.is_some() => {
            in_code(tokens, &mut names);
            for (index, line) in source.text.lines().enumerate() {
                in_prose(comment(line), index + 1, &mut names);
            }
        }
        _ => {
            for (index, line) in source.text.lines().enumerate() {
                in_prose(line, index + 1, &mut names);
            }
        }
    }
    names
}

/// The comment that a line ends with; a documenting one is among the tokens already, as a text.
fn comment(line: &str) -> &str {
    let start = line.trim_start();
    match start.strip_prefix("// ") {
        Some(comment) => comment,
        None => line.rsplit_once("; // ").map(|(_, comment)| comment).unwrap_or_default(),
    }
}

fn in_code(tokens: TokenStream, names: &mut Vec<Name>) {
    let mut role = Role::Name;
    for token in tokens {
        let line = token.span().start().line;
        match token {
            TokenTree::Ident(ident) => {
                let text = ident.to_string();
                let next = match text.as_str() {
                    "struct" | "enum" | "trait" | "type" => Role::Type,
                    "fn" => Role::Function,
                    _ => Role::Name,
                };
                names.push(Name { text, line, role });
                role = next;
            }
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                for (index, said) in text.lines().enumerate() {
                    in_prose(said, line + index, names);
                }
            }
            TokenTree::Group(group) => in_code(group.stream(), names),
            TokenTree::Punct(_) => {}
        }
    }
}

/// Words of a line; what stands between backticks is a name.
fn in_prose(line: &str, number: usize, names: &mut Vec<Name>) {
    for (index, piece) in line.split('`').enumerate() {
        let role = if index % 2 == 1 { Role::Name } else { Role::Prose };
        let words = piece.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        for text in words.filter(|word| !word.is_empty()) {
            names.push(Name { text: text.to_owned(), line: number, role });
        }
    }
}
