// Sessions: a table of all, and one as a transcript in which a call and its result stand together.
const sessions = { all: new Map(), sort: "last", down: true };

const sessionOf = i => `${data.column.host[i]} ${data.column.user[i]} ${data.column.agent[i]} ${data.column.session_id[i]}`;

function gatherSessions() {
  for (let i = 0; i < data.count; i++) {
    if (!value("session_id", i) || value("event", i) === "note") continue;
    const key = sessionOf(i);
    let one = sessions.all.get(key);
    if (!one) sessions.all.set(key, one = { key, agent: value("agent", i), id: value("session_id", i), first: NaN, last: NaN, files: { first: NaN, last: NaN }, rows: [], user: 0, assistant: 0, calls: 0, denied: 0, models: new Set(), tools: new Set(), projects: new Set() });
    one.rows.push(i);
    const ms = data.ms[i], turn = value("turn_type", i);
    if (ms === ms) widen(value("time_basis", i) === "file_mtime" ? one.files : one, ms);
    if (turn === "user") one.user++; else if (turn === "assistant") one.assistant++; else if (turn === "tool_use") one.calls++;
    if (value("status", i) === "denied") one.denied++;
    if (value("model", i)) one.models.add(value("model", i));
    if (value("tool_name", i)) one.tools.add(value("tool_name", i));
    if (value("project_path", i)) one.projects.add(value("project_path", i));
  }
  for (const one of sessions.all.values()) if (one.first !== one.first) Object.assign(one, one.files);
}

// A session lasts as long as its records say; a file may have been touched long after. Only without times of records do those of files count.
function widen(span, ms) {
  if (!(span.first <= ms)) span.first = ms;
  if (!(span.last >= ms)) span.last = ms;
}

const SESSION_COLUMNS = [
  ["agent", "Agent", one => one.agent], ["id", "Session", one => one.id], ["first", "First", one => one.first], ["last", "Last", one => one.last],
  ["length", "Duration", one => one.last - one.first], ["user", "Prompts", one => one.user], ["assistant", "Answers", one => one.assistant], ["calls", "Calls", one => one.calls], ["denied", "Denied", one => one.denied],
  ["models", "Models", one => [...one.models].join(", ")], ["tools", "Tools", one => [...one.tools].join(", ")], ["projects", "Projects", one => [...one.projects].join(", ")],
];

function duration(ms) {
  if (!(ms >= 0)) return "";
  const seconds = Math.round(ms / 1000), hours = Math.floor(seconds / 3600), minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours} h ${minutes} min` : minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

function sessionCell(name, found) {
  if (name === "first" || name === "last") return found === found ? iso(found) : "";
  return name === "length" ? duration(found) : typeof found === "number" ? String(found) : visible(found.length > 300 ? found.slice(0, 300) + "…" : found);
}

const kindOf = (name, found) => name === "first" || name === "last" || name === "agent" ? "" : typeof found === "number" ? "number" : "long";

function chosenSessions(shown) {
  const keys = new Set();
  for (const i of shown) keys.add(sessionOf(i));
  const [, , of] = SESSION_COLUMNS.find(([name]) => name === sessions.sort);
  const order = (a, b) => { const x = of(a), y = of(b); return (x < y || x !== x ? -1 : x > y || y !== y ? 1 : 0) * (sessions.down ? -1 : 1); };
  return [...sessions.all.values()].filter(one => keys.has(one.key)).sort(order);
}

const MOST_SESSIONS = 2000;

function showSessions(shown) {
  const chosen = chosenSessions(shown), head = element("tr");
  for (const [name, title] of SESSION_COLUMNS) {
    const mark = name === sessions.sort ? (sessions.down ? " ↓" : " ↑") : "";
    head.append(element("th", { scope: "col" }, element("button", { type: "button", onclick: () => { sessions.down = name === sessions.sort ? !sessions.down : true; sessions.sort = name; refresh(); } }, title + mark)));
  }
  const lines = chosen.slice(0, MOST_SESSIONS).map(one => element("tr", { tabindex: 0, onclick: () => showSession(one.key), onkeydown: event => { if (event.key === "Enter") showSession(one.key); } },
    ...SESSION_COLUMNS.map(([name, , of]) => element("td", { class: kindOf(name, of(one)) }, sessionCell(name, of(one))))));
  const more = chosen.length > MOST_SESSIONS ? element("p", {}, `${chosen.length - MOST_SESSIONS} more: narrow the filter to see them.`) : "";
  document.getElementById("table").replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines)), ...(more ? [more] : []));
  return chosen.length;
}

function showSession(key, from) {
  const one = sessions.all.get(key), dialog = document.getElementById("session");
  if (!one) return;
  const results = new Map();
  for (const i of one.rows) if (value("turn_type", i) === "tool_result" && data.call[i]) results.set(data.call[i], i);
  const calls = new Set(one.rows.filter(i => value("turn_type", i) === "tool_use").map(i => data.call[i]));
  const body = dialog.querySelector(".body"), turns = [];
  for (const i of one.rows) {
    const turn = value("turn_type", i);
    if (turn === "tool_result" && calls.has(data.call[i]) && results.get(data.call[i]) === i) continue;
    turns.push(() => turnOf(i, turn === "tool_use" ? results.get(data.call[i]) : undefined));
  }
  dialog.querySelector("h2").textContent = visible(`${one.agent} ${one.id} · ${[...one.models].join(", ")} · ${duration(one.last - one.first)}`);
  body.replaceChildren();
  let at = 0;
  const more = () => { for (const stop = Math.min(turns.length, at + 300); at < stop; at++) body.append(turns[at]()); };
  more();
  while (from !== undefined && at < turns.length && !body.querySelector(`[data-row="${from}"]`)) more();
  body.onscroll = () => { if (body.scrollTop + body.clientHeight * 3 > body.scrollHeight) more(); };
  if (!dialog.open) dialog.showModal();
  body.focus();
  const target = from === undefined ? null : body.querySelector(`[data-row="${from}"]`);
  if (target) target.scrollIntoView({ block: "center" }); else body.scrollTop = 0;
}

function turnOf(i, result) {
  const turn = value("turn_type", i), event = value("event", i);
  const kinds = ["turn", turn, value("status", i), event === "permission_decision" ? "decision" : ""].filter(Boolean).join(" ");
  const head = element("div", { class: "head" }, element("b", {}, event === "message" ? turn : event.replaceAll("_", " ")), visible(value("tool_name", i)), element("span", {}, stampOf(i) || "undated"), value("role", i) === "secondary" ? "only in a copy" : "", element("button", { type: "button", onclick: () => showDetail(i) }, "row"));
  const made = element("div", { class: kinds, "data-row": i }, head);
  if (turn === "system" && data.text[i].length < 300) made.append(element("div", { class: "fact" }, visible(data.text[i])));
  else made.append(element("pre", { class: "text" }, visible(data.text[i])));
  if (result !== undefined) {
    const error = value("status", result);
    made.append(element("div", { class: "result", "data-row": result }, element("div", { class: "head" }, element("span", { class: error ? "denied" : "" }, error ? `result: ${error}` : "result"), element("span", {}, stampOf(result)), element("button", { type: "button", onclick: () => showDetail(result) }, "row")), element("pre", { class: "text" }, visible(data.text[result]))));
  }
  return made;
}
