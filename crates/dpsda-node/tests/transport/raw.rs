//! A QUIC client with any key, which may send anything.

use std::net::SocketAddr;
use std::time::Duration;

use dpsda_node::frame::Frame;
use dpsda_node::identity::Identity;
use dpsda_node::transport::quic::PROTOCOL;
use iroh::endpoint::{Connection, QuicTransportConfig, SendStream, VarInt, presets};
use iroh::{Endpoint, EndpointAddr, EndpointId, SecretKey};

use crate::world::key;

pub(crate) async fn endpoint(identity: &Identity, at: SocketAddr) -> Endpoint {
    Endpoint::builder(presets::Minimal)
        .secret_key(SecretKey::from_bytes(&identity.secret()))
        .alpns(vec![PROTOCOL.to_vec()])
        .transport_config(QuicTransportConfig::builder().receive_window(VarInt::from_u32(1 << 20)).build())
        .clear_ip_transports()
        .bind_addr(at)
        .unwrap()
        .bind()
        .await
        .unwrap()
}

/// Dials node 0.
pub(crate) async fn dial(endpoint: &Endpoint, at: SocketAddr) -> Result<Connection, String> {
    let id = EndpointId::from_bytes(key(0).as_bytes()).unwrap();
    let connect = endpoint.connect(EndpointAddr::new(id).with_ip_addr(at), PROTOCOL);
    let connected = tokio::time::timeout(Duration::from_secs(3), connect).await;
    connected.map_err(|_| "no answer".to_owned())?.map_err(|error| format!("{error:#}"))
}

pub(crate) fn hello() -> Vec<u8> {
    Frame::Hello { manifest: [9; 32] }.bytes()
}

/// Announces one length, and sends these bytes.
pub(crate) async fn claim(connection: &Connection, length: u32, bytes: &[u8]) -> SendStream {
    let mut stream = connection.open_uni().await.unwrap();
    stream.write_all(&length.to_le_bytes()).await.unwrap();
    let _ = stream.write_all(bytes).await; // it may be stopped meanwhile
    stream
}

pub(crate) async fn say(connection: &Connection, bytes: &[u8]) {
    claim(connection, bytes.len() as u32, bytes).await.finish().unwrap();
}
