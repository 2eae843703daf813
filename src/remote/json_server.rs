//! A server that takes and gives JSON: each request has a deadline, and no answer is longer than it may be.
//!
//! No redirect is followed, and a server on this machine is never reached over a proxy. Does not know what is said to it; see
//! `embed`.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};
use tokio::runtime::Runtime;

use super::{Address, AddressError, Deadline, RemoteFault, Scheme};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// The class of a fault of a server. Holds no text of its own: that could repeat a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerFault {
    /// It did not answer in time.
    TimedOut,
    /// Nobody is reached at its address.
    Unreachable,
    /// The key is missing or not taken.
    Forbidden,
    /// It asks to be left alone for a while.
    Busy,
    /// Its status, where it is none of success.
    Failed(u16),
    /// Its answer is longer than it may be.
    TooLong,
    /// The connection broke off.
    Broken,
    /// The settings can't be used; which ones is said.
    Configuration(&'static str),
    /// The caller stopped it.
    Cancelled,
}

impl std::fmt::Display for ServerFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TimedOut => f.write_str("the server did not answer in time"),
            Self::Unreachable => f.write_str("nobody answers at its address"),
            Self::Forbidden => f.write_str("the server refuses the key, or finds none"),
            Self::Busy => f.write_str("the server is busy (429 or 503)"),
            Self::Failed(status) => write!(f, "the server answered with status {status}"),
            Self::TooLong => f.write_str("the answer is longer than it may be"),
            Self::Broken => f.write_str("the connection broke off"),
            Self::Configuration(what) => f.write_str(what),
            Self::Cancelled => f.write_str("it was stopped"),
        }
    }
}

/// A server that was opened. Nothing is connected to before the first request.
pub struct JsonServer {
    address: Address,
    key: Option<HeaderValue>,
    client: Client,
    runtime: Option<Runtime>,
}

impl JsonServer {
    /// Opens a server by its address, e.g. `http://127.0.0.1:11434/v1/embeddings`. `key_env` names the variable of the environment
    /// that holds its key; empty for none.
    ///
    /// # Errors
    /// [`ServerFault::Configuration`] for an invalid address, one that could hold a key, one of another machine unless
    /// `allow_remote`, and a variable that is not set.
    pub fn open(address: &str, key_env: &str, allow_remote: bool) -> Result<Self, ServerFault> {
        let unusable = ServerFault::Configuration;
        let address = checked(address, allow_remote).map_err(unusable)?;
        let key = key(key_env).map_err(unusable)?;
        // The first one stays; a second time it is there already.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut client = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            // A connection that nobody drives between two calls may be dead at the second.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("codelens/", env!("CARGO_PKG_VERSION")));
        if address.is_loopback() {
            let places = [
                SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
                SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
            ];
            client = client.no_proxy().resolve_to_addrs("localhost", &places);
        }
        let what = "the system's certificates can't be used";
        let client = client.build().map_err(|_| unusable(what))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|_| unusable("the system gives no event queue"))?;
        Ok(Self {
            address,
            key,
            client,
            runtime: Some(runtime),
        })
    }

    /// Returns its address, which holds no key.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Posts a text of JSON and returns the answer, of at most `max_bytes`.
    pub fn post(
        &self,
        body: Vec<u8>,
        max_bytes: usize,
        deadline: &Deadline,
    ) -> Result<Vec<u8>, ServerFault> {
        let runtime = self.runtime.as_ref().expect("it goes with the server");
        runtime.block_on(self.answer(body, max_bytes, deadline))
    }

    /// Posts several texts, `n_at_once` at a time, and hands each answer to `take` with the place of its text, as they come. It ends
    /// when `take` says `false`.
    pub fn post_all(
        &self,
        bodies: Vec<Vec<u8>>,
        n_at_once: usize,
        max_bytes: usize,
        deadline: &dyn Fn() -> Deadline,
        mut take: impl FnMut(usize, Result<Vec<u8>, ServerFault>) -> bool,
    ) {
        let runtime = self.runtime.as_ref().expect("it goes with the server");
        runtime.block_on(async {
            let mut answers =
                futures_util::stream::iter(bodies.into_iter().enumerate())
                    .map(|(at, body)| async move {
                        (at, self.answer(body, max_bytes, &deadline()).await)
                    })
                    .buffer_unordered(n_at_once.max(1));
            while let Some((at, answer)) = answers.next().await {
                if !take(at, answer) {
                    return;
                }
            }
        });
    }

    async fn answer(
        &self,
        body: Vec<u8>,
        max_bytes: usize,
        deadline: &Deadline,
    ) -> Result<Vec<u8>, ServerFault> {
        tokio::select! {
            ended = self.exchange(body, max_bytes) => ended,
            fault = deadline.passed() => Err(match fault {
                RemoteFault::Cancelled => ServerFault::Cancelled,
                _ => ServerFault::TimedOut,
            }),
        }
    }

    async fn exchange(&self, body: Vec<u8>, max_bytes: usize) -> Result<Vec<u8>, ServerFault> {
        let mut request = self
            .client
            .post(self.address.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.clone());
        }
        let mut response = request.send().await.map_err(|error| fault_of(&error))?;
        match response.status() {
            status if status.is_success() => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(ServerFault::Forbidden),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                return Err(ServerFault::Busy);
            }
            status => return Err(ServerFault::Failed(status.as_u16())),
        }
        let max = max_bytes as u64;
        if response.content_length().is_some_and(|n| n > max) {
            return Err(ServerFault::TooLong);
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| fault_of(&error))? {
            if bytes.len() + piece.len() > max_bytes {
                return Err(ServerFault::TooLong);
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }
}

impl Drop for JsonServer {
    fn drop(&mut self) {
        // A thread that waits for a name is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn fault_of(error: &reqwest::Error) -> ServerFault {
    if error.is_connect() {
        ServerFault::Unreachable
    } else if error.is_timeout() {
        ServerFault::TimedOut
    } else {
        ServerFault::Broken
    }
}

/// Returns an address that may be connected to, or why it may not. The text is not repeated.
fn checked(text: &str, allow_remote: bool) -> Result<Address, &'static str> {
    if text.is_empty() {
        return Err("`url` is not set");
    }
    let address = Address::parse(text).map_err(|error| match error {
        AddressError::Credentials | AddressError::Query => {
            "`url` may hold a key, which would be printed; name its variable in `key_env`"
        }
        AddressError::Unencrypted => "`url` is http to another machine; it has to be https",
        _ => "`url` is no address of a server (http to this machine, or https)",
    })?;
    if address.scheme() != Scheme::Http {
        return Err("`url` is no address of a server (http to this machine, or https)");
    }
    if !address.is_loopback() && !allow_remote {
        return Err("`url` is another machine, and `allow_remote` is off");
    }
    Ok(address)
}

/// Returns the header with the key that a variable of the environment holds.
fn key(variable: &str) -> Result<Option<HeaderValue>, &'static str> {
    if variable.is_empty() {
        return Ok(None);
    }
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if !variable.bytes().all(is_name) {
        return Err("`key_env` is no name of a variable");
    }
    let key = std::env::var(variable).unwrap_or_default();
    if key.is_empty() {
        return Err("the variable that `key_env` names is not set");
    }
    let mut header = HeaderValue::from_str(&format!("Bearer {key}"))
        .map_err(|_| "the key holds characters that no header may have")?;
    header.set_sensitive(true);
    Ok(Some(header))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{JsonServer, ServerFault, checked, key};
    use crate::remote::Deadline;

    fn within(ms: u64) -> Deadline {
        Deadline::new(Some(Duration::from_millis(ms)), Arc::default())
    }

    /// Answers one request with these bytes, after a while.
    fn serve(answer: Vec<u8>, wait: Duration) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 4_096];
            let n = stream.read(&mut buffer).unwrap();
            std::thread::sleep(wait);
            // The client may have gone by then.
            drop(stream.write_all(&answer));
            String::from_utf8_lossy(&buffer[..n]).into_owned()
        });
        (address, served)
    }

    fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
        let n = body.len();
        format!("HTTP/1.1 {status}\r\nContent-Length: {n}\r\n{headers}\r\n{body}").into_bytes()
    }

    #[test]
    fn an_answer_is_read_and_the_key_is_sent() {
        let (address, served) = serve(http("200 OK", "", "{}"), Duration::ZERO);
        // The path of programs is set everywhere.
        let server = JsonServer::open(&address, "PATH", false).unwrap();
        let body = b"{\"a\":1}".to_vec();
        assert_eq!(server.post(body, 9, &within(5_000)).unwrap(), b"{}");
        let seen = served.join().unwrap();
        assert!(seen.starts_with("POST /v1/embeddings HTTP/1.1"), "{seen}");
        assert!(seen.contains("authorization: Bearer "), "{seen}");
        assert_eq!(server.address(), address);
    }

    #[test]
    fn faults_have_their_class() {
        let far = "Location: http://192.0.2.1/\r\n";
        for (answer, fault) in [
            (http("429 Too Many Requests", "", ""), ServerFault::Busy),
            (http("503 Service Unavailable", "", ""), ServerFault::Busy),
            (http("401 Unauthorized", "", ""), ServerFault::Forbidden),
            (http("500 Oops", "", ""), ServerFault::Failed(500)),
            (http("302 Found", far, ""), ServerFault::Failed(302)),
            (http("200 OK", "", &"x".repeat(10)), ServerFault::TooLong),
            (
                b"HTTP/1.1 200 OK\r\n\r\n0123456789".to_vec(),
                ServerFault::TooLong,
            ),
            (
                b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1".to_vec(),
                ServerFault::Broken,
            ),
            (b"nonsense".to_vec(), ServerFault::Broken),
        ] {
            let (address, served) = serve(answer, Duration::ZERO);
            let server = JsonServer::open(&address, "", false).unwrap();
            assert_eq!(server.post(Vec::new(), 9, &within(5_000)), Err(fault));
            served.join().unwrap();
        }
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", free.local_addr().unwrap());
        drop(free);
        let server = JsonServer::open(&address, "", false).unwrap();
        let refused = server.post(Vec::new(), 9, &within(5_000));
        assert_eq!(refused, Err(ServerFault::Unreachable));
    }

    #[test]
    fn a_slow_server_costs_the_deadline() {
        let (address, served) = serve(http("200 OK", "", "{}"), Duration::from_millis(900));
        let server = JsonServer::open(&address, "", false).unwrap();
        let begun = Instant::now();
        let ended = server.post(Vec::new(), 9, &within(100));
        assert_eq!(ended, Err(ServerFault::TimedOut));
        assert!(begun.elapsed() < Duration::from_millis(600));
        served.join().unwrap();
    }

    #[test]
    fn only_what_the_user_allowed_is_connected_to() {
        assert!(checked("http://localhost:11434/v1/embeddings", false).is_ok());
        assert!(checked("http://[::1]:8080/x", false).is_ok());
        assert!(checked("https://models.example.com/v1/embeddings", true).is_ok());
        for (text, allow_remote, part) in [
            ("", false, "not set"),
            ("models", true, "no address"),
            ("s3://bucket/x", true, "no address"),
            ("http://models.example.com/x", true, "https"),
            ("http://127.0.0.1.example.com/x", true, "https"),
            ("https://models.example.com/x", false, "allow_remote"),
            ("https://hunter2@models.example.com/x", true, "key_env"),
            ("https://models.example.com/x?key=hunter2", true, "key_env"),
        ] {
            let said = checked(text, allow_remote).unwrap_err();
            assert!(
                said.contains(part) && !said.contains("hunter2"),
                "{text}: {said}"
            );
        }
        assert!(key("").unwrap().is_none());
        assert!(key("A B").is_err());
        assert!(key("CODELENS_NO_SUCH_VARIABLE").is_err());
    }
}
