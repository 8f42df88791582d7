//! The certificate in words.

use super::{Certificate, Connectivity, Mixing, Span};

impl Certificate {
    /// Label and text, line by line, for people.
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut lines = Vec::new();
        let mut line = |label: &str, text: String| lines.push((label.to_owned(), text));
        line(
            "horizon",
            format!("{}, {}", rounds(self.rounds), if self.directed { "directed" } else { "undirected" }),
        );
        let connected = if self.directed { "strongly connected" } else { "connected" };
        match &self.connectivity {
            Connectivity::Windows { length, count } => line(
                &format!("{connected} in every window of"),
                format!(
                    "{} (B; {count} whole {})",
                    rounds(*length),
                    if *count == 1 { "window" } else { "windows" }
                ),
            ),
            Connectivity::NoWindow => line(connected, "only together with round 0: no window B".to_owned()),
            Connectivity::Never { components, .. } => {
                let parts: Vec<String> = components.iter().map(|c| format!("{{{}}}", list(c))).collect();
                line(connected, format!("never: {} parts, {}", parts.len(), parts.join(" ")));
            }
        }
        if let Some(mixing) = &self.mixing {
            line("row sums", span(&mixing.rows));
            line("column sums", span(&mixing.columns));
            line("phi", format!("{} (smallest weight)", short(mixing.phi)));
            if mixing.row_stochastic {
                // Unless columns sum to one, mixing changes the mean, and duals have nothing fixed to agree on.
                let doubly = mixing.columns.is_one();
                let lemma = if doubly { ", Lemma 3" } else { "; Lemma 3 needs columns that sum to 1" };
                line("1 - theta", format!("{} (phi / (4 n^2){lemma})", short(mixing.one_minus_theta)));
            } else {
                line("gamma", format!("{} (smallest push-sum scalar, Lemma 6)", short(mixing.gamma)));
                if let (Some(x), Some(b)) = (self.one_minus_lambda, self.connectivity.window()) {
                    let x = if x > 0.0 { short(x) } else { power(self.nodes, b) };
                    line("1 - lambda", format!("{x} (lambda = (1 - n^(-nB))^(1/B), Lemma 6)"));
                }
            }
        }
        let rule = if self.delay == 0 { "nB - 1" } else { "nB - 1 + D + (n-2) B ceil(D/B)" };
        let bound = self.staleness_bound().map(|b| format!(" (at most {rule} = {b})")).unwrap_or_default();
        line("staleness of relay", format!("{}{bound}", rounds(self.staleness)));
        if let Some(fate) = self.fate() {
            line("messages", fate);
        }
        lines
    }

    /// Delays and losses of messages, and what they mean for the constants; none if every message arrives in its round.
    fn fate(&self) -> Option<String> {
        let late = (self.delay > 0).then(|| format!("up to {} late (D)", rounds(self.delay)));
        let lost = self.loses.then(|| {
            "lost unnoticed (weights follow the scheduled links; windows and staleness follow the messages that arrive)"
                .to_owned()
        });
        let fate: Vec<String> = late.into_iter().chain(lost).collect();
        let doubly = |m: &&Mixing| !m.row_stochastic || m.columns.is_one(); // otherwise Lemma 3 does not hold anyway
        let mixing = self.mixing.as_ref().filter(doubly);
        let lemma = mixing.map(|m| if m.row_stochastic { "Lemma 3" } else { "Lemma 6" });
        let bounds =
            lemma.map(|l| format!("; {l} and its consequences hold only if messages arrive in their round"));
        (!fate.is_empty()).then(|| fate.join(", ") + &bounds.unwrap_or_default())
    }

    /// One sentence per broken assumption of the analysis; empty if all hold.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = self.connectivity_warnings();
        if let Some(mixing) = &self.mixing {
            warnings.extend(self.columns_warning(mixing));
            if !mixing.row_stochastic && mixing.gamma < 1e-6 {
                warnings.push(format!(
                    "{}: a push-sum scalar falls to {}, and decisions are divided by it (use a better connected graph)",
                    rule(mixing),
                    short(mixing.gamma)
                ));
            }
        }
        warnings
    }

    /// The warnings about connectivity. An algorithm that corrects for its weights itself needs no others.
    pub fn connectivity_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        match &self.connectivity {
            Connectivity::Windows { .. } => {}
            Connectivity::NoWindow => warnings.push(format!(
                "network.graph: over {} all nodes are connected only with the links of round 0. That round lies in no \
                 window of section 2.1, so there is no B (use more rounds or more links)",
                rounds(self.rounds)
            )),
            Connectivity::Never { from, to, .. } => warnings.push(format!(
                "network.graph: over {} {} never {} {}, so nodes cannot agree (add links, or run longer)",
                rounds(self.rounds),
                nodes(from),
                if from.len() == 1 { "reaches" } else { "reach" },
                nodes(to),
            )),
        }
        warnings
    }

    fn columns_warning(&self, mixing: &Mixing) -> Option<String> {
        let Span { min, max } = mixing.columns;
        if mixing.columns.is_one() {
            return None;
        }
        let remedy = match (mixing.row_stochastic, self.directed) {
            (true, false) => "Lemma 2(a) needs 1 (use \"metropolis\")",
            (true, true) => {
                "Lemma 2(a) needs 1 (use \"metropolis\" and network.directed = false, or dpsda-ps)"
            }
            (false, _) => "(20) needs 1 (use \"push-sum\")",
        };
        Some(format!("{}: columns sum to {}..{}, {remedy}", rule(mixing), short(min), short(max)))
    }
}

fn rule(mixing: &Mixing) -> String {
    mixing
        .rule
        .as_ref()
        .map_or_else(|| "network.weights".to_owned(), |name| format!("network.weights = {name:?}"))
}

fn rounds(count: u64) -> String {
    if count == 1 { "1 round".to_owned() } else { format!("{count} rounds") }
}

fn nodes(which: &[usize]) -> String {
    format!("{} {}", if which.len() == 1 { "node" } else { "nodes" }, list(which))
}

/// The first few numbers, and how many more there are.
fn list(which: &[usize]) -> String {
    const SHOWN: usize = 12;
    let shown: Vec<String> = which.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = which.len().saturating_sub(SHOWN);
    shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

fn span(sums: &Span) -> String {
    if sums.is_one() { "1 to 1".to_owned() } else { format!("{} to {}", short(sums.min), short(sums.max)) }
}

/// Two decimals if they are enough, otherwise two digits and a power of ten.
fn short(x: f64) -> String {
    if !(0.01..1e4).contains(&x) {
        return if x == 0.0 { "0".to_owned() } else { format!("{x:.1e}") };
    }
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `1 - lambda = n^(-nB) / B`, if it is too small for f64.
fn power(n: usize, b: u64) -> String {
    let log10 = -(n as f64 * b as f64 * (n as f64).log10()) - (b as f64).log10();
    format!("about 10^{log10:.0}")
}
