//! Which files the served page has: the path of each, and where it lies in the folder of the page. The build script packs them.

/// Those that are no file of their own on the server.
pub(crate) const PARTS: &[&str] = &["serve/index.html", "serve/login.html", "index.html"];

/// Those that a browser loads by their path.
pub(crate) const SERVED: &[(&str, &str)] = &[
    ("/style.css", "style.css"),
    ("/serve.css", "serve/serve.css"),
    ("/icon.svg", "serve/icon.svg"),
    ("/uPlot.min.css", "vendor/uPlot.min.css"),
    ("/uPlot.iife.min.js", "vendor/uPlot.iife.min.js"),
    ("/dom.js", "dom.js"),
    ("/advice.js", "advice.js"),
    ("/main.js", "serve/main.js"),
    ("/login.js", "serve/login.js"),
    ("/server.js", "serve/server.js"),
    ("/units.js", "serve/units.js"),
    ("/timechart.js", "serve/timechart.js"),
    ("/panels.js", "serve/panels.js"),
    ("/live.js", "serve/live.js"),
    ("/history.js", "serve/history.js"),
    ("/findings.js", "serve/findings.js"),
    ("/datasets.js", "serve/datasets.js"),
    ("/tunables.js", "serve/tunables.js"),
    ("/whatif.js", "serve/whatif.js"),
    // Tabs that the browser page has as well: its files, with another engine below them.
    ("/visiting.js", "serve/visiting.js"),
    ("/engine.js", "serve/engine.js"),
    ("/paste.js", "findings.js"),
    ("/drop.js", "drop.js"),
    ("/experiment.js", "experiment.js"),
    ("/link.js", "link.js"),
    ("/result.js", "result.js"),
    ("/charts.js", "charts.js"),
    ("/sliders.js", "sliders.js"),
    ("/example.txt", "example.txt"),
];
