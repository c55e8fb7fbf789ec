// Which rows are shown. `state` is what the person chose; `select` gives the numbers of the rows, in order.
const state = { words: "", agent: "", event: "", tool: "", project: "", from: NaN, to: NaN, view: "timeline" };
const SEARCHED = ["tool_name", "session_id", "project_path", "source_file", "model", "rule"];
// view → its title, and the values of a column that it shows
const VIEWS = {
  timeline: ["Timeline"],
  sessions: ["Sessions"],
  decisions: ["Permissions", "event", text => text.startsWith("permission")],
  deletions: ["Deletions", "event", text => text === "session_deleted"],
  survivors: ["Only in copies", "role", text => text === "secondary"],
  notes: ["Notes", "event", text => text === "note"],
  files: ["Files"],
};

// Pairs of a column and the numbers in it that are wanted.
function wanted() {
  const chosen = [["agent", state.agent], ["event", state.event], ["tool_name", state.tool], ["project_path", state.project]];
  const tests = chosen.filter(([, text]) => text !== "").map(([name, text]) => [name, each => each === text]);
  const [, name, test] = VIEWS[state.view];
  if (test) tests.push([name, test]);
  return tests.map(([column, fits]) => [data.column[column], Uint8Array.from(data.values[column], text => fits(text) ? 1 : 0)]);
}

// The rows that fit, and those among them inside the window of time.
function select() {
  const tests = wanted(), hits = matches(state.words), all = new Uint32Array(data.count);
  let n = 0;
  rows: for (let i = 0; i < data.count; i++) {
    if (hits && !hits[i]) continue;
    for (const [column, fits] of tests) if (!fits[column[i]]) continue rows;
    all[n++] = i;
  }
  const found = all.subarray(0, n);
  if (Number.isNaN(state.from)) return { found, shown: found };
  return { found, shown: found.filter(i => data.ms[i] >= state.from && data.ms[i] <= state.to) };
}

const searched = { words: "", hits: null };

// One mark a row: all words stand in its text, its arguments or one of the searched columns. Null: no words.
function matches(words) {
  if (words !== searched.words) {
    const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
    searched.words = words;
    searched.hits = terms.map(marks).reduce((all, hits) => all ? all.map((hit, i) => hit & hits[i]) : hits, null);
  }
  return searched.hits;
}

function marks(term) {
  const hits = new Uint8Array(data.count);
  for (const block of data.blocks) {
    const lower = lowered(block);
    for (let at = lower.text.indexOf(term), row = 0; at >= 0;) {
      row = rowAt(lower.ends, at, row);
      if (at + term.length <= lower.ends[2 * row + 1]) hits[block.first + row] = 1;
      // a match that runs over the end of a row is none: the search goes on behind its first letter
      at = lower.text.indexOf(term, hits[block.first + row] ? Math.max(at + 1, lower.ends[2 * row + 1]) : at + 1);
    }
  }
  for (const name of SEARCHED) {
    const known = Uint8Array.from(data.values[name], text => text.toLowerCase().includes(term) ? 1 : 0);
    if (!known.includes(1)) continue;
    const column = data.column[name];
    for (let i = 0; i < data.count; i++) if (known[column[i]]) hits[i] = 1;
  }
  return hits;
}

// The texts of a block in small letters. A letter whose small form is longer moves the places behind it.
function lowered(block) {
  if (!block.lower) {
    const text = block.body.toLowerCase();
    block.lower = text.length === block.body.length ? { text, ends: block.ends } : piecewise(block);
  }
  return block.lower;
}

function piecewise(block) {
  const parts = [], ends = new Uint32Array(block.ends.length);
  let from = 0, at = 0;
  block.ends.forEach((end, n) => {
    const part = block.body.slice(from, end).toLowerCase();
    parts.push(part);
    ends[n] = at += part.length;
    from = end;
  });
  return { text: parts.join(""), ends };
}

// The row, from `low` on, in whose text or arguments a place stands.
function rowAt(ends, at, low) {
  let high = ends.length / 2 - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[2 * middle + 1] > at) high = middle; else low = middle + 1;
  }
  return low;
}

// Small letters are made while nobody waits, so that the first search is as quick as the others.
function prepareSearch(from = 0) {
  if (from < data.blocks.length) setTimeout(() => { lowered(data.blocks[from]); prepareSearch(from + 1); });
}
