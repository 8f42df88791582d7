//! Nothing goes to an address that was not configured.

use std::collections::BTreeSet;
use std::sync::Arc;

use dpsda_node::transport::Transport;
use dpsda_node::transport::quic::{Quic, Settings, Unbound};
use dpsda_node::transport::session::Misfit;

use crate::world::{Kind, Node, World, meet};

/// Local addresses of all internet sockets of this process, as the kernel writes them.
fn sockets() -> Option<Vec<(&'static str, String)>> {
    let links = std::fs::read_dir("/proc/self/fd")
        .ok()?
        .flatten()
        .filter_map(|fd| std::fs::read_link(fd.path()).ok());
    let mine: BTreeSet<String> = links
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let mut found = Vec::new();
    for table in ["udp", "udp6", "tcp", "tcp6", "raw", "raw6"] {
        let Ok(text) = std::fs::read_to_string(format!("/proc/self/net/{table}")) else { continue };
        for line in text.lines().skip(1) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.get(9).is_some_and(|inode| mine.contains(*inode)) {
                found.push((table, words[1].to_owned()));
            }
        }
    }
    Some(found)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_but_the_configured_addresses_is_bound_or_sent_to() {
    let world = World::new(Kind::Quic);
    let started = [world.quic(0).await, world.quic(1).await, world.quic(2).await];
    let started = started.map(|(quic, events)| (Arc::new(quic), events));
    let quics = started.each_ref().map(|(quic, _)| Arc::clone(quic));
    let mut nodes = started.map(|(quic, events)| Node { transport: quic, events });
    meet(&mut nodes).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    for (me, quic) in quics.iter().enumerate() {
        assert!(quic.is_alone());
        assert_eq!(quic.addresses(), [world.at[me]]);
        let paths = quic.paths();
        assert!(paths.len() >= 2, "{paths:?}");
        assert!(paths.iter().all(|(peer, path)| world.at[*peer] == *path), "{paths:?}");
    }
    // All sockets of this process, also those of tests beside this one, are on the loopback: nothing leaves the host.
    if let Some(sockets) = sockets() {
        let here = |(table, at): &&(&str, String)| *table == "udp" && at.starts_with("0100007F:");
        assert!(sockets.iter().filter(here).count() >= 3, "{sockets:?}");
        assert!(sockets.iter().all(|socket| here(&socket)), "{sockets:?}");
    }
    let counts = quics[0].counts();
    assert!(counts.refused.is_empty(), "{counts:?}");
}

#[tokio::test]
async fn wrong_settings_are_named() {
    let world = World::new(Kind::Quic);
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    type Change<'a> = &'a dyn Fn(&mut Settings);
    let wrong: [(&str, Change<'_>); 7] = [
        ("listen = ", &|settings| settings.listen = vec![taken.local_addr().unwrap()]),
        ("listen = []: no address", &|settings| settings.listen.clear()),
        ("relays = \"no url\"", &|settings| settings.relays = vec!["no url".into()]),
        ("relays = \"http://here.example\": a relay must use TLS", &|settings| {
            settings.relays = vec!["http://here.example".into()];
        }),
        ("peers: addresses of 2", &|settings| _ = settings.peers.pop()),
        ("idle = ", &|settings| settings.limits.idle = std::time::Duration::ZERO),
        ("again_first = ", &|settings| settings.limits.again_first = std::time::Duration::from_secs(9)),
    ];
    for (words, change) in wrong {
        let mut settings = world.settings(0);
        change(&mut settings);
        let error = Quic::bind(world.group(0), settings).await.err().unwrap().to_string();
        assert!(error.starts_with(words), "{error}");
    }
    let mut group = world.group(0);
    group.me = 1;
    let error = Quic::bind(group, world.settings(0)).await.err();
    assert!(matches!(error, Some(Unbound::Session(Misfit::Key(1)))));
}
