//! Clients that mean harm.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Stdio,
    sync::Arc,
};

use russh::{
    ChannelMsg, ChannelOpenFailure, Error,
    client::{self, Handle},
    keys::{PrivateKey, PrivateKeyWithHashAlg},
};
use workbay::ssh_server::ClientKey;

use super::server::SshTestServer;

struct Trusting;

impl client::Handler for Trusting {
    type Error = Error;

    async fn check_server_key(
        &mut self,
        _key: &russh::keys::PublicKeyOrCertificate,
    ) -> Result<bool, Error> {
        Ok(true)
    }
}

async fn connect(server: &SshTestServer) -> Handle<Trusting> {
    let config = Arc::new(client::Config::default());
    client::connect(config, ("127.0.0.1", server.port), Trusting)
        .await
        .unwrap()
}

async fn log_in(client: &mut Handle<Trusting>, user: &str, key: &str) -> Result<bool, Error> {
    let key = Arc::new(PrivateKey::from_openssh(key).unwrap());
    let key = PrivateKeyWithHashAlg::new(key, None);
    Ok(client.authenticate_publickey(user, key).await?.success())
}

async fn inside(server: &SshTestServer) -> Handle<Trusting> {
    let mut client = connect(server).await;
    let key = std::fs::read_to_string(server.key()).unwrap();
    assert!(log_in(&mut client, "work", &key).await.unwrap());
    client
}

#[test]
fn after_six_wrong_keys_the_connection_ends() {
    let server = SshTestServer::new();
    server.runtime().block_on(async {
        let mut client = connect(&server).await;
        for _ in 0..6 {
            let key = ClientKey::generate("wrong").unwrap();
            assert!(
                !log_in(&mut client, "work", key.private.expose())
                    .await
                    .unwrap()
            );
        }
        let key = std::fs::read_to_string(server.key()).unwrap();
        let outcome = log_in(&mut client, "work", &key).await;
        assert!(!matches!(outcome, Ok(true)), "{outcome:?}");
    });
    server.wait_for_ended(1);
}

#[test]
fn passwords_and_nothing_are_refused() {
    let server = SshTestServer::new();
    server.runtime().block_on(async {
        let mut client = connect(&server).await;
        assert!(
            !client
                .authenticate_password("work", "")
                .await
                .unwrap()
                .success()
        );
        assert!(!client.authenticate_none("work").await.unwrap().success());
        let key = std::fs::read_to_string(server.key()).unwrap();
        for user in ["root", "", "+tmux", "work+tmux+tmux", "WORK", "work\0"] {
            let mut client = connect(&server).await;
            assert!(!log_in(&mut client, user, &key).await.unwrap(), "{user:?}");
        }
    });
}

#[test]
fn channels_are_counted() {
    let server = SshTestServer::new();
    server.runtime().block_on(async {
        let client = inside(&server).await;
        let mut open = Vec::new();
        for _ in 0..64 {
            open.push(client.channel_open_session().await.unwrap());
        }
        let refused = client.channel_open_session().await.unwrap_err();
        let full = matches!(
            refused,
            Error::ChannelOpenFailure(
                ChannelOpenFailure::ResourceShortage | ChannelOpenFailure::Other { code: 4, .. }
            )
        );
        assert!(full, "{refused:?}");
        let one = open.pop().unwrap();
        one.close().await.unwrap();
        // What was counted is free soon after the close.
        while client.channel_open_session().await.is_err() {}
    });
}

#[test]
fn closed_channels_make_room_for_any_number_of_commands() {
    let server = SshTestServer::new();
    server.runtime().block_on(async {
        let client = inside(&server).await;
        for number in 0..200_u32 {
            let mut channel = client.channel_open_session().await.unwrap();
            channel
                .exec(true, format!("exit {}", number % 100))
                .await
                .unwrap();
            let mut code = None;
            while let Some(message) = channel.wait().await {
                if let ChannelMsg::ExitStatus { exit_status } = message {
                    code = Some(exit_status);
                }
            }
            assert_eq!(code, Some(number % 100));
        }
    });
}

#[test]
fn a_second_program_on_a_channel_is_refused() {
    let server = SshTestServer::new();
    server.runtime().block_on(async {
        let client = inside(&server).await;
        let mut channel = client.channel_open_session().await.unwrap();
        for name in ["nonsense", "sftp2", ""] {
            channel.request_subsystem(true, name).await.unwrap();
            assert!(matches!(channel.wait().await, Some(ChannelMsg::Failure)));
        }
        channel.exec(true, "cat").await.unwrap();
        assert!(matches!(channel.wait().await, Some(ChannelMsg::Success)));
        channel.exec(true, "echo second").await.unwrap();
        assert!(matches!(channel.wait().await, Some(ChannelMsg::Failure)));
        channel.signal(russh::Sig::TERM).await.unwrap();
        let mut signal = None;
        while let Some(message) = channel.wait().await {
            if let ChannelMsg::ExitSignal { signal_name, .. } = message {
                signal = Some(signal_name);
            }
        }
        assert!(matches!(signal, Some(russh::Sig::TERM)), "{signal:?}");
    });
}

#[test]
fn a_flood_of_requests_and_empty_data_does_no_harm() {
    let server = SshTestServer::new();
    server.runtime().block_on(async {
        let client = inside(&server).await;
        let mut channel = client.channel_open_session().await.unwrap();
        for number in 0..2000 {
            channel
                .set_env(false, format!("LC_{number}"), "x".repeat(1000))
                .await
                .unwrap();
            channel.window_change(80, 24, 0, 0).await.unwrap();
        }
        channel
            .exec(false, "env | grep -c '^LC_[0-9]'; wc -c")
            .await
            .unwrap();
        for _ in 0..20_000 {
            channel.data_bytes(&b"x"[..]).await.unwrap();
        }
        channel.eof().await.unwrap();
        let mut printed = Vec::new();
        while let Some(message) = channel.wait().await {
            if let ChannelMsg::Data { data } = message {
                printed.extend_from_slice(&data);
            }
        }
        assert_eq!(String::from_utf8_lossy(&printed), "32\n20000\n");
    });
}

#[test]
fn packets_of_any_length_and_garbage_end_the_connection() {
    let server = SshTestServer::new();
    let mut length = b"SSH-2.0-attack\r\n".to_vec();
    length.extend(200_000_000_u32.to_be_bytes());
    length.extend([0; 4096]);
    let long_line = vec![b'a'; 1 << 20];
    let attacks = [
        length,
        long_line,
        vec![0; 100_000],
        b"GET / HTTP/1.1\r\n\r\n".repeat(5000),
    ];
    for (number, attack) in attacks.iter().enumerate() {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        // The server may close it before it has taken everything.
        let _ = stream.write_all(attack);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.len() < 100_000, "attack {number}");
        server.wait_for_ended(number + 1);
    }
    assert!(server.run("true").status.success());
}

#[test]
fn an_sftp_packet_of_200_megabytes_ends_the_connection() {
    let server = SshTestServer::new();
    let mut ssh = server.ssh(&["-s"]);
    let mut child = ssh
        .arg("sftp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut packet = 200_000_000_u32.to_be_bytes().to_vec();
    packet.push(6);
    stdin.write_all(&packet).unwrap();
    // The rest of it is never taken.
    while stdin.write_all(&vec![0; 65536]).is_ok() {}
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("200000000 bytes"),
        "{said}"
    );
    assert!(server.run("true").status.success());
}

#[test]
fn names_that_leave_the_home_directory_mean_what_the_container_has_there() {
    let server = SshTestServer::new();
    // The helper adds nothing to what the session's user reaches, and hides nothing of it.
    let printed = server.run("cat /proc/self/status | grep -i uid | head -1");
    assert!(printed.status.success());
    let mut sftp = server.command("sftp");
    let port = server.port.to_string();
    let mut child = sftp
        .args(["-b", "-", "-P", &port, "work@127.0.0.1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let batch = b"cd ../../../../../../../..\npwd\n";
    child.stdin.take().unwrap().write_all(batch).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("Remote working directory: /\n"), "{said}");
}
