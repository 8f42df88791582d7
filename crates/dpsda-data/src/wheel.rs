//! Single files of a zip archive, such as a Python wheel. Deflated or stored, without zip64, up to a size.

use std::io::Read as _;

use flate2::read::DeflateDecoder;

/// The marks before the end of the directory, one of its entries, and a file.
const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const FILE: &[u8] = b"PK\x03\x04";

/// The content of the one file whose path ends with `name`, at most `most` bytes long.
pub(super) fn find(archive: &[u8], name: &str, most: u64) -> Result<Vec<u8>, String> {
    let broken = || "not a whole zip archive".to_owned();
    let mut at = directory(archive).ok_or_else(broken)?;
    while archive.get(at..at + 4) == Some(ENTRY) {
        let (path, next) = entry(archive, at).ok_or_else(broken)?;
        if path.ends_with(name.as_bytes()) {
            return content(archive, at, most).ok_or_else(broken)?.map_err(|e| format!("{name}: {e}"));
        }
        at = next;
    }
    Err(format!("{name} is not in it"))
}

fn short(archive: &[u8], at: usize) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes(archive.get(at..at + 2)?.try_into().ok()?)))
}

fn long(archive: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(archive.get(at..at + 4)?.try_into().ok()?)).ok()
}

/// Where the directory begins. Its end stands at the end of the archive, before a comment of at most 65,535 bytes.
fn directory(archive: &[u8]) -> Option<usize> {
    let last = archive.len().checked_sub(22)?;
    let end = (last.saturating_sub(65_535)..=last).rev().find(|at| archive.get(*at..at + 4) == Some(END))?;
    long(archive, end + 16)
}

/// The path of an entry, and where the next one begins.
fn entry(archive: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (name, extra, comment) =
        (short(archive, at + 28)?, short(archive, at + 30)?, short(archive, at + 32)?);
    Some((archive.get(at + 46..at + 46 + name)?, at + 46 + name + extra + comment))
}

fn content(archive: &[u8], at: usize, most: u64) -> Option<Result<Vec<u8>, String>> {
    let (method, packed, file) = (short(archive, at + 10)?, long(archive, at + 20)?, long(archive, at + 42)?);
    let begins = file.checked_add(30)?;
    if archive.get(file..file.checked_add(4)?) != Some(FILE) {
        return None;
    }
    let begins = begins + short(archive, file + 26)? + short(archive, file + 28)?;
    let packed = archive.get(begins..begins.checked_add(packed)?)?;
    let mut content = Vec::new();
    let read = match method {
        0 => packed.take(most + 1).read_to_end(&mut content),
        8 => DeflateDecoder::new(packed).take(most + 1).read_to_end(&mut content),
        other => return Some(Err(format!("compressed by method {other}, expected 0 or 8"))),
    };
    Some(match read {
        Ok(_) if content.len() as u64 > most => Err(format!("more than {most} bytes")),
        Ok(_) => Ok(content),
        Err(e) => Err(format!("cannot be decompressed: {e}")),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    /// A zip archive of these files, the first one stored, the others deflated.
    pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (k, (name, content)) in files.iter().enumerate() {
            let method: u16 = if k == 0 { 0 } else { 8 };
            let packed = if k == 0 {
                content.to_vec()
            } else {
                let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
                packer.write_all(content).unwrap();
                packer.finish().unwrap()
            };
            let at = out.len() as u32;
            let mut common = Vec::new(); // what a file and its entry both say
            common.extend([20, 0, 0, 0]);
            common.extend(method.to_le_bytes());
            common.extend([0; 8]); // time, date, checksum
            common.extend((packed.len() as u32).to_le_bytes());
            common.extend((content.len() as u32).to_le_bytes());
            common.extend((name.len() as u16).to_le_bytes());
            common.extend([0, 0]);
            out.extend([FILE, &common, name.as_bytes(), &packed].concat());
            directory
                .extend([ENTRY, &[20, 0], &common, &[0; 10], &at.to_le_bytes(), name.as_bytes()].concat());
        }
        let at = out.len() as u32;
        out.extend(&directory);
        out.extend(
            [END, &[0; 8], &(directory.len() as u32).to_le_bytes(), &at.to_le_bytes(), &[0; 2]].concat(),
        );
        out
    }

    #[test]
    fn a_file_is_found_by_the_end_of_its_path_stored_or_deflated() {
        let long = vec![7; 100_000];
        let archive = zip(&[("a/one.csv", b"first"), ("b/two.csv", &long)]);
        assert!(archive.len() < 10_000);
        assert_eq!(find(&archive, "/one.csv", 100).unwrap(), b"first");
        assert_eq!(find(&archive, "/two.csv", 100_000).unwrap(), long);
        assert_eq!(find(&archive, "/three.csv", 100).unwrap_err(), "/three.csv is not in it");
    }

    #[test]
    fn a_bloated_file_is_refused() {
        let archive = zip(&[("a", b""), ("b", &[0; 100_000])]);
        assert_eq!(find(&archive, "b", 99_999).unwrap_err(), "b: more than 99999 bytes");
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let archive = zip(&[("a", b"first"), ("b", b"second second second")]);
        for end in 0..archive.len() {
            assert!(find(&archive[..end], "b", 100).is_err(), "{end}");
        }
        for at in 0..archive.len() {
            for byte in [0, 255] {
                let mut damaged = archive.clone();
                damaged[at] = byte;
                let _ = find(&damaged, "b", 100);
            }
        }
    }
}
