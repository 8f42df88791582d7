//! A token bucket, which limits how often something may happen.

use std::time::Duration;

use tokio::time::Instant;

#[derive(Debug, Clone)]
pub(super) struct Bucket {
    tokens: f64,
    rate: f64,
    burst: f64,
    at: Instant,
}

impl Bucket {
    /// Allows `rate` per second, and `burst` at once.
    pub(super) fn new(rate: f64, burst: f64, now: Instant) -> Self {
        let (rate, burst) = (rate.max(1e-3), burst.max(1.0));
        Self { tokens: burst, rate, burst, at: now }
    }

    fn refill(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.tokens = (self.tokens + passed * self.rate).min(self.burst);
        self.at = now;
    }

    /// Takes a token, or returns the time until there is one.
    pub(super) fn take(&mut self, now: Instant) -> Result<(), Duration> {
        self.refill(now);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - self.tokens) / self.rate))
    }

    /// Whether less than half is left.
    pub(super) fn is_low(&mut self, now: Instant) -> bool {
        self.refill(now);
        self.tokens < self.burst / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_its_burst_and_then_its_rate_whatever_is_asked() {
        let start = Instant::now();
        let mut bucket = Bucket::new(100.0, 20.0, start);
        let given = |bucket: &mut Bucket, from: u64, to: u64| {
            (from..to).filter(|ms| bucket.take(start + Duration::from_millis(*ms)).is_ok()).count()
        };
        assert_eq!((0..50).filter(|_| bucket.take(start).is_ok()).count(), 20);
        assert!(bucket.is_low(start));
        assert_eq!(bucket.take(start), Err(Duration::from_millis(10)));
        assert!((99..=101).contains(&given(&mut bucket, 0, 1000)));
        assert!(!bucket.is_low(start + Duration::from_secs(2)));
        assert_eq!(bucket.take(start), Ok(()), "a clock that goes back takes nothing away");
    }
}
