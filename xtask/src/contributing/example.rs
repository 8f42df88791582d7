//! Reading the guide's examples.

/// A code block that is a whole file.
#[derive(Debug, PartialEq)]
pub(crate) struct Example {
    /// Where the file goes.
    pub(crate) path: String,
    /// The file, from the line after its path.
    pub(crate) code: String,
    /// Its place in a table; a test has none.
    pub(crate) member: Option<Member>,
}

/// The sentence after a member of a family: "add `word` to `TABLE` in `file`".
#[derive(Debug, PartialEq)]
pub(crate) struct Member {
    /// What users will call it: the first `name: "..."` of the code.
    pub(crate) name: String,
    /// The one word.
    pub(crate) word: String,
    /// The table it is added to.
    pub(crate) table: String,
    /// Where that table is.
    pub(crate) table_file: String,
}

/// Every example of the guide. A Rust block that is not one is an error: nobody would compile it.
pub(crate) fn read(guide: &str) -> Result<Vec<Example>, String> {
    let mut examples = Vec::new();
    for rest in guide.split("\n```rust\n").skip(1) {
        let (block, after) = rest.split_once("\n```").ok_or("CONTRIBUTING.md: a code block has no end")?;
        let (path, code) = block.split_once('\n').ok_or("CONTRIBUTING.md: a code block of one line")?;
        let wrong = |what: &str| format!("CONTRIBUTING.md: {block:.60}: {what}");
        let file = path.strip_prefix("// ").filter(|p| p.starts_with("crates/") && p.ends_with(".rs"));
        let file = file
            .ok_or_else(|| wrong("the first line must be the file's path, as in `// crates/a/src/b.rs`"))?;
        let (path, code) = (file.to_owned(), format!("{code}\n"));
        if path.contains("/tests/") {
            examples.push(Example { path, code, member: None });
            continue;
        }
        let name = code.split_once("name: \"").and_then(|(_, rest)| rest.split_once('"'));
        let (name, _) = name.ok_or_else(|| wrong("no `name: \"...\"` in it"))?;
        let (_, sentence) = after
            .split_once("dd `")
            .ok_or_else(|| wrong("no \"add `word` to `TABLE` in `file`\" after it"))?;
        let quoted: Vec<&str> = sentence.split('`').collect();
        let [word, " to ", table, " in ", table_file, ..] = quoted[..] else {
            return Err(wrong("the sentence after it must read \"add `word` to `TABLE` in `file`\""));
        };
        let member = Member {
            name: name.to_owned(),
            word: word.to_owned(),
            table: table.to_owned(),
            table_file: table_file.to_owned(),
        };
        examples.push(Example { path, code, member: Some(member) });
    }
    Ok(examples)
}

/// The experiment that uses all of them: the guide's one TOML block.
pub(crate) fn experiment(guide: &str) -> Result<String, String> {
    let mut blocks = guide.split("\n```toml\n").skip(1).filter_map(|rest| rest.split_once("\n```"));
    match (blocks.next(), blocks.next()) {
        (Some((toml, _)), None) => Ok(format!("{toml}\n")),
        _ => Err("CONTRIBUTING.md must have exactly one TOML block: the experiment to run".to_owned()),
    }
}

impl Example {
    /// The package and the name of the test that it is, if it is one.
    pub(crate) fn as_test(&self) -> Option<(&str, &str)> {
        let (package, test) = self.path.strip_prefix("crates/")?.split_once("/tests/")?;
        Some((package, test.strip_suffix(".rs")?))
    }
}

impl Member {
    /// The source of the table with the word at its end.
    pub(crate) fn add_word(&self, source: &str) -> Result<String, String> {
        let Self { word, table, table_file, .. } = self;
        let found = source.split("family! {").skip(1).find_map(|body| {
            let body = body.split_once("\n}").map_or(body, |(body, _)| body);
            body.contains(&format!("{table}: ")).then_some(body)
        });
        let body =
            found.ok_or_else(|| format!("CONTRIBUTING.md: no `family!` table `{table}` in {table_file}"))?;
        let longer = format!("{}, {word}", body.trim_end().trim_end_matches(','));
        Ok(source.replacen(body, &longer, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = "Text.\n\n```rust\n// crates/a/src/loss/absolute.rs\n//! Doc.\npub const LISTING: E = E { name: \
                         \"abs-olute\" };\n```\n\nThen add `absolute` to `LOSSES` in `crates/a/src/loss.rs`.\n";

    #[test]
    fn an_example_is_a_file_and_a_word() {
        let examples = read(GUIDE).unwrap();
        let member = Member {
            name: "abs-olute".into(),
            word: "absolute".into(),
            table: "LOSSES".into(),
            table_file: "crates/a/src/loss.rs".into(),
        };
        let expected = Example {
            path: "crates/a/src/loss/absolute.rs".into(),
            code: "//! Doc.\npub const LISTING: E = E { name: \"abs-olute\" };\n".into(),
            member: Some(member),
        };
        assert_eq!(examples, [expected]);
    }

    #[test]
    fn a_test_is_a_file_without_a_word() {
        let guide = GUIDE.replace("a/src/loss/absolute.rs", "a/tests/pipes.rs");
        let examples = read(&guide).unwrap();
        assert_eq!((examples[0].path.as_str(), &examples[0].member), ("crates/a/tests/pipes.rs", &None));
    }

    #[test]
    fn a_block_without_path_or_word_is_refused() {
        assert!(read(&GUIDE.replace("// crates", "// somewhere")).unwrap_err().contains("first line"));
        assert!(read(&GUIDE.replace("add `", "put `")).unwrap_err().contains("after it"));
        assert!(read(&GUIDE.replace("` to `", "` into `")).unwrap_err().contains("must read"));
    }

    #[test]
    fn there_is_one_experiment() {
        let block = "Text.\n\n```toml\na = 1\n```\n";
        assert_eq!(experiment(block).unwrap(), "a = 1\n");
        assert!(experiment(GUIDE).is_err() && experiment(&block.repeat(2)).is_err());
    }

    #[test]
    fn the_word_goes_to_the_end_of_its_own_table() {
        let example = read(GUIDE).unwrap().remove(0).member.unwrap();
        let source = "family! {\n    SETS: Build = ball,\n}\nfamily! {\n    /// All.\n    LOSSES: Build =\n        one, two,\n}\n";
        let longer = "family! {\n    SETS: Build = ball,\n}\nfamily! {\n    /// All.\n    LOSSES: Build =\n        one, two, absolute\n}\n";
        assert_eq!(example.add_word(source).unwrap(), longer);
        assert!(example.add_word("family! {\n    SETS: Build = ball\n}\n").is_err());
    }
}
