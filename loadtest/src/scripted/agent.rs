//! Agents at work: a mind, or a file of calls, over a transport.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

use super::{
    mind::{Counts, Mind},
    transcript::{LINE_BYTES_MAX, Line, Memory},
    transport::{Lost, Transport},
};

/// Wait before a call of a file is made again.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// Somebody who calls.
#[derive(Debug)]
pub(crate) struct Agent<T> {
    /// What it is called in what is printed.
    pub(crate) label: String,
    pub(crate) transport: T,
    /// It gives up after so long without an answer; `None` for never.
    pub(crate) patience: Option<Duration>,
    /// Turns true when it shall come to an end.
    pub(crate) stop: watch::Receiver<bool>,
    pub(crate) recorder: Option<Recorder>,
}

/// Writes a transcript.
#[derive(Debug)]
pub(crate) struct Recorder {
    file: File,
    memory: Memory,
    last: Instant,
}

impl Recorder {
    /// Starts a new file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn create(path: &Path) -> anyhow::Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { file, memory: Memory::new(0), last: Instant::now() })
    }

    fn note(&mut self, asked: Instant, call: &Value, answer: &Value) -> anyhow::Result<()> {
        let after_ms = u64::try_from((asked - self.last).as_millis()).unwrap_or(u64::MAX);
        writeln!(self.file, "{}", self.memory.line(after_ms, call, answer)).context("cannot write the transcript")?;
        self.memory.learn(answer);
        self.last = Instant::now();
        Ok(())
    }
}

impl<T: Transport> Agent<T> {
    /// Plays by its mind until it is stopped, then gives its seat back. `doing` is told what it does.
    ///
    /// # Errors
    /// There is no server for longer than it has patience, or none that it can play with.
    pub(crate) async fn play(mut self, mut mind: Mind, doing: watch::Sender<String>) -> anyhow::Result<Counts> {
        let mut heard = Instant::now();
        let mut stop = self.stop.clone();
        loop {
            let call = mind.call().clone();
            let answer = tokio::select! {
                answer = async { sleep(call.after).await; self.call(&call.payload).await } => answer?,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            match answer {
                Ok(answer) => {
                    mind.heard(&answer)?;
                    heard = Instant::now();
                }
                Err(reason) if self.patience.is_some_and(|patience| heard.elapsed() > patience) => bail!("{reason}"),
                Err(reason) => mind.unheard(&reason),
            }
            self.tell(&mut mind);
            doing.send_replace(mind.doing());
        }
        if mind.leave() {
            let leave = mind.call().payload.clone();
            // A seat that cannot be given back falls to a bot before long.
            if let Ok(answer) = self.call(&leave).await? {
                mind.heard(&answer)?;
            }
            self.tell(&mut mind);
        }
        Ok(mind.counts().clone())
    }

    /// Makes the calls of a file, each once it has its answer; returns how many were not answered as expected.
    ///
    /// # Errors
    /// The file is no transcript, or there is no answer.
    pub(crate) async fn replay(mut self, path: PathBuf, nonce: u64) -> anyhow::Result<u64> {
        let name = path.display();
        let file = File::open(&path).with_context(|| format!("cannot read {name}"))?;
        let mut lines = BufReader::new(file);
        let mut memory = Memory::new(nonce);
        let mut unexpected = 0;
        let mut stop = self.stop.clone();
        for number in 1_u64.. {
            let mut text = String::new();
            // One byte more than is legal: enough to be refused.
            let limited = LINE_BYTES_MAX as u64 + 1;
            let read = lines.by_ref().take(limited).read_line(&mut text);
            if read.with_context(|| format!("{name}:{number}"))? == 0 {
                break;
            }
            if text.trim().is_empty() {
                continue;
            }
            let line = Line::parse(text.trim_end()).with_context(|| format!("{name}:{number}"))?;
            let call = memory.fill(&line.call).with_context(|| format!("{name}:{number}"))?;
            let answer = tokio::select! {
                answer = self.call_patiently(line.after_ms, &call) => answer.with_context(|| format!("{name}:{number}"))?,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            memory.learn(&answer);
            let outcome = if answer["ok"] == true { "ok" } else { answer["error"]["code"].as_str().unwrap_or("?") };
            let is_expected = line.expect.as_deref().is_none_or(|expected| expected == outcome);
            unexpected += u64::from(!is_expected);
            let what = call["action"]["type"].as_str().or(call["type"].as_str()).unwrap_or("?");
            let remark = if is_expected { "" } else { ", which was not expected" };
            println!("{}: {name}:{number} {what}: {outcome}{remark}", self.label);
        }
        Ok(unexpected)
    }

    /// One call after a wait, made again while there is no answer; an act without a key is not, lest it be done twice.
    async fn call_patiently(&mut self, after_ms: u64, call: &Value) -> anyhow::Result<Value> {
        sleep(Duration::from_millis(after_ms)).await;
        let is_safe = call["type"] != "act" || call["key"].is_string();
        let asked = Instant::now();
        loop {
            match self.call(call).await? {
                Ok(answer) => return Ok(answer),
                Err(reason) if !is_safe || self.patience.is_some_and(|patience| asked.elapsed() > patience) => {
                    bail!("{reason}")
                }
                Err(_) => sleep(AGAIN_AFTER).await,
            }
        }
    }

    /// One call; the inner error is one that calling again may mend.
    async fn call(&mut self, payload: &Value) -> anyhow::Result<Result<Value, String>> {
        let asked = Instant::now();
        match self.transport.call(payload).await {
            Ok(answer) => {
                if let Some(recorder) = &mut self.recorder {
                    recorder.note(asked, payload, &answer)?;
                }
                Ok(Ok(answer))
            }
            Err(Lost::ForNow(reason)) => Ok(Err(reason)),
            Err(Lost::ForGood(reason)) => bail!("{reason}"),
        }
    }

    fn tell(&self, mind: &mut Mind) {
        for note in mind.drain_notes() {
            println!("{}: {note}", self.label);
        }
    }
}
