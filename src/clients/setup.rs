//! Sets clients up and undoes it, file by file.
//!
//! Nothing is done twice: a file that already has the entry is left alone, and so is an entry that somebody else
//! wrote.

use std::path::{Path, PathBuf};

use super::disk::{self, Problem};
use super::edit;
use super::journal::{EditRecord, Journal};
use super::{CLIENTS, Client, ClientEntry, ConfigScope, FileFormat, GUIDE};

/// A file that shall have an entry.
#[derive(Clone, Debug)]
pub struct Job {
    client: String,
    name: &'static str,
    hint: &'static str,
    scope: ConfigScope,
    project: Option<PathBuf>,
    file: PathBuf,
    format: FileFormat,
    keys: &'static [&'static str],
    entry: ClientEntry,
}

/// The effect on a file, done or planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// The entry was added.
    Added,
    /// An older entry of ours was replaced.
    Updated,
    /// It was there.
    Unchanged,
    /// There is an entry of our name that `install` did not write.
    Foreign,
    /// The file has its earlier bytes again.
    Restored,
    /// The entry was taken out of a file that was edited meanwhile.
    Removed,
    /// There was nothing of ours any more.
    Gone,
    /// The file was left as it is.
    Failed(Problem),
}

/// A file with the effect on it.
#[derive(Clone, Debug)]
pub struct FileEffect {
    /// The client's name.
    pub name: String,
    /// The client's name on the command line.
    pub client: String,
    /// `user` or `project`.
    pub scope: String,
    /// The file.
    pub file: PathBuf,
    /// The effect.
    pub act: Act,
    /// The lines that were added or removed.
    pub lines: String,
    /// Where the file as it was is kept.
    pub backup: Option<PathBuf>,
    /// The next step for the user.
    pub hint: &'static str,
}

/// Which entries shall go.
#[derive(Clone, Debug, Default)]
pub struct EntryRemoval {
    /// Only of these clients; all where there is none.
    pub clients: Vec<String>,
    /// Only of this scope.
    pub scope: Option<&'static str>,
    /// Only in this work tree, as far as they lie in one.
    pub project: Option<PathBuf>,
}

impl Job {
    /// Returns the job that sets a client up; `None` if it has no file of that scope. `words` start the server.
    pub fn of(
        client: &'static Client,
        machine: &super::Machine,
        scope: ConfigScope,
        project: Option<&Path>,
        words: &[String],
    ) -> Option<Self> {
        Some(Self {
            client: client.id.to_owned(),
            name: client.name,
            hint: client.hint,
            scope,
            project: project
                .filter(|_| scope == ConfigScope::Project)
                .map(Path::to_owned),
            file: machine.file(client, scope, project)?,
            format: client.format,
            keys: client.keys,
            entry: client.entry(words),
        })
    }

    /// Returns the job that adds the guide to a file of Markdown at the root of a work tree.
    pub fn guide(name: &'static str, project: &Path) -> Self {
        Self {
            client: name.to_owned(),
            name,
            hint: "",
            scope: ConfigScope::Project,
            project: Some(project.to_owned()),
            file: project.join(name),
            format: FileFormat::Markdown,
            keys: &[],
            entry: vec![("text", GUIDE.into())],
        }
    }
}

/// Does the jobs, or plans them if `is_dry`. `is_forced` replaces entries of others; [`uninstall`] restores them.
pub fn install(home: &Path, jobs: &[Job], is_dry: bool, is_forced: bool) -> Vec<FileEffect> {
    let journal = Journal::at(home);
    jobs.iter()
        .map(|job| {
            let mut done = FileEffect {
                name: job.name.to_owned(),
                client: job.client.clone(),
                scope: job.scope.as_str().to_owned(),
                file: job.file.clone(),
                act: Act::Unchanged,
                lines: String::new(),
                backup: None,
                hint: job.hint,
            };
            if let Err(problem) = set_up(&journal, job, is_dry, is_forced, &mut done) {
                done.act = Act::Failed(problem);
            }
            done
        })
        .collect()
}

/// Removes the entries that [`install`] added, or plans it if `is_dry`.
pub fn uninstall(home: &Path, which: &EntryRemoval, is_dry: bool) -> Vec<FileEffect> {
    let journal = Journal::at(home);
    let is_meant = |record: &EditRecord| {
        let of_client = which.clients.is_empty() || which.clients.contains(&record.client);
        let of_scope = which.scope.is_none_or(|scope| scope == record.scope);
        let is_here = |project: &PathBuf| which.project.as_ref().is_none_or(|here| here == project);
        of_client && of_scope && record.project.as_ref().is_none_or(is_here)
    };
    let records = journal.all();
    let records: Vec<_> = records
        .into_iter()
        .filter(|(record, _)| is_meant(record))
        .collect();
    let made: Vec<PathBuf> = records
        .iter()
        .flat_map(|(record, _)| record.directories.clone())
        .collect();
    let done: Vec<FileEffect> = records
        .into_iter()
        .map(|(record, before)| {
            let name =
                Client::by_id(&record.client).map_or(record.client.as_str(), |client| client.name);
            let mut done = FileEffect {
                name: name.to_owned(),
                client: record.client.clone(),
                scope: record.scope.clone(),
                file: record.file.clone(),
                act: Act::Gone,
                lines: String::new(),
                backup: None,
                hint: "",
            };
            if let Err(problem) = take_out(&journal, &record, before.as_deref(), is_dry, &mut done)
            {
                done.act = Act::Failed(problem);
            }
            done
        })
        .collect();
    if !is_dry {
        journal.remove_directories(made);
    }
    done
}

fn set_up(
    journal: &Journal,
    job: &Job,
    is_dry: bool,
    is_forced: bool,
    done: &mut FileEffect,
) -> Result<(), Problem> {
    let target = disk::target(&job.file)?;
    if job
        .project
        .as_ref()
        .is_some_and(|root| !disk::is_below(&target, root))
    {
        return Err(Problem::Outside);
    }
    let current = disk::read(&target)?;
    let text = ConfigText::of(current.as_deref())?;
    let found = edit::find(job.format, &text.body, job.keys).map_err(Problem::Text)?;
    let known = journal.get(&target);
    if known.is_none() && found.is_some() && !is_forced {
        done.act = Act::Foreign;
        return Ok(());
    }
    if known.is_some() && found == Some(edit::value(job.format, &job.entry)) {
        return Ok(());
    }
    // The bytes before our first edit, with later edits of others: the entry is added to these anew.
    let base = match &known {
        Some((record, before)) => undone(
            record,
            before.as_deref(),
            current.as_deref(),
            job.format,
            job.keys,
        )?,
        None => current.clone(),
    };
    let text = ConfigText::of(base.as_deref())?;
    let added = edit::add(job.format, &text.body, job.keys, &job.entry).map_err(Problem::Text)?;
    let next = text.with(&added);
    let (at, n_removed, inserted) = difference(base.as_deref().unwrap_or_default(), &next);
    done.lines.clone_from(&inserted);
    done.act = if found.is_some() {
        Act::Updated
    } else {
        Act::Added
    };
    if is_dry {
        return Ok(());
    }
    let missing = target.parent().into_iter().flat_map(Path::ancestors);
    let mut directories: Vec<PathBuf> = missing
        .take_while(|directory| !directory.exists())
        .map(Path::to_owned)
        .collect();
    directories.reverse();
    if let Some((record, _)) = known {
        directories = [record.directories, directories].concat();
    }
    let record = EditRecord {
        client: job.client.clone(),
        scope: job.scope.as_str().to_owned(),
        project: job.project.clone(),
        file: job.file.clone(),
        target: target.clone(),
        existed: base.is_some(),
        at,
        n_removed,
        inserted,
        directories,
    };
    // The record comes first: after an interruption at any point the edit can still be undone.
    journal.put(&record, base.as_deref())?;
    if let Err(problem) = disk::replace(&target, current.as_deref(), Some(&next)) {
        if found.is_none() {
            journal.forget(&target);
        }
        return Err(problem);
    }
    done.backup = base.map(|_| journal.backup(&target));
    Ok(())
}

fn take_out(
    journal: &Journal,
    record: &EditRecord,
    before: Option<&[u8]>,
    is_dry: bool,
    done: &mut FileEffect,
) -> Result<(), Problem> {
    let (format, keys) = match CLIENTS.iter().find(|client| client.id == record.client) {
        Some(client) => (client.format, client.keys),
        None => (FileFormat::Markdown, &[][..]),
    };
    let current = disk::read(&record.target)?;
    let next = undone(record, before, current.as_deref(), format, keys)?;
    done.act = match () {
        () if current == next => Act::Gone,
        () if next.as_deref() == before => Act::Restored,
        () => Act::Removed,
    };
    done.lines.clone_from(&record.inserted);
    if is_dry {
        return Ok(());
    }
    if current != next {
        disk::replace(&record.target, current.as_deref(), next.as_deref())?;
    }
    journal.forget(&record.target);
    Ok(())
}

/// Returns the file's bytes without our edit: the earlier bytes if nobody else edited the file, else the present ones
/// without our text.
fn undone(
    record: &EditRecord,
    before: Option<&[u8]>,
    current: Option<&[u8]>,
    format: FileFormat,
    keys: &[&str],
) -> Result<Option<Vec<u8>>, Problem> {
    let old = before.unwrap_or_default();
    let end = record.at + record.n_removed;
    let after = [&old[..record.at], record.inserted.as_bytes(), &old[end..]].concat();
    if current == Some(&after) {
        return Ok(before.map(<[u8]>::to_vec));
    }
    let Some(bytes) = current else {
        return Ok(None);
    };
    let text = ConfigText::of(Some(bytes))?;
    if edit::find(format, &text.body, keys)
        .map_err(Problem::Text)?
        .is_none()
    {
        return Ok(current.map(<[u8]>::to_vec));
    }
    let put_back = String::from_utf8_lossy(&old[record.at..end]).into_owned();
    let mut removed = None;
    let mut places = text.body.match_indices(&record.inserted);
    if let (Some((at, found)), None) = (places.next(), places.next())
        && !found.is_empty()
    {
        let put = format!(
            "{}{put_back}{}",
            &text.body[..at],
            &text.body[at + found.len()..]
        );
        removed = edit::is_without(format, &text.body, &put, keys).then_some(put);
    }
    let removed = if let Some(removed) = removed {
        removed
    } else {
        let had_group =
            ConfigText::of(before).is_ok_and(|old| keys.iter().all(|key| old.body.contains(key)));
        edit::remove(format, &text.body, keys, !had_group).map_err(Problem::Text)?
    };
    if before.is_none() && edit::is_empty(format, &removed) {
        return Ok(None);
    }
    Ok(Some(text.with(&removed)))
}

/// Returns the first byte at which two texts differ, how many bytes of the first are replaced there, and the
/// replacement.
fn difference(before: &[u8], after: &[u8]) -> (usize, usize, String) {
    let same = |pair: &(&u8, &u8)| pair.0 == pair.1;
    let mut at = before.iter().zip(after).take_while(same).count();
    let mut tail = before[at..]
        .iter()
        .rev()
        .zip(after[at..].iter().rev())
        .take_while(same)
        .count();
    // A character is not cut in two.
    let is_inside = |byte: Option<&u8>| byte.is_some_and(|byte| byte & 0xc0 == 0x80);
    while is_inside(after.get(at)) || is_inside(before.get(at)) {
        at -= 1;
    }
    while is_inside(after.get(after.len() - tail)) || is_inside(before.get(before.len() - tail)) {
        tail -= 1;
    }
    let inserted = String::from_utf8_lossy(&after[at..after.len() - tail]).into_owned();
    (at, before.len() - tail - at, inserted)
}

/// A file's text, apart from the byte order mark that some editors put in front.
struct ConfigText {
    byte_order_mark: &'static [u8],
    body: String,
}

impl ConfigText {
    fn of(bytes: Option<&[u8]>) -> Result<Self, Problem> {
        const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
        let bytes = bytes.unwrap_or_default();
        let (byte_order_mark, body) = bytes
            .strip_prefix(BYTE_ORDER_MARK)
            .map_or((&b""[..], bytes), |body| (BYTE_ORDER_MARK, body));
        let body =
            std::str::from_utf8(body).map_err(|_| Problem::Text("it is not UTF-8".to_owned()))?;
        Ok(Self {
            byte_order_mark,
            body: body.to_owned(),
        })
    }

    fn with(&self, body: &str) -> Vec<u8> {
        [self.byte_order_mark, body.as_bytes()].concat()
    }
}
