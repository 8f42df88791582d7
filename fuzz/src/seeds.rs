//! The first inputs of every target. The fuzzed program itself writes them, so they cannot be of an older one.

use std::path::PathBuf;
use std::{env, fs, io};

use crate::{LINES, SAMPLES};

const NODE_FILE: &str = include_str!("../../crates/dpsda-cli/assets/node.toml");

/// Writes a target's seeds to the folder that `DPSDA_CORPUS` names, before the fuzzer looks there.
pub fn plant(target: &str) {
    let Some(folder) = env::var_os("DPSDA_CORPUS").map(PathBuf::from) else { return };
    let write = |(k, seed)| fs::write(folder.join(format!("seed-{k}")), seed);
    let planted =
        fs::create_dir_all(&folder).and_then(|()| of(target).into_iter().enumerate().try_for_each(write));
    planted.unwrap_or_else(|error: io::Error| panic!("{}: {error}", folder.display()));
}

/// The seeds of a target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    let kinds = SAMPLES.iter().enumerate().map(|(kind, sample)| (kind as u8, sample));
    let marked = |kind: u8, bytes: &[u8]| [&[kind], bytes].concat();
    match target {
        "frame" => kinds
            .flat_map(|(kind, sample)| sample.run().0.into_iter().map(move |(_, bytes)| marked(kind, &bytes)))
            .collect(),
        "heard" => kinds
            .flat_map(|(kind, sample)| {
                let messages = sample.run().0;
                let some: Vec<_> = messages.chunks(3).map(|some| joined(kind, some)).collect();
                some.into_iter().chain([joined(kind, &messages)])
            })
            .collect(),
        "record" => kinds
            .flat_map(|(kind, sample)| sample.run().1.into_iter().map(move |record| (kind, record)))
            .filter_map(|(kind, record)| Some(marked(kind, &postcard::to_stdvec(&record).ok()?)))
            .collect(),
        "line" => LINES.map(|line| line.as_bytes().to_vec()).to_vec(),
        "manifest" => SAMPLES[0].signed().write().map(String::into_bytes).into_iter().collect(),
        "node_file" => {
            let all = NODE_FILE.lines().map(|line| line.strip_prefix("# ").unwrap_or(line).to_owned() + "\n");
            vec![NODE_FILE.as_bytes().to_vec(), all.collect::<String>().into_bytes()]
        }
        other => panic!("{other:?} has no seeds"),
    }
}

/// What `heard` reads: whose messages, from whom, how long.
fn joined(kind: u8, messages: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut all = vec![kind];
    for (from, bytes) in messages {
        all.push(*from as u8);
        all.extend((bytes.len() as u16).to_le_bytes());
        all.extend(bytes);
    }
    all
}

/// Messages, and from whom.
type Messages<'a> = Vec<(usize, &'a [u8])>;

/// The same, taken apart. A length that lies is cut.
pub fn apart(data: &[u8]) -> Option<(usize, Messages<'_>)> {
    let (kind, mut rest) = data.split_first()?;
    let mut messages = Vec::new();
    while let [from, low, high, more @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(more.len());
        messages.push((usize::from(*from), &more[..length]));
        rest = &more[length..];
    }
    Some((usize::from(*kind), messages))
}
