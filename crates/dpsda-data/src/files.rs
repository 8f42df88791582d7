//! The files and data that an experiment names.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::features::Scaling;
use dpsda::{Error, Keys};
use dpsda_config::{ResolvedData, ResolvedTable, Resolver, Rules, scaling};

use crate::scaled::ScaledSource;
use crate::table::sha256;
use crate::{SOURCES, Source};

/// Finds the files and data of an experiment. Paths are looked up in the folder of the experiment's file, then in the current
/// folder. Data that several runs name are prepared once.
pub struct Files {
    base: PathBuf,
    metered: bool,
    unstated: Rules,
    sources: RefCell<Vec<(String, Arc<dyn Source>)>>,
    /// The same before they are scaled. A sweep over scales reads a file once.
    unscaled: RefCell<Vec<(String, Arc<dyn Source>)>>,
    /// The tables read, by path. A sweep reads a file once.
    tables: RefCell<BTreeMap<String, ResolvedTable>>,
}

impl Files {
    /// Files are looked for in `base` first.
    pub fn new(base: &Path) -> Self {
        Self {
            base: base.to_owned(),
            metered: false,
            unstated: Rules::NEWEST,
            sources: RefCell::default(),
            unscaled: RefCell::default(),
            tables: RefCell::default(),
        }
    }

    /// For hosts: every release first checks the remaining budget, and tables need not have the private columns of other nodes.
    #[must_use]
    pub fn metered(self) -> Self {
        Self { metered: true, ..self }
    }

    /// For signed experiments: one that states no rules has the first ones, for ever.
    #[must_use]
    pub fn signed(self) -> Self {
        Self { unstated: Rules::First, ..self }
    }

    /// The data, by handle, and the tables read: path and SHA-256, each once.
    pub fn into_parts(self) -> (Vec<Arc<dyn Source>>, BTreeMap<String, String>) {
        let sources = self.sources.into_inner().into_iter().map(|(_, source)| source).collect();
        let tables = self.tables.into_inner().into_iter().map(|(path, table)| (path, table.sha256));
        (sources, tables.collect())
    }

    /// The data with this identity as they are stored, built when first asked for.
    fn unscaled(
        &self,
        identity: String,
        build: impl Fn() -> Result<Box<dyn Source>, Error>,
    ) -> Result<Arc<dyn Source>, Error> {
        let known = self.unscaled.borrow().iter().find(|(id, _)| *id == identity).map(|(_, s)| Arc::clone(s));
        if let Some(source) = known {
            return Ok(source);
        }
        let source: Arc<dyn Source> = build()?.into();
        self.unscaled.borrow_mut().push((identity, Arc::clone(&source)));
        Ok(source)
    }

    fn bytes(&self, path: &str) -> Result<Vec<u8>, Error> {
        let beside = self.base.join(path);
        let found = if beside.exists() { beside } else { PathBuf::from(path) };
        let refuse = |e: std::io::Error| {
            let looked =
                if self.base.as_os_str().is_empty() { "" } else { " beside the experiment's file and" };
            Error::data(path, format!("cannot be read: {e} (looked{looked} in the current folder)"))
        };
        let kind = std::fs::metadata(&found).map_err(refuse)?;
        if !kind.is_file() {
            let what = if kind.is_dir() { "a folder" } else { "a device or pipe" };
            return Err(Error::data(path, format!("cannot be read: it is {what} (give a file)")));
        }
        std::fs::read(&found).map_err(refuse)
    }
}

impl Resolver for Files {
    fn metered(&self) -> bool {
        self.metered
    }

    fn unstated(&self) -> Rules {
        self.unstated
    }

    fn read(&self, path: &str) -> Result<String, Error> {
        String::from_utf8(self.bytes(path)?).map_err(|e| {
            let at = e.utf8_error().valid_up_to();
            Error::data(path, format!("byte {at} is not UTF-8 text (save the file as UTF-8)"))
        })
    }

    fn table(&self, path: &str) -> Result<ResolvedTable, Error> {
        if let Some(known) = self.tables.borrow().get(path) {
            return Ok(known.clone());
        }
        let bytes = self.bytes(path)?;
        let numbers = crate::number_table::read(path, &bytes)?;
        let numbers = if self.metered { numbers.partial() } else { numbers };
        let table = ResolvedTable { numbers, sha256: sha256(&bytes) };
        self.tables.borrow_mut().insert(path.to_owned(), table.clone());
        Ok(table)
    }

    fn data(&self, name: &str, problem: &Keys<'_>) -> Result<ResolvedData, Error> {
        let entry = find(SOURCES, &problem.name("data"), name)?;
        let own: Vec<_> = entry.keys.iter().map(|key| problem.raw(key.name)).collect();
        let identity = format!("{name} {own:?}");
        let scaled = format!("{identity} {:?} {:?}", problem.raw("scale"), problem.raw("intercept"));
        let known = self.sources.borrow().iter().position(|(id, _)| *id == scaled);
        let handle = match known {
            Some(handle) => handle,
            None => {
                let source = self.unscaled(identity, || (entry.build)(problem, &|path| self.bytes(path)))?;
                let source = match scaling(problem, source.dim())? {
                    none if none == Scaling::none() => source,
                    scaling => Arc::new(ScaledSource::new(source, scaling)?),
                };
                self.sources.borrow_mut().push((scaled, source));
                self.sources.borrow().len() - 1
            }
        };
        let source = &self.sources.borrow()[handle].1;
        Ok(ResolvedData { dim: source.dim(), samples: source.len(), handle })
    }
}
