//! INI files as Python's tools write them: `setup.cfg`, `tox.ini`, `pytest.ini`.

/// Returns the value of `key` in the section `[section]`, its lines joined by `\n` and without comments; `None` where there
/// is none. Lines that are indented continue a value: `python_files =\n    test_*.py` is `test_*.py`. Case counts.
pub fn value(text: &str, section: &str, key: &str) -> Option<String> {
    let mut lines = text
        .lines()
        .skip_while(|line| header(line) != Some(section));
    lines.next()?;
    let mut value: Option<String> = None;
    for line in lines {
        if header(line).is_some() {
            break;
        }
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            if let Some(value) = &mut value {
                value.push('\n');
                value.push_str(without_comment(trimmed));
            }
        } else if value.is_some() {
            break;
        } else if let Some((name, rest)) = trimmed.split_once(['=', ':'])
            && name.trim() == key
        {
            value = Some(without_comment(rest.trim()).to_owned());
        }
    }
    value.map(|value| value.trim().to_owned())
}

/// Returns whether there is a section `[section]`.
pub fn has_section(text: &str, section: &str) -> bool {
    text.lines().any(|line| header(line) == Some(section))
}

fn header(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?;
    let (name, rest) = inner.split_once(']')?;
    let rest = rest.trim();
    (rest.is_empty() || rest.starts_with(['#', ';'])).then_some(name.trim())
}

fn without_comment(text: &str) -> &str {
    let end = text.find(" #").or_else(|| text.find(" ;"));
    text[..end.unwrap_or(text.len())].trim_end()
}

#[cfg(test)]
mod tests {
    use super::{has_section, value};

    #[test]
    fn a_value_goes_on_over_indented_lines() {
        let text = "[a]\nk = no\n[options] # x\nother = 1\npackage_dir =\n    =src\n  # all\n\n    b = lib ; y\nlast: z\n[k]\nlast = 0\n";
        assert_eq!(
            value(text, "options", "package_dir").unwrap(),
            "=src\nb = lib"
        );
        assert_eq!(value(text, "options", "last").unwrap(), "z");
        assert_eq!(value(text, "options", "k"), None);
        assert_eq!(value(text, "none", "k"), None);
        assert!(has_section(text, "k") && !has_section(text, "b"));
    }

    #[test]
    fn broken_text_has_no_values() {
        for text in ["", "[", "[a", "[]\n=", "k = 1", "[a]\n  k = 1\n", "[a]\nk"] {
            assert_eq!(value(text, "a", "k"), None, "{text}");
        }
    }
}
