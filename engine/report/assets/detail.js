// One row, whole: every column, and the rule, the spec's line and the source that it rests on.
const FIRST = ["timestamp_utc", "time_basis", "time_raw", "agent", "session_id", "project_path", "git_branch", "turn_type", "event", "status", "model", "tool_name", "tool_use_id", "host", "user", "source_file", "source_line", "role", "basis", "rule"];

function cell(name, i) {
  if (name === "timestamp_utc") return stampOf(i);
  if (name === "time_raw") return data.raw[i] ?? stampOf(i);
  if (name === "tool_use_id") return data.call[i];
  if (name === "source_line") return data.line[i] ? String(data.line[i]) : "";
  return value(name, i);
}

function showDetail(i) {
  const dialog = document.getElementById("detail"), facts = element("dl");
  for (const name of FIRST) {
    const text = cell(name, i);
    if (text !== "") facts.append(element("dt", {}, name), element("dd", {}, visible(text)));
  }
  const known = data.facts.rules[value("rule", i)];
  if (known) {
    facts.append(element("dt", {}, "spec"), element("dd", {}, `${known.spec}:${known.line}`));
    for (const cite of known.cites) {
      const shown = cite.link ? element("a", { href: cite.link, rel: "noreferrer noopener", target: "_blank" }, cite.text) : cite.text;
      facts.append(element("dt", {}, "citation"), element("dd", {}, shown));
    }
  }
  const parts = [element("pre", { class: "text" }, visible(data.text[i]))];
  if (data.args[i] && data.args[i] !== data.text[i]) parts.push(element("h3", {}, "arguments"), element("pre", {}, visible(data.args[i])));
  if (value("session_id", i)) parts.push(element("button", { type: "button", class: "open-session", onclick: () => { dialog.close(); showSession(sessionOf(i), i); } }, "Open its session (s)"));
  dialog.querySelector("h2").textContent = `${value("agent", i)} ${value("event", i)}`;
  dialog.querySelector(".body").replaceChildren(...parts, facts);
  dialog.onkeydown = event => { if (event.key === "s" && value("session_id", i)) { dialog.close(); showSession(sessionOf(i), i); } };
  if (!dialog.open) dialog.showModal();
}

function listenToDialogs() {
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector(".close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener("close", () => { if (!document.getElementById("table").hidden) return; box().focus(); });
  }
}
