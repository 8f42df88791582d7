//! MNIST's handwritten sixes and eights (Table 3): bundled, or taken from the originals; see `data/README.md`.

use dpsda::catalog::{Key, Listing};
use dpsda::{Error, Keys};

use super::published::{Published, gunzip};
use super::rows::Rows;
use super::table::SampleTable;
use super::{Build, Source, idx};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "mnist-68",
    about: "11,769 handwritten digits of 28 x 28 pixels in [0, 1], +1 = 8, -1 = 6 (MNIST, bundled)",
    keys: &[Key {
        name: "path",
        about: "a folder with MNIST's original training files, as they are or .gz (default: the bundled digits)",
    }],
    build: |keys, read| match keys.path("path")? {
        None => bundled()?.source(),
        Some(folder) => originals([IMAGES, LABELS], keys, folder, read)?.source(),
    },
};

/// The size of an image.
const ROWS: u32 = 28;
const COLUMNS: u32 = 28;
const PIXELS: usize = (ROWS * COLUMNS) as usize;

/// MNIST's training set. Its sixes and eights in file order are the bundled ones.
const IMAGES: Published = Published {
    name: "train-images-idx3-ubyte",
    bytes: 47_040_016,
    sha256: "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
};
const LABELS: Published = Published {
    name: "train-labels-idx1-ubyte",
    bytes: 60_008,
    sha256: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
};

/// A file of images and one of labels, each with its name for messages.
struct Digits {
    images: (String, Vec<u8>),
    labels: (String, Vec<u8>),
}

fn bundled() -> Result<Digits, Error> {
    let part = |name: &str, gz: &[u8], most| {
        let place = format!("the bundled MNIST {name}");
        match gunzip(gz, most) {
            Ok(content) => Ok((place, content)),
            Err(problem) => Err(Error::data(place, format!("{problem} (rebuild the program)"))),
        }
    };
    Ok(Digits {
        images: part("images", include_bytes!("../data/train-68-images-idx3-ubyte.gz"), IMAGES.bytes)?,
        labels: part("labels", include_bytes!("../data/train-68-labels-idx1-ubyte.gz"), LABELS.bytes)?,
    })
}

/// The sixes and eights of the files in `folder`, as files of their own: byte for byte the bundled ones.
fn originals(
    [images, labels]: [Published; 2],
    keys: &Keys<'_>,
    folder: &str,
    read: &dyn Fn(&str) -> Result<Vec<u8>, Error>,
) -> Result<Digits, Error> {
    let all = Digits { images: images.find(keys, folder, read)?, labels: labels.find(keys, folder, read)? };
    let pairs = all.pairs()?; // before the hash: this says more about a cut or wrong file
    images.verify(&all.images.0, &all.images.1)?;
    labels.verify(&all.labels.0, &all.labels.1)?;
    let (mut pixels, mut digits) = (Vec::new(), Vec::new());
    for (image, digit) in pairs.filter(|(_, digit)| matches!(digit, 6 | 8)) {
        pixels.extend_from_slice(image);
        digits.push(digit);
    }
    let count = digits.len() as u32; // no more than the u32 that counts all of them
    Ok(Digits {
        images: (all.images.0, idx::file([count, ROWS, COLUMNS], &pixels)),
        labels: (all.labels.0, idx::file([count], &digits)),
    })
}

impl Digits {
    /// Images and the digits they show, in file order.
    fn pairs(&self) -> Result<impl Iterator<Item = (&[u8], u8)>, Error> {
        let ([images, rows, columns], pixels) = idx::parse(&self.images.0, &self.images.1)?;
        let ([labels], digits) = idx::parse(&self.labels.0, &self.labels.1)?;
        if [rows, columns] != [ROWS, COLUMNS] {
            let problem = format!("images of {rows} x {columns} pixels, expected {ROWS} x {COLUMNS}");
            return Err(Error::data(&self.images.0, problem));
        }
        if images != labels {
            let problem = format!("{labels} labels, expected one for each of the {images} images");
            return Err(Error::data(&self.labels.0, problem));
        }
        Ok(pixels.chunks_exact(PIXELS).zip(digits.iter().copied()))
    }

    /// Sparse rows: four of five pixels are 0. `dot` is 3 times faster than on dense rows in the cache and 5 times outside, and
    /// `add_to` is faster too.
    fn source(self) -> Result<Box<dyn Source>, Error> {
        let (mut rows, mut labels) = (Rows::new(), Vec::new());
        for (image, digit) in self.pairs()? {
            for (column, pixel) in (0..).zip(image).filter(|(_, pixel)| **pixel > 0) {
                rows.push(column, f64::from(*pixel) / 255.0);
            }
            rows.end();
            labels.push(match digit {
                6 => -1.0,
                8 => 1.0,
                _ => {
                    let problem = format!("label {digit} of image {}, expected 6 or 8", labels.len());
                    return Err(Error::data(&self.labels.0, problem));
                }
            });
        }
        let features = Box::new(rows.finish(PIXELS)?);
        Ok(SampleTable::boxed(features, (labels, None), &[self.images.1, self.labels.1].concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::sha256;
    use super::*;

    const README: &str = include_str!("../data/README.md");

    /// Files in which the `k`-th image is filled with the byte `k` and shows the `k`-th of `digits`.
    fn files(digits: &[u8]) -> [Vec<u8>; 2] {
        let count = digits.len() as u32;
        let pixels: Vec<u8> = (0..).take(digits.len()).flat_map(|k| [k; PIXELS]).collect();
        [idx::file([count, ROWS, COLUMNS], &pixels), idx::file([count], digits)]
    }

    /// What is made of `files` in a folder, if files with the hashes of `published` are expected there.
    fn from(files: &[Vec<u8>; 2], published: &[Vec<u8>; 2]) -> Result<Digits, Error> {
        let expect = |original: Published, content: &[u8]| Published {
            bytes: content.len() as u64,
            sha256: sha256(content).leak(),
            ..original
        };
        let table = dpsda_config::table("path = 'd'").unwrap();
        let expected = [expect(IMAGES, &published[0]), expect(LABELS, &published[1])];
        originals(expected, &Keys::new("problem", &table), "d", &|path| match path {
            path if path.ends_with(IMAGES.name) => Ok(files[0].clone()),
            path if path.ends_with(LABELS.name) => Ok(files[1].clone()),
            path => Err(Error::data(path, "is not there")),
        })
    }

    #[test]
    fn the_bundle_is_what_its_readme_pins() {
        let Digits { images, labels } = bundled().unwrap();
        for content in [&images.1, &labels.1] {
            assert!(README.contains(&sha256(content)), "{}", sha256(content));
        }
        for original in [IMAGES, LABELS] {
            assert!(README.contains(original.sha256), "{}", original.name);
        }
    }

    #[test]
    fn the_sixes_and_eights_of_the_originals_keep_their_order() {
        let all = files(&[5, 8, 0, 6, 6, 9, 8]);
        let found = from(&all, &all).unwrap();
        let pairs: Vec<_> = found.pairs().unwrap().map(|(image, digit)| (image.to_vec(), digit)).collect();
        assert_eq!(pairs, [(1, 8), (3, 6), (4, 6), (6, 8)].map(|(k, digit)| (vec![k; PIXELS], digit)));
        let Digits { images, labels } = bundled().unwrap();
        let bundle = [images.1, labels.1];
        let again = from(&bundle, &bundle).unwrap();
        assert!([again.images.1, again.labels.1] == bundle, "a selection of the selection is the selection");
    }

    #[test]
    fn files_that_are_not_the_originals_are_refused_by_name() {
        let all = files(&[6, 8]);
        let message = |files: [Vec<u8>; 2]| from(&files, &all).err().unwrap().to_string();
        let refused = |files, start: &str, end: &str| {
            let message = message(files);
            assert!(message.contains(start) && message.ends_with(end), "{message}");
        };
        let [images, labels] = all.clone();
        refused(
            [images.clone(), files(&[6])[1].clone()],
            LABELS.name,
            "1 labels, expected one for each of the 2 images",
        );
        refused([labels.clone(), images.clone()], IMAGES.name, "an IDX file of bytes in 3 dimension(s)");
        let narrow = idx::file([2, 28, 27], &[0; 2 * 28 * 27]);
        refused([narrow, labels.clone()], IMAGES.name, "images of 28 x 27 pixels, expected 28 x 28");
        let other = files(&[8, 6])[1].clone();
        let both =
            format!("10 bytes with SHA-256 {}, expected 10 with SHA-256 {}", sha256(&other), sha256(&labels));
        refused([images, other], &both, "(download the original train-labels-idx1-ubyte again)");
    }

    #[test]
    fn no_truncation_and_no_flipped_bit_of_a_file_panics_or_makes_digits_from_nothing() {
        let all = files(&[6, 8]);
        let fits = |images: &[u8], labels: &[u8]| {
            let named = |content: &[u8]| ("m".to_owned(), content.to_vec());
            let size = images.len() + labels.len();
            match (Digits { images: named(images), labels: named(labels) }).source() {
                Ok(source) => {
                    let digits = source.len().unwrap();
                    assert!(digits * (PIXELS + 1) < size && source.dim() == PIXELS);
                    true
                }
                Err(_) => false,
            }
        };
        let [images, labels] = &all;
        assert!(fits(images, labels));
        for end in 0..images.len() {
            assert!(!fits(&images[..end], labels), "images cut at {end}");
        }
        for end in 0..labels.len() {
            assert!(!fits(images, &labels[..end]), "labels cut at {end}");
        }
        let flip = |content: &[u8], bit: usize| {
            let mut flipped = content.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            flipped
        };
        for bit in 0..8 * images.len() {
            assert_eq!(fits(&flip(images, bit), labels), bit >= 8 * 16, "bit {bit} of the images");
        }
        for bit in 0..8 * labels.len() {
            assert!(
                !fits(images, &flip(labels, bit)),
                "bit {bit} of the labels: 6 and 8 are three bits apart"
            );
        }
    }
}
