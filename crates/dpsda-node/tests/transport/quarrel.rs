//! Two members with different manifests: both learn what differs.

use dpsda_node::frame::Refusal;
use dpsda_node::manifest::{Manifest, Member, Pledge, Signed, differences};
use dpsda_node::transport::quic::Quic;
use dpsda_node::transport::{Event, Queued};

use crate::world::{Kind, Node, World, key};

fn manifest(epoch: u64) -> Manifest {
    let member = |k| Member { name: format!("node-{k}"), key: key(k), coordinates: 1024 };
    let promise = Pledge {
        adjacency: "round".into(),
        mechanism: "discrete-gaussian".into(),
        scale: 1.0,
        unit: 0.5,
        epsilon: Some(epoch as f64),
        delta: 1e-5,
        claim: "so much".into(),
    };
    let experiment = "rounds = 20\n".into();
    Manifest {
        name: "test".into(),
        epoch,
        needs: 1,
        experiment,
        promise,
        member: (0..3).map(member).collect(),
    }
}

async fn node(world: &World, me: usize, manifest: &Manifest) -> Node {
    let mut group = world.group(me);
    group.manifest = manifest.digest();
    group.text = Signed::new(manifest.clone()).write().unwrap();
    let (quic, events) = Quic::bind(group, world.settings(me)).await.unwrap();
    Node { transport: std::sync::Arc::new(quic), events }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_under_another_manifest_is_told_what_differs() {
    let world = World::new(Kind::Quic);
    let (ours, theirs) = (manifest(1), manifest(2));
    let (mut a, mut b) = (node(&world, 0, &ours).await, node(&world, 1, &theirs).await);
    let mut c = node(&world, 2, &ours).await;
    for (node, other, here, lines) in [
        (&mut a, 1, &ours, ["epoch: 1 here, 2 there", "promise.epsilon: 1.0 here, 2.0 there"]),
        (&mut b, 0, &theirs, ["epoch: 2 here, 1 there", "promise.epsilon: 2.0 here, 1.0 there"]),
    ] {
        let event = node
            .until("what differs", |event| matches!(event, Event::Differs { from, .. } if *from == other))
            .await;
        let Event::Differs { theirs: text, .. } = event else { panic!("{event:?}") };
        assert_eq!(differences(here, &Signed::read(&text).unwrap().manifest), lines);
        assert!(node.transport.counts().refused[&(Some(other), Refusal::OtherManifest)] >= 1);
        assert_eq!(node.say(other, &[1]), Queued::Away, "that is all they say");
    }
    c.connected(0).await;
    c.say(0, b"agreed?");
    a.heard(2, b"agreed?").await;
    a.say(2, b"agreed");
    c.heard(0, b"agreed").await;
    // A node that corrects it and starts again is in.
    b.transport.close().await;
    drop(b);
    tokio::time::sleep(std::time::Duration::from_millis(100)).await; // the engine lets go of its socket a little later
    let mut b = node(&world, 1, &ours).await;
    b.connected(0).await;
    b.say(0, b"sorry");
    a.heard(1, b"sorry").await;
}
