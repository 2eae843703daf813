//! Project files: the namespaces that all files of a project use, and the projects whose types it sees.
//!
//! Read literally: conditions count as met; a property in a path or a name, `$(ProjectType)`, is replaced where a file of the project
//! gives it a plain value, else the name is left out.

use crate::model::hash::HashMap;
use crate::model::markup::attribute;

/// Elements of one file that are read.
const MAX_ELEMENTS: usize = 5_000;

/// The longest value of a property that is kept.
const MAX_VALUE_BYTES: usize = 64;

/// The property that stands for the directory of the file itself.
const OWN_DIRECTORY: &str = "MSBuildThisFileDirectory";

/// One line of a project file that decides what its files see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProjectSetting {
    /// The SDK: `Microsoft.NET.Sdk.Web`.
    Sdk(String),
    /// `<Using Include="Acme.Db" />`
    Using(String),
    /// `<Using Remove="System.Net.Http" />`
    NoUsing(String),
    /// Another file that is read in its place: `<Import Project="Common.props" />`.
    Import(String),
    /// A project, a file of code, or an assembly or package by its name.
    Reference(String),
    /// `<ProjectType>Test</ProjectType>`
    Property(String, String),
}

/// Returns the part of a project file that decides what its files see.
pub(super) fn relevant(text: &str) -> String {
    let lines = settings(text).into_iter().map(|it| match it {
        ProjectSetting::Sdk(name) => format!("<Project Sdk=\"{name}\">\n"),
        ProjectSetting::Using(name) => format!("<Using Include=\"{name}\"/>\n"),
        ProjectSetting::NoUsing(name) => format!("<Using Remove=\"{name}\"/>\n"),
        ProjectSetting::Import(path) => format!("<Import Project=\"{path}\"/>\n"),
        ProjectSetting::Reference(path) => format!("<Reference Include=\"{path}\"/>\n"),
        ProjectSetting::Property(name, value) => format!("<{name}>{value}</{name}>\n"),
    });
    lines.collect()
}

/// Returns the settings of a project file, in their order.
pub(super) fn settings(text: &str) -> Vec<ProjectSetting> {
    let mut all = Vec::new();
    let text = without_comments(text);
    let mut parts = text.split('<').skip(1).take(MAX_ELEMENTS).peekable();
    while let Some(part) = parts.next() {
        let Some((tag, inner)) = part.split_once('>') else {
            continue;
        };
        let name = tag.split([' ', '\t', '\r', '\n', '/']).next();
        let name = name.unwrap_or_default();
        let value = |of: &str| attribute(tag, of);
        match name {
            "Project" => all.extend(value("Sdk").into_iter().flat_map(sdks)),
            "Sdk" => all.extend(value("Name").into_iter().flat_map(sdks)),
            "Import" => {
                all.extend(value("Sdk").into_iter().flat_map(sdks));
                let path = value("Project").filter(|_| value("Sdk").is_none());
                all.extend(path.map(|it| ProjectSetting::Import(it.to_owned())));
            }
            "Using" if value("Static").is_none() && value("Alias").is_none() => {
                all.extend(names(value("Include")).map(ProjectSetting::Using));
                all.extend(names(value("Remove")).map(ProjectSetting::NoUsing));
            }
            "ProjectReference" | "PackageReference" | "Reference" => {
                all.extend(names(value("Include")).map(ProjectSetting::Reference));
            }
            // A file of another project, or beside the projects.
            "Compile" => {
                let outer = names(value("Include")).filter(|it| it.contains(".."));
                all.extend(outer.map(ProjectSetting::Reference));
            }
            _ => {
                let is_closed = parts
                    .peek()
                    .and_then(|next| next.strip_prefix('/'))
                    .is_some_and(|next| next.starts_with(name));
                let inner = inner.trim();
                let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
                if is_closed
                    && tag.split_whitespace().next() == Some(name)
                    && (1..=MAX_VALUE_BYTES).contains(&inner.len())
                    && inner.chars().all(is_plain)
                    && name.chars().all(is_plain)
                {
                    all.push(ProjectSetting::Property(name.to_owned(), inner.to_owned()));
                }
            }
        }
    }
    all
}

/// Splits `Microsoft.NET.Sdk.Web/8.0.0;Other.Sdk`.
fn sdks(value: &str) -> impl Iterator<Item = ProjectSetting> {
    let all = value.split(';').map(str::trim);
    let names = all.map(|it| it.split('/').next().unwrap_or(it));
    names
        .filter(|it| !it.is_empty() && !it.contains(['"', '$']))
        .map(|it| ProjectSetting::Sdk(it.to_owned()))
}

fn names(value: Option<&str>) -> impl Iterator<Item = String> + '_ {
    let all = value.unwrap_or_default().split(';').map(str::trim);
    all.filter(|it| !it.is_empty() && !it.contains(['"', '\n']))
        .map(str::to_owned)
}

/// Returns a text with its properties replaced; `None` where one has no value. `directory` is that of the file it is written in.
pub(super) fn expanded(
    text: &str,
    directory: &str,
    properties: &HashMap<String, String>,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("$(") {
        let (name, behind) = behind.split_once(')')?;
        out.push_str(before);
        if name.eq_ignore_ascii_case(OWN_DIRECTORY) {
            // Such a path is given from the root.
            out.push('/');
            out.push_str(directory);
            out.push('/');
        } else {
            out.push_str(properties.get(name)?);
        }
        rest = behind;
    }
    out.push_str(rest);
    Some(out.replace('\\', "/"))
}

/// Returns the namespaces that an SDK makes all files use, where `<ImplicitUsings>` is enabled.
pub(super) fn implicit_usings(sdk: &str) -> &'static [&'static str] {
    match sdk {
        "Microsoft.NET.Sdk.Web" => &[
            "System.Net.Http.Json",
            "Microsoft.AspNetCore.Builder",
            "Microsoft.AspNetCore.Hosting",
            "Microsoft.AspNetCore.Http",
            "Microsoft.AspNetCore.Routing",
            "Microsoft.Extensions.Configuration",
            "Microsoft.Extensions.DependencyInjection",
            "Microsoft.Extensions.Hosting",
            "Microsoft.Extensions.Logging",
        ],
        "Microsoft.NET.Sdk.Worker" => &[
            "Microsoft.Extensions.Configuration",
            "Microsoft.Extensions.DependencyInjection",
            "Microsoft.Extensions.Hosting",
            "Microsoft.Extensions.Logging",
        ],
        "Microsoft.NET.Sdk.BlazorWebAssembly" => &[
            "System.Net.Http.Json",
            "Microsoft.Extensions.Configuration",
            "Microsoft.Extensions.DependencyInjection",
            "Microsoft.Extensions.Logging",
        ],
        "Aspire.AppHost.Sdk" => &["Aspire.Hosting", "Aspire.Hosting.ApplicationModel"],
        _ => &[],
    }
}

/// The namespaces that every SDK makes all files use, where `<ImplicitUsings>` is enabled.
pub(super) const IMPLICIT_USINGS: [&str; 7] = [
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
];

/// Those that `<UseMaui>` adds.
pub(super) const MAUI_USINGS: [&str; 4] = [
    "Microsoft.Extensions.DependencyInjection",
    "Microsoft.Maui",
    "Microsoft.Maui.Controls",
    "Microsoft.Maui.Hosting",
];

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = behind.split_once("-->").map_or("", |it| it.1);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::ProjectSetting::{Import, NoUsing, Property, Reference, Sdk, Using};
    use super::{expanded, relevant, settings};
    use crate::model::hash::HashMap;

    #[test]
    fn settings_are_read_literally() {
        let text = r#"<Project Sdk="Microsoft.NET.Sdk.Web/8.0"><PropertyGroup><UsingToolVersion>1</UsingToolVersion></PropertyGroup><ItemGroup>
            <Using Include="Acme.Db" /><!-- <Using Include="Old" /> -->
            <Using Include="Acme.Math" Static="true" /> <Using Include="A.B" Alias="X" /> <Using Remove="System.IO" />
            <Using Include='Xunit;$(Root).Core; Acme.Web' Condition="'$(X)' == ''" />
            <Import Project="$(MsBuildThisFileDirectory)..\$(Kind).props" />
            <ProjectReference Include="..\Core\Core.csproj"><Private>false</Private></ProjectReference>
            <Compile Include="Own.cs" /><Compile Include="../Shared/One.cs" Link="One.cs" /></ItemGroup></Project>"#;
        let own = |text: &str| text.to_owned();
        let expected = [
            Sdk(own("Microsoft.NET.Sdk.Web")),
            Property(own("UsingToolVersion"), own("1")),
            Using(own("Acme.Db")),
            NoUsing(own("System.IO")),
            Using(own("Xunit")),
            Using(own("$(Root).Core")),
            Using(own("Acme.Web")),
            Import(own(r"$(MsBuildThisFileDirectory)..\$(Kind).props")),
            Reference(own(r"..\Core\Core.csproj")),
            Property(own("Private"), own("false")),
            Reference(own("../Shared/One.cs")),
        ];
        assert_eq!(settings(text), expected);
        assert_eq!(settings(&relevant(text)), expected);
        assert!(settings("<Using").is_empty());
    }

    #[test]
    fn properties_are_replaced() {
        let mut properties = HashMap::default();
        properties.insert("Kind".to_owned(), "Test".to_owned());
        let of = |text: &str| expanded(text, "eng", &properties);
        assert_eq!(
            of(r"$(MsBuildThisFileDirectory)..\$(Kind).props").as_deref(),
            Some("/eng/../Test.props")
        );
        assert_eq!(of("$(Other).props"), None);
        assert_eq!(of(r"..\A.csproj").as_deref(), Some("../A.csproj"));
    }
}
