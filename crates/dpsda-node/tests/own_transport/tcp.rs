//! A transport over plain TCP, outside of the crate. It defines how members are found and how they prove their keys. The
//! session does the rest.
//!
//! Both ends sign the other's random challenge, which proves that a peer has the key it shows. Nothing is encrypted: use it
//! only on networks that nobody else can reach. A host that loses power is noticed when TCP notices it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dpsda_node::identity::{Identity, PublicKey, Signature};
use dpsda_node::transport::link::{Carrier, Proved};
use dpsda_node::transport::pipe::Pipe;
use dpsda_node::transport::session::{Group, Limits, Misfit, Running, Session};
use dpsda_node::transport::{Events, Unreached};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Tcp {
    listener: TcpListener,
    identity: Arc<Identity>,
    /// Where each member listens.
    at: Vec<SocketAddr>,
}

/// Listens at its own address, and dials the others at theirs.
pub(crate) fn join(
    group: Group,
    limits: Limits,
    listener: TcpListener,
    at: Vec<SocketAddr>,
) -> Result<(Running<Tcp>, Events), Misfit> {
    let carrier = Tcp::new(listener, Arc::clone(&group.identity), at);
    Ok(Session::new(group, limits)?.over(carrier))
}

type TcpLink = Pipe<OwnedReadHalf, OwnedWriteHalf>;

impl Carrier for Tcp {
    type Link = TcpLink;
    type Guest = TcpStream;

    async fn dial(&self, peer: usize) -> Result<Proved<TcpLink>, Unreached> {
        let at = self.at.get(peer).ok_or(Unreached::Silent)?;
        let stream = TcpStream::connect(at).await.map_err(|_| Unreached::Silent)?;
        self.prove(stream).await.map_err(|_| Unreached::Turned)
    }

    async fn accept(&self) -> Option<TcpStream> {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => return Some(stream),
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await, // out of file descriptors, most likely
            }
        }
    }

    async fn welcome(&self, stream: TcpStream) -> Option<Proved<TcpLink>> {
        self.prove(stream).await.ok()
    }
}

impl Tcp {
    pub(crate) fn new(listener: TcpListener, identity: Arc<Identity>, at: Vec<SocketAddr>) -> Self {
        Self { listener, identity, at }
    }

    /// Each side shows its key and a challenge, and signs the other's challenge.
    async fn prove(&self, stream: TcpStream) -> io::Result<Proved<TcpLink>> {
        stream.set_nodelay(true)?;
        let (mut reader, mut writer) = stream.into_split();
        let (mine, mut challenge) = (*self.identity.public().as_bytes(), [0; 32]);
        getrandom::fill(&mut challenge).map_err(io::Error::other)?;
        writer.write_all(&[mine, challenge].concat()).await?;
        let (mut theirs, mut asked) = ([0; 32], [0; 32]);
        reader.read_exact(&mut theirs).await?;
        reader.read_exact(&mut asked).await?;
        let key = PublicKey::from_bytes(theirs).map_err(io::Error::other)?;
        let answer = self.identity.sign("tcp", &[mine, theirs, asked].concat());
        writer.write_all(answer.to_string().as_bytes()).await?;
        let mut text = [0; 128];
        reader.read_exact(&mut text).await?;
        let text = std::str::from_utf8(&text).map_err(io::Error::other)?;
        let signature: Signature = text.parse().map_err(io::Error::other)?;
        if !key.signed("tcp", &[theirs, mine, challenge].concat(), &signature) {
            return Err(io::Error::other("the key is not the peer's"));
        }
        Ok(Proved { key, link: Pipe::new(reader, writer) })
    }
}
