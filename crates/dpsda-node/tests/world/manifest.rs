//! Random manifest files: each is read, or refused with a reason, and no node runs a manifest that its members have not signed.

use dpsda::rng::{Purpose, Seed, Stream};
use dpsda_node::identity::Identity;
use dpsda_node::manifest::{Manifest, Member, Pledge, Signed, differences};
use rand::RngExt;
use rayon::prelude::*;

use crate::crash::EXPERIMENT;
use crate::seeds::seeds;
use crate::setting::Setting;

const STRANGE: [&str; 12] = [
    "-1",
    "0",
    "18446744073709551616",
    "1e999",
    "nan",
    "\"",
    "'''",
    "\u{0}",
    "\u{1f600}",
    "[[",
    "{",
    "[manifest]",
];

fn identity(k: usize) -> Identity {
    Identity::from_secret([k as u8 + 1; 32])
}

fn signed(setting: &Setting) -> Signed {
    let sizes = setting.run.spec.blocks().sizes().into_iter().enumerate();
    let member =
        |(k, size)| Member { name: format!("node-{k}"), key: identity(k).public(), coordinates: size as u64 };
    let mut signed = Signed::new(Manifest {
        name: "fuzz".into(),
        epoch: 1,
        needs: 2,
        experiment: EXPERIMENT.into(),
        promise: Pledge::of(&setting.run),
        member: sizes.map(member).collect(),
    });
    (0..3).for_each(|k| signed.sign(&identity(k)).unwrap());
    signed
}

/// The same text with lines dropped, repeated or swapped, characters changed, the end cut off, or strange words inserted.
fn scratched(text: &str, rng: &mut Stream) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..rng.random_range(1..4) {
        if lines.is_empty() {
            break;
        }
        let (at, to) = (rng.random_range(0..lines.len()), rng.random_range(0..lines.len()));
        let strange = STRANGE[rng.random_range(0..STRANGE.len())];
        match rng.random_range(0..8) {
            0 => _ = lines.remove(at),
            1 => lines.insert(to, lines[at].clone()),
            2 => lines.swap(at, to),
            3 => lines.truncate(at),
            4 => {
                let (key, _) = lines[at].split_once('=').unwrap_or((&lines[at], ""));
                lines[at] = format!("{key}= {strange}");
            }
            5 => lines.insert(at, strange.to_owned()),
            _ => {
                let mut characters: Vec<char> = lines[at].chars().collect();
                if !characters.is_empty() {
                    let k = rng.random_range(0..characters.len());
                    characters[k] = char::from(rng.random_range(32..127_u8));
                }
                lines[at] = characters.into_iter().collect();
            }
        }
    }
    lines.join("\n")
}

#[test]
fn no_text_makes_a_node_panic_or_run_an_unsigned_manifest() {
    let setting = Setting::new(EXPERIMENT);
    let signed = signed(&setting);
    let text = signed.write().unwrap();
    let read = |seed: u64| {
        let mut rng = Seed::new(seed).trial(3).stream(Purpose::Outage, 0, 0);
        let found = match Signed::read(&scratched(&text, &mut rng)) {
            Ok(found) => found,
            Err(why) => {
                assert!(!why.to_string().is_empty());
                return false;
            }
        };
        let _ = differences(&signed.manifest, &found.manifest);
        if let Ok(again) = found.write() {
            assert_eq!(
                Signed::read(&again).unwrap().manifest.digest(),
                found.manifest.digest(),
                "seed {seed}"
            );
        }
        let admitted = found.admit(&identity(0).public(), &setting.run).is_ok();
        assert!(
            !admitted || found.manifest == signed.manifest,
            "seed {seed}: a node runs what nobody signed"
        );
        admitted
    };
    let count = seeds(1000);
    let admitted = count.clone().into_par_iter().filter(|seed| read(*seed)).count() as u64;
    println!("{admitted} of {} texts were the signed manifest", count.end);
    assert!(admitted > 0 && admitted < count.end / 2, "{admitted} of {}", count.end);
}
