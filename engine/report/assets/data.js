// The rows, as columns. `column[name][i]` is a number into `values[name]` for repeated columns.
const REPEATED = ["host", "user", "agent", "session_id", "project_path", "git_branch", "turn_type", "model", "tool_name", "source_file", "event", "status", "time_basis", "role", "basis", "rule"];
const data = { count: 0, values: {}, column: {}, ms: null, line: null, text: [], call: [], raw: [], args: [], blocks: [], facts: {} };

// The line of JSON and the text behind it of one script element.
async function unpack(element) {
  const code = element.textContent;
  element.remove();
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(code) : Uint8Array.from(atob(code), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const text = await new Response(stream).text(), end = text.indexOf("\n");
  return [JSON.parse(text.slice(0, end)), text.slice(end + 1)];
}

async function load(told) {
  const elements = [...document.querySelectorAll("script.block")], parts = [];
  for (const name of REPEATED) data.values[name] = [];
  for (const element of elements) {
    const [block, body] = await unpack(element);
    for (const name of REPEATED) for (const value of block.fresh[name]) data.values[name].push(value);
    const text = [], args = [];
    let from = 0;
    for (let i = 0; i < block.count; i++) {
      const middle = block.ends[2 * i], end = block.ends[2 * i + 1];
      text.push(body.slice(from, middle));
      args.push(middle === end ? "" : body.slice(middle, end));
      from = end;
    }
    data.blocks.push({ body, ends: Uint32Array.from(block.ends), first: data.count, count: block.count, lower: null });
    parts.push({ ...block, text, args });
    data.count += block.count;
    if (parts.length % 10 === 0) told(parts.length / elements.length);
  }
  data.ms = joined(Float64Array, parts, part => part.ms.map(ms => ms === null ? NaN : ms));
  data.line = joined(Float64Array, parts, part => part.line);
  for (const name of REPEATED) data.column[name] = joined(Uint32Array, parts, part => part.ids[name]);
  for (const name of ["text", "args", "raw", "call"]) data[name] = [].concat(...parts.map(part => part[name]));
  [data.facts] = await unpack(document.querySelector("script.facts"));
}

function joined(Kind, parts, of) {
  const whole = new Kind(data.count);
  let at = 0;
  for (const part of parts) { whole.set(of(part), at); at += part.count; }
  return whole;
}

const value = (name, i) => data.values[name][data.column[name][i]];
const number = (name, text) => data.values[name].indexOf(text);
const stampOf = i => data.ms[i] === data.ms[i] ? new Date(data.ms[i]).toISOString() : "";

// What a person sees of a text: control characters as pictures, directions of writing kept inside.
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, "\ufffd");
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, given] of Object.entries(attributes)) {
    if (key === "class") made.className = given;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), given);
    else made.setAttribute(key, given);
  }
  made.append(...children.filter(child => child !== null && child !== undefined && child !== ""));
  return made;
}
