//! What all pages share: the head with style and policy, the bar with title and theme switch, and the one script.

use sha2::{Digest, Sha256};

use crate::text::{escape, fill};

const TEMPLATE: &str = include_str!("../assets/shell.html");
const STYLE: &str = concat!(
    include_str!("../assets/style.css"),
    include_str!("../assets/charts.css"),
    include_str!("../assets/print.css"),
);

/// A page without its shell. All parts but the title are HTML that is escaped already.
#[derive(Default)]
pub(crate) struct Page<'a> {
    /// Text.
    pub(crate) title: &'a str,
    /// Small print above the title.
    pub(crate) meta: String,
    /// What the page is about.
    pub(crate) lead: String,
    /// Warnings that a reader must see first.
    pub(crate) notices: String,
    /// Links to the sections.
    pub(crate) nav: String,
    /// The sections.
    pub(crate) main: String,
    /// Rules beyond those of all pages.
    pub(crate) style: &'a str,
    /// The element with the script's data, if the script has data.
    pub(crate) data: String,
    /// The only script that may run.
    pub(crate) script: &'a str,
}

/// The whole document.
pub(crate) fn shell(page: &Page<'_>) -> String {
    fill(TEMPLATE, |name| match name {
        "title" => escape(page.title),
        "policy" => hash(page.script),
        "style" => format!("{STYLE}{}", page.style),
        "meta" => page.meta.clone(),
        "lead" => page.lead.clone(),
        "notices" => page.notices.clone(),
        "nav" => page.nav.clone(),
        "main" => page.main.clone(),
        "data" => page.data.clone(),
        "script" => page.script.into(),
        _ => String::new(),
    })
}

/// The only script that the page's policy lets run, by its SHA-256 in base64.
fn hash(script: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::from("sha256-");
    for part in Sha256::digest(script.as_bytes()).chunks(3) {
        let byte = |i: usize| u32::from(part.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * i) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if i > part.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_filled_in_is_never_filled_again() {
        let out = fill("a {{x}} b {{y}} {{", |name| if name == "x" { "{{y}}".into() } else { "Y".into() });
        assert_eq!(out, "a {{y}} b Y {{");
    }

    #[test]
    fn the_policy_names_the_script_by_its_known_digest() {
        assert_eq!(hash(""), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }
}
