//! Where each client keeps its configuration, on each system.
//!
//! Pure but for looking whether something is there: the system, the user's directories and the environment come in as
//! values.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Client, ConfigScope};

/// A family of operating systems, by where programs keep their settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and other Unix systems.
    Linux,
    /// macOS.
    Mac,
    /// Windows.
    Windows,
}

/// A user's account on a machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The system.
    pub system: System,
    /// The user's directory.
    pub home: PathBuf,
    /// Variables of the environment that move directories, and `PATH`.
    pub variables: BTreeMap<String, OsString>,
}

impl Machine {
    /// Returns the account that this process runs in; `None` where no directory of the user is known.
    pub fn here() -> Option<Self> {
        let system = if cfg!(windows) {
            System::Windows
        } else if cfg!(target_os = "macos") {
            System::Mac
        } else {
            System::Linux
        };
        let home = directories::BaseDirs::new()?.home_dir().to_owned();
        let names = [
            "PATH",
            "PATHEXT",
            "APPDATA",
            "XDG_CONFIG_HOME",
            "CODEX_HOME",
            "CLAUDE_CONFIG_DIR",
        ];
        let variables = names
            .into_iter()
            .filter_map(|name| {
                Some((
                    name.to_owned(),
                    std::env::var_os(name).filter(|value| !value.is_empty())?,
                ))
            })
            .collect();
        Some(Self {
            system,
            home,
            variables,
        })
    }

    /// Returns the file in which a client keeps its servers; `None` if it has none of this scope. `project` is the root
    /// of the work tree.
    pub fn file(
        &self,
        client: &Client,
        scope: ConfigScope,
        project: Option<&Path>,
    ) -> Option<PathBuf> {
        match scope {
            ConfigScope::User => self.of_user(client.id),
            ConfigScope::Project => in_project(client.id, project?),
        }
    }

    /// Whether a client is there: its directory is, or its command.
    pub fn has(&self, client: &Client) -> bool {
        self.traces(client.id).iter().any(|trace| trace.exists())
            || client
                .programs
                .iter()
                .any(|program| self.program(program).is_some())
    }

    /// Returns where a command is found by its name, as a shell would find it.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let endings: Vec<String> = match self.system {
            System::Windows => {
                let known = self
                    .variables
                    .get("PATHEXT")
                    .and_then(|known| known.to_str());
                known
                    .unwrap_or(".COM;.EXE;.BAT;.CMD")
                    .split(';')
                    .map(str::to_ascii_lowercase)
                    .collect()
            }
            _ => vec![String::new()],
        };
        let path = self.variables.get("PATH")?;
        std::env::split_paths(path)
            .filter(|directory| directory.is_absolute())
            .flat_map(|directory| {
                endings
                    .iter()
                    .map(move |ending| directory.join(format!("{name}{ending}")))
            })
            .find(|file| is_program(file))
    }

    /// The directory where programs with windows keep their settings.
    fn settings(&self) -> PathBuf {
        match self.system {
            System::Linux => self.config(),
            System::Mac => self.home.join("Library").join("Application Support"),
            System::Windows => self.roaming(),
        }
    }

    /// `~/.config`, also on systems with a place of their own: programs that come from Unix use it there too.
    fn config(&self) -> PathBuf {
        self.variable("XDG_CONFIG_HOME")
            .unwrap_or_else(|| self.home.join(".config"))
    }

    fn roaming(&self) -> PathBuf {
        self.variable("APPDATA")
            .unwrap_or_else(|| self.home.join("AppData").join("Roaming"))
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).map(PathBuf::from)
    }

    fn of_user(&self, id: &str) -> Option<PathBuf> {
        let home = &self.home;
        Some(match id {
            "claude-code" => self
                .variable("CLAUDE_CONFIG_DIR")
                .unwrap_or_else(|| home.clone())
                .join(".claude.json"),
            "claude-desktop" => self
                .settings()
                .join("Claude")
                .join("claude_desktop_config.json"),
            "cursor" => home.join(".cursor").join("mcp.json"),
            "vscode" => self.settings().join("Code").join("User").join("mcp.json"),
            "codex" => self.codex().join("config.toml"),
            "gemini" => home.join(".gemini").join("settings.json"),
            "opencode" => either(
                &self.config().join("opencode"),
                "opencode.json",
                "opencode.jsonc",
            ),
            "windsurf" => home
                .join(".codeium")
                .join("windsurf")
                .join("mcp_config.json"),
            "zed" => self.zed().join("settings.json"),
            _ => return None,
        })
    }

    /// Paths that exist where the client is installed: directories that it makes for itself.
    fn traces(&self, id: &str) -> Vec<PathBuf> {
        let home = &self.home;
        match id {
            "claude-code" => vec![home.join(".claude.json"), home.join(".claude")],
            "claude-desktop" => vec![self.settings().join("Claude")],
            "cursor" => vec![home.join(".cursor"), self.settings().join("Cursor")],
            "vscode" => vec![self.settings().join("Code")],
            "codex" => vec![self.codex()],
            "gemini" => vec![home.join(".gemini")],
            "opencode" => vec![self.config().join("opencode")],
            "windsurf" => vec![
                home.join(".codeium").join("windsurf"),
                self.settings().join("Windsurf"),
            ],
            "zed" => vec![self.zed()],
            _ => Vec::new(),
        }
    }

    fn codex(&self) -> PathBuf {
        self.variable("CODEX_HOME")
            .unwrap_or_else(|| self.home.join(".codex"))
    }

    fn zed(&self) -> PathBuf {
        match self.system {
            System::Windows => self.roaming().join("Zed"),
            System::Mac => self.home.join(".config").join("zed"),
            System::Linux => self.config().join("zed"),
        }
    }
}

fn in_project(id: &str, root: &Path) -> Option<PathBuf> {
    Some(match id {
        "claude-code" => root.join(".mcp.json"),
        "cursor" => root.join(".cursor").join("mcp.json"),
        "vscode" => root.join(".vscode").join("mcp.json"),
        "codex" => root.join(".codex").join("config.toml"),
        "gemini" => root.join(".gemini").join("settings.json"),
        "opencode" => either(root, "opencode.json", "opencode.jsonc"),
        "zed" => root.join(".zed").join("settings.json"),
        _ => return None,
    })
}

/// Returns the second file if it alone is there, else the first.
fn either(directory: &Path, first: &str, second: &str) -> PathBuf {
    let (first, second) = (directory.join(first), directory.join(second));
    if !first.exists() && second.exists() {
        second
    } else {
        first
    }
}

fn is_program(file: &Path) -> bool {
    let Ok(meta) = file.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    meta.is_file() && may_run
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use super::super::{CLIENTS, ConfigScope};
    use super::{Machine, System};

    fn machine(system: System, home: &str, variables: &[(&str, &str)]) -> Machine {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()));
        Machine {
            system,
            home: PathBuf::from(home),
            variables: variables.collect::<BTreeMap<_, _>>(),
        }
    }

    /// The files of all clients, in their order, written with `/` everywhere.
    fn files(machine: &Machine, scope: ConfigScope) -> Vec<String> {
        let project = Path::new("/r");
        let file = |client| machine.file(client, scope, Some(project));
        let text = |file: PathBuf| file.to_str().unwrap().replace('\\', "/");
        CLIENTS
            .iter()
            .map(|client| file(client).map_or_else(|| "-".to_owned(), text))
            .collect()
    }

    #[test]
    fn each_system_has_its_places() {
        assert_eq!(
            files(&machine(System::Linux, "/home/a", &[]), ConfigScope::User),
            [
                "/home/a/.claude.json",
                "/home/a/.config/Claude/claude_desktop_config.json",
                "/home/a/.cursor/mcp.json",
                "/home/a/.config/Code/User/mcp.json",
                "/home/a/.codex/config.toml",
                "/home/a/.gemini/settings.json",
                "/home/a/.config/opencode/opencode.json",
                "/home/a/.codeium/windsurf/mcp_config.json",
                "/home/a/.config/zed/settings.json",
            ]
        );
        assert_eq!(
            files(&machine(System::Mac, "/Users/a", &[]), ConfigScope::User),
            [
                "/Users/a/.claude.json",
                "/Users/a/Library/Application Support/Claude/claude_desktop_config.json",
                "/Users/a/.cursor/mcp.json",
                "/Users/a/Library/Application Support/Code/User/mcp.json",
                "/Users/a/.codex/config.toml",
                "/Users/a/.gemini/settings.json",
                "/Users/a/.config/opencode/opencode.json",
                "/Users/a/.codeium/windsurf/mcp_config.json",
                "/Users/a/.config/zed/settings.json",
            ]
        );
        let windows = [("APPDATA", r"C:\Users\a\AppData\Roaming")];
        assert_eq!(
            files(
                &machine(System::Windows, r"C:\Users\a", &windows),
                ConfigScope::User
            ),
            [
                "C:/Users/a/.claude.json",
                "C:/Users/a/AppData/Roaming/Claude/claude_desktop_config.json",
                "C:/Users/a/.cursor/mcp.json",
                "C:/Users/a/AppData/Roaming/Code/User/mcp.json",
                "C:/Users/a/.codex/config.toml",
                "C:/Users/a/.gemini/settings.json",
                "C:/Users/a/.config/opencode/opencode.json",
                "C:/Users/a/.codeium/windsurf/mcp_config.json",
                "C:/Users/a/AppData/Roaming/Zed/settings.json",
            ]
        );
    }

    #[test]
    fn the_environment_moves_what_clients_let_it_move() {
        let moved = [
            ("XDG_CONFIG_HOME", "/x"),
            ("CODEX_HOME", "/c"),
            ("CLAUDE_CONFIG_DIR", "/k"),
        ];
        let files = files(
            &machine(System::Linux, "/home/a", &moved),
            ConfigScope::User,
        );
        assert_eq!(files[0], "/k/.claude.json");
        assert_eq!(files[3], "/x/Code/User/mcp.json");
        assert_eq!(files[4], "/c/config.toml");
        assert_eq!(files[8], "/x/zed/settings.json");
    }

    #[test]
    fn a_project_has_files_of_its_own_for_most() {
        assert_eq!(
            files(
                &machine(System::Linux, "/home/a", &[]),
                ConfigScope::Project
            ),
            [
                "/r/.mcp.json",
                "-",
                "/r/.cursor/mcp.json",
                "/r/.vscode/mcp.json",
                "/r/.codex/config.toml",
                "/r/.gemini/settings.json",
                "/r/opencode.json",
                "-",
                "/r/.zed/settings.json",
            ]
        );
    }
}
