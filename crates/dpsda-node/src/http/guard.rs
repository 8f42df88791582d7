//! Keeps web pages of other sites from reaching the node through a browser on this host.
//!
//! An attacker can point a name that it owns to this host (DNS rebinding). Its pages would then count as pages of this server, so
//! the requested name must be one of this host. A page can also send a form to any site without reading the answer. So a post
//! from a page must come from a page of this host.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// What a browser may do with our pages: load the page's own script and style, and fetch the page again.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Lets a request through or refuses it. Every answer says what browsers may do with it.
pub(super) async fn guard(request: Request, next: Next) -> Response {
    let mut response = match refusal(&request) {
        None => next.run(request).await,
        Some(why) => {
            tracing::debug!("http: refused: {why}");
            (StatusCode::FORBIDDEN, format!("{why}\n")).into_response()
        }
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    response
}

fn refusal(request: &Request) -> Option<&'static str> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let named = hosts.next().and_then(|host| host.to_str().ok()).is_some_and(here);
    let meant = request.uri().authority().is_none_or(|authority| here(authority.as_str()));
    if !named || !meant || hosts.next().is_some() {
        return Some("ask for localhost, 127.0.0.1 or [::1]: this server is for this host only");
    }
    let asks = matches!(*request.method(), Method::GET | Method::HEAD);
    let ours = |origin: &HeaderValue| {
        let site =
            origin.to_str().ok().and_then(|o| o.strip_prefix("http://").or(o.strip_prefix("https://")));
        site.is_some_and(here)
    };
    if !asks && !request.headers().get_all(header::ORIGIN).iter().all(ours) {
        return Some("pages of other sites may not post here");
    }
    None
}

/// Whether a name, with a port or without, is one of this host.
fn here(authority: &str) -> bool {
    let (name, port) = match authority.rfind(':') {
        // The last colon in [::1] does not begin a port.
        Some(at) if !authority.ends_with(']') => (&authority[..at], &authority[at + 1..]),
        _ => (authority, "0"),
    };
    let address = match name.strip_prefix('[') {
        Some(name) => name.strip_suffix(']').and_then(|name| name.parse().ok()).map(IpAddr::V6),
        None => name.parse().ok().map(IpAddr::V4),
    };
    let known =
        name.eq_ignore_ascii_case("localhost") || address.is_some_and(|address| address.is_loopback());
    known && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_host_are_known_and_no_others() {
        for good in ["localhost", "LocalHost:80", "127.0.0.1", "127.0.0.1:65535", "[::1]", "[::1]:8080"] {
            assert!(here(good), "{good}");
        }
        for bad in [
            "",
            ":80",
            "localhost.",
            "localhost.example",
            "localhost:",
            "localhost:80x",
            "127.0.0.1.example",
            "127.0.0.1:80:80",
            "127.1",
            "::1",
            "[::1",
            "::1]",
            "[::1]x",
            "[::1]:",
            "10.0.0.1",
            "[::2]",
            "0.0.0.0",
            "user@localhost",
            "localhost/",
            "[127.0.0.1]",
            "[localhost]",
        ] {
            assert!(!here(bad), "{bad}");
        }
    }
}
