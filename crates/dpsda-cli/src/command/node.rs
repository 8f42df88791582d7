//! `dpsda node`: one node on this host.

pub(crate) mod file;
mod init;
pub(crate) mod parent;

use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use dpsda::Error;
use dpsda_config::RunConfig;
use dpsda_data::Prepared;
use dpsda_node::config::{Config, StreamFrom};
use dpsda_node::host::{Admitted, Unstarted};
use dpsda_node::lines::{self, Form};
use dpsda_node::store::StoreError;
use dpsda_node::stream::CostSource;
use dpsda_node::{driver, http};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;

use crate::args::{NodeArgs, NodeCommand};
use crate::failure::Failure;

pub(crate) fn node(args: &NodeArgs) -> Result<(), Failure> {
    match (&args.command, &args.file) {
        (Some(NodeCommand::Init { dir, name }), _) => init::init(dir, name.as_deref()),
        (None, Some(file)) => run(file, &args.log),
        (None, None) => Err(Failure::Input("name a file, e.g. dpsda node node.toml".into())),
    }
}

/// The one run of a plain file, which a node can host.
pub(crate) fn hosted(text: &str, base: &Path) -> Result<(Prepared, RunConfig), Error> {
    alone(Prepared::hosted(text, &[], base)?)
}

/// The same for the experiment of a signed manifest.
pub(crate) fn signed(text: &str, base: &Path) -> Result<(Prepared, RunConfig), Error> {
    alone(Prepared::signed(text, base)?)
}

fn alone(experiment: Prepared) -> Result<(Prepared, RunConfig), Error> {
    if let [key, ..] = experiment.swept()[..] {
        let remedy = "nodes run one value, not a sweep (give one)";
        return Err(Error::value(key, "a list", remedy));
    }
    let run =
        experiment.runs.first().cloned().ok_or_else(|| Error::missing("algorithm.name", "an algorithm"))?;
    dpsda_node::host::fits(&run)?;
    Ok((experiment, run))
}

fn run(file: &Path, level: &str) -> Result<(), Failure> {
    log(level);
    let text = file::text(file)?;
    let base = file.parent().unwrap_or(Path::new(""));
    file::tables(&text, file)?;
    let config = Config::read(&text, base).map_err(|e| Failure::from(e).in_file(file))?;
    file::secret(&config.key)?;
    let mut loaded = None;
    let member = Admitted::read(&config, |text, base| {
        let (experiment, run) = signed(text, base)?;
        loaded = Some(experiment);
        Ok(run)
    })?;
    file::agrees(&text, &member.signed.manifest, file)?;
    let form = Form::of(&member.run, member.me);
    shows_estimates(&config, &form).map_err(|e| Failure::from(e).in_file(file))?;
    for warning in warnings(&config, &member.run) {
        tracing::warn!("{warning}");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(async {
        let (costs, arriving) = mpsc::channel(1);
        let source = match config.stream {
            StreamFrom::Data => known(loaded.take(), member.me)?,
            StreamFrom::Stdin | StreamFrom::Http => CostSource::Arriving(arriving),
        };
        // An address that cannot be used is reported before anything is opened.
        let listener = match config.http {
            Some(http) => Some((listen(http).await?, http)),
            None => None,
        };
        let (parts, board) = member.start(&config, source).await?;
        let who = board.who();
        tracing::info!(
            run = who.run,
            node = who.node,
            key = who.key,
            manifest = who.manifest,
            listen = who.listen.join(", "),
            claim = who.claim,
            "started"
        );
        let ended = Arc::new(Notify::new());
        let mut served = None;
        if let Some((listener, _)) = listener {
            tracing::info!(
                http = listener.local_addr()?.to_string(),
                "serving a page, /status, /metrics, /decision and /estimate"
            );
            let costs = (config.stream == StreamFrom::Http).then(|| (form, costs.clone()));
            let (board, ended) = (board.clone(), Arc::clone(&ended));
            served =
                Some(tokio::spawn(
                    async move { http::serve(listener, board, costs, ended.notified()).await },
                ));
        }
        match config.stream {
            StreamFrom::Stdin => {
                let input = tokio::io::BufReader::new(tokio::io::stdin());
                tokio::spawn(lines::read_lines(input, form, costs, board.clone()));
            }
            StreamFrom::Data | StreamFrom::Http => drop(costs),
        }
        let done = driver::drive(parts, stop()).await.map_err(|trouble| match trouble {
            driver::DriverError::Decisions { .. } => Failure::Input(trouble.to_string()),
            _ => Failure::Io(trouble.to_string()),
        });
        ended.notify_one();
        if let Some(served) = served {
            let _ = served.await;
        }
        done
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    ended
}

async fn listen(http: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(http).await.map_err(|error| {
        let http = http.to_string();
        Error::value("node.http", format!("{http:?}"), format!("{error} (give a free port of this host)"))
            .into()
    })
}

/// The costs of the experiment, by round, for node `me`.
fn known(experiment: Option<Prepared>, me: usize) -> Result<CostSource, Failure> {
    let experiment = experiment.ok_or_else(|| Failure::Io("no experiment".into()))?;
    if experiment.arrives(0) {
        let remedy = "the experiment's costs arrive while it runs (say from where: \"stdin\" or \"http\")";
        return Err(Error::value("node.stream", "\"data\"", remedy).into());
    }
    experiment.ready_for(0, me)?;
    Ok(CostSource::Known(experiment.costs(0, 0)))
}

/// Checks that a program whose lines can only be gradients or values can read the estimates.
fn shows_estimates(config: &Config, form: &Form) -> Result<(), Error> {
    if config.stream != StreamFrom::Stdin || config.http.is_some() || form.samples.is_some() {
        return Ok(());
    }
    let remedy = "a gradient is taken at the node's estimate, which the node shows at /estimate, but `node.http` is not set \
                  (e.g. http = \"127.0.0.1:4780\")";
    Err(Error::value("node.stream", "\"stdin\"", remedy))
}

/// Warnings for the operator before the start.
fn warnings(config: &Config, run: &RunConfig) -> Vec<String> {
    let mut all = run.warnings.clone();
    all.extend(run.spec.plan().warnings());
    if config.seeded {
        let remark = "everyone who has the manifest knows the noise, so nothing is private (for tests only)";
        all.push(format!("node.noise = \"seed\": {remark}"));
    }
    if config.store.is_none() {
        all.push("node.store = \"memory\": the record of what is spent is lost when this process ends (for tests only)".into());
    }
    if config.drop > 0.0 {
        all.push(format!("node.drop = {}: messages are dropped on purpose (for tests only)", config.drop));
    }
    all
}

/// Returns when the node is asked to stop.
async fn stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = tokio::signal::ctrl_c() => return,
                () = parent::gone() => return,
            }
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Plain lines on a terminal, JSON elsewhere. Other crates log only errors.
fn log(level: &str) {
    let own = level.parse().unwrap_or(LevelFilter::INFO);
    let targets = Targets::new()
        .with_default(LevelFilter::ERROR)
        .with_target("dpsda", own)
        .with_target("dpsda_node", own);
    let registry = tracing_subscriber::registry().with(targets);
    let fmt = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_target(false);
    let set = if std::io::stderr().is_terminal() {
        tracing::subscriber::set_global_default(registry.with(fmt.compact()))
    } else {
        tracing::subscriber::set_global_default(registry.with(fmt.json().flatten_event(true)))
    };
    drop(set); // an error means that there is one already
}

impl From<Unstarted> for Failure {
    fn from(why: Unstarted) -> Self {
        match why {
            Unstarted::Input(error) => error.into(),
            Unstarted::Key(_)
            | Unstarted::Manifest { .. }
            | Unstarted::Network(_)
            | Unstarted::Store(
                StoreError::NoFolder(_)
                | StoreError::File { .. }
                | StoreError::Occupied { .. }
                | StoreError::Locked(_)
                | StoreError::Foreign { .. },
            ) => Self::Input(why.to_string()),
            Unstarted::Store(_) | Unstarted::Record(_) | Unstarted::Driver(_) => Self::Io(why.to_string()),
        }
    }
}
