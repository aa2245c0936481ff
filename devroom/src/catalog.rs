//! Which Apps exist: in Free4Chat a curated document, here the command line.

use anyhow::{Context as _, bail};

use crate::ids::{AppId, InstanceId};
use crate::limits::APPS_MAX;

/// One App that people can open.
#[derive(Clone, Debug)]
pub struct App {
    /// Its id, which is also in its instance's name.
    pub id: AppId,
    /// What people call it: 1 to 64 characters.
    pub label: String,
    /// Where its page is.
    pub url: String,
    /// A disabled App can be neither opened nor asked.
    pub is_active: bool,
}

/// The Apps of one Room.
#[derive(Debug)]
pub struct Catalog {
    apps: Vec<(InstanceId, App)>,
}

impl Catalog {
    /// The catalog of a Room.
    ///
    /// # Errors
    /// There are too many Apps, or two with one id.
    pub fn new(room: &str, apps: Vec<App>) -> anyhow::Result<Self> {
        if apps.len() > APPS_MAX {
            bail!("there are {} Apps; a Room has at most {APPS_MAX}", apps.len());
        }
        for (index, app) in apps.iter().enumerate() {
            if apps[..index].iter().any(|other| other.id == app.id) {
                bail!("two Apps have the id {}: give one another with --app ID=URL", app.id);
            }
        }
        Ok(Self { apps: apps.into_iter().map(|app| (InstanceId::of(room, &app.id), app)).collect() })
    }

    /// The active App behind an instance of this Room.
    #[must_use]
    pub fn active(&self, instance: &InstanceId) -> Option<&App> {
        self.apps().find(|(id, app)| *id == instance && app.is_active).map(|(_, app)| app)
    }

    /// All Apps with their instances.
    pub fn apps(&self) -> impl Iterator<Item = (&InstanceId, &App)> {
        self.apps.iter().map(|(instance, app)| (instance, app))
    }

    /// Enables or disables an App; whether there is one of that id.
    pub fn set_active(&mut self, id: &AppId, is_active: bool) -> bool {
        let app = self.apps.iter_mut().find(|(_, app)| app.id == *id);
        app.map(|(_, app)| app.is_active = is_active).is_some()
    }
}

impl std::str::FromStr for App {
    type Err = anyhow::Error;

    /// Reads `URL`, `ID=URL` or `ID:LABEL=URL`. Without an id it is the last folder of the path, or `app`.
    fn from_str(text: &str) -> anyhow::Result<Self> {
        let is_url = |text: &str| text.starts_with("http://") || text.starts_with("https://");
        let (names, url) = if is_url(text) { ("", text) } else { text.split_once('=').unwrap_or(("", text)) };
        if !is_url(url) {
            bail!("{url:?} is no http or https URL; write URL, ID=URL or ID:LABEL=URL");
        }
        let (id, label) = names.split_once(':').unwrap_or((names, ""));
        let id = if id.is_empty() { id_in(url) } else { id.to_owned() };
        let label = if label.is_empty() { capitalised(&id) } else { label.to_owned() };
        let id = AppId::parse(&id).with_context(|| format!("{id:?} is no App id: ^[a-z0-9][a-z0-9-]{{0,31}}$"))?;
        if label.trim().is_empty() || label.chars().count() > 64 || label.chars().any(char::is_control) {
            bail!("{label:?} is no label: 1 to 64 characters, no controls");
        }
        Ok(Self { id, label, url: url.to_owned(), is_active: true })
    }
}

fn id_in(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or("", |(_, rest)| rest);
    let folder = path.split('/').skip(1).filter(|folder| !folder.is_empty()).last();
    folder.filter(|folder| AppId::parse(folder).is_some()).unwrap_or("app").to_owned()
}

fn capitalised(id: &str) -> String {
    let mut letters = id.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_app_is_named_by_its_argument_or_its_path() {
        for (text, id, label) in [
            ("http://localhost:8080/", "app", "App"),
            ("http://localhost:8080/arena?x=/y", "arena", "Arena"),
            ("arena=http://localhost:8080/?a=b", "arena", "Arena"),
            ("arena:The Arena=https://example.com", "arena", "The Arena"),
        ] {
            let app: App = text.parse().expect("it is an App");
            assert_eq!((app.id.as_str(), app.label.as_str()), (id, label), "{text}");
        }
        for bad in ["", "arena", "arena=ftp://x", "Arena=http://x", "a:\n=http://x"] {
            assert!(bad.parse::<App>().is_err(), "{bad}");
        }
    }

    #[test]
    fn two_apps_of_one_id_are_refused() {
        let app = || "arena=http://localhost".parse::<App>().expect("it is an App");
        assert!(Catalog::new("room", vec![app()]).is_ok());
        assert!(Catalog::new("room", vec![app(), app()]).is_err());
    }
}
