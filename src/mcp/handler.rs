//! Requests of the protocol → the functions that answer them.
//!
//! Knows the requests of every revision.
#![expect(
    deprecated,
    reason = "gone from the newest revision, alive in those that clients speak"
)]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, Reference, ServerCapabilities, ServerConfig, SetLevelRequestParams, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::time::Instant;

use super::{Asked, Caller, Server, call, client_of, definitions, prompts, resources, uri};
use crate::error::Result as OwnResult;
use crate::tools::{Call, complete};
use crate::workspace::cut_argument;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("codelens", env!("CARGO_PKG_VERSION")).with_title("CodeLens"),
            )
            .with_instructions(definitions::instructions(&self.shared.tools))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        let tools = self.shared.definitions().to_vec();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut tools = self.shared.definitions().iter();
        tools.find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = &self.shared.tools;
        let Some(&tool) = tools.iter().find(|tool| tool.name == request.name) else {
            let known: Vec<_> = tools.iter().map(|tool| tool.name).collect();
            return Err(ErrorData::invalid_params(
                format!(
                    "unknown tool `{}`; the tools are {}",
                    cut_argument(&request.name),
                    known.join(", ")
                ),
                None,
            ));
        };
        let input = Value::Object(request.arguments.unwrap_or_default());
        let asked = Asked::of(&tool, &input);
        let work = move |call: &Call<'_>| (tool.call)(input, call);
        let begun = Instant::now();
        let outcome = self.run(tool.name, &context, work).await;
        let client = client_of(&context);
        let caller = Caller {
            session: &self.session,
            client: client.as_deref(),
        };
        self.shared.note(&caller, asked, &outcome, begun.elapsed());
        Ok(call::result(outcome).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let cursor = match cursor.as_deref().map(uri::decode) {
            Some(None) => return Err(no_cursor()),
            cursor => cursor.flatten(),
        };
        let saved = self.run("resources/list", &context, resources::saved).await;
        let saved = saved.map_err(|error| resources::fault(&error))?;
        if cursor
            .as_ref()
            .is_some_and(|cursor| !saved.contains(cursor))
        {
            return Err(no_cursor());
        }
        Ok(resources::page(saved, cursor.as_deref()))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == resources::HISTORY {
            let calls = self.shared.history.told(Some(&self.session), None);
            return Ok(resources::answer(&request.uri, Ok(calls))?.into());
        }
        let Some(named) = resources::parse(&request.uri) else {
            return Err(resources::missing(&request.uri, None));
        };
        let work = move |call: &Call<'_>| named.read(call);
        let outcome = self.run("resources/read", &context, work).await;
        Ok(resources::answer(&request.uri, outcome)?.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = prompts::read(&request.name, request.arguments)?;
        let mut saved = None;
        if let (prompts::RESUME, Some(name)) = (request.name.as_str(), arguments.get("name")) {
            let address = resources::context_address(name);
            let named = resources::ResourceAddress::Context(name.clone());
            let work = move |call: &Call<'_>| named.read(call);
            let outcome = self.run("prompts/get", &context, work).await;
            let value = outcome.map_err(|error| resources::fault(&error))?;
            saved = Some(resources::contents(&address, &value));
        }
        Ok(prompts::answer(&request.name, &arguments, saved).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let argument = request.argument;
        let Some(source) = source(&request.r#ref, &argument.name)? else {
            return Ok(CompleteResult::default());
        };
        let work = move |call: &Call<'_>| source(&argument.value, call);
        let outcome = self.run("completion/complete", &context, work).await;
        let mut values = outcome.map_err(|error| resources::fault(&error))?;
        let total = u32::try_from(values.len()).ok();
        let has_more = values.len() > CompletionInfo::MAX_VALUES;
        values.truncate(CompletionInfo::MAX_VALUES);
        let completion = CompletionInfo::with_pagination(values, total, has_more);
        let completion = completion.map_err(|words| ErrorData::internal_error(words, None))?;
        Ok(CompleteResult::new(completion))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // The newest revision names the level in each request instead.
        if context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28) {
            let method = "logging/setLevel";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None));
        }
        self.level.set(request.level);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let words = format!("unknown method `{}`", cut_argument(&request.method));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.roots.ask_first(context.peer);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.roots.ask(context.peer);
    }
}

/// Where the ways to go on with a text come from.
type CompletionSource = fn(&str, &Call<'_>) -> OwnResult<Vec<String>>;

/// Returns the source of completions for an argument of a prompt or resource; `None` for free text.
fn source(of: &Reference, argument: &str) -> Result<Option<CompletionSource>, ErrorData> {
    let wrong = |words: String| Err(ErrorData::invalid_params(words, None));
    match of {
        Reference::Prompt(prompt) => {
            if !prompts::has(&prompt.name, argument) {
                let name = cut_argument(&prompt.name);
                return wrong(format!(
                    "no prompt `{name}` takes `{}`",
                    cut_argument(argument)
                ));
            }
        }
        Reference::Resource(resource) => {
            let taken = match resource.uri.as_str() {
                resources::CONTEXT_TEMPLATE => "name",
                resources::NOTE_TEMPLATE => "id",
                _ => "",
            };
            if argument != taken || taken.is_empty() {
                let uri = cut_argument(&resource.uri);
                return wrong(format!(
                    "no resource `{uri}` takes `{}`",
                    cut_argument(argument)
                ));
            }
        }
        _ => return wrong("this is neither a prompt nor a resource".to_owned()),
    }
    Ok(match argument {
        "symbol" => Some(complete::symbols),
        "path" => Some(complete::paths),
        "name" => Some(complete::contexts),
        "id" => Some(complete::records),
        _ => None,
    })
}

/// Refuses a cursor where there is one page.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(no_cursor()),
        None => Ok(()),
    }
}

fn no_cursor() -> ErrorData {
    ErrorData::invalid_params("no page has this cursor; begin without one", None)
}
