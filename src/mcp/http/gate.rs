//! Who may come in: the checks that stand before the protocol.
//!
//! Checks the headers `Host` and `Origin`, and the token.

use std::net::{IpAddr, SocketAddr};

use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::http::request::Parts;
use hyper::http::uri::{Authority, Uri};

use super::token::AccessToken;
use crate::error::{Code, Error};

/// Where the protocol is spoken; below it, the name of a repository may stand.
pub(super) const PATH: &str = "/mcp";

/// Below it are the plain routes.
pub(super) const API: &str = "/api/v1/";

/// The rules for a request's token, host and origin.
pub(super) struct RequestGate {
    /// The address that the server listens on.
    address: SocketAddr,
    /// Names that were given for it, lower case.
    hosts: Vec<String>,
    /// The names of the repositories that have an address of their own.
    names: Vec<String>,
    token: AccessToken,
}

/// Why somebody is sent away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpRefusal {
    Host,
    Origin,
    Path,
    Token,
}

impl HttpRefusal {
    /// Returns the status and the error of the answer.
    pub(super) fn answer(self) -> (StatusCode, Error) {
        let refused = |message, hint| Error::new(Code::Refused, message, hint);
        match self {
            Self::Host => (
                StatusCode::FORBIDDEN,
                refused(
                    "the Host header names another server",
                    "use an address of this server; another name of it is allowed by `codelens serve --allow-host NAME`",
                ),
            ),
            Self::Origin => (
                StatusCode::FORBIDDEN,
                refused(
                    "pages of this origin may not ask here",
                    "ask from a page of this machine, or allow the name by `codelens serve --allow-host NAME`",
                ),
            ),
            Self::Path => (
                StatusCode::NOT_FOUND,
                Error::new(
                    Code::PathNotFound,
                    "nothing is at this address",
                    "the protocol is spoken at /mcp, and at /mcp/NAME for one of several repositories; plain requests go to /api/v1/REPOSITORY/TOOL",
                ),
            ),
            Self::Token => (
                StatusCode::UNAUTHORIZED,
                refused(
                    "a token is needed",
                    "send `Authorization: Bearer TOKEN` with the one that `codelens serve --http` showed or named at its start",
                ),
            ),
        }
    }
}

impl RequestGate {
    pub(super) fn new(
        address: SocketAddr,
        hosts: &[String],
        names: Vec<String>,
        token: AccessToken,
    ) -> Self {
        let hosts = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        Self {
            address,
            hosts,
            names,
            token,
        }
    }

    /// Checks everything that can be known before the body is read. The Host comes first: a page that was
    /// led here by a name of its own learns nothing, not even that a token is missing.
    pub(super) fn check(&self, request: &Parts) -> Result<(), HttpRefusal> {
        let Ok(host) = only(&request.headers, HOST) else {
            return Err(HttpRefusal::Host);
        };
        let named = [
            host.map(parse_authority),
            request.uri.authority().cloned().map(Some),
        ];
        let mut named = named.into_iter().flatten().peekable();
        if named.peek().is_none() || !named.all(|host| host.is_some_and(|host| self.is_host(&host)))
        {
            return Err(HttpRefusal::Host);
        }
        match only(&request.headers, ORIGIN) {
            Ok(None) => {}
            Ok(Some(origin)) if self.is_origin(origin) => {}
            _ => return Err(HttpRefusal::Origin),
        }
        if !self.is_path(request.uri.path()) {
            return Err(HttpRefusal::Path);
        }
        let shown = only(&request.headers, AUTHORIZATION).ok().flatten();
        let shown = shown.and_then(bearer).unwrap_or_default();
        if self.token.is(shown.as_bytes()) {
            Ok(())
        } else {
            Err(HttpRefusal::Token)
        }
    }

    fn is_path(&self, path: &str) -> bool {
        match repository(path) {
            Some(name) => self.names.iter().any(|known| known == name),
            None => path == PATH || path.starts_with(API),
        }
    }

    fn is_host(&self, host: &Authority) -> bool {
        // Any port will do: a tunnel has one of its own, and no page can choose the name.
        self.is_name(host.host()) || self.is_given(host)
    }

    /// Returns whether a page's origin is this machine, whichever port the page came from, or a name that
    /// was given.
    fn is_origin(&self, origin: &str) -> bool {
        let Ok(uri) = origin.parse::<Uri>() else {
            return false;
        };
        let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
        let is_bare = uri.path() == "/" || uri.path().is_empty();
        uri.authority().is_some_and(|host| {
            is_web && is_bare && (self.is_name(host.host()) || self.is_given(host))
        })
    }

    /// Returns whether a name can't be led here by somebody else's name server: it is of this machine, or
    /// the very address.
    fn is_name(&self, name: &str) -> bool {
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let Ok(ip) = bare.unwrap_or(name).parse::<IpAddr>() else {
            return false;
        };
        ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified()
    }

    fn is_given(&self, host: &Authority) -> bool {
        let whole = host.as_str().to_ascii_lowercase();
        let name = host.host().to_ascii_lowercase();
        self.hosts
            .iter()
            .any(|known| *known == whole || *known == name)
    }
}

/// Returns the name of the repository that a path is about.
pub(in crate::mcp) fn repository(path: &str) -> Option<&str> {
    path.strip_prefix(PATH)?.strip_prefix('/')
}

/// Returns the value of a header that may be there once, as text.
fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        (Some(_), Some(_)) => Err(()),
    }
}

fn parse_authority(host: &str) -> Option<Authority> {
    // Names and passwords are no part of a Host header.
    host.parse().ok().filter(|_| !host.contains('@'))
}

fn bearer(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::super::token::AccessToken;
    use super::{HttpRefusal, RequestGate};

    const SECRET: &str = "0123456789abcdef";

    fn gate(address: &str, hosts: &[&str]) -> RequestGate {
        let hosts: Vec<_> = hosts.iter().map(ToString::to_string).collect();
        let token = AccessToken::of(SECRET).unwrap();
        RequestGate::new(
            address.parse().unwrap(),
            &hosts,
            vec!["core".to_owned()],
            token,
        )
    }

    fn check(gate: &RequestGate, uri: &str, headers: &[(&str, &str)]) -> Result<(), HttpRefusal> {
        let mut request = Request::post(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        gate.check(&request.body(()).unwrap().into_parts().0)
    }

    fn host(gate: &RequestGate, name: &str) -> Result<(), HttpRefusal> {
        let token = format!("Bearer {SECRET}");
        check(gate, "/mcp", &[("host", name), ("authorization", &token)])
    }

    #[test]
    fn only_names_of_this_machine_are_this_server() {
        let gate = gate("127.0.0.1:7000", &[]);
        for name in [
            "127.0.0.1:7000",
            "localhost:7000",
            "LOCALHOST",
            "[::1]:7000",
            "127.0.0.2:7000",
            "localhost:80",
        ] {
            assert_eq!(host(&gate, name), Ok(()), "{name}");
        }
        for name in [
            "",
            "evil.example",
            "evil.example:7000",
            "localhost.evil.example:7000",
            "10.0.0.1:7000",
            "localhost@evil.example",
            "a@localhost:7000",
            "127.0.0.1.evil.example",
        ] {
            assert_eq!(host(&gate, name), Err(HttpRefusal::Host), "{name}");
        }
        let token = format!("Bearer {SECRET}");
        let twice = [
            ("host", "localhost"),
            ("host", "evil.example"),
            ("authorization", &token),
        ];
        assert_eq!(check(&gate, "/mcp", &twice), Err(HttpRefusal::Host));
        assert_eq!(
            check(&gate, "/mcp", &[("authorization", &token)]),
            Err(HttpRefusal::Host)
        );
        let both = [
            ("host", "localhost:7000"),
            ("authorization", token.as_str()),
        ];
        assert_eq!(
            check(&gate, "http://evil.example/mcp", &both),
            Err(HttpRefusal::Host)
        );
    }

    #[test]
    fn an_open_address_takes_numbers_and_the_names_that_were_given() {
        let gate = gate("0.0.0.0:7000", &["Code.example", "proxy.example:443"]);
        for name in [
            "10.0.0.1:7000",
            "[fe80::1]:7000",
            "code.example",
            "CODE.example:7000",
            "proxy.example:443",
        ] {
            assert_eq!(host(&gate, name), Ok(()), "{name}");
        }
        for name in ["evil.example:7000", "proxy.example", "proxy.example:7000"] {
            assert_eq!(host(&gate, name), Err(HttpRefusal::Host), "{name}");
        }
    }

    #[test]
    fn a_page_from_elsewhere_may_not_ask() {
        let gate = gate("127.0.0.1:7000", &["code.example"]);
        let token = format!("Bearer {SECRET}");
        let from = |origin| {
            let headers = [
                ("host", "localhost:7000"),
                ("origin", origin),
                ("authorization", &token),
            ];
            check(&gate, "/mcp", &headers)
        };
        for origin in [
            "http://localhost:5173",
            "https://127.0.0.1",
            "http://[::1]:1",
            "https://code.example",
        ] {
            assert_eq!(from(origin), Ok(()), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://localhost.evil.example",
            "file://localhost",
            "http://localhost:7000/path",
            "http://10.0.0.1:7000",
        ] {
            assert_eq!(from(origin), Err(HttpRefusal::Origin), "{origin}");
        }
    }

    #[test]
    fn without_the_token_nobody_comes_in() {
        let gate = gate("127.0.0.1:7000", &[]);
        let with = |header: &str| {
            let headers = [("host", "localhost:7000"), ("authorization", header)];
            check(&gate, "/mcp", &headers)
        };
        assert_eq!(with("bearer 0123456789abcdef"), Ok(()));
        for header in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcdeg",
            "Basic 0123456789abcdef",
            SECRET,
        ] {
            assert_eq!(with(header), Err(HttpRefusal::Token), "{header}");
        }
        let headers = [
            ("host", "localhost"),
            ("authorization", "Bearer 0123456789abcdef"),
            ("authorization", "x"),
        ];
        assert_eq!(check(&gate, "/mcp", &headers), Err(HttpRefusal::Token));
    }

    #[test]
    fn the_protocol_is_spoken_at_its_paths_alone() {
        let gate = gate("127.0.0.1:7000", &[]);
        let token = format!("Bearer {SECRET}");
        let at = |path| {
            check(
                &gate,
                path,
                &[("host", "localhost"), ("authorization", &token)],
            )
        };
        assert_eq!(at("/mcp"), Ok(()));
        assert_eq!(at("/mcp/core"), Ok(()));
        assert_eq!(at("/mcp?x=1"), Ok(()));
        for path in [
            "/",
            "/mcp/",
            "/mcp/other",
            "/mcp/core/",
            "/mcpx",
            "/.well-known/oauth-protected-resource",
        ] {
            assert_eq!(at(path), Err(HttpRefusal::Path), "{path}");
        }
    }
}
