"use strict";
// Draws the page from the data in it. Texts of the run only ever go into text nodes.
const data = JSON.parse(document.getElementById("data").textContent);
const { result } = data;

// What people read.
const number = (value) => value.toLocaleString("en-GB");
const percent = (part) => (Number.isFinite(part) ? `${(100 * part).toFixed(1)} %` : "–");
function scaled(value, units, step) {
  let unit = 0;
  while (value >= step && unit < units.length - 1) { value /= step; unit += 1; }
  return `${Number(value.toPrecision(4))} ${units[unit]}`;
}
const bytes = (value) => scaled(value, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
const bandwidth = (value) => scaled(value, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"], 1000);
function seconds(value) {
  if (value === 0 || value >= 1) return `${Number(value.toPrecision(5))} s`;
  return value >= 1e-3 ? `${Number((value * 1e3).toPrecision(4))} ms` : `${Number((value * 1e6).toPrecision(4))} µs`;
}
const sum = (values) => values.reduce((total, value) => total + value, 0);

// Elements.
function make(name, attributes = {}, ...children) {
  const drawn = ["svg", "rect", "text", "title", "line", "g", "image"].includes(name);
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
function section(id, title, about, ...children) {
  document.getElementById("contents").append(make("a", { href: `#${id}` }, title));
  const words = about ? [make("p", { class: "about" }, about)] : [];
  document.getElementById("main").append(make("section", { id }, make("h2", {}, title), ...words, ...children));
}

// A table that sorts by the column whose head is clicked. A column: head, value(row) to sort by, and cell(row).
function table(columns, rows, sortedBy = -1) {
  const body = make("tbody");
  const heads = columns.map((column) => make("th", { class: column.text ? "" : "number", scope: "col" }, column.head));
  function fill(ordered) {
    body.replaceChildren(...ordered.map((row) => make("tr", {}, ...columns.map((column) => {
      const cell = column.cell ? column.cell(row) : String(column.value(row));
      return make("td", { class: column.wide ? "wide" : column.text ? "" : "number" }, cell);
    }))));
  }
  heads.forEach((head, index) => head.addEventListener("click", () => {
    const falls = head.getAttribute("aria-sort") !== "descending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const { value } = columns[index];
    const compare = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
    fill([...rows].sort((a, b) => (falls ? compare(b, a) : compare(a, b))));
  }));
  if (sortedBy >= 0) heads[sortedBy].setAttribute("aria-sort", "descending");
  fill(rows);
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
}
const column = (head, value, write) => ({ head, value, cell: (row) => (value(row) === 0 && write !== String ? "–" : write(value(row))) });
const words = (head, value, wide = false) => ({ head, value, text: true, wide });
const place = (head = "place", key = "place") => ({
  head, text: true, value: (row) => row[key], cell: (row) => make("code", {}, row[key]),
});
const source = { head: "source", text: true, value: (row) => row.source,
  cell: (row) => make("code", { class: "source" }, row.source) };

// Where time goes: categories that are drawn in one colour.
const groups = [
  ["computation", "#4477aa", ["measured", "sampled", "modelled", "injected"]],
  ["overhead of calls", "#66ccee", ["send overhead", "receive overhead"]],
  ["waiting for peers", "#ee6677", ["waiting for peers"]],
  ["waiting for the network", "#ccbb44", ["waiting for the network"]],
  ["collectives: waiting for peers", "#aa3377", ["collective: waiting for peers"]],
  ["collectives: messages", "#228833", ["collective: messages"]],
  ["polling", "#ee9944", ["polling"]],
  ["asleep and other", "#bbbbbb", ["asleep", "other"]],
].map(([name, colour, parts]) => ({ name, colour, parts, places: parts.map((part) => data.categories.indexOf(part)) }));
const inGroup = (row, group) => sum(group.places.map((index) => row[index]));
const kindColours = { computation: "#4477aa", overhead: "#66ccee", network: "#ccbb44", other: "#bbbbbb" };

function bar(parts, whole, className = "bar") {
  return make("div", { class: className }, ...parts.filter((part) => part.value > 0).map((part) => make("i", {
    style: `width:${(100 * part.value) / whole}%;background:${part.colour}`,
    title: `${part.name}: ${seconds(part.value)}`,
  })));
}
const groupParts = (row) => groups.map((group) => ({ ...group, value: inGroup(row, group) }));
function legend(parts) {
  return make("div", { class: "legend" }, ...parts.map((part) => make("span", {},
    make("i", { style: `background:${part.colour}` }), part.label)));
}

const all = data.categories.map((_, index) => sum(data.places.map((row) => row.seconds[index])));
const total = sum(all) || 1;

function summary() {
  document.getElementById("title").textContent = result.program;
  document.getElementById("subtitle").textContent =
    `${number(result.ranks)} ranks on ${result.platform} (${number(result.hosts)} hosts, ${number(result.links)} links)`;
  const spent = result.time_spent;
  const tiles = [
    [seconds(result.simulated_time), "simulated time"], [seconds(result.wall_time), "wall time of the simulation"],
    [number(result.counters.messages), "messages"], [bytes(result.counters.bytes), "in messages"],
    [bytes(result.peak_memory), "peak memory here"], [result.network_model, "network/model"],
    [percent(spent.total ? (spent.measured + spent.sampled + spent.modelled + spent.injected) / spent.total : NaN),
      "of the ranks' time is computation"],
    [percent(data.imbalance), "imbalance of computation"],
  ];
  section("summary", "Summary", "", make("div", { class: "tiles" },
    ...tiles.map(([value, name]) => make("div", { class: "tile" }, make("b", {}, value), make("span", {}, name)))));
  const failed = result.failed.map((rank) => ({ kind: "rank ended early",
    text: `rank ${rank.rank} (host ${rank.host}) ${rank.ending}, exit status ${rank.status}` }));
  const shown = [...failed.slice(0, 8), ...data.findings].map((finding) =>
    make("div", { class: "finding" }, make("b", {}, finding.kind), make("span", {}, finding.text)));
  section("findings", "Findings", "What stands out, by the thresholds of docs/profile.md.",
    ...(shown.length ? shown : [make("p", {}, "Nothing stands out.")]));
}

function time() {
  const parts = groupParts(all);
  const sources = groups[0].places.filter((index) => all[index] > 0)
    .map((index) => `${percent(all[index] / total)} ${data.categories[index]}`);
  section("time", "Where the time goes",
    `All ranks together. Computation by where its length comes from: ${sources.join(", ") || "none"}.`,
    bar(parts, total, "bar whole"),
    legend(parts.filter((part) => part.value > 0)
      .map((part) => ({ ...part, label: `${part.name} ${percent(part.value / total)}` }))));
}

// What ranks did when: a cell for each interval and row of ranks, in the mean of the states' colours.
function timeline() {
  const { rows, intervals, interval, ranks, ranks_per_row: together } = data.overview;
  const end = result.simulated_time;
  if (!intervals) return;
  const byName = Object.fromEntries(Object.entries(data.overview.parts).map(([state, text]) =>
    [state, Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
  const shown = groups.map((group, index) => ({ ...group,
    states: (index === 0 ? ["computation"] : group.parts).map((name) => byName[name]).filter((parts) => parts) }))
    .filter((group) => group.states.length);
  const part = (group, cell) => sum(group.states.map((parts) => parts[cell])) / 255;

  const canvas = make("canvas", { width: intervals, height: rows });
  const paint = canvas.getContext("2d");
  const cells = paint.createImageData(intervals, rows);
  const colours = shown.map(({ colour }) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
  for (let cell = 0; cell < rows * intervals; cell += 1) {
    const parts = shown.map((group) => part(group, cell));
    const idle = Math.max(0, 1 - sum(parts));
    for (let channel = 0; channel < 3; channel += 1) {
      cells.data[4 * cell + channel] = 255 * idle + sum(parts.map((each, index) => each * colours[index][channel]));
    }
    cells.data[4 * cell + 3] = 255;
  }
  paint.putImageData(cells, 0, 0);

  const [width, left, right, bottom] = [1160, 64, 40, 24];
  const height = Math.min(Math.max(rows * 22, 44), 420);
  const wide = width - left - right;
  const picture = make("svg", { viewBox: `0 0 ${width} ${height + bottom}`, role: "img" });
  const image = make("image", { x: left, y: 0, width: (wide * intervals * interval) / end, height,
    preserveAspectRatio: "none", href: canvas.toDataURL() });
  image.style.imageRendering = "pixelated";
  const frame = make("rect", { x: left, y: 0, width: wide, height, fill: "transparent", stroke: "#dfe3e8" });
  picture.append(image, make("rect", { x: left + wide, y: 0, width: right, height, fill: "#ffffff" }), frame);
  const every = 2 ** Math.ceil(Math.log2((rows * 22) / height));
  for (let row = 0; row < rows; row += every) {
    const y = ((row + (every > 1 ? 0 : 0.5)) / rows) * height;
    picture.append(make("text", { x: left - 6, y: Math.max(y + 4, 11), "text-anchor": "end" }, String(row * together)));
  }
  const power = 10 ** Math.floor(Math.log10(end / 8));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => end / each <= 9);
  for (let tick = 0; tick * step <= end * (1 + 1e-9); tick += 1) {
    const x = left + (wide * tick * step) / end;
    picture.append(make("line", { x1: x, x2: x, y1: height, y2: height + 5, stroke: "#5b6673" }),
      make("text", { x, y: height + 18, "text-anchor": "middle" }, seconds(tick * step)));
  }

  const hint = make("p", { class: "hint" }, "Point at a place of it.");
  frame.addEventListener("mousemove", (event) => {
    const box = frame.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width;
    const row = Math.min(Math.max(Math.floor(((event.clientY - box.top) / box.height) * rows), 0), rows - 1);
    const column = Math.min(Math.max(Math.floor((at * end) / interval), 0), intervals - 1);
    const last = Math.min((row + 1) * together, ranks) - 1;
    const parts = shown.map((group) => [group.name, part(group, row * intervals + column)]).filter(([, each]) => each > 0);
    hint.textContent = `${last > row * together ? `ranks ${row * together} to ${last}` : `rank ${last}`}, `
      + `${seconds(column * interval)} to ${seconds(Math.min((column + 1) * interval, end))}: `
      + (parts.map(([name, each]) => `${name} ${percent(each)}`).join(", ") || "not there");
  });
  section("timeline", "Timeline",
    "What each rank does from the run's beginning (left) to its end, rank 0 on top, in the colours of the states; where several "
    + `share a cell, in their mean. A cell is ${seconds(interval)} of ${together > 1 ? `${together} ranks` : "a rank"}.`,
    picture, hint, legend(shown.map((group) => ({ ...group, label: group.name }))));
}

function places() {
  const used = groups.filter((group) => inGroup(all, group) > 0);
  section("places", "Places of the program",
    "Seconds of all ranks together; a column of the table sorts it. Computation belongs to the call that ends it.",
    table([
      place(), source, column("seconds", (row) => sum(row.seconds), seconds),
      column("of all", (row) => sum(row.seconds) / total, percent),
      { head: "where it goes", text: true, value: (row) => sum(row.seconds),
        cell: (row) => bar(groupParts(row.seconds), sum(row.seconds) || 1) },
      ...used.map((group) => column(group.name, (row) => inGroup(row.seconds, group), seconds)),
      column("calls", (row) => row.calls, number), column("messages", (row) => row.messages, number),
      column("sent", (row) => row.bytes, bytes), column("ranks", (row) => row.ranks, number),
      column("longest rank", (row) => row.longest_rank, String),
    ], data.places, 2));
}

function balance() {
  const { ranks } = data;
  const longest = Math.max(...ranks.seconds.map(sum), 1e-300);
  const [width, height, left, bottom] = [1160, 260, 64, 24];
  const step = (width - left) / ranks.first.length;
  const picture = make("svg", { viewBox: `0 0 ${width} ${height + bottom}`, role: "img" });
  for (let tick = 0; tick <= 4; tick += 1) {
    const y = height - (tick / 4) * (height - 14);
    picture.append(make("line", { x1: left, x2: width, y1: y, y2: y, stroke: "#dfe3e8" }),
      make("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, seconds((tick / 4) * longest)));
  }
  ranks.seconds.forEach((row, index) => {
    let y = height;
    const last = ranks.first[index] + ranks.together - 1;
    const name = ranks.together > 1 ? `ranks ${ranks.first[index]} to ${last}` : `rank ${ranks.first[index]}`;
    for (const part of groupParts(row)) {
      if (part.value <= 0) continue;
      const tall = (part.value / longest) * (height - 14);
      y -= tall;
      picture.append(make("rect", { x: left + index * step, y, width: Math.max(step * 0.92, 0.4), height: tall,
        fill: part.colour }, make("title", {}, `${name} (${ranks.host[index]}): ${part.name} ${seconds(part.value)}`)));
    }
  });
  const every = Math.ceil(ranks.first.length / 16);
  ranks.first.forEach((first, index) => {
    if (index % every === 0) {
      picture.append(make("text", { x: left + (index + 0.5) * step, y: height + 17, "text-anchor": "middle" }, String(first)));
    }
  });
  const together = ranks.together > 1 ? ` A bar is the mean of ${ranks.together} neighbours.` : "";
  section("balance", "Load balance",
    `Each rank's time from its beginning to its end. The one that computes most does so for ${percent(data.imbalance)} more than the mean.${together}`,
    picture, legend(groups.filter((group) => inGroup(all, group) > 0).map((group) => ({ ...group, label: group.name }))));
}

function path() {
  const rows = data.critical_path;
  const length = sum(rows.map((row) => sum(row.seconds))) || 1;
  const kinds = data.path_kinds.map((name, kind) => ({ name, colour: kindColours[name],
    value: sum(rows.map((row) => row.seconds[kind])) }));
  section("path", "Critical path",
    `The chain of computation and messages, without a gap, that led to the end of the run (${seconds(length)}): only what is on it makes the run longer.`,
    bar(kinds, length, "bar whole"),
    legend(kinds.filter((kind) => kind.value > 0).map((kind) => ({ ...kind, label: `${kind.name} ${percent(kind.value / length)}` }))),
    table([place(), source, column("seconds", (row) => sum(row.seconds), seconds),
      column("of it", (row) => sum(row.seconds) / length, percent),
      ...data.path_kinds.map((name, kind) => column(name, (row) => row.seconds[kind], seconds))], rows, 2));
}

function waits() {
  if (data.peer_waits.length) {
    section("waits", "Who waits for whom",
      "Waits until the other side posted its part of the message, by the waiting line and the awaited line.",
      table([place(), words("waits to", (row) => row.what), place("for calls at", "awaited"),
        column("seconds", (row) => row.seconds, seconds), column("times", (row) => row.count, number),
        column("longest", (row) => row.longest, seconds),
        words("in it", (row) => `rank ${row.waiting_rank} for rank ${row.awaited_rank}`), source], data.peer_waits, 3));
  }
  if (data.link_waits.length) {
    section("held", "Who waits for which link", "Waits for messages in the network that were delayed mainly by one saturated link.",
      table([place(), words("link", (row) => row.link), column("seconds", (row) => row.seconds, seconds),
        column("times", (row) => row.count, number), column("longest", (row) => row.longest, seconds),
        column("in rank", (row) => row.waiting_rank, String), source], data.link_waits, 2));
  }
}

function phases() {
  if (result.phases.length) {
    section("phases", "Phases", "Named parts of the program (pysmpi.phase).", table([
      words("phase", (row) => row.name), column("ranks", (row) => row.ranks, number),
      column("entries", (row) => row.entries, number), column("mean of a rank", (row) => row.seconds / row.ranks, seconds),
      column("longest rank", (row) => row.longest, seconds),
      column("imbalance", (row) => (row.seconds ? (row.longest * row.ranks) / row.seconds - 1 : 0), percent),
      ...(result.energy ? [column("joules", (row) => row.joules, (value) => number(Number(value.toPrecision(6))))] : []),
    ], result.phases));
  }
  if (result.energy) {
    const joules = (value) => `${number(Number(value.toPrecision(6)))} J`;
    section("energy", "Energy", "", make("div", { class: "tiles" },
      ...[["total", "all hosts"], ["used_hosts", "hosts that computed"], ["unused_hosts", "idle hosts"]].map(([key, name]) =>
        make("div", { class: "tile" }, make("b", {}, joules(result.energy[key])), make("span", {}, name)))));
  }
}

function network() {
  const shown = data.links.filter((link) => link.saturated > 0 || link.bytes > 0);
  if (shown.length) {
    section("links", "Links", "Links that were saturated longest come first. Bytes include headers and reverse traffic.",
      table([words("link", (row) => row.name), column("saturated for", (row) => row.saturated, seconds),
        column("of the run", (row) => row.saturated / result.simulated_time, percent),
        column("messages at once", (row) => row.sharing, (value) => value.toFixed(2)),
        column("bandwidth used", (row) => row.utilisation, percent), column("carried", (row) => row.bytes, bytes),
        column("messages", (row) => row.flows, number), column("bandwidth", (row) => row.bandwidth, bandwidth),
        words("policy", (row) => row.policy)], shown, 1));
  }
  const names = { "congestion.svg": "Part of the run for which links were full", "utilisation.svg": "Part of links' bandwidth that was used" };
  const pictures = Object.entries(names).filter(([name]) => data.pictures[name]);
  if (pictures.length) {
    section("heat", "Congestion", "", make("div", { class: "pair" }, ...pictures.map(([name, caption]) =>
      make("figure", {}, make("figcaption", {}, caption), make("img", { src: data.pictures[name], alt: caption })))));
  }
}

function matrix() {
  const { rows, entries, ranks_per_row: together } = data.matrix;
  if (!entries.length) return;
  const canvas = make("canvas", { width: rows, height: rows });
  const hint = make("p", { class: "hint" }, "Point at a cell.");
  const paint = canvas.getContext("2d");
  const most = Math.log1p(Math.max(...entries.map((entry) => entry[3])));
  const cells = new Map();
  for (const [sender, receiver, messages, sent] of entries) {
    const [x, y] = [receiver / together, sender / together];
    const part = most > 0 ? Math.log1p(sent) / most : 1;
    paint.fillStyle = `hsl(${200 + 40 * part} ${55 + 25 * part}% ${84 - 58 * part}%)`;
    paint.fillRect(x, y, 1, 1);
    cells.set(y * rows + x, [messages, sent]);
  }
  const named = (row) => (together > 1 ? `ranks ${row * together} to ${(row + 1) * together - 1}` : `rank ${row}`);
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top].map((at) => Math.floor((at / box.width) * rows));
    const cell = cells.get(y * rows + x);
    hint.textContent = `${named(y)} to ${named(x)}: ${cell ? `${number(cell[0])} messages, ${bytes(cell[1])}` : "nothing"}`;
  });
  section("matrix", "Communication matrix",
    "Bytes from the sender (row) to the receiver (column), on a logarithmic scale; messages inside collectives included.",
    canvas, hint);
}

function settings() {
  const search = make("input", { type: "search", placeholder: "search settings", "aria-label": "search settings" });
  const given = (row) => (row.origin === "default" ? 1 : 0);
  const rows = [...data.settings].sort((a, b) => given(a) - given(b));
  const holder = make("div");
  const columns = [words("setting", (row) => row.name), words("value", (row) => row.value, true),
    words("origin", (row) => row.origin), words("meaning", (row) => row.meaning, true)];
  const show = () => {
    const wanted = search.value.toLowerCase();
    holder.replaceChildren(table(columns, rows.filter((row) =>
      `${row.name} ${row.value} ${row.origin} ${row.meaning}`.toLowerCase().includes(wanted))));
  };
  search.addEventListener("input", show);
  show();
  section("settings", "Settings", "With where each value comes from; what was given comes first.", search, holder);
}

for (const draw of [summary, time, timeline, places, balance, path, waits, phases, network, matrix, settings]) draw();
document.getElementById("footer").textContent = "Times are simulated unless it says otherwise. Made by pysmpi report.";
