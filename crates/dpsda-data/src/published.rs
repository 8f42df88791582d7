//! Files that must be exactly as published: results are only comparable on the same data.

use std::io::Read;
use std::path::Path;

use dpsda::{Error, Keys};
use flate2::read::MultiGzDecoder;

use super::table::sha256;

/// A published file, decompressed.
#[derive(Clone, Copy)]
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) bytes: u64,
    pub(super) sha256: &'static str,
}

impl Published {
    /// The content of the file in the folder that `problem.path` names, compressed or not, and where it was found.
    pub(super) fn find(
        &self,
        keys: &Keys<'_>,
        folder: &str,
        read: &dyn Fn(&str) -> Result<Vec<u8>, Error>,
    ) -> Result<(String, Vec<u8>), Error> {
        let plain = Path::new(folder).join(self.name).display().to_string();
        let gz = format!("{plain}.gz");
        let no_gz = match read(&gz) {
            Ok(content) => {
                let broken = |problem| Error::data(&gz, format!("{problem}, expected {}", self.expected()));
                return Ok((gz.clone(), gunzip(&content, self.bytes).map_err(broken)?));
            }
            Err(error) => error,
        };
        match read(&plain) {
            Ok(content) => Ok((plain, content)),
            Err(no_plain) => {
                let remedy = "give the folder of the original files, or leave it out for the bundled data";
                Err(keys.bad("path", format!("{no_gz}; {no_plain} ({remedy})")))
            }
        }
    }

    /// Whether `content`, found at `place`, is what was published.
    pub(super) fn verify(&self, place: &str, content: &[u8]) -> Result<(), Error> {
        let found = sha256(content);
        if found == self.sha256 {
            return Ok(());
        }
        let found = format!("{} bytes with SHA-256 {found}", content.len());
        Err(Error::data(place, format!("{found}, expected {}", self.expected())))
    }

    fn expected(&self) -> String {
        let Self { name, bytes, sha256 } = self;
        format!("{bytes} with SHA-256 {sha256} (download the original {name} again)")
    }
}

/// What `gz` holds, unless that is more than `most` bytes: a small file must not fill the memory.
pub(super) fn gunzip(gz: &[u8], most: u64) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    match MultiGzDecoder::new(gz).take(most.saturating_add(1)).read_to_end(&mut content) {
        Err(e) => Err(format!("not a whole gzip file: {e}")),
        Ok(found) if found as u64 > most => Err(format!("more than {most} bytes when decompressed")),
        Ok(_) => Ok(content),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// printf 'a million and one' | sha256sum
    const FILE: Published = Published {
        name: "f",
        bytes: 17,
        sha256: "5272e317d80705efa047e0078baf1d8c9173bfee328fd114db992058e457dffc",
    };

    fn gz(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// What is found when the folder `d` holds only `file`, with `content`.
    fn find(file: &str, content: &[u8]) -> Result<(String, Vec<u8>), Error> {
        let table = dpsda_config::table("path = 'd'").unwrap();
        let there = Path::new("d").join(file).display().to_string();
        FILE.find(&Keys::new("problem", &table), "d", &|path| {
            if path == there { Ok(content.to_vec()) } else { Err(Error::data(path, "is not there")) }
        })
    }

    #[test]
    fn files_are_found_compressed_in_one_or_more_pieces_and_uncompressed() {
        let content = b"a million and one".to_vec();
        let pieces = [gz(&content[..5]), gz(&content[5..])].concat();
        for (file, bytes) in [("f", &content), ("f.gz", &gz(&content)), ("f.gz", &pieces)] {
            let (place, found) = find(file, bytes).unwrap();
            assert!(place.ends_with(file));
            assert_eq!(found, content);
            assert_eq!(FILE.verify(&place, &found), Ok(()));
        }
    }

    #[test]
    #[cfg(unix)] // the messages spell paths
    fn a_missing_file_is_named_in_both_spellings() {
        assert_eq!(
            find("g", b"").unwrap_err().to_string(),
            "problem.path = \"d\": d/f.gz: is not there; d/f: is not there \
             (give the folder of the original files, or leave it out for the bundled data)"
        );
    }

    #[test]
    #[cfg(unix)]
    fn broken_and_bloated_archives_say_what_was_expected() {
        let expected = format!("expected 17 with SHA-256 {} (download the original f again)", FILE.sha256);
        let broken = |content: &[u8]| find("f.gz", content).unwrap_err().to_string();
        let bloated = gz(&[0; 1_000_000]);
        assert!(bloated.len() < 10_000);
        assert_eq!(broken(&bloated), format!("d/f.gz: more than 17 bytes when decompressed, {expected}"));
        let whole = gz(b"a million and one");
        for end in 0..whole.len() {
            let message = broken(&whole[..end]);
            assert!(message.starts_with("d/f.gz: not a whole gzip file: "), "{message}");
            assert!(message.ends_with(&expected), "{message}");
        }
    }

    #[test]
    fn other_content_is_refused_with_both_hashes() {
        // printf 'a million and two' | sha256sum
        assert_eq!(
            FILE.verify("d/f", b"a million and two").unwrap_err().to_string(),
            format!(
                "d/f: 17 bytes with SHA-256 ee00a823493facb3b157591f3333f4417693beedf60e1004cec7eeee0caf76e5, expected 17 with SHA-256 {} (download the original f again)",
                FILE.sha256
            )
        );
    }
}
