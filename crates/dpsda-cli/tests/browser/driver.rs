//! A page in a real Chromium, driven through chromedriver: fresh profile, nothing fetched, nothing left behind.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use dpsda_web::{RunFolder, report};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

/// The window the page is looked at through.
#[derive(Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) dark: bool,
}

pub(crate) const DESKTOP: Screen = Screen { width: 1280, height: 900, dark: false };
pub(crate) const PHONE: Screen = Screen { width: 390, height: 844, dark: false };

/// An open page.
pub(crate) struct Page {
    client: Client,
}

impl Page {
    /// The value of a script.
    pub(crate) async fn js(&self, script: &str) -> Value {
        self.client.execute(script, vec![]).await.unwrap_or_else(|e| panic!("{script}: {e}"))
    }

    /// How many elements match.
    pub(crate) async fn count(&self, css: &str) -> u64 {
        self.js(&format!("return document.querySelectorAll({}).length", json!(css))).await.as_u64().unwrap()
    }

    /// The text of the first element that matches.
    pub(crate) async fn text(&self, css: &str) -> String {
        let text =
            self.js(&format!("return document.querySelector({})?.textContent ?? null", json!(css))).await;
        text.as_str().unwrap_or_else(|| panic!("nothing matches {css}")).to_owned()
    }

    /// A real click at the middle of the element; fails if something covers it.
    pub(crate) async fn click(&self, css: &str) {
        let middle = format!("document.querySelector({}).scrollIntoView({{block: 'center'}})", json!(css));
        self.js(&middle).await;
        let element = self.client.find(Locator::Css(css)).await.unwrap_or_else(|e| panic!("{css}: {e}"));
        element.click().await.unwrap_or_else(|e| panic!("{css}: {e}"));
    }

    /// Keys typed into an element; `\u{e014}` is the right arrow.
    pub(crate) async fn keys(&self, css: &str, keys: &str) {
        let element = self.client.find(Locator::Css(css)).await.unwrap_or_else(|e| panic!("{css}: {e}"));
        element.send_keys(keys).await.unwrap_or_else(|e| panic!("{css}: {e}"));
    }

    /// No script failed so far.
    pub(crate) async fn assert_no_errors(&self) {
        assert_eq!(self.js("return document.documentElement.dataset.errors").await, "0");
    }
}

/// Opens the report of some runs, waits until it is drawn, and lets `claim` look at it.
pub(crate) fn look(name: &str, runs: &[RunFolder], screen: Screen, claim: impl AsyncFnOnce(&Page)) {
    look_at(name, &report(runs), screen, claim);
}

/// The same of any page.
pub(crate) fn look_at(name: &str, html: &str, screen: Screen, claim: impl AsyncFnOnce(&Page)) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    std::fs::write(&file, html).unwrap();
    visit(name, &format!("file://{}", file.display()), screen, claim);
}

/// The same of what is at an address.
pub(crate) fn visit(name: &str, address: &str, screen: Screen, claim: impl AsyncFnOnce(&Page)) {
    let folder = tempfile::tempdir().unwrap();
    let driver = Driver::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = driver.session(folder.path().join("profile"), screen).await;
        client.goto(address).await.unwrap();
        let page = Page { client };
        for _ in 0..100 {
            if page.js("return document.documentElement.dataset.ready === '1'").await == true {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(
            page.js("return document.documentElement.dataset.ready").await,
            "1",
            "the page was never drawn"
        );
        page.assert_no_errors().await;
        claim(&page).await;
        page.assert_no_errors().await;
        // A picture for people who want to look: target/tmp/report-NAME.png.
        let shot = page.client.screenshot().await.unwrap();
        std::fs::write(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}.png")), shot)
            .unwrap();
        page.client.close().await.unwrap();
    });
}

/// chromedriver on a port of its own; ends with the test.
struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    fn start() -> Driver {
        let binary = find("chromedriver");
        let mut process = Command::new(binary).arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            line.rsplit_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
        });
        Driver { process, port: port.expect("chromedriver did not say on which port it listens") }
    }

    async fn session(&self, profile: PathBuf, screen: Screen) -> Client {
        let mut args: Vec<String> = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]
        .map(String::from)
        .to_vec();
        args.push(format!("--user-data-dir={}", profile.display()));
        args.push(format!("--blink-settings=preferredColorScheme={}", if screen.dark { 0 } else { 1 }));
        let metrics = json!({"width": screen.width, "height": screen.height, "pixelRatio": 1.0, "mobile": screen.width < 600});
        let options =
            json!({"binary": find("chromium"), "args": args, "mobileEmulation": {"deviceMetrics": metrics}});
        let capabilities = json!({"goog:chromeOptions": options}).as_object().cloned().unwrap();
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities);
        builder
            .connect(&format!("http://127.0.0.1:{}", self.port))
            .await
            .expect("chromedriver could not open Chromium")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A program on the PATH or in /usr/bin.
fn find(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/bin")])
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| {
            panic!("{name} is not on the PATH: the feature `browser-tests` needs Debian's chromium and chromium-driver")
        })
}
