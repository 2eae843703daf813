//! The way to a store: each step has a deadline, reads no more than it was told to, and overwrites nothing.
//!
//! A runtime lives as long as its [`Remote`] and has no thread but the caller's, save those that wait for files and
//! names of hosts.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{ClientOptions, HttpError, HttpErrorKind};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{
    BackoffConfig, Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload,
    RetryConfig,
};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, IF_NONE_MATCH};
use tokio::runtime::Runtime;

use super::connection::{ReadLimits, StoreConnector, TooLong};
use super::error::{RemoteError, RemoteFault};
use super::{Address, BundlePart, Scheme};

/// How often a caller's wish to stop is looked for.
const TICK: Duration = Duration::from_millis(50);

/// How many objects are under way at once.
const N_AT_ONCE: usize = 4;

/// The most objects that are listed.
const MAX_LISTED: usize = 100_000;

/// The longest name of an object that is looked at: the names of this program are shorter.
const MAX_NAME_BYTES: usize = 1_024;

/// The variable of the environment with the bearer token of a server of HTTP.
const TOKEN: &str = "CODELENS_REMOTE_TOKEN";

/// The use that a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteUse {
    /// A question waits: nothing is tried twice.
    Question,
    /// Somebody wants to read, list or delete.
    Reading,
    /// Somebody wants to upload: a directory that is not there is made.
    Writing,
}

/// When a step is given up.
#[derive(Clone, Debug)]
pub struct Deadline {
    until: Option<Instant>,
    stop: Arc<AtomicBool>,
}

impl Deadline {
    /// Returns the deadline of a step that may take `time`, or as long as it takes, until `stop` is set.
    pub fn new(time: Option<Duration>, stop: Arc<AtomicBool>) -> Self {
        let until = time.and_then(|time| Instant::now().checked_add(time));
        Self { until, stop }
    }

    /// Returns the deadline of a first step that may take half of the time that is left.
    #[must_use]
    pub fn half(&self) -> Self {
        let now = Instant::now();
        let half = |until: Instant| now + until.saturating_duration_since(now) / 2;
        Self {
            until: self.until.map(half),
            stop: Arc::clone(&self.stop),
        }
    }

    /// Waits until the step is to be given up, and returns why.
    pub(super) async fn passed(&self) -> RemoteFault {
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return RemoteFault::Cancelled;
            }
            let now = Instant::now();
            let left = self.until.map(|until| until.saturating_duration_since(now));
            if left == Some(Duration::ZERO) {
                return RemoteFault::TimedOut;
            }
            tokio::time::sleep(left.unwrap_or(TICK).min(TICK)).await;
        }
    }
}

/// The outcome of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// The object is new.
    New,
    /// There was one of that name, which stays as it is.
    Present,
}

/// An object of a store.
#[derive(Clone, Debug)]
pub struct RemoteObject {
    /// Its name.
    pub name: String,
    /// Its size, in bytes.
    pub bytes: u64,
    /// When it was written by the clock of the store, in milliseconds since the Unix epoch.
    pub modified_ms: i64,
}

/// The first object that is there of several names: its place among them, and its bytes; `None` where it is too long.
pub(super) type FirstObject = (usize, Option<Vec<u8>>);

/// A store that was opened. Nothing is connected to before the first step.
pub struct Remote {
    name: String,
    scheme: Scheme,
    store: Arc<dyn ObjectStore>,
    /// Of a server of HTTP: the same store, whose uploads are refused where there is an object of the name.
    creating: Option<Arc<dyn ObjectStore>>,
    limits: Arc<ReadLimits>,
    runtime: Option<Runtime>,
}

impl Remote {
    /// Opens a remote, with the credentials of its provider's environment.
    ///
    /// # Errors
    /// For an environment that can't be used, and a directory that is not there.
    pub fn open(name: &str, address: &Address, purpose: RemoteUse) -> Result<Self, RemoteError> {
        let fault = |fault| RemoteError {
            remote: name.to_owned(),
            doing: "open it",
            fault,
            code: None,
        };
        let limits = Arc::new(ReadLimits::new());
        let (store, creating) = connect(address, purpose, &limits).map_err(fault)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|_| fault(RemoteFault::Failed(None)))?;
        Ok(Self {
            name: name.to_owned(),
            scheme: address.scheme(),
            store,
            creating,
            limits,
            runtime: Some(runtime),
        })
    }

    /// Returns the name that the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether every store of its kind can list its objects; servers of plain HTTP seldom can.
    pub fn is_listable(&self) -> bool {
        self.scheme != Scheme::Http
    }

    /// Returns an object of at most `max_bytes`; `None` where there is none.
    pub fn get(
        &self,
        name: &str,
        max_bytes: u64,
        deadline: &Deadline,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        self.run("read an object", deadline, async {
            match read(&*self.store, name, max_bytes).await {
                Err(StepError::Store(Error::NotFound { .. })) => Ok(None),
                found => found.map(Some),
            }
        })
    }

    /// Returns the first of some objects that is there with its place among the names; `None` in place of its bytes where it is
    /// longer than `max_bytes`. Some are asked for at once.
    pub fn first_of(
        &self,
        names: &[String],
        max_bytes: u64,
        deadline: &Deadline,
    ) -> Result<Option<FirstObject>, RemoteError> {
        self.run("read an object", deadline, async {
            let mut found = futures_util::stream::iter(names)
                .map(|name| read(&*self.store, name, max_bytes))
                .buffered(2 * N_AT_ONCE)
                .enumerate();
            while let Some((at, found)) = found.next().await {
                match found {
                    Err(StepError::Store(Error::NotFound { .. })) => {}
                    Err(StepError::Object(_)) => return Ok(Some((at, None))),
                    found => return found.map(|bytes| Some((at, Some(bytes)))),
                }
            }
            Ok(None)
        })
    }

    /// Reads parts and gives them to `write` in order. Each is compared with its digest first.
    pub fn download(
        &self,
        parts: &[BundlePart],
        name: impl Fn(&str) -> String,
        mut write: impl FnMut(&[u8]) -> std::io::Result<()>,
        deadline: &Deadline,
    ) -> Result<(), RemoteError> {
        self.run("read an object", deadline, async {
            let mut read = futures_util::stream::iter(parts)
                .map(|part| {
                    let name = name(&part.digest);
                    async move {
                        let read = read(&*self.store, &name, part.bytes).await;
                        let bytes = read.map_err(|step| match step {
                            StepError::Store(Error::NotFound { .. }) => {
                                StepError::Ended(RemoteFault::PartIsGone)
                            }
                            other => other,
                        })?;
                        let digest = blake3::hash(&bytes);
                        if digest.to_hex().as_str() != part.digest {
                            return Err(StepError::Object("an object is not what its name says"));
                        }
                        Ok(bytes)
                    }
                })
                .buffered(N_AT_ONCE);
            while let Some(bytes) = read.try_next().await? {
                write(&bytes).map_err(StepError::Local)?;
            }
            Ok(())
        })
    }

    /// Whether all parts of a bundle are there, each as long as its manifest says.
    pub fn has_parts(
        &self,
        parts: &[BundlePart],
        name: impl Fn(&str) -> String,
        deadline: &Deadline,
    ) -> Result<bool, RemoteError> {
        let name = &name;
        self.run("look for an object", deadline, async {
            let mut found = futures_util::stream::iter(parts)
                .map(|part| async move {
                    let name = name(&part.digest);
                    match self.store.head(&Path::from(name.as_str())).await {
                        Ok(object) => Ok(object.size == part.bytes),
                        Err(Error::NotFound { .. }) => Ok(false),
                        Err(error) => Err(StepError::from(error)),
                    }
                })
                .buffer_unordered(N_AT_ONCE);
            while let Some(is_there) = found.try_next().await? {
                if !is_there {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Writes an object, unless there is one of that name.
    pub fn create(
        &self,
        name: &str,
        bytes: Vec<u8>,
        deadline: &Deadline,
    ) -> Result<Created, RemoteError> {
        self.run("write an object", deadline, self.put(name, bytes))
    }

    /// Writes the parts of a bundle that are not there yet, each as `part` reads it, and tells `on_part` how long it is and
    /// whether it was new.
    pub fn upload(
        &self,
        parts: &[BundlePart],
        name: impl Fn(&str) -> String,
        part: impl Fn(usize) -> std::io::Result<Vec<u8>>,
        on_part: impl Fn(u64, Created),
        deadline: &Deadline,
    ) -> Result<(), RemoteError> {
        let (name, part) = (&name, &part);
        self.run("write an object", deadline, async {
            let mut written = futures_util::stream::iter(parts.iter().enumerate())
                .map(|(at, wanted)| async move {
                    let name = name(&wanted.digest);
                    let is_there = self.store.head(&Path::from(name.as_str())).await;
                    if is_there.is_ok_and(|it| it.size == wanted.bytes) {
                        return Ok((wanted.bytes, Created::Present));
                    }
                    let created = self.put(&name, part(at).map_err(StepError::Local)?).await?;
                    if created == Created::Present {
                        // Put there meanwhile, or cut off by a store that writes piece by piece.
                        let there = self.store.head(&Path::from(name.as_str())).await?;
                        if there.size != wanted.bytes {
                            return Err(StepError::Object(
                                "a part of that name is there with another length; remove it with the tools of the store",
                            ));
                        }
                    }
                    Ok::<_, StepError>((wanted.bytes, created))
                })
                .buffer_unordered(N_AT_ONCE);
            while let Some((bytes, created)) = written.try_next().await? {
                on_part(bytes, created);
            }
            Ok(())
        })
    }

    /// Returns the objects whose names begin with `prefix` and a slash, and whether these are all: a list that takes longer than the
    /// deadline, or has more pages or bytes than are read, is cut off.
    pub fn list(
        &self,
        prefix: &str,
        deadline: &Deadline,
    ) -> Result<(Vec<RemoteObject>, bool), RemoteError> {
        let listed = RefCell::new(Vec::new());
        self.limits.begin_list();
        let ran = self.run("list its objects", deadline, async {
            let prefix = Path::from(prefix);
            let mut entries = self.store.list(Some(&prefix));
            while let Some(entry) = entries.try_next().await? {
                let mut listed = listed.borrow_mut();
                if listed.len() == MAX_LISTED {
                    return Ok(false);
                }
                if entry.location.as_ref().len() > MAX_NAME_BYTES {
                    continue;
                }
                listed.push(RemoteObject {
                    name: entry.location.to_string(),
                    bytes: entry.size,
                    modified_ms: entry.last_modified.timestamp_millis(),
                });
            }
            Ok(true)
        });
        self.limits.end_list();
        let listed = listed.into_inner();
        match ran {
            Ok(is_whole) => Ok((listed, is_whole)),
            Err(error)
                if matches!(error.fault, RemoteFault::TimedOut | RemoteFault::Object(_))
                    && !listed.is_empty() =>
            {
                Ok((listed, false))
            }
            // A directory that was never written to.
            Err(error) if error.fault == RemoteFault::NoStore && self.scheme == Scheme::File => {
                Ok((Vec::new(), true))
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes an object; one that is not there is deleted already.
    pub fn delete(&self, name: &str, deadline: &Deadline) -> Result<(), RemoteError> {
        self.run("delete an object", deadline, async {
            match self.store.delete(&Path::from(name)).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(error.into()),
            }
        })
    }

    async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<Created, StepError> {
        let path = Path::from(name);
        let payload = PutPayload::from(bytes);
        let put = if let Some(creating) = &self.creating {
            // A server that does not know the condition would overwrite.
            if self.store.head(&path).await.is_ok() {
                return Ok(Created::Present);
            }
            creating
                .put_opts(&path, payload, PutOptions::default())
                .await
        } else {
            let options = PutOptions::from(PutMode::Create);
            self.store.put_opts(&path, payload, options).await
        };
        match put {
            Ok(_) => Ok(Created::New),
            Err(
                Error::AlreadyExists { .. }
                | Error::Precondition { .. }
                | Error::NotModified { .. },
            ) => Ok(Created::Present),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs a step until it ends or its deadline passes.
    fn run<T>(
        &self,
        doing: &'static str,
        deadline: &Deadline,
        step: impl Future<Output = Result<T, StepError>>,
    ) -> Result<T, RemoteError> {
        let runtime = self.runtime.as_ref().expect("it goes with the remote");
        let ended = runtime.block_on(async {
            tokio::select! {
                ended = step => ended,
                fault = deadline.passed() => Err(StepError::Ended(fault)),
            }
        });
        ended.map_err(|step| {
            let (fault, code) = step.fault(self.scheme);
            RemoteError {
                remote: self.name.clone(),
                doing,
                fault,
                code,
            }
        })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // A thread that waits for a name or a file is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Why a step did not end well.
enum StepError {
    Store(Error),
    Object(&'static str),
    Local(std::io::Error),
    Ended(RemoteFault),
}

impl From<Error> for StepError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl StepError {
    /// Returns the class of the fault and the store's word for it.
    fn fault(self, scheme: Scheme) -> (RemoteFault, Option<String>) {
        let error = match self {
            Self::Store(error) => error,
            Self::Object(what) => return (RemoteFault::Object(what.to_owned()), None),
            Self::Local(error) => return (RemoteFault::Local(error.kind()), None),
            Self::Ended(fault) => return (fault, None),
        };
        let text = error.to_string();
        let code = code_in(&text);
        let fault = match &error {
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. }
                if scheme != Scheme::File =>
            {
                RemoteFault::Forbidden
            }
            Error::NotImplemented { .. } | Error::NotSupported { .. } => RemoteFault::Unsupported,
            Error::NotFound { .. } => RemoteFault::NoStore,
            _ => fault_of(&error, &text),
        };
        (fault, code)
    }
}

fn fault_of(error: &Error, text: &str) -> RemoteFault {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<HttpError>() {
            if std::error::Error::source(error)
                .is_some_and(<dyn std::error::Error + 'static>::is::<TooLong>)
            {
                return RemoteFault::Object(TooLong.to_string());
            }
            return match error.kind() {
                HttpErrorKind::Connect => RemoteFault::Unreachable,
                HttpErrorKind::Timeout => RemoteFault::TimedOut,
                _ => RemoteFault::Failed(None),
            };
        }
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            use std::io::ErrorKind as Kind;
            return match error.kind() {
                Kind::NotFound | Kind::NotADirectory => RemoteFault::NoStore,
                Kind::StorageFull
                | Kind::QuotaExceeded
                | Kind::PermissionDenied
                | Kind::ReadOnlyFilesystem => RemoteFault::Disk,
                _ => RemoteFault::Failed(None),
            };
        }
        cause = error.source();
    }
    match status_in(text) {
        Some(401 | 403) => RemoteFault::Forbidden,
        Some(404) => RemoteFault::NoStore,
        Some(300..=399) => RemoteFault::Redirected,
        Some(405 | 501) => RemoteFault::Unsupported,
        status => RemoteFault::Failed(status),
    }
}

/// Returns the status of HTTP that a message names.
fn status_in(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

/// Returns the word of an error that S3, Google and Azure put in their answers: `<Code>AccessDenied</Code>`. Letters alone are
/// taken, and few of them.
fn code_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let is_word = (1..=40).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphabetic());
    is_word.then(|| code.to_owned())
}

async fn read(store: &dyn ObjectStore, name: &str, max_bytes: u64) -> Result<Vec<u8>, StepError> {
    const TOO_LONG: StepError = StepError::Object("an object is longer than it may be");
    let found = store.get(&Path::from(name)).await?;
    if found.meta.size > max_bytes {
        return Err(TOO_LONG);
    }
    let mut bytes = Vec::new();
    let mut pieces = found.into_stream();
    while let Some(piece) = pieces.try_next().await? {
        if (bytes.len() + piece.len()) as u64 > max_bytes {
            return Err(TOO_LONG);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// A store, and the same for uploads where that is another one.
type Connected = (Arc<dyn ObjectStore>, Option<Arc<dyn ObjectStore>>);

fn connect(
    address: &Address,
    purpose: RemoteUse,
    limits: &Arc<ReadLimits>,
) -> Result<Connected, RemoteFault> {
    let connector = |headers| StoreConnector {
        headers,
        limits: Arc::clone(limits),
    };
    if address.scheme() != Scheme::File {
        // The first one stays; a second time it is there already.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
    let prefix = address
        .prefix()
        .ok_or(RemoteFault::Configuration("its path is not UTF-8"))?;
    let unusable = |what| move |_: Error| RemoteFault::Configuration(what);
    let store: Arc<dyn ObjectStore> = match address.scheme() {
        Scheme::S3 => {
            let builder = AmazonS3Builder::from_env()
                .with_http_connector(connector(HeaderMap::new()))
                .with_bucket_name(address.bucket())
                .with_retry(retries(purpose));
            let options = options(is_on("AWS_ALLOW_HTTP"));
            let store = builder.with_client_options(options).build();
            let what = "the variables AWS_… of the environment can't be used";
            below(prefix, store.map_err(unusable(what))?)
        }
        Scheme::Gs => {
            let builder = GoogleCloudStorageBuilder::from_env()
                .with_http_connector(connector(HeaderMap::new()))
                .with_bucket_name(address.bucket())
                .with_retry(retries(purpose));
            // The provider's own address of instances is http.
            let store = builder.with_client_options(options(true)).build();
            let what = "the variables GOOGLE_… of the environment, or the file that they name, can't be used";
            below(prefix, store.map_err(unusable(what))?)
        }
        Scheme::Az => {
            let builder = MicrosoftAzureBuilder::from_env()
                .with_http_connector(connector(HeaderMap::new()))
                .with_container_name(address.bucket())
                .with_retry(retries(purpose));
            let allow = is_on("AZURE_STORAGE_USE_EMULATOR") || is_on("AZURE_ALLOW_HTTP");
            let store = builder.with_client_options(options(allow)).build();
            let what = "the variables AZURE_… of the environment can't be used: the name of the account comes from there";
            below(prefix, store.map_err(unusable(what))?)
        }
        Scheme::Http => {
            let server = |creates: bool| -> Result<Arc<dyn ObjectStore>, RemoteFault> {
                let mut headers = HeaderMap::new();
                if creates {
                    headers.insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
                }
                if let Some(token) = token()? {
                    headers.insert(AUTHORIZATION, token);
                }
                let store = HttpBuilder::new()
                    .with_url(address.url().as_str())
                    .with_client_options(options(address.is_plain()))
                    .with_http_connector(connector(headers))
                    .with_retry(retries(purpose))
                    .build();
                Ok(Arc::new(
                    store.map_err(unusable("its address can't be used"))?,
                ))
            };
            return Ok((server(false)?, Some(server(true)?)));
        }
        Scheme::File => {
            let directory = address.directory().ok_or(RemoteFault::NoStore)?;
            if purpose == RemoteUse::Writing {
                std::fs::create_dir_all(&directory).map_err(|_| RemoteFault::Disk)?;
            }
            let store = LocalFileSystem::new_with_prefix(directory);
            Arc::new(store.map_err(|_| RemoteFault::NoStore)?.with_fsync(true))
        }
    };
    Ok((store, None))
}

fn below(prefix: String, store: impl ObjectStore) -> Arc<dyn ObjectStore> {
    if prefix.is_empty() {
        Arc::new(store)
    } else {
        Arc::new(PrefixStore::new(store, prefix))
    }
}

/// Returns the option that [`StoreConnector`] reads; all others are the same for each store.
fn options(allow_http: bool) -> ClientOptions {
    ClientOptions::new().with_allow_http(allow_http)
}

fn retries(purpose: RemoteUse) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(200),
            max_backoff: Duration::from_secs(2),
            base: 2.0,
        },
        max_retries: match purpose {
            RemoteUse::Question => 0,
            RemoteUse::Reading | RemoteUse::Writing => 3,
        },
        retry_timeout: Duration::from_secs(20),
    }
}

fn is_on(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|it| matches!(it.as_str(), "1" | "true" | "True" | "TRUE"))
}

/// Returns the credential for a server of HTTP.
fn token() -> Result<Option<HeaderValue>, RemoteFault> {
    let Some(token) = std::env::var_os(TOKEN).filter(|it| !it.is_empty()) else {
        return Ok(None);
    };
    let header = token
        .to_str()
        .and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    let Some(mut header) = header else {
        let what = "CODELENS_REMOTE_TOKEN holds characters that no header may have";
        return Err(RemoteFault::Configuration(what));
    };
    header.set_sensitive(true);
    Ok(Some(header))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::{Created, Deadline, Remote, RemoteUse, code_in, status_in};
    use crate::remote::{Address, BundlePart, RemoteFault};

    fn patient() -> Deadline {
        Deadline::new(None, Arc::default())
    }

    fn in_directory(directory: &std::path::Path) -> Remote {
        let address = format!("file://{}/a%20b", directory.display());
        Remote::open(
            "team",
            &Address::parse(&address).unwrap(),
            RemoteUse::Writing,
        )
        .unwrap()
    }

    #[test]
    fn objects_of_a_directory_are_written_once() {
        let directory = tempfile::tempdir().unwrap();
        let remote = in_directory(directory.path());
        let wait = patient();
        assert_eq!(remote.get("x/1", 9, &wait).unwrap(), None);
        assert!(remote.list("x", &wait).unwrap().0.is_empty());
        let create = |text: &str| remote.create("x/1", text.into(), &wait).unwrap();
        assert_eq!(
            (create("one"), create("two")),
            (Created::New, Created::Present)
        );
        assert_eq!(remote.get("x/1", 9, &wait).unwrap().unwrap(), b"one");
        let long = remote.get("x/1", 2, &wait).unwrap_err();
        assert!(long.to_string().contains("longer"), "{long}");
        let (listed, is_whole) = remote.list("x", &wait).unwrap();
        assert_eq!((listed.len(), is_whole), (1, true));
        assert_eq!((listed[0].name.as_str(), listed[0].bytes), ("x/1", 3));
        remote.delete("x/1", &wait).unwrap();
        remote.delete("x/1", &wait).unwrap();
        assert_eq!(remote.get("x/1", 9, &wait).unwrap(), None);
    }

    #[test]
    fn parts_are_those_that_their_names_say() {
        let directory = tempfile::tempdir().unwrap();
        let remote = in_directory(directory.path());
        let wait = patient();
        let texts = ["one", "two", "three", "four", "five", "six"];
        let parts: Vec<BundlePart> = texts
            .iter()
            .map(|text| BundlePart {
                digest: blake3::hash(text.as_bytes()).to_hex().to_string(),
                bytes: text.len() as u64,
            })
            .collect();
        let name = |digest: &str| format!("p/{digest}");
        let n_new = std::cell::Cell::new(0);
        for n in [6, 6] {
            let count = |_, created| n_new.set(n_new.get() + u32::from(created == Created::New));
            let text = |at: usize| Ok(texts[at].as_bytes().to_vec());
            remote.upload(&parts, name, text, count, &wait).unwrap();
            assert_eq!(n_new.get(), n, "a second time nothing is uploaded");
        }
        let read = || {
            let mut read = Vec::new();
            let write = |bytes: &[u8]| {
                read.extend_from_slice(bytes);
                Ok(())
            };
            remote.download(&parts, name, write, &wait).map(|()| read)
        };
        assert_eq!(read().unwrap(), texts.concat().as_bytes());
        let place = directory.path().join("a b").join(name(&parts[3].digest));
        for (bytes, part) in [
            ("foul", "not what"),
            ("fou", "not what"),
            ("fourth", "longer"),
        ] {
            std::fs::write(&place, bytes).unwrap();
            let said = read().unwrap_err().to_string();
            assert!(said.contains(part), "{said}");
        }
        std::fs::remove_file(&place).unwrap();
        let said = read().unwrap_err().to_string();
        assert!(said.contains("its manifest names is not there"), "{said}");
    }

    #[test]
    fn a_store_that_hangs_costs_its_deadline() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/x", server.local_addr().unwrap());
        let remote = Remote::open(
            "slow",
            &Address::parse(&address).unwrap(),
            RemoteUse::Question,
        )
        .unwrap();
        let begun = Instant::now();
        let short = Deadline::new(Some(Duration::from_millis(200)), Arc::default());
        let error = remote.get("x", 9, &short).unwrap_err();
        assert_eq!(error.fault, RemoteFault::TimedOut);
        assert!(error.to_string().contains("`slow`"), "{error}");
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{:?}",
            begun.elapsed()
        );
        let stop = Arc::new(AtomicBool::new(false));
        stop.store(true, Ordering::Relaxed);
        let stopped = remote.get("x", 9, &Deadline::new(None, stop)).unwrap_err();
        assert_eq!(stopped.fault, RemoteFault::Cancelled);
        drop(server);
        let refused = remote.get("x", 9, &patient()).unwrap_err();
        assert_eq!(refused.fault, RemoteFault::Unreachable);
    }

    #[test]
    fn nothing_but_a_word_of_a_store_is_repeated() {
        let text = "Server returned non-2xx status code: 403 Forbidden: <Error><Code>AccessDenied</Code><Key>AKIA</Key>";
        assert_eq!(status_in(text), Some(403));
        assert_eq!(code_in(text).unwrap(), "AccessDenied");
        for text in [
            "",
            "<Code></Code>",
            "<Code>a b</Code>",
            "<Code>\u{1b}[31m</Code>",
            "<Code>AKIA99</Code>",
        ] {
            assert_eq!(code_in(text), None, "{text}");
        }
    }
}
