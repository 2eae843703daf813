//! The layout of an index file.

/// The version of [`SCHEMA`]; raise it with every change of a table or of what its rows mean. A file with another version is set aside and
/// built anew.
pub const SCHEMA_VERSION: i64 = 22;

/// The tables. Keys are integers; the rows that belong to a file are deleted with it.
pub const SCHEMA: &str = "
CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `blob` is git's name of the bytes, by which an index of a commit is compared with its tree; null where they were not read.
CREATE TABLE file(
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  content BLOB NOT NULL,
  size INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  language TEXT NOT NULL,
  facts_version INTEGER NOT NULL,
  marked INTEGER NOT NULL,
  skip INTEGER,
  blob BLOB
) STRICT;
CREATE INDEX file_skip ON file(skip) WHERE skip IS NOT NULL;

CREATE TABLE stat(
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  proves_content INTEGER NOT NULL
) STRICT;

-- Columns that follow from others take no bytes: `norm` of a name with ASCII letters, digits, `_` and `$` alone (else it is `other_norm`), and
-- `qualified`, the name behind its `scope`. A scope that begins with `=` is all of the qualified name: cut as bytes, for `substr` ends a text at
-- a zero. In `short_signature` a byte 1 stands for the name, unless it begins with `=`.
CREATE TABLE symbol(
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  handle INTEGER NOT NULL,
  name TEXT NOT NULL,
  other_norm TEXT,
  norm TEXT NOT NULL AS (ifnull(other_norm, lower(replace(replace(name, '_', ''), '$', '')))),
  scope TEXT,
  qualified TEXT NOT NULL AS (
    CASE WHEN scope IS NULL THEN name
      WHEN substr(scope, 1, 1) = '=' THEN CAST(substr(CAST(scope AS BLOB), 2) AS TEXT)
      ELSE scope || '.' || name END
  ),
  kind INTEGER NOT NULL,
  exported INTEGER NOT NULL,
  parent INTEGER,
  start_line INTEGER NOT NULL,
  extra_lines INTEGER NOT NULL,
  end_line INTEGER NOT NULL AS (start_line + extra_lines),
  lines_to_name INTEGER NOT NULL,
  name_line INTEGER NOT NULL AS (start_line + lines_to_name),
  start_byte INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  end_byte INTEGER NOT NULL AS (start_byte + bytes),
  short_signature TEXT NOT NULL,
  signature TEXT NOT NULL AS (
    CASE WHEN substr(short_signature, 1, 1) = '=' THEN CAST(substr(CAST(short_signature AS BLOB), 2) AS TEXT)
      ELSE replace(short_signature, char(1), name) END
  )
) STRICT;
CREATE INDEX symbol_place ON symbol(file, ordinal);
CREATE INDEX symbol_norm ON symbol(norm);

-- The chunks of a file, packed: see `packed_chunks`.
CREATE TABLE chunk(
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  packed BLOB NOT NULL
) STRICT;

-- The file of the chunks whose ids are the `n` from `first` on. Without a foreign key: like their words, these rows are deleted by id.
CREATE TABLE chunk_run(
  first INTEGER PRIMARY KEY,
  n INTEGER NOT NULL,
  file INTEGER NOT NULL
) STRICT;

-- Holds no source: its columns are indexed and forgotten, and its row ids are those of chunks. The first column takes two bytes less for
-- each word of a chunk.
-- A segment is merged only when 40 % of it is deleted: at SQLite's 10 % a switch to a branch 50 files away rewrites the whole text index.
-- Eight segments of one level are merged, not four: what a small change writes is written once less.
-- The words of a transaction wait in up to 16 MB of memory, not one, so that a build writes few segments.
CREATE VIRTUAL TABLE text USING fts5(
  body, symbol, signature, doc, path,
  content='', contentless_delete=1, detail=full, tokenize='porter ascii'
);
INSERT INTO text(text, rank) VALUES('deletemerge', 40);
INSERT INTO text(text, rank) VALUES('automerge', 8);
INSERT INTO text(text, rank) VALUES('hashsize', 16777216);
CREATE VIRTUAL TABLE posting USING fts5vocab(text, instance);

CREATE TABLE facts(
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  exported_names INTEGER NOT NULL,
  declared BLOB NOT NULL,
  uses BLOB NOT NULL
) STRICT;

CREATE TABLE config(
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  packed BLOB NOT NULL
) STRICT;

-- The suites that a configuration of tests declares.
CREATE TABLE runner(
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  suites TEXT NOT NULL
) STRICT;

-- `state` is 0 for an import that is not resolved yet, 1 for one that leads to a file, 2 out of the repository, 3 to nothing.
-- A `target` below 0 is a unit, by its id.
CREATE TABLE import(
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  specifier TEXT NOT NULL,
  kind INTEGER NOT NULL,
  type_only INTEGER NOT NULL,
  line INTEGER NOT NULL,
  state INTEGER NOT NULL,
  target INTEGER,
  PRIMARY KEY(file, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_target ON import(target);

-- The files behind an import of a unit: those that hold a name which the importer uses, else the first.
CREATE TABLE import_file(
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  target INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  PRIMARY KEY(file, ordinal, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_file_target ON import_file(target);

-- A unit of visibility that several files share, such as a package of Go. Its files pass their names on as those behind `export *` do, the
-- ones of low `rank` first.
CREATE TABLE unit(
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE unit_file(
  unit INTEGER NOT NULL REFERENCES unit(id),
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  PRIMARY KEY(unit, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX unit_file_file ON unit_file(file);

-- The edges out of one file to the definitions of one block, packed. An edge stands for all uses of one definition in another.
CREATE TABLE edge(
  dst_block INTEGER NOT NULL,
  src_file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  packed BLOB NOT NULL,
  PRIMARY KEY(dst_block, src_file)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_src_file ON edge(src_file);

-- How often the names of files lead to no definition here, packed: see `unbound`.
CREATE TABLE unbound(
  id INTEGER PRIMARY KEY,
  packed BLOB NOT NULL
) STRICT;

-- The files by whose interface a file was linked. `name_mask` has the buckets of the names that were looked up: when one of those names
-- changes, the file is linked again. A file behind the `export *` of another dependency has no row where that one was asked for the same names.
CREATE TABLE dependency(
  file INTEGER NOT NULL REFERENCES file(id) ON DELETE CASCADE,
  target INTEGER NOT NULL,
  name_mask INTEGER NOT NULL,
  PRIMARY KEY(target, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependency_file ON dependency(file);

-- The files to link again. `stages` has 1 where the imports have to be resolved, 2 where the names have to be bound in any case. Written in
-- the transaction that makes it necessary, so that no crash loses it.
CREATE TABLE link_queue(
  file INTEGER PRIMARY KEY REFERENCES file(id) ON DELETE CASCADE,
  stages INTEGER NOT NULL
) STRICT;

-- The newest commits that can be reached from the index's own. `author` is a name, never an address; `files` is null where it is not known
-- how many files the commit changed.
CREATE TABLE \"commit\"(
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  time INTEGER NOT NULL,
  parents BLOB NOT NULL,
  author TEXT NOT NULL,
  subject TEXT NOT NULL,
  fix INTEGER NOT NULL,
  files INTEGER
) STRICT;

-- The paths of those commits, whether such a file is there now or not.
CREATE TABLE past_path(
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE
) STRICT;

-- `counts` is 0 for a commit that touched too many files to be about one of them.
CREATE TABLE touch(
  \"commit\" INTEGER NOT NULL,
  path INTEGER NOT NULL,
  counts INTEGER NOT NULL,
  moved_from INTEGER,
  PRIMARY KEY(\"commit\", path)
) STRICT, WITHOUT ROWID;
CREATE INDEX touch_moved ON touch(moved_from) WHERE moved_from IS NOT NULL;

CREATE VIRTUAL TABLE message USING fts5(
  words, content='', contentless_delete=1, detail=full, tokenize='porter ascii'
);
CREATE VIRTUAL TABLE message_posting USING fts5vocab(message, instance);
";
