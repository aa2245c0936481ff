//! `loadtest cadence --live` against the program itself: each lane decides at its own pace, and mechanics play on.

use clap::{Args as _, Command, FromArgMatches as _};
use serde_json::Value;

#[tokio::test]
async fn live_lanes_play_by_the_contract_alone() {
    let report = std::env::temp_dir().join(format!("matchd-lanes-{}.json", std::process::id()));
    let report_path = report.to_str().expect("a path in UTF-8");
    let arguments = ["cadence", "--matches", "2", "--minutes", "1", "--live", "3", "--live-matches", "2"];
    let own = ["--no-pin", "--server-bin", env!("CARGO_BIN_EXE_matchd"), "--json", report_path];
    let command = loadtest::CadenceOptions::augment_args(Command::new("cadence"));
    let matches = command.try_get_matches_from(arguments.iter().chain(&own)).expect("legal arguments");
    let options = loadtest::CadenceOptions::from_arg_matches(&matches).expect("legal arguments");
    assert!(loadtest::cadence(&options).await.expect("server and lanes agree"));

    let text = std::fs::read(&report).expect("a report");
    std::fs::remove_file(&report).expect("it was there");
    let found: Value = serde_json::from_slice(&text).expect("JSON");
    let live = &found["live"];
    assert!(live["ticks"].as_f64().is_some_and(|ticks| ticks > 0.0), "{live}");
    let lanes = live["lanes"].as_array().expect("lanes");
    assert_eq!(lanes.iter().map(|lane| &lane["rung"]).collect::<Vec<_>>(), ["frame", "sub-second", "seconds"]);
    for lane in lanes {
        let decisions = lane["decisions_per_second"].as_f64().expect("a number") * 3.0;
        match lane["rung"].as_str() {
            Some("frame") => assert!((decisions - 1.0).abs() < 1e-9, "it is told once: {lane}"),
            Some("sub-second") => assert!(decisions >= 1.0, "{lane}"),
            _ => assert!(decisions < 4.0, "a model takes most of a second at least: {lane}"),
        }
        assert!(lane["acted_per_second"].as_f64().is_some_and(|acts| acts > 10.0), "mechanics play on: {lane}");
    }
    assert!(lanes[0]["valid"]["value"] == 1.0 && lanes[0]["age_ms"]["p50"].as_f64() > Some(0.0), "{live}");
}
