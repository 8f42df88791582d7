//! Numbers, times and sizes as people write them.

use dpsda_web::text::count;

/// Four significant digits, with thousands separators.
pub(super) fn number(v: f64) -> String {
    if v.is_nan() {
        return "not a number".into();
    }
    if v.is_infinite() {
        return if v > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').into()
        } else {
            text.to_owned()
        }
    };
    let text = match v.abs() {
        0.0 => "0".into(),
        a if (1e-3..1e6).contains(&a) => {
            let text = trim(&format!("{a:.*}", (3 - a.log10().floor() as i32).max(0) as usize));
            let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
            let whole = whole.parse().map_or_else(|_| whole.to_owned(), count);
            format!("{}{whole}{rest}", if v < 0.0 { "-" } else { "" })
        }
        _ => {
            let whole = format!("{v:.3e}");
            let (mantissa, exponent) = whole.split_once('e').unwrap_or((&whole, "0"));
            format!("{}e{exponent}", trim(mantissa))
        }
    };
    text.replace('-', "−")
}

/// The two largest units.
pub(super) fn duration(seconds: f64) -> String {
    let s = seconds.max(0.0) as u64;
    match s {
        0..60 => format!("{s} s"),
        60..3600 => format!("{} min {} s", s / 60, s % 60),
        3600..86_400 => format!("{} h {} min", s / 3600, s / 60 % 60),
        _ => format!("{} d {} h", s / 86_400, s / 3600 % 24),
    }
}

/// 3.2 MB.
pub(super) fn bytes(n: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let (mut value, mut at) = (n as f64, 0);
    while value >= 999.5 && at + 1 < units.len() {
        (value, at) = (value / 1000.0, at + 1);
    }
    let places = usize::from(at > 0 && value < 99.5);
    format!("{value:.places$}\u{a0}{}", units.get(at).copied().unwrap_or("B"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_people_write_them() {
        let numbers = [0.0, 0.5, -12.3456, 100.0, 1234.56, -123_456.7, 0.00012, 2.5e7, f64::INFINITY];
        let want = ["0", "0.5", "−12.35", "100", "1,235", "−123,457", "1.2e−4", "2.5e7", "∞"];
        assert_eq!(numbers.map(number), want);
        let spans = [3.9, 61.0, 3725.0, 90_000.0, -1.0, f64::NAN].map(duration);
        assert_eq!(spans, ["3 s", "1 min 1 s", "1 h 2 min", "1 d 1 h", "0 s", "0 s"]);
        let sizes = [0, 999, 1000, 12_345, 999_999, u64::MAX].map(bytes);
        assert_eq!(
            sizes.map(|s| s.replace('\u{a0}', " ")),
            ["0 B", "999 B", "1.0 kB", "12.3 kB", "1.0 MB", "18.4 EB"]
        );
    }
}
