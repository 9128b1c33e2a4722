//! Opens the SQLite file, sets a damaged one aside, and reads and writes it.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::Connection;

use super::{
    Mark, Opened, StoreError, StoreOptions, WritePurpose,
    check::{self, IndexCheck},
    figures, finished, forwards, keep, launches, recents,
    reserve::{Reserve, ReserveState},
    row_values, schema, scrub,
    unreadable::{self, Unreadable},
    unwritable::{self, Unwritten},
};
use crate::model::{
    figures::Figures,
    history::HistoryEntry,
    id::{ContextName, InstanceId, SessionId, SessionKey},
    recent::{Recent, RecentEdit, RecentId},
    record::{SessionRecord, Write},
    shared_files,
    spec::LaunchRequest,
    text::Clean,
};

/// How many prepared statements are cached, which is more than the code has.
const STATEMENTS: usize = 32;

/// How long another connection to the file is waited for.
pub(super) const BUSY: Duration = Duration::from_secs(5);

pub(super) struct StoreFile {
    db: Connection,
    path: PathBuf,
    reserve: Reserve,
}

impl StoreFile {
    pub(super) fn open(options: &StoreOptions) -> Result<(Self, Opened), StoreError> {
        let path = &options.database;
        let found = match keep::marked(path) {
            Some(why) => Err(StoreError::corrupt(path, &why)),
            None => Self::open_on_any_disk(options),
        };
        let broken = match found {
            Err(error) if error.is_of_the_file() && path.exists() => error,
            found => return found,
        };
        let why = match &broken {
            StoreError::Corrupt { why, .. } | StoreError::Failing { why, .. } => why.clone(),
            other => other.to_string(),
        };
        let Ok(aside) = keep::set_aside(path) else {
            return Err(broken);
        };
        let (file, mut opened) = Self::open_once(options)?;
        opened.incomplete = Some(keep::mark_incomplete(path));
        opened.notes.push(Clean::new(&tr_sent!(
            "the state database was damaged ({why}) and was rebuilt from the engine. Ended \
             sessions and recent launches are only in the old file {aside}",
            why,
            aside = aside.display()
        )));
        Ok((file, opened))
    }

    /// Releases the reserve if the disk is full. Otherwise the daemon couldn't start and no session could be ended.
    fn open_on_any_disk(options: &StoreOptions) -> Result<(Self, Opened), StoreError> {
        let found = Self::open_once(options);
        match found {
            Err(StoreError::Full(_)) if Reserve::of(&options.database).release() => {
                Self::open_once(options)
            }
            found => found,
        }
    }

    fn open_once(options: &StoreOptions) -> Result<(Self, Opened), StoreError> {
        let path = &options.database;
        let sql = |error: rusqlite::Error| StoreError::sqlite(path, &error);
        make_private_directory(path)?;
        let mut db = Connection::open(path).map_err(sql)?;
        // This refuses a file of a newer version before it is changed.
        schema::check(&db, path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|error| StoreError::io(path, &error))?;
        db.set_prepared_statement_cache_capacity(STATEMENTS);
        set_up(&db, path, options.page_limit).map_err(sql)?;
        let layout = schema::layout(&db, path)?;
        check::definitions(&db, path, layout)?;
        let lost = layout == 0 && options.instance_file.exists();
        let copy = schema::migrate(&mut db, path)?;
        scrub::secrets(&mut db, path, &options.secrets).map_err(sql)?;
        let instance = instance(&db, options)?;
        let check = IndexCheck::begin(path);
        let load = || unreadable::without(&db, |db, bad| finished::load(db, options.ended, bad));
        let mut loaded = load();
        let mut rebuilt = false;
        // What was read by a damaged index doesn't count.
        if !check.passed() {
            rebuilt = check::indexes(&db, path)?;
            loaded = load();
        }
        let loaded = loaded.map_err(sql)?;
        let unloaded = finished::left(&db, &loaded).map_err(sql)?;
        let figures = figures::unfinished(&db).map_err(sql)?;
        let mounts = launches::mounts(&db).map_err(sql)?;
        let forwards = forwards::all(&db).map_err(sql)?;
        let lost = lost || rebuilt || unreadable::are_sessions_new(&db).map_err(sql)?;
        // `unreadable::report` reports rows only once, so the mark must exist before that.
        let incomplete = keep::incomplete(path, lost);
        let mut notes: Vec<Clean> = unreadable::report(&db).map_err(sql)?.into_iter().collect();
        if rebuilt {
            let text = tr_sent!("an index of the state database was damaged and has been rebuilt");
            notes.push(Clean::new(text));
        }
        let opened = Opened {
            instance,
            incomplete,
            records: loaded.records,
            unloaded,
            figures,
            mounts,
            forwards,
            copy,
            notes,
        };
        let path = path.clone();
        let mut reserve = Reserve::of(&path);
        reserve.ensure();
        Ok((Self { db, path, reserve }, opened))
    }

    /// Writes all rows or none.
    pub(super) fn write(
        &mut self,
        writes: &[Write],
        purpose: WritePurpose,
    ) -> Result<(), StoreError> {
        self.with_space(purpose, |db| write_all(db, writes))
    }

    /// Writes all rows except those that can't be written, which are set aside.
    pub(super) fn write_apart(
        &mut self,
        writes: &[Write],
        purpose: WritePurpose,
    ) -> Result<Vec<Unwritten>, StoreError> {
        self.with_space(purpose, |db| unwritable::put_all(db, writes))
    }

    /// Without reserved space, only the end of a session is written.
    fn with_space<T>(
        &mut self,
        purpose: WritePurpose,
        write: impl Fn(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let has_space = self.reserve.ensure() != ReserveState::NoSpace;
        if purpose == WritePurpose::Ordinary && !has_space {
            return Err(StoreError::Full(self.path.clone()));
        }
        let written = write(&mut self.db);
        let written = self.reported(written);
        if purpose == WritePurpose::Ending && matches!(written, Err(StoreError::Full(_))) {
            self.make_room();
            let written = write(&mut self.db);
            return self.reported(written);
        }
        written
    }

    /// Moves the contents of the write-ahead log into the file, so that its space is used again, after releasing the
    /// reserve.
    fn make_room(&mut self) {
        let released = self.reserve.release();
        tracing::warn!(released, "the disk is full");
        let checkpoint = "PRAGMA wal_checkpoint(RESTART)";
        if let Err(error) = self.db.query_row(checkpoint, (), |_| Ok(())) {
            tracing::warn!(%error, "the write-ahead log keeps its size");
        }
    }

    pub(super) fn recents(&self) -> Result<Vec<Recent>, StoreError> {
        self.read(recents::all)
    }

    pub(super) fn edit_recent(
        &self,
        id: RecentId,
        edit: &RecentEdit,
    ) -> Result<Vec<Recent>, StoreError> {
        self.reported(recents::edit(&self.db, id, edit))?;
        self.recents()
    }

    pub(super) fn figures(&self, session: SessionKey) -> Result<Option<Figures>, StoreError> {
        self.reported(figures::of(&self.db, session))
    }

    pub(super) fn launch(&self, session: SessionKey) -> Result<Option<LaunchRequest>, StoreError> {
        self.reported(launches::of(&self.db, session))
    }

    pub(super) fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>, StoreError> {
        self.read(|db, bad| row_values::history(db, session, bad))
    }

    pub(super) fn older(
        &self,
        context: ContextName,
        before: &Mark,
        limit: u32,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.read(|db, bad| finished::older(db, context, before, limit, bad))
    }

    pub(super) fn named(
        &self,
        context: ContextName,
        text: &str,
        limit: u32,
    ) -> Result<(u64, Vec<SessionId>), StoreError> {
        self.read(|db, bad| finished::named(db, context, text, limit, bad))
    }

    pub(super) fn sessions(&self, ids: &[SessionId]) -> Result<Vec<SessionRecord>, StoreError> {
        self.read(|db, bad| finished::of_ids(db, ids, bad))
    }

    /// Runs a query, and sets aside the rows that it can't read.
    fn read<T>(
        &self,
        query: impl Fn(&Connection, &mut Vec<Unreadable>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.reported(unreadable::without(&self.db, query))
    }

    /// Converts an SQLite error, and marks a damaged file for the next opening.
    fn reported<T>(&self, result: rusqlite::Result<T>) -> Result<T, StoreError> {
        let error = match result {
            Ok(value) => return Ok(value),
            Err(error) => StoreError::sqlite(&self.path, &error),
        };
        if let StoreError::Corrupt { why, .. } = &error
            && let Err(unmarked) = keep::mark_broken(&self.path, why)
        {
            return Err(StoreError::io(&self.path, &unmarked));
        }
        Err(error)
    }
}

fn write_all(db: &mut Connection, writes: &[Write]) -> rusqlite::Result<()> {
    let change = db.transaction()?;
    for write in writes {
        row_values::put(&change, write)?;
    }
    change.commit()
}

/// Sets the journal mode and the limits. A killed process loses nothing in either mode. WAL is faster but fails on
/// network file systems.
fn set_up(db: &Connection, path: &Path, page_limit: Option<u32>) -> rusqlite::Result<()> {
    let (journal, synchronous) = if on_network(path) {
        ("DELETE", "FULL")
    } else {
        ("WAL", "NORMAL")
    };
    db.busy_timeout(BUSY)?;
    db.pragma_update(None, "cell_size_check", true)?;
    db.query_row(&format!("PRAGMA journal_mode = {journal}"), (), |_| Ok(()))?;
    db.pragma_update(None, "synchronous", synchronous)?;
    db.pragma_update(None, "foreign_keys", true)?;
    if let Some(pages) = page_limit {
        db.query_row(&format!("PRAGMA max_page_count = {pages}"), (), |_| Ok(()))?;
    }
    Ok(())
}

/// Whether the file is on a file system that several machines share.
fn on_network(path: &Path) -> bool {
    let directory = path.parent().unwrap_or(path);
    let facts = rustix::fs::statfs(directory);
    facts.is_ok_and(|facts| shared_files::name_of(facts.f_type as u32).is_some())
}

fn make_private_directory(path: &Path) -> Result<(), StoreError> {
    let directory = path.parent().unwrap_or(path);
    if directory.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(directory)
        .and_then(|()| fs::set_permissions(directory, fs::Permissions::from_mode(0o700)))
        .map_err(|error| StoreError::io(path, &error))
}

/// Returns the instance's ID: from the file beside the database, else from the database, else a new one. Stores it in
/// both.
fn instance(db: &Connection, options: &StoreOptions) -> Result<InstanceId, StoreError> {
    let file = &options.instance_file;
    let stored = row_values::instance(db)
        .map_err(|error| StoreError::sqlite(&options.database, &error))?
        .and_then(|text| text.parse().ok());
    let beside = fs::read_to_string(file)
        .ok()
        .and_then(|text| text.trim().parse().ok());
    // The file comes first, because a damaged byte in the database could have changed the ID there.
    let instance = beside.or(stored).unwrap_or_else(InstanceId::random);
    if beside != Some(instance) {
        let new = file.with_extension("new");
        fs::write(&new, format!("{instance}\n"))
            .and_then(|()| fs::rename(&new, file))
            .map_err(|error| StoreError::io(file, &error))?;
    }
    if stored != Some(instance) {
        row_values::set_instance(db, &instance.to_string())
            .map_err(|error| StoreError::sqlite(&options.database, &error))?;
    }
    Ok(instance)
}
