//! Programs of other projects that checks need. They are installed if they are missing.

use std::path::PathBuf;

use crate::shell::Shell;

/// One of them.
pub(crate) struct Tool {
    /// Its name, as a program and as a package.
    pub(crate) name: &'static str,
    /// The version that our files are written for; its last number does not matter.
    pub(crate) version: &'static str,
}

impl Tool {
    /// The path of the program: ours, one on the PATH, or a new one (some minutes, once).
    pub(crate) fn path(&self, shell: &Shell) -> Result<PathBuf, String> {
        let Self { name, version } = self;
        let tools = shell.target.join("tools");
        let own = tools.join("bin").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        for found in [own.clone(), PathBuf::from(name)] {
            let said = shell.program(&found).arg("--version").output().map(|o| o.stdout).unwrap_or_default();
            if self.fits(&String::from_utf8_lossy(&said)) {
                return Ok(found);
            }
        }
        println!("   installing {name} {version} into {} (some minutes, once)", tools.display());
        let build = tools.join("build");
        let mut install = shell.cargo();
        install.args(["install", "--locked", "--force", &format!("{name}@{version}"), "--root"]).arg(&tools);
        install.arg("--target-dir").arg(&build);
        // It runs for a second and compiles for minutes: optimise little.
        for (key, value) in [("OPT_LEVEL", "0"), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("DEBUG", "0")] {
            install.env(format!("CARGO_PROFILE_RELEASE_{key}"), value);
        }
        shell.run(&mut install)?;
        std::fs::remove_dir_all(&build).map_err(|e| format!("{}: {e}", build.display()))?;
        Ok(own)
    }

    /// Whether the version that it prints is the one we want, except for its last number.
    fn fits(&self, said: &str) -> bool {
        let minor = |v: &str| v.trim().rsplit_once('.').map(|(v, _)| v.to_owned());
        minor(said).is_some() && minor(said) == minor(&format!("{} {}", self.name, self.version))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_version_that_our_files_are_written_for_is_used() {
        let tool = Tool { name: "cargo-deny", version: "0.20.2" };
        assert!(tool.fits("cargo-deny 0.20.9\n"));
        assert!(!tool.fits("cargo-deny 0.14.2\n"));
        assert!(!tool.fits(""));
    }
}
