//! Seconds since 1970 as a date.

/// `2026-11-16 06:34:00 UTC`
pub(super) fn utc(seconds: u64) -> String {
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970 + 400 * (days / 146_097); // 400 years have that many days
    days %= 146_097;
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let february = length(year) - 337;
    let mut month = 1;
    for size in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < size {
            break;
        }
        days -= size;
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{:02} {hour:02}:{minute:02}:{second:02} UTC", days + 1)
}

/// Days of a year.
fn length(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (68_169_600, "1972-02-29 00:00:00 UTC"),
            (951_868_799, "2000-02-29 23:59:59 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_700_000_000, "2023-11-14 22:13:20 UTC"),
            (1_735_689_599, "2024-12-31 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (13_569_465_600, "2400-01-01 00:00:00 UTC"),
        ] {
            assert_eq!(utc(seconds), date);
        }
        assert!(utc(u64::MAX).ends_with("UTC"), "any number is a date, however wrong the clock");
    }
}
