// The page: opens the rows, and shows what the person asks for.
const $ = id => document.getElementById(id);

function refresh(keep = true) {
  const { found, shown } = select();
  drawPlot(found);
  const asTable = state.view === "sessions" || state.view === "files";
  $("list").hidden = asTable; $("table").hidden = !asTable;
  let said = `${shown.length.toLocaleString("en")} of ${data.count.toLocaleString("en")} rows`;
  if (state.view === "sessions") said = `${showSessions(shown).toLocaleString("en")} of ${sessions.all.size.toLocaleString("en")} sessions`;
  else if (state.view === "files") said = `${showFiles().toLocaleString("en")} files`;
  else showRows(shown, keep);
  $("found").textContent = said;
  for (const tab of $("tabs").children) tab.setAttribute("aria-selected", tab.dataset.view === state.view);
}

function showFiles() {
  const head = ["Agent", "File", "Size", "SHA-256", "Read", "Rows", "Copies", "Ignored", "Bad"], lines = [];
  for (const source of data.facts.files) {
    const sum = name => Object.values(source.stores).reduce((total, store) => total + (name === "ignored" ? Object.values(store.ignored).reduce((a, b) => a + b, 0) : store[name]), 0);
    const first = source.files[0] || {};
    const cells = [source.agent, source.source_file, first.size ?? "", first.sha256 ?? "", sum("read"), sum("rows"), sum("copies"), sum("ignored"), sum("bad")];
    lines.push(element("tr", {}, ...cells.map((cell, n) => element("td", { class: typeof cell === "number" ? "number" : n ? "long" : "" }, visible(String(cell))))));
  }
  $("table").replaceChildren(element("table", { class: "files" }, element("thead", {}, element("tr", {}, ...head.map(text => element("th", { scope: "col" }, text)))), element("tbody", {}, ...lines)));
  return lines.length;
}

function fillChoices() {
  const fill = (id, name, all) => {
    const counts = new Map();
    for (const at of data.column[name]) counts.set(at, (counts.get(at) || 0) + 1);
    const known = [...counts].map(([at, count]) => [data.values[name][at], count]).filter(([text]) => text).sort((a, b) => b[1] - a[1]).slice(0, 500);
    $(id).replaceChildren(element("option", { value: "" }, all), ...known.map(([text, count]) => element("option", { value: text }, `${visible(text).slice(0, 60)} (${count})`)));
    $(id).addEventListener("change", () => { state[id] = $(id).value; refresh(); });
  };
  fill("agent", "agent", "all agents"); fill("event", "event", "all events"); fill("tool", "tool_name", "all tools"); fill("project", "project_path", "all projects");
}

function fillTabs() {
  Object.entries(VIEWS).forEach(([name, [title, column, test]], n) => {
    let count = "";
    if (test) { count = 0; const fits = data.values[column].map(test); for (const at of data.column[column]) if (fits[at]) count++; }
    $("tabs").append(element("button", { type: "button", role: "tab", "data-view": name, title: `${n + 1}`, onclick: () => { state.view = name; refresh(); } }, title, " ", element("small", {}, count === "" ? "" : String(count))));
  });
}

function listen() {
  let waiting = 0;
  $("words").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => { state.words = $("words").value; refresh(); }, 60); });
  $("words").addEventListener("keydown", event => { if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); state.words = $("words").value; refresh(); box().focus(); } });
  $("filters").addEventListener("submit", event => event.preventDefault());
  $("clear").addEventListener("click", () => { Object.assign(state, { words: "", agent: "", event: "", tool: "", project: "", from: NaN, to: NaN }); for (const id of ["words", "agent", "event", "tool", "project"]) $(id).value = ""; refresh(); });
  $("theme").addEventListener("click", () => { const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches; document.documentElement.dataset.theme = dark ? "light" : "dark"; });
  $("print").addEventListener("click", () => print());
  $("help-open").addEventListener("click", () => $("help").showModal());
  addEventListener("resize", () => refresh());
  addEventListener("beforeprint", fillAppendix);
  addEventListener("afterprint", () => $("appendix").replaceChildren());
  addEventListener("keydown", event => {
    if (event.target.matches("input, select") || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const view = Object.keys(VIEWS)[Number(event.key) - 1];
    if (event.key === "/") { event.preventDefault(); $("words").focus(); }
    else if (event.key === "?") $("help").showModal();
    else if (view) { state.view = view; refresh(); if (VIEWS[view][1] || view === "timeline") box().focus(); }
    else if (event.key === "Escape" && !Number.isNaN(state.from)) choose(NaN, NaN);
  });
}

// What the person chose, in words.
function chosen() {
  const said = ["agent", "event", "tool", "project"].filter(name => state[name]).map(name => `${name} ${visible(state[name])}`);
  if (state.words.trim()) said.unshift(`words “${visible(state.words.trim())}”`);
  if (!Number.isNaN(state.from)) said.push(`${iso(state.from)} to ${iso(state.to)}`);
  return said;
}

// The appendix of a case file: the facts of the run, the sessions, and the rows that the filter shows.
const MOST_PRINTED = 5000;

function fillAppendix() {
  const asTable = state.view === "sessions" || state.view === "files", shown = asTable ? select().shown : list.shown;
  const rows = [...shown.subarray(0, MOST_PRINTED)];
  const head = titles => element("thead", {}, element("tr", {}, ...titles.map(title => element("th", {}, title))));
  const line = cells => element("tr", {}, ...cells.map(text => element("td", {}, visible(text))));
  const specs = (data.facts.run.specs || []).map(spec => `${spec.agent} ${spec.sha256.slice(0, 16)}`).join(", ");
  const named = SESSION_COLUMNS.slice(0, 9);
  const inputs = (data.facts.run.inputs || []).map(input => `${visible(input.path)} (${input.as})`).join(", ");
  const parts = [
    element("p", {}, `agentrows ${data.facts.engine}, row schema ${data.facts.row_schema}, specs: ${specs}`),
    element("p", {}, `Read: ${inputs || "unknown"}`), element("p", {}, `Shown: ${chosen().join(", ") || "everything"}`),
    element("h2", {}, "Sessions"), element("table", { class: "sessions" }, head(named.map(([, title]) => title)), element("tbody", {}, ...chosenSessions(shown).map(one => line(named.map(([name, , of]) => sessionCell(name, of(one))))))),
  ];
  if (state.view === "files") parts.push(element("h2", {}, "Files"), $("table").firstChild.cloneNode(true));
  if (!asTable) {
    parts.push(element("h2", {}, `Rows: ${VIEWS[state.view][0]}`),
      element("table", { class: "rows" }, head(["Time (UTC)", "Agent, session", "What", "Text", "Source"]), element("tbody", {}, ...rows.map(i => line([stampOf(i) || "undated", `${value("agent", i)} ${value("session_id", i)}`, `${value("event", i)} ${value("tool_name", i)} ${value("status", i)}`.trim(), data.text[i].slice(0, 2000), `${value("source_file", i)}:${data.line[i]}`])))));
    if (shown.length > MOST_PRINTED) parts.push(element("p", {}, `${shown.length - MOST_PRINTED} more rows are not printed.`));
  }
  $("appendix").replaceChildren(...parts);
}

async function begin() {
  const started = performance.now();
  await load(share => { $("about").textContent = `Opening… ${Math.round(share * 100)} %`; });
  document.title = $("title").textContent = data.facts.title;
  gatherSessions(); measure(); fillChoices(); fillTabs(); listen(); listenToPlot(); listenToList(); listenToDialogs();
  const bad = data.facts.run.unreadable ? data.facts.run.unreadable.length : 0;
  $("about").textContent = `${data.count.toLocaleString("en")} rows, ${sessions.all.size.toLocaleString("en")} sessions, ${data.values.agent.length} agents, ${data.facts.files.length} files${bad ? `, ${bad} unreadable` : ""} · engine ${data.facts.engine}`;
  refresh();
  box().focus();
  prepareSearch();
  document.documentElement.dataset.ready = String(Math.round(performance.now() - started));
}

begin().catch(error => { $("about").textContent = `This report could not be opened: ${error.message}`; throw error; });
