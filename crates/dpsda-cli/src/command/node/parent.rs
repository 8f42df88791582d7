//! A node of a cluster does not outlive the process that watches it.

/// The variable that tells a node which process that is.
pub(crate) const PARENT: &str = "DPSDA_CLUSTER";

/// Until the process that started this one is gone, however it went. Never, if none is named.
#[cfg(unix)]
pub(super) async fn gone() {
    let named = std::env::var(PARENT).ok().and_then(|text| text.parse::<i32>().ok());
    let Some(parent) = named else { return std::future::pending().await };
    let mut look = tokio::time::interval(std::time::Duration::from_millis(500));
    loop {
        look.tick().await;
        if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get()) != Some(parent) {
            tracing::warn!("the cluster that this node is of was ended: it stops, too");
            return;
        }
    }
}
