//! CIFAR-10's records, from any of three sources: the folder of binary batches, its archive, or a package of pictures.
//!
//! A record is a label and 3,072 pixels: 1,024 red ones row by row, then green, then blue. The package has the same images
//! as six PNG files, each row of 1,024 pixels in three colours being one image, and the labels as two lists in JSON.

use std::fs::{self, File};
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use dpsda::Error;
use flate2::read::MultiGzDecoder;

/// The pixels of an image, all colours.
pub(super) const PIXELS: usize = 3072;
/// The bytes of a record.
pub(super) const RECORD: usize = 1 + PIXELS;

/// The six batches, in the order in which their records are kept.
const BATCHES: [&str; 6] =
    ["data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"];
/// The package's lists of labels (it spells them so), and the first batch of each.
const LABELS: [(&str, usize); 2] = [("train_lables.json", 0), ("test_lables.json", 5)];

/// The files of CIFAR-10, with batches of a given size.
pub(super) struct CifarFiles {
    /// Images per batch.
    pub(super) batch: usize,
}

/// The batches found so far: records, or images whose labels are still missing.
#[derive(Default)]
struct Batches {
    records: [Option<Vec<u8>>; 6],
    labels: [Option<Vec<u8>>; 2],
}

impl CifarFiles {
    /// All records: of a folder with the binary batches, or of an archive (`.tar.gz`) with them or with pictures.
    pub(super) fn read(&self, path: &Path) -> Result<Vec<u8>, Error> {
        let place = path.display().to_string();
        let refuse = |e: std::io::Error| Error::data(&place, format!("cannot be read: {e}"));
        let found = if fs::metadata(path).map_err(refuse)?.is_dir() {
            let inner = path.join("cifar-10-batches-bin");
            self.folder(if inner.is_dir() { &inner } else { path })?
        } else {
            self.archive(&place, BufReader::new(File::open(path).map_err(refuse)?))?
        };
        self.join(&place, found)
    }

    fn folder(&self, path: &Path) -> Result<Batches, Error> {
        let mut found = Batches::default();
        for (name, records) in BATCHES.iter().zip(&mut found.records) {
            let file = path.join(format!("{name}.bin"));
            let place = file.display().to_string();
            let content = File::open(&file).and_then(|f| limited(f, self.batch * RECORD));
            let content = content.map_err(|e| Error::data(&place, format!("cannot be read: {e}")))?;
            *records = Some(self.whole(&place, content)?);
        }
        Ok(found)
    }

    /// The batches in an archive, found by name; all other files are skipped.
    fn archive(&self, place: &str, reader: impl Read) -> Result<Batches, Error> {
        let broken = |e: std::io::Error| Error::data(place, format!("not a whole .tar.gz: {e}"));
        let mut found = Batches::default();
        let mut archive = tar::Archive::new(MultiGzDecoder::new(reader).take(self.most()));
        for entry in archive.entries().map_err(broken)? {
            let entry = entry.map_err(broken)?;
            let path = entry.path().map_err(broken)?.into_owned();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let inside = format!("{place}, {}", path.display());
            if let Some(k) = BATCHES.iter().position(|b| name.strip_suffix(".bin") == Some(b)) {
                let content = limited(entry, self.batch * RECORD).map_err(broken)?;
                found.records[k] = Some(self.whole(&inside, content)?);
            } else if let Some(k) = BATCHES.iter().position(|b| name.strip_suffix(".png") == Some(b)) {
                // Compressed photographs are not larger than raw ones.
                let content = limited(entry, 2 * self.batch * RECORD).map_err(broken)?;
                found.records[k] = Some(self.picture(&inside, &content)?);
            } else if let Some(k) = LABELS.iter().position(|(file, _)| *file == name) {
                let content = limited(entry, 64 * self.batch).map_err(broken)?;
                let labels = serde_json::from_slice(&content);
                let problem = |e| Error::data(&inside, format!("{e}, expected a list of labels"));
                found.labels[k] = Some(labels.map_err(problem)?);
            }
        }
        Ok(found)
    }

    /// The most bytes that an archive may unpack to: both forms of every batch, and some room. The limit also covers names, which
    /// `tar` reads whole.
    fn most(&self) -> u64 {
        (2 * BATCHES.len() * self.batch * RECORD) as u64 + (16 << 20)
    }

    fn whole(&self, place: &str, content: Vec<u8>) -> Result<Vec<u8>, Error> {
        let expected = self.batch * RECORD;
        match content.len() {
            len if len == expected => Ok(content),
            len if len > expected => {
                Err(Error::data(place, format!("more than {expected} bytes, expected exactly that many")))
            }
            len => Err(Error::data(place, format!("{len} bytes, expected {expected}"))),
        }
    }

    /// Records with labels of 0, to be filled in.
    fn picture(&self, place: &str, content: &[u8]) -> Result<Vec<u8>, Error> {
        let broken = |e: png::DecodingError| Error::data(place, format!("not a whole PNG: {e}"));
        let mut reader = png::Decoder::new(Cursor::new(content)).read_info().map_err(broken)?;
        let info = reader.info();
        let expected = (PIXELS as u32 / 3, self.batch as u32, png::ColorType::Rgb, png::BitDepth::Eight);
        if (info.width, info.height, info.color_type, info.bit_depth) != expected || info.interlaced {
            let problem = format!("expected {} x {} pixels of 8-bit RGB, row by row", expected.0, expected.1);
            return Err(Error::data(place, problem));
        }
        let mut records = Vec::with_capacity(self.batch * RECORD);
        while let Some(row) = reader.next_row().map_err(broken)? {
            records.push(0);
            (0..3).for_each(|colour| records.extend(row.data().iter().skip(colour).step_by(3)));
        }
        self.whole(place, records)
    }

    /// All batches, one after the other, with the package's labels where there are some.
    fn join(&self, place: &str, mut found: Batches) -> Result<Vec<u8>, Error> {
        for ((name, first), labels) in LABELS.iter().zip(&found.labels) {
            let Some(labels) = labels else { continue };
            let batches = if *first == 0 { 5 } else { 1 };
            if labels.len() != batches * self.batch {
                let problem = format!("{} labels, expected {}", labels.len(), batches * self.batch);
                return Err(Error::data(format!("{place}, {name}"), problem));
            }
            for (records, labels) in
                found.records[*first..].iter_mut().flatten().zip(labels.chunks(self.batch))
            {
                for (record, label) in records.chunks_exact_mut(RECORD).zip(labels) {
                    record[0] = *label;
                }
            }
        }
        let mut all = Vec::with_capacity(6 * self.batch * RECORD);
        for (name, records) in BATCHES.iter().zip(found.records) {
            match records {
                Some(records) => all.extend(records),
                None => {
                    return Err(Error::data(place, format!("there is no {name}.bin in it")));
                }
            }
        }
        Ok(all)
    }
}

/// The content of `reader`, but at most one byte more than `most`: an overlong file must not fill the memory.
fn limited(reader: impl Read, most: usize) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    reader.take(most as u64 + 1).read_to_end(&mut content)?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// Names and contents.
    type Files = Vec<(String, Vec<u8>)>;

    const SMALL: CifarFiles = CifarFiles { batch: 3 };

    /// The records of batch `k`: no two bytes that should differ are alike by accident.
    fn batch(k: usize) -> Vec<u8> {
        let byte = |p: usize| (((k * 3 * RECORD + p) * 2_654_435_761) >> 16) as u8;
        (0..3 * RECORD).map(|p| if p % RECORD == 0 { byte(p) % 10 } else { byte(p) }).collect()
    }

    fn all() -> Vec<u8> {
        (0..6).flat_map(batch).collect()
    }

    fn tar_gz(files: &[(String, Vec<u8>)]) -> Vec<u8> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, &content[..]).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    /// `cifar-10-binary.tar.gz`, with what else is in it and in another order.
    fn binary() -> Files {
        let bins = (0..6).rev().map(|k| (format!("cifar-10-batches-bin/{}.bin", BATCHES[k]), batch(k)));
        bins.chain([("cifar-10-batches-bin/readme.html".into(), b"<html>".to_vec())]).collect()
    }

    /// The package: one image per row, the three colours of a pixel together.
    fn package() -> Files {
        let png = |k: usize| {
            let mut file = Vec::new();
            let mut encoder = png::Encoder::new(&mut file, 1024, 3);
            encoder.set_color(png::ColorType::Rgb);
            let records = batch(k);
            let pixels: Vec<u8> = records
                .chunks(RECORD)
                .flat_map(|r| (0..1024).flat_map(|p| [r[1 + p], r[1025 + p], r[2049 + p]]))
                .collect();
            encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
            (format!("package/{}.png", BATCHES[k]), file)
        };
        let labels: Vec<String> = all().chunks(RECORD).map(|r| r[0].to_string()).collect();
        let list = |labels: &[String]| format!("[{}]", labels.join(",")).into_bytes();
        let lists = [
            ("package/train_lables.json".into(), list(&labels[..15])),
            ("package/test_lables.json".into(), list(&labels[15..])),
        ];
        (0..6).map(png).chain(lists).collect()
    }

    fn read(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar.gz");
        fs::write(&path, tar_gz(files)).unwrap();
        SMALL.read(&path)
    }

    #[test]
    fn folder_archive_and_package_hold_the_same_records() {
        assert!(read(&binary()).unwrap() == all());
        assert!(read(&package()).unwrap() == all());
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("cifar-10-batches-bin");
        fs::create_dir(&inner).unwrap();
        (0..6).for_each(|k| fs::write(inner.join(format!("{}.bin", BATCHES[k])), batch(k)).unwrap());
        assert!(SMALL.read(&inner).unwrap() == all());
        assert!(SMALL.read(folder.path()).unwrap() == all(), "the folder above is accepted");
    }

    #[test]
    fn missing_short_and_long_files_are_named() {
        let message = |change: &dyn Fn(&mut Files), mut files: Files| {
            change(&mut files);
            read(&files).map(|_| "records").unwrap_err().to_string()
        };
        let without = message(&|files| _ = files.remove(2), binary());
        assert!(without.contains("there is no data_batch_4.bin in it"), "{without}");
        let short = message(&|files| _ = files[0].1.pop(), binary());
        assert!(short.contains("test_batch.bin: 9218 bytes, expected 9219"), "{short}");
        let long = message(&|files| files[0].1.extend([0; 1000]), binary());
        assert!(long.contains("test_batch.bin: more than 9219 bytes"), "{long}");
        let torn = message(
            &|files| {
                let half = files[1].1.len() / 2;
                files[1].1.truncate(half)
            },
            package(),
        );
        assert!(torn.contains("data_batch_2.png: not a whole PNG"), "{torn}");
        let labels = message(&|files| files[6].1 = b"[1,2]".to_vec(), package());
        assert!(labels.contains("train_lables.json: 2 labels, expected 15"), "{labels}");
        let words = message(&|files| files[7].1 = b"[300]".to_vec(), package());
        assert!(
            words.contains("test_lables.json: ") && words.contains("expected a list of labels"),
            "{words}"
        );
        let missing = SMALL.read(Path::new("/nowhere/at/all")).unwrap_err().to_string();
        assert!(missing.starts_with("/nowhere/at/all: cannot be read: "), "{missing}");
    }

    /// `tar` reads names whole: a small archive must not fill the memory with a long one.
    #[test]
    fn an_endless_name_is_not_read() {
        let mut files = binary();
        files.insert(0, ("a".repeat(20 << 20), Vec::new()));
        let message = read(&files).map(|_| "records").unwrap_err().to_string();
        assert!(message.contains("not a whole .tar.gz"), "{message}");
    }

    #[test]
    fn no_truncation_of_an_archive_panics_or_passes() {
        let whole = tar_gz(&binary());
        for end in (0..whole.len()).step_by(997) {
            assert!(
                SMALL.archive("a", &whole[..end]).and_then(|found| SMALL.join("a", found)).is_err(),
                "{end}"
            );
        }
        assert!(SMALL.archive("a", &b"not gzip"[..]).is_err());
    }
}
