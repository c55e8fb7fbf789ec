// Activity over time by agent: bars that are stacked, and a window of time that is drawn with the pointer or by keys.
const COLOURS = ["#4878cf", "#d1662a", "#3f9b5f", "#a657b4", "#c23b52", "#8a7334", "#2f9aa0", "#6b6fd1", "#99622f", "#5f6b73"];
const HOUR = 3600e3, STEPS = [1e3, 1e4, 6e4, 3e5, 9e5, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR, 91 * 24 * HOUR, 365 * 24 * HOUR];
const plot = { low: 0, high: 1, width: 0, height: 0, drag: null };
const SVG = "http://www.w3.org/2000/svg";
const PAD = 18;

function shape(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, given] of Object.entries(attributes)) made.setAttribute(key, given);
  if (text !== undefined) made.textContent = text;
  return made;
}

const colourOf = agent => COLOURS[agent % COLOURS.length];
const xOf = ms => (ms - plot.low) / (plot.high - plot.low) * plot.width;
const timeAt = x => plot.low + Math.min(1, Math.max(0, x / plot.width)) * (plot.high - plot.low);

function measure() {
  let low = Infinity, high = -Infinity;
  for (const ms of data.ms) if (ms === ms) { if (ms < low) low = ms; if (ms > high) high = ms; }
  if (low > high) { low = 0; high = 1; }
  const room = Math.max((high - low) * 0.01, 500);
  plot.low = low - room; plot.high = high + room;
}

function drawPlot(shown) {
  const svg = document.getElementById("plot");
  plot.width = svg.clientWidth; plot.height = svg.clientHeight;
  svg.setAttribute("viewBox", `0 0 ${plot.width} ${plot.height}`);
  const buckets = Math.max(1, Math.floor(plot.width / 5)), agents = data.values.agent.length;
  const counts = new Uint32Array(buckets * agents), totals = new Uint32Array(buckets);
  for (const i of shown) {
    const ms = data.ms[i];
    if (ms !== ms) continue;
    const at = Math.min(buckets - 1, Math.floor((ms - plot.low) / (plot.high - plot.low) * buckets));
    counts[at * agents + data.column.agent[i]]++; totals[at]++;
  }
  const most = totals.reduce((a, b) => Math.max(a, b), 1), ground = plot.height - PAD, step = plot.width / buckets;
  const made = [shape("line", { class: "axis", x1: 0, x2: plot.width, y1: ground, y2: ground })];
  for (let at = 0; at < buckets; at++) {
    let y = ground;
    for (let agent = 0; agent < agents; agent++) {
      const count = counts[at * agents + agent];
      if (!count) continue;
      // the height goes by the root, so that a quiet hour is seen beside a busy one
      const high = count / totals[at] * Math.sqrt(totals[at] / most) * (ground - 8);
      y -= high;
      const bar = shape("rect", { x: at * step, y, width: Math.max(1, step - 1), height: high, fill: colourOf(agent) });
      bar.append(shape("title", {}, `${data.values.agent[agent]}: ${count}, ${iso(plot.low + at / buckets * (plot.high - plot.low))}`));
      made.push(bar);
    }
  }
  made.push(...ticks(), brushShape());
  svg.replaceChildren(...made);
  drawLegend();
}

function ticks() {
  const span = plot.high - plot.low, wide = Math.max(2, Math.floor(plot.width / 130));
  const step = STEPS.find(each => span / each <= wide) || STEPS[STEPS.length - 1] * Math.ceil(span / wide / STEPS[STEPS.length - 1]);
  const made = [];
  for (let ms = Math.ceil(plot.low / step) * step; ms < plot.high; ms += step) {
    const text = step >= 24 * HOUR ? iso(ms).slice(0, 10) : step >= HOUR ? iso(ms).slice(0, 16) : iso(ms).slice(11, 19);
    made.push(shape("text", { x: xOf(ms) + 2, y: plot.height - 4 }, text), shape("line", { class: "axis", x1: xOf(ms), x2: xOf(ms), y1: plot.height - PAD, y2: plot.height }));
  }
  return made;
}

function brushShape() {
  const on = !Number.isNaN(state.from);
  const x = on ? xOf(state.from) : 0, width = on ? Math.max(2, xOf(state.to) - x) : 0;
  return shape("rect", { class: "brush", x, y: 0, width, height: plot.height - PAD, visibility: on ? "visible" : "hidden" });
}

function drawLegend() {
  const legend = document.getElementById("legend");
  const names = data.values.agent.map((name, agent) => {
    const mark = element("i");
    mark.style.background = colourOf(agent);
    return element("span", {}, mark, name);
  });
  const window = Number.isNaN(state.from) ? "" : element("span", {}, `${iso(state.from)} to ${iso(state.to)} `, element("button", { type: "button", onclick: () => choose(NaN, NaN) }, "all time"));
  legend.replaceChildren(...names, ...(window ? [window] : []));
}

const iso = ms => new Date(ms).toISOString().replace("T", " ").slice(0, 19);

function choose(from, to) {
  state.from = Math.min(from, to); state.to = Math.max(from, to);
  refresh();
}

function listenToPlot() {
  const svg = document.getElementById("plot"), at = event => timeAt(event.clientX - svg.getBoundingClientRect().left);
  svg.addEventListener("pointerdown", event => { svg.setPointerCapture(event.pointerId); plot.drag = at(event); });
  svg.addEventListener("pointermove", event => {
    if (plot.drag === null) return;
    const now = at(event);
    state.from = Math.min(plot.drag, now); state.to = Math.max(plot.drag, now);
    svg.querySelector(".brush").replaceWith(brushShape());
  });
  svg.addEventListener("pointerup", event => {
    if (plot.drag === null) return;
    const from = plot.drag, to = at(event);
    plot.drag = null;
    if (Math.abs(xOf(from) - xOf(to)) < 3) choose(NaN, NaN); else choose(from, to);
  });
  svg.addEventListener("keydown", event => {
    const step = (plot.high - plot.low) / 50 * (event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0);
    if (event.key === "Escape") choose(NaN, NaN);
    else if (!step) return;
    else if (Number.isNaN(state.from)) choose(plot.low, plot.low + (plot.high - plot.low) / 10);
    else if (event.shiftKey) choose(state.from, Math.min(plot.high, Math.max(state.from + Math.abs(step), state.to + step)));
    else choose(state.from + step, state.to + step);
    event.preventDefault();
    event.stopPropagation();
  });
}
