//! Reads the fields of each context from both files, before they are interpreted. The user's fields override
//! the system-wide ones one by one.

use std::path::{Path, PathBuf};

use super::{
    super::{
        Problem,
        document::{Document, DocumentEntry, DocumentFault, Value},
        library,
        origin::{Origin, Places},
    },
    Contexts,
};
use crate::model::id::ContextName;

/// The position of a word: a file and a byte offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    file: usize,
    byte: usize,
}

/// A context as it is written in the files.
#[derive(Debug)]
pub(super) struct ContextDraft {
    pub name: ContextName,
    /// Where the context's table begins.
    pub head: At,
    pub fields: Vec<Field>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub entry: DocumentEntry,
    file: usize,
}

impl Field {
    /// The position of this byte in the file that contains the field.
    pub fn at(&self, byte: usize) -> At {
        At {
            file: self.file,
            byte,
        }
    }
}

/// The system-wide file and the user's file.
#[derive(Debug, Default)]
pub(super) struct Files {
    documents: Vec<(Document, bool)>,
    pub drafts: Vec<ContextDraft>,
    default: Option<(String, At)>,
    pub problems: Vec<Problem>,
    /// The files that couldn't be read at all.
    pub ignored_files: Vec<PathBuf>,
}

impl Files {
    pub fn read(places: &Places) -> Self {
        let mut files = Self::default();
        files.add(&places.site, true);
        files.add(&places.user, false);
        files
    }

    fn add(&mut self, file: &Path, is_site: bool) {
        let document = match library::read_if_any(file) {
            Ok(Some(document)) => document,
            Ok(None) => return,
            Err(problem) => {
                self.ignored_files.push(file.to_path_buf());
                return self.problems.push(problem);
            }
        };
        let entries = document.entries().to_vec();
        self.documents.push((document, is_site));
        let file = self.documents.len() - 1;
        for entry in entries {
            let outcome = match entry.key.as_str() {
                "default" => self.take_default(file, &entry),
                "contexts" => self.take_contexts(file, &entry),
                _ => Err(unknown_top(&entry)),
            };
            if let Err(fault) = outcome {
                let byte = fault.at;
                self.blame(At { file, byte }, fault);
            }
        }
    }

    fn take_default(&mut self, file: usize, entry: &DocumentEntry) -> Result<(), DocumentFault> {
        let byte = entry.item.at;
        self.default = Some((entry.item.text()?.to_owned(), At { file, byte }));
        Ok(())
    }

    fn take_contexts(&mut self, file: usize, entry: &DocumentEntry) -> Result<(), DocumentFault> {
        for context in entry.item.table()? {
            let byte = context.at;
            let taken = ContextName::new(&context.key)
                .map_err(|why| DocumentFault::new(byte, why))
                .and_then(|name| Ok((name, context.item.table()?)));
            match taken {
                Ok((name, fields)) => self.merge(name, At { file, byte }, fields),
                Err(fault) => {
                    let byte = fault.at;
                    self.blame(At { file, byte }, fault);
                }
            }
        }
        Ok(())
    }

    /// A field of a later file replaces the same field of an earlier file.
    fn merge(&mut self, name: ContextName, head: At, fields: &[DocumentEntry]) {
        let known = self.drafts.iter().position(|draft| draft.name == name);
        let index = known.unwrap_or_else(|| {
            let fields = Vec::new();
            self.drafts.push(ContextDraft { name, head, fields });
            self.drafts.len() - 1
        });
        let draft = &mut self.drafts[index];
        draft.head = head;
        for entry in fields {
            draft.fields.retain(|field| field.entry.key != entry.key);
            draft.fields.push(Field {
                entry: entry.clone(),
                file: head.file,
            });
        }
    }

    /// Whether a file mentions this context, even with faults.
    pub fn mentions(&self, name: ContextName) -> bool {
        self.drafts.iter().any(|draft| draft.name == name)
    }

    /// The context that `default` names, if that context exists.
    pub fn chosen(&mut self, contexts: &Contexts) -> Option<ContextName> {
        let (name, at) = self.default.clone()?;
        match contexts.named(&name) {
            Ok(name) => Some(name),
            Err(why) => {
                self.blame(at, DocumentFault::new(at.byte, why));
                None
            }
        }
    }

    /// Records a fault as a problem of its file.
    pub fn blame(&mut self, at: At, fault: DocumentFault) {
        if let Some((document, _)) = self.documents.get(at.file) {
            let fault = DocumentFault {
                at: at.byte,
                ..fault
            };
            self.problems.push(document.problem(fault));
        }
    }

    pub fn origin(&self, at: At) -> Origin {
        let Some((document, is_site)) = self.documents.get(at.file) else {
            return Origin::Default;
        };
        let (line, column) = document.position(at.byte);
        let file = document.file().to_path_buf();
        if *is_site {
            Origin::Site { file, line, column }
        } else {
            Origin::User { file, line, column }
        }
    }
}

fn unknown_top(entry: &DocumentEntry) -> DocumentFault {
    let fault = DocumentFault::unknown(entry.at, tr!("key"), &entry.key, ["default", "contexts"]);
    match entry.item.value {
        Value::Table(_)
            if fault
                .help
                .as_deref()
                .is_none_or(|h| h.starts_with("one of")) =>
        {
            fault.help(tr!(
                "a context's table is [contexts.{key}]",
                key = entry.key
            ))
        }
        _ => fault,
    }
}
