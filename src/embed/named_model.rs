//! A model on a server, by its name: what rerankers and writers of answers share.

use serde::Serialize;

use super::ModelFault;
use crate::config::ModelServer;
use crate::remote::{Deadline, JsonServer, ServerFault};

/// The most bytes of an answer.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// A model on a server.
pub(super) struct NamedModel {
    server: JsonServer,
    name: String,
}

impl NamedModel {
    /// Opens a model by its settings. Connects to nothing.
    ///
    /// # Errors
    /// For settings that can't be used.
    pub(super) fn open(settings: &ModelServer) -> Result<Self, ModelFault> {
        let server = open_server(settings)?;
        let name = settings.model.clone();
        Ok(Self { server, name })
    }

    /// Returns its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns where requests go.
    pub(super) fn address(&self) -> String {
        self.server.address()
    }

    /// Sends a request and returns the answer, of at most 1 MiB.
    ///
    /// # Errors
    /// For a server that fails.
    pub(super) fn ask(
        &self,
        request: &impl Serialize,
        deadline: &Deadline,
    ) -> Result<Vec<u8>, ModelFault> {
        let request = serde_json::to_vec(request).expect("text and numbers are JSON");
        Ok(self.server.post(request, MAX_ANSWER_BYTES, deadline)?)
    }
}

/// Returns the name of the model in some settings.
///
/// # Errors
/// Where none is set.
pub(super) fn name(settings: &ModelServer) -> Result<&str, ModelFault> {
    if settings.model.is_empty() {
        return Err(ServerFault::Configuration("`model` is not set").into());
    }
    Ok(&settings.model)
}

/// Opens the server of some settings. Connects to nothing.
///
/// # Errors
/// Where no model is set, and for an address or a key that can't be used.
pub(super) fn open_server(settings: &ModelServer) -> Result<JsonServer, ModelFault> {
    name(settings)?;
    let opened = JsonServer::open(&settings.url, &settings.key_env, settings.allow_remote);
    Ok(opened?)
}
