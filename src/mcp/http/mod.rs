//! The protocol over HTTP, for clients that did not start this process: connections, their limits and how they end.

mod api;
mod gate;
mod sessions;
mod token;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

pub(super) use gate::repository;
pub use token::AccessToken;

use super::call;
use super::ending::{self, GRACE, Lifetime, WIND_DOWN};
use super::message::{self, ParsedMessage};
use super::{Server, Shared};
use crate::error::{Code, Error, Result};
use crate::tools::ToolSpec;
use crate::workspace::Workspaces;
use api::PlainRoutes;
use gate::{API, HttpRefusal, RequestGate};
use sessions::LastUsed;

/// The most connections at the same time; more wait to be accepted.
const MAX_CONNECTIONS: usize = 256;

/// The most requests that are being taken at the same time; more are told to come later.
const MAX_REQUESTS: usize = 64;

/// The most sessions of clients that open one; one more, and the longest silent is forgotten.
const MAX_SESSIONS: usize = 256;

/// How long a session may be silent before it is forgotten.
const SESSION_REST: Duration = Duration::from_hours(24);

/// How long the head of a request may take, and a connection may be silent between two.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// How long the body of a request may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// How much of a body that is too long is still taken, so that its sender comes to read why it is refused.
const MAX_DRAINED: usize = 4 * message::MAX_BYTES;

/// The header that names a session.
const SESSION: &str = "mcp-session-id";

/// The most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 32 * 1024;

/// The body of a response.
type Body = BoxBody<Bytes, Infallible>;

/// Where a server listens, and to whom.
#[derive(Clone, Debug)]
pub struct Listen {
    /// The address; with port 0 the system chooses one.
    pub address: SocketAddr,
    /// Names by which clients may call it, besides those of this machine: `HOST` or `HOST:PORT`.
    pub hosts: Vec<String>,
    /// The secret that every request has to show.
    pub token: AccessToken,
}

/// Serves the tools over HTTP until the process is asked to end. `tell` is called once it listens, with
/// the address. `workspaces` says which repositories there are.
///
/// # Errors
/// `io` where the address can't be listened on or the runtime can't be started.
pub fn serve(
    tools: Vec<ToolSpec>,
    workspaces: Workspaces,
    listen: &Listen,
    tell: impl FnOnce(SocketAddr),
) -> Result<()> {
    let names = workspaces
        .served()
        .map(|served| served.names().map(str::to_owned).collect())
        .unwrap_or_default();
    let lifetime = Lifetime::default();
    let shared = Arc::new(Shared::new(tools, workspaces, lifetime.clone()));
    let routes = PlainRoutes::new(Arc::clone(&shared));
    let ended = Arc::clone(&shared);
    let make = move || Server::new(Arc::clone(&shared), None, None);
    let outcome = ending::run(run(make, routes, lifetime, names, listen, tell));
    ended.workspaces.flush_usage();
    outcome
}

async fn run(
    make: impl Fn() -> Server + Send + Sync + 'static,
    routes: PlainRoutes,
    lifetime: Lifetime,
    names: Vec<String>,
    listen: &Listen,
    tell: impl FnOnce(SocketAddr),
) -> Result<()> {
    let (listener, address) = bind(listen.address).await?;
    let mut config = StreamableHttpServerConfig::default().disable_allowed_hosts();
    config.max_request_body_bytes = message::MAX_BYTES;
    let streams = config.cancellation_token.clone();
    let mut sessions = LocalSessionManager::default();
    sessions.session_config = SessionConfig::default();
    sessions.session_config.keep_alive = Some(SESSION_REST);
    let sessions = Arc::new(sessions);
    let service = Arc::new(HttpService {
        gate: RequestGate::new(address, &listen.hosts, names, listen.token.clone()),
        service: StreamableHttpService::new(move || Ok(make()), Arc::clone(&sessions), config),
        sessions,
        last_used: LastUsed::default(),
        routes,
        room: Semaphore::new(MAX_REQUESTS),
    });
    tell(address);

    let mut connections = JoinSet::new();
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut ending = std::pin::pin!(ending::asked_to_end());
    loop {
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await;
            (listener.accept().await, place)
        };
        tokio::select! {
            () = &mut ending => break,
            (accepted, place) = accepted => match accepted {
                Ok((stream, _)) => {
                    let connection = serve_connection(Arc::clone(&service), stream, lifetime.clone());
                    connections.spawn(async move {
                        connection.await;
                        drop(place);
                    });
                }
                Err(error) => {
                    // Mostly too many open files: time heals it.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
    drop(listener);
    lifetime.closing.cancel();
    let ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, ended).await.is_err() {
        lifetime.stopping.cancel();
        streams.cancel();
        let ended = async { while connections.join_next().await.is_some() {} };
        drop(tokio::time::timeout(WIND_DOWN, ended).await);
    }
    Ok(())
}

async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr)> {
    let bound = async {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok::<_, std::io::Error>((listener, address))
    };
    bound.await.map_err(|error| {
        Error::new(
            Code::Io,
            format!("the server can't listen on {address}: {error}"),
            "choose another address or port; port 0 takes a free one",
        )
    })
}

async fn serve_connection(service: Arc<HttpService>, stream: TcpStream, lifetime: Lifetime) {
    drop(stream.set_nodelay(true));
    let service = hyper::service::service_fn(move |request| {
        let service = Arc::clone(&service);
        async move { Ok::<_, Infallible>(service.answer(request).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = lifetime.closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

/// The checks and limits that a request passes through.
struct HttpService {
    gate: RequestGate,
    service: StreamableHttpService<Server, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    last_used: LastUsed,
    /// The tools without the protocol.
    routes: PlainRoutes,
    room: Semaphore,
}

impl HttpService {
    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let refusal = self.gate.check(&head).err();
        if let Some(HttpRefusal::Token) = refusal
            && api::is_health(&head)
        {
            return api::health_of_a_stranger();
        }
        if let Some(refusal) = refusal {
            let (status, error) = refusal.answer();
            tracing::debug!(%status, "a request was sent away");
            let mut answer = failure(status, &error);
            if refusal == HttpRefusal::Token {
                let bearer = HeaderValue::from_static("Bearer realm=\"codelens\"");
                answer
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, bearer);
            }
            return answer;
        }
        let Ok(_room) = self.room.try_acquire() else {
            return later();
        };
        if head.uri.path().starts_with(API) {
            let open = self.sessions.sessions.read().await.len();
            return match read_body(body).await {
                Ok(bytes) => self.routes.answer(&head, &bytes, open).await,
                Err(answer) => *answer,
            };
        }
        let session = head.headers.get(SESSION).and_then(|id| id.to_str().ok());
        if let Some(id) = session {
            self.last_used.used(id);
        }
        if head.method != Method::POST {
            let is_end = head.method == Method::DELETE;
            let empty = Full::new(Bytes::new());
            let mut answer = self.service.handle(Request::from_parts(head, empty)).await;
            // It has ended: there are clients that take anything else for a failure.
            if is_end && answer.status() == StatusCode::ACCEPTED {
                *answer.status_mut() = StatusCode::NO_CONTENT;
            }
            return answer;
        }
        let bytes = match read_body(body).await {
            Ok(bytes) => bytes,
            Err(answer) => return *answer,
        };
        match message::read(&bytes) {
            ParsedMessage::Messages(messages) => {
                let [message] = messages.as_slice() else {
                    return refuse(&message::refusal(
                        None,
                        ErrorCode::INVALID_REQUEST,
                        "one message a request: lists of them went with revision 2025-06-18"
                            .to_owned(),
                    ));
                };
                if opens_session(message) {
                    self.make_room().await;
                }
            }
            ParsedMessage::Refused(refusal) => return refuse(&refusal),
            // An invalid notification needs a status, too.
            ParsedMessage::Nothing => {
                let error = Error::invalid(
                    "the body holds no message",
                    "send one message of JSON-RPC as the body",
                );
                return failure(StatusCode::BAD_REQUEST, &error);
            }
        }
        let body = Full::new(bytes);
        let answer = self.service.handle(Request::from_parts(head, body)).await;
        let opened = answer.headers().get(SESSION);
        if let Some(id) = opened.and_then(|id| id.to_str().ok()) {
            self.last_used.opened(id);
        }
        answer
    }

    /// Forgets sessions until there is room for one more.
    async fn make_room(&self) {
        loop {
            let oldest = {
                let open = self.sessions.sessions.read().await;
                if open.len() < MAX_SESSIONS {
                    return;
                }
                self.last_used.longest_silent(|id| open.contains_key(id))
            };
            let Some(oldest) = oldest else { return };
            if let Err(error) = self.sessions.close_session(&oldest.into()).await {
                tracing::debug!(%error, "a session did not end well");
            }
        }
    }
}

fn opens_session(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, ClientJsonRpcMessage::Request(request)
        if matches!(request.request, ClientRequest::InitializeRequest(_)))
}

/// Returns a body that is neither too long nor too slow, or the answer to one that is.
async fn read_body(mut body: Incoming) -> std::result::Result<Bytes, Box<Response<Body>>> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let reading = async {
        let mut read = Vec::with_capacity(announced.min(message::MAX_BYTES));
        let mut n_bytes = 0;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame?.into_data() else {
                continue;
            };
            n_bytes += data.len();
            if n_bytes <= message::MAX_BYTES {
                read.extend_from_slice(&data);
            } else if n_bytes > MAX_DRAINED {
                break;
            }
        }
        Ok::<_, hyper::Error>((read, n_bytes))
    };
    match tokio::time::timeout(BODY_TIMEOUT, reading).await {
        Ok(Ok((read, n_bytes))) if n_bytes <= message::MAX_BYTES => Ok(read.into()),
        Ok(Ok(_)) => Err(Box::new(refuse_with(
            StatusCode::PAYLOAD_TOO_LARGE,
            &message::too_long(),
        ))),
        Ok(Err(_)) => Err(Box::new(broken(
            StatusCode::BAD_REQUEST,
            "the body broke off",
        ))),
        Err(_) => Err(Box::new(broken(
            StatusCode::REQUEST_TIMEOUT,
            "the body took too long",
        ))),
    }
}

fn broken(status: StatusCode, message: &'static str) -> Response<Body> {
    let error = Error::new(Code::Io, message, "send the request again");
    failure(status, &error)
}

fn refuse(refusal: &ServerJsonRpcMessage) -> Response<Body> {
    let is_unknown = matches!(refusal, ServerJsonRpcMessage::Error(error)
        if error.error.code == ErrorCode::METHOD_NOT_FOUND);
    let status = if is_unknown {
        StatusCode::NOT_FOUND
    } else {
        StatusCode::BAD_REQUEST
    };
    refuse_with(status, refusal)
}

fn refuse_with(status: StatusCode, refusal: &ServerJsonRpcMessage) -> Response<Body> {
    let body = serde_json::to_vec(refusal).expect("an error is plain data");
    answer(status, "application/json", body)
}

fn later() -> Response<Body> {
    let error = Error::new(
        Code::Refused,
        "too many requests at the same time",
        "send it again in a second",
    );
    let mut answer = failure(StatusCode::SERVICE_UNAVAILABLE, &error);
    let seconds = HeaderValue::from_static("1");
    answer.headers_mut().insert(header::RETRY_AFTER, seconds);
    answer
}

/// The answer to a request that fails: `{"error": {"code", "message", "hint"}}`.
fn failure(status: StatusCode, error: &Error) -> Response<Body> {
    let body = call::told(error).to_string().into_bytes();
    answer(status, "application/json", body)
}

fn answer(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response<Body> {
    let mut answer = Response::new(Full::new(Bytes::from(body)).boxed());
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert(header::CONTENT_TYPE, kind);
    answer
}
