// The list of rows: only what is in sight is in the page. Above `TALLEST` pixels the scroll position is a share.
const list = { shown: new Uint32Array(0), at: 0 };
const HEIGHT = 26, TALLEST = 16e6;

const box = () => document.getElementById("list");
const tall = () => list.shown.length * HEIGHT;
const inSight = () => Math.ceil(box().clientHeight / HEIGHT);
const scaled = () => Math.min(tall(), TALLEST);

function showRows(shown, keep) {
  const before = keep ? list.shown[list.at] : undefined;
  list.shown = shown;
  list.at = Math.max(0, before === undefined ? 0 : shown.indexOf(before));
  document.getElementById("space").style.height = `${scaled()}px`;
  box().scrollTop = 0;
  if (list.at) moveTo(list.at); else drawRows();
}

function firstInSight() {
  const room = Math.max(1, scaled() - box().clientHeight);
  const share = Math.min(1, box().scrollTop / room);
  return tall() <= TALLEST ? Math.floor(box().scrollTop / HEIGHT) : Math.round(share * (list.shown.length - inSight() + 1));
}

function drawRows() {
  const first = Math.max(0, firstInSight() - 4), made = [];
  for (let n = first; n < Math.min(list.shown.length, first + inSight() + 8); n++) made.push(rowLine(n));
  const rows = document.getElementById("rows");
  rows.style.top = `${tall() <= TALLEST ? first * HEIGHT : Math.max(0, box().scrollTop - 4 * HEIGHT)}px`;
  rows.replaceChildren(...made);
}

function rowLine(n) {
  const i = list.shown[n], kinds = ["row", value("role", i), value("status", i), n === list.at ? "at" : ""].filter(Boolean);
  return element("div", { class: kinds.join(" "), role: "option", "aria-selected": n === list.at, id: `row-${n}`, onclick: () => { list.at = n; drawRows(); showDetail(i); } },
    whenOf(stampOf(i)),
    element("span", { class: "what" }, value("event", i) === "message" ? value("turn_type", i) : value("event", i).replaceAll("_", " ")),
    element("span", { class: "agent" }, value("agent", i)),
    element("span", { class: "tool" }, visible(value("tool_name", i))),
    element("span", { class: "text" }, visible(data.text[i].slice(0, 300).replaceAll("\n", " ⏎ "))));
}

// Year and seconds stand apart: a narrow page leaves them out.
function whenOf(stamp) {
  if (!stamp) return element("span", { class: "when" }, "undated");
  return element("span", { class: "when" }, element("span", { class: "year" }, stamp.slice(0, -19)), `${stamp.slice(-19, -14)} ${stamp.slice(-13, -8)}`, element("span", { class: "seconds" }, stamp.slice(-8, -1)));
}

function moveTo(n) {
  list.at = Math.min(list.shown.length - 1, Math.max(0, n));
  const first = firstInSight(), rows = inSight() - 1;
  if (list.at < first || list.at >= first + rows) {
    const top = list.at < first ? list.at : list.at - rows + 1;
    const room = Math.max(1, scaled() - box().clientHeight);
    box().scrollTop = tall() <= TALLEST ? top * HEIGHT : top / Math.max(1, list.shown.length - rows) * room;
  }
  drawRows();
  box().setAttribute("aria-activedescendant", `row-${list.at}`);
}

function listenToList() {
  let waiting = false;
  box().addEventListener("scroll", () => {
    if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; drawRows(); }); }
  });
  box().addEventListener("keydown", event => {
    const page = inSight() - 2;
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -list.shown.length, End: list.shown.length }[event.key];
    if (by !== undefined) moveTo(list.at + by);
    else if (!list.shown.length) return;
    else if (event.key === "Enter") showDetail(list.shown[list.at]);
    else if (event.key === "s") showSession(sessionOf(list.shown[list.at]), list.shown[list.at]);
    else return;
    event.preventDefault();
  });
}
