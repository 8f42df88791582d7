//! Splits bytes into lines. Memory never holds more than one line of the longest allowed length.

/// One line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LinePiece<'a> {
    /// A line and its number, from 1.
    Line(u64, &'a [u8]),
    /// A line that was too long. Nothing of it was kept.
    Long(u64),
}

/// Splits input into lines. Blank lines are counted and skipped.
pub(crate) struct Splitter {
    limit: usize,
    kept: Vec<u8>,
    /// The line is too long already.
    long: bool,
    /// `kept` was handed out and is cleared next time.
    done: bool,
    number: u64,
}

impl Splitter {
    /// For lines of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, kept: Vec::new(), long: false, done: false, number: 0 }
    }

    /// The next line that ends in `some`. Moves `some` past it. None when all of `some` is read.
    pub(crate) fn next(&mut self, some: &mut &[u8]) -> Option<LinePiece<'_>> {
        self.forget();
        while !some.is_empty() {
            let end = some.iter().position(|byte| *byte == b'\n');
            let (part, rest) = some.split_at(end.unwrap_or(some.len()));
            self.long |= part.len() > self.limit - self.kept.len();
            if self.long {
                self.kept = Vec::new();
            } else {
                self.kept.extend_from_slice(part);
            }
            *some = rest.get(1..).unwrap_or_default(); // past the line end
            if end.is_some() && self.count() {
                return Some(self.piece());
            }
        }
        None
    }

    /// The text after the last line end, when the input has ended.
    pub(crate) fn end(&mut self) -> Option<LinePiece<'_>> {
        self.forget();
        self.count().then(|| self.piece())
    }

    fn forget(&mut self) {
        if std::mem::take(&mut self.done) {
            self.kept.clear();
            self.long = false;
        }
    }

    /// Counts a line that has ended. Returns whether it has any text.
    fn count(&mut self) -> bool {
        self.number += 1;
        let says = self.long || !self.kept.trim_ascii().is_empty();
        if !says {
            self.kept.clear();
        }
        says
    }

    fn piece(&mut self) -> LinePiece<'_> {
        self.done = true;
        if self.long { LinePiece::Long(self.number) } else { LinePiece::Line(self.number, &self.kept) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lines of `text`, read in parts of `step` bytes.
    fn all(text: &str, limit: usize, step: usize) -> Vec<(u64, Option<String>)> {
        let own = |piece: LinePiece<'_>| match piece {
            LinePiece::Line(n, line) => (n, Some(String::from_utf8(line.to_vec()).unwrap())),
            LinePiece::Long(n) => (n, None),
        };
        let (mut lines, mut out) = (Splitter::new(limit), Vec::new());
        for mut part in text.as_bytes().chunks(step) {
            while let Some(piece) = lines.next(&mut part) {
                out.push(own(piece));
            }
        }
        while let Some(piece) = lines.end() {
            out.push(own(piece));
        }
        out
    }

    #[test]
    fn lines_do_not_depend_on_how_the_input_is_cut() {
        let text = "one\n\n two\r\nthirteen bytes\nfour\n   \nlast";
        let some = |n, line: &str| (n, Some(line.to_owned()));
        let want = [some(1, "one"), some(3, " two\r"), (4, None), some(5, "four"), some(7, "last")];
        for step in 1..=text.len() {
            assert_eq!(all(text, 6, step), want, "in steps of {step}");
        }
        assert_eq!(all("123456\n1234567\n", 6, 3), [some(1, "123456"), (2, None)], "the limit is a length");
        assert_eq!(all("", 6, 1), []);
    }

    #[test]
    fn an_endless_line_takes_no_memory() {
        let mut lines = Splitter::new(100);
        for _ in 0..10_000 {
            assert_eq!(lines.next(&mut [b'x'; 64].as_slice()), None);
            assert!(lines.kept.capacity() <= 256);
        }
        assert_eq!(lines.end(), Some(LinePiece::Long(1)));
        assert_eq!(lines.end(), None);
    }
}
