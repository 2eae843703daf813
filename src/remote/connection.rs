//! Connections to a store: which of them are made, and how much of its answers is read.
//!
//! No redirect leads to another server, and a server on this machine or on its own link, as one that gives out the credentials of an
//! instance, is never reached over a proxy. Does not know what is stored; see `store`.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use http_body_util::{BodyExt as _, Limited};
use object_store::client::{
    ClientConfigKey, ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind,
    HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};
use reqwest::Client;
use reqwest::header::HeaderMap;
use reqwest::redirect::{Attempt, Policy};
use url::{Host, Url};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// How long one object may take: four of 8 MiB at once, by a slow line. A question waits for its own deadline.
const OBJECT: Duration = Duration::from_mins(10);

/// How much is read of an answer that is no list: a part is half as long.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// How much is read of an answer that tells of a failure.
const MAX_FAILURE_BYTES: usize = 64 << 10;

/// How much is read of all pages of a list: 100,000 objects, each with a kibibyte of XML.
const MAX_LIST_BYTES: u64 = 128 << 20;

/// How many answers a list may take: a page has 1,000 objects as a rule, and one without any may name the next one.
const MAX_LIST_ANSWERS: u64 = 1_000;

/// How many redirects within one server are followed.
const MAX_REDIRECTS: usize = 3;

/// How much a step may read of a store.
#[derive(Debug)]
pub(super) struct ReadLimits {
    answers: AtomicU64,
    bytes: AtomicU64,
}

/// A store answered with more than a step reads.
#[derive(Debug, thiserror::Error)]
#[error("an answer of the store is longer than it may be")]
pub(super) struct TooLong;

impl ReadLimits {
    /// Returns the limits of steps whose answers are bounded one by one.
    pub(super) fn new() -> Self {
        Self {
            answers: AtomicU64::new(u64::MAX),
            bytes: AtomicU64::new(u64::MAX),
        }
    }

    /// Limits all answers until [`Self::end_list`] together.
    pub(super) fn begin_list(&self) {
        self.answers.store(MAX_LIST_ANSWERS, Ordering::Relaxed);
        self.bytes.store(MAX_LIST_BYTES, Ordering::Relaxed);
    }

    /// Limits answers one by one again.
    pub(super) fn end_list(&self) {
        self.answers.store(u64::MAX, Ordering::Relaxed);
        self.bytes.store(u64::MAX, Ordering::Relaxed);
    }

    /// Takes one answer; `None` where no more may be read, else how long it may be.
    fn take_answer(&self) -> Option<u64> {
        let is_list = self.answers.load(Ordering::Relaxed) != u64::MAX;
        if !is_list {
            return Some(MAX_ANSWER_BYTES);
        }
        let left = self.answers.load(Ordering::Relaxed).checked_sub(1)?;
        self.answers.store(left, Ordering::Relaxed);
        Some(self.bytes.load(Ordering::Relaxed)).filter(|n| *n > 0)
    }

    fn take_bytes(&self, n: u64) {
        let left = self.bytes.load(Ordering::Relaxed);
        if left != u64::MAX {
            self.bytes.store(left.saturating_sub(n), Ordering::Relaxed);
        }
    }
}

/// Makes the clients of a store, with the headers that each request has.
#[derive(Debug)]
pub(super) struct StoreConnector {
    pub(super) headers: HeaderMap,
    pub(super) limits: Arc<ReadLimits>,
}

impl HttpConnector for StoreConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allows_http = options.get_config_value(&ClientConfigKey::AllowHttp);
        Ok(HttpClient::new(StoreClient {
            headers: self.headers.clone(),
            limits: Arc::clone(&self.limits),
            allows_http: allows_http.is_some_and(|it| it == "true"),
            direct: OnceLock::new(),
            usual: OnceLock::new(),
        }))
    }
}

/// A client for servers that are near, which no proxy stands before, and one for all others. Reading the system's certificates takes
/// time, so each is made when it is wanted.
#[derive(Debug)]
struct StoreClient {
    headers: HeaderMap,
    limits: Arc<ReadLimits>,
    allows_http: bool,
    direct: OnceLock<Option<Client>>,
    usual: OnceLock<Option<Client>>,
}

impl StoreClient {
    fn client(&self, host: &str) -> Option<&Client> {
        let is_near = is_near(host);
        let client = if is_near { &self.direct } else { &self.usual };
        let made = client.get_or_init(|| {
            let mut client = Client::builder()
                .redirect(Policy::custom(|attempt| {
                    if is_followed(&attempt) {
                        attempt.follow()
                    } else {
                        attempt.stop()
                    }
                }))
                .default_headers(self.headers.clone())
                .https_only(!self.allows_http)
                .connect_timeout(CONNECT)
                .timeout(OBJECT)
                .user_agent(concat!("codelens/", env!("CARGO_PKG_VERSION")));
            if is_near {
                let places = [
                    SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
                    SocketAddr::from((Ipv6Addr::LOCALHOST, 0)),
                ];
                client = client.no_proxy().resolve_to_addrs("localhost", &places);
            }
            client.build().ok()
        });
        made.as_ref()
    }

    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let too_long = || HttpError::new(HttpErrorKind::Decode, TooLong);
        let max = self.limits.take_answer().ok_or_else(too_long)?;
        let host = request.uri().host().unwrap_or_default();
        let client = self.client(host).ok_or_else(|| {
            let what = std::io::Error::other("the system's certificates can't be used");
            HttpError::new(HttpErrorKind::Unknown, what)
        })?;
        let (head, body) = client.call(request).await?.into_parts();
        if !head.status.is_success() {
            let text = beginning(body).await?;
            return Ok(HttpResponse::from_parts(head, text.into()));
        }
        let limits = Arc::clone(&self.limits);
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        let body = Limited::new(body, max)
            .map_frame(move |frame| {
                limits.take_bytes(frame.data_ref().map_or(0, |data| data.len() as u64));
                frame
            })
            .map_err(move |error| match error.downcast::<HttpError>() {
                Ok(error) => *error,
                Err(_) => too_long(),
            });
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body)))
    }
}

impl HttpService for StoreClient {
    // As `async_trait` writes it.
    fn call<'life0, 'async_trait>(
        &'life0 self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.answer(request))
    }
}

/// Returns the beginning of a body as text; the rest is not read.
async fn beginning(body: HttpResponseBody) -> Result<String, HttpError> {
    let mut bytes = Vec::new();
    let mut pieces = body.bytes_stream();
    while let Some(piece) = pieces.try_next().await? {
        let left = MAX_FAILURE_BYTES - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(left)]);
        if bytes.len() == MAX_FAILURE_BYTES {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a redirect stays with the server that was asked.
fn is_followed(attempt: &Attempt<'_>) -> bool {
    let origin = |url: &Url| {
        let host = url.host_str().map(str::to_owned);
        (url.scheme().to_owned(), host, url.port_or_known_default())
    };
    let first = attempt.previous().first();
    attempt.previous().len() <= MAX_REDIRECTS
        && first.is_some_and(|first| origin(first) == origin(attempt.url()))
}

/// Whether a host is this machine, or one that is reached without any router: a proxy is another machine and can't reach it.
fn is_near(host: &str) -> bool {
    match Host::parse(host) {
        Ok(Host::Domain(name)) => matches!(
            name.as_str(),
            "localhost" | "metadata" | "metadata.google.internal"
        ),
        Ok(Host::Ipv4(address)) => address.is_loopback() || address.is_link_local(),
        Ok(Host::Ipv6(address)) => address.is_loopback() || address.is_unicast_link_local(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LIST_ANSWERS, MAX_LIST_BYTES, ReadLimits, is_near};

    #[test]
    fn servers_that_no_proxy_reaches_are_known() {
        for host in [
            "localhost",
            "LOCALHOST",
            "127.0.0.1",
            "127.9.9.9",
            "[::1]",
            "169.254.169.254",
            "169.254.170.2",
            "[fe80::1]",
            "metadata.google.internal",
        ] {
            assert!(is_near(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "10.0.0.1",
            "[2001:db8::1]",
        ] {
            assert!(!is_near(host), "{host}");
        }
    }

    #[test]
    fn a_list_is_limited_as_a_whole() {
        let limits = ReadLimits::new();
        limits.take_bytes(u64::MAX);
        assert!(limits.take_answer().is_some());
        limits.begin_list();
        assert_eq!(limits.take_answer(), Some(MAX_LIST_BYTES));
        limits.take_bytes(MAX_LIST_BYTES - 1);
        assert_eq!(limits.take_answer(), Some(1));
        limits.take_bytes(9);
        assert_eq!(limits.take_answer(), None);
        limits.begin_list();
        let n = std::iter::from_fn(|| limits.take_answer()).count();
        assert_eq!(n as u64, MAX_LIST_ANSWERS);
        limits.end_list();
        assert!(limits.take_answer().is_some());
    }
}
