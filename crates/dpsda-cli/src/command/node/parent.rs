//! A node of a cluster ends with the process that started it.

/// The environment variable with the id of that process.
pub(crate) const PARENT: &str = "DPSDA_CLUSTER";

/// Returns when the process that started this one is gone, for whatever reason. Never returns if no process is named.
#[cfg(unix)]
pub(super) async fn gone() {
    let named = std::env::var(PARENT).ok().and_then(|text| text.parse::<i32>().ok());
    let Some(parent) = named else { return std::future::pending().await };
    let mut look = tokio::time::interval(std::time::Duration::from_millis(500));
    loop {
        look.tick().await;
        if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(parent) {
            tracing::warn!("the cluster of this node has ended, so this node stops too");
            return;
        }
    }
}
