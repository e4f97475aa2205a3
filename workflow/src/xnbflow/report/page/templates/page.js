"use strict";

/* Every element is made here; text is set as text, so that no name of a feature becomes markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* Words of a name, each in an element that is not broken at a hyphen (page/unbroken.py). */
function unbroken(name) {
  return name.split(/(\s+)/).map((word) => (/\S/.test(word) ? make("span", { class: "word" }, word) : word));
}

/* Tables: sort by a column, show the rows that hold every word of the filter. */
const NUMBER = /^[-−]?[\d,]*\.?\d+(e[-+]?\d+)?( ± .*| \(.*)?$/i;

function cellText(row, column) {
  return row.cells[column].firstChild?.textContent ?? "";
}

function sortTable(table, column, header) {
  const descending = header.getAttribute("aria-sort") === "ascending";
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows];
  const keys = new Map(rows.map((row) => [row, cellText(row, column)]));
  const numeric = rows.every((row) => keys.get(row) === "" || NUMBER.test(keys.get(row)));
  if (numeric) for (const [row, text] of keys) keys.set(row, text === "" ? "" : parseFloat(text.replace(/,/g, "").replace("−", "-")));
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = numeric ? (a, b) => a - b : collator.compare;
  rows.sort((a, b) => {
    const [first, second] = [keys.get(a), keys.get(b)];
    if (first === "" || second === "") return (first === "") - (second === "");
    return descending ? compare(second, first) : compare(first, second);
  });
  table.tBodies[0].append(...rows);
}

function addFilter(table, place) {
  const rows = [...table.tBodies[0].rows];
  const input = make("input", { type: "search" });
  const count = make("output", { "aria-live": "polite" }, `${rows.length} rows`);
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    count.textContent = words.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
  });
  place.before(make("div", { class: "filter" }, make("label", {}, "Filter ", input), count));
}

/* Files made here: a table as it is shown, a chart as pixels. */
function save(name, parts, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob(parts, { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function tableText(table) {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden);
  const lines = rows.map((row) => [...row.cells].map((_, column) => cellText(row, column)));
  return [names, ...lines].map((line) => line.map((text) => text.replace(/\s+/g, " ").trim()).join("\t") + "\n");
}

function addDownload(table, place) {
  const section = table.closest("section").id;
  const number = [...document.querySelectorAll(`#${section} .table table`)].indexOf(table) + 1;
  const button = make("button", { type: "button", class: "file" }, "Rows shown, as TSV");
  button.addEventListener("click", () => save(`${section}-${number}.tsv`, tableText(table), "text/tab-separated-values"));
  place.querySelector(".files > div")?.append(button);
}

/* The menu of sections is closed where it would cover the content. */
const menu = document.querySelector("details.menu");
if (menu) {
  const wide = matchMedia("(min-width: 68.75rem)");
  const adapt = () => { menu.open = wide.matches; };
  wide.addEventListener("change", adapt);
  menu.addEventListener("click", (event) => { if (event.target.matches("a")) adapt(); });
  adapt();
}

/* A menu closes when the reader does something else. */
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.files[open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.files[open]")) menu.open = false;
});

for (const table of document.querySelectorAll(".table table")) {
  const rows = table.tBodies[0].rows;
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    if (rows[0]?.cells[column]?.classList.contains("n")) header.classList.add("n");
    if (rows.length < 2) return;
    const button = make("button", { type: "button" }, ...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortTable(table, column, header));
  });
  if (rows.length > 7 || table.closest(".searched")) addFilter(table, table.parentElement);
  addDownload(table, table.closest(".table"));
}

/* Groups: open or close all of a section; open those around the target of a link. */
for (const section of document.querySelectorAll("main > section")) {
  const groups = section.querySelectorAll(":scope > details.group");
  if (groups.length < 3) continue;
  const button = make("button", { type: "button", class: "all" });
  const closed = () => [...groups].some((group) => !group.open);
  const update = () => { button.textContent = closed() ? "Open all" : "Close all"; };
  button.addEventListener("click", () => {
    const open = closed();
    for (const group of groups) group.open = open;
  });
  for (const group of groups) group.addEventListener("toggle", update);
  update();
  groups[0].before(button);
}

/* Evidence of each feature for and against each class, for a sample. */
/* Of many classes only those that the decision lies between are drawn. */
const MANY_CLASSES = 5;
const SHOWN_CLASSES = 3;
/* Bars end here: with so many nats the odds are a thousand million to one. */
const MOST_NATS = 21;

/* Two decimals, of great numbers none; of those that would not fit their column four digits. */
function format(number) {
  if (number === -Infinity) return "−∞";
  const size = Math.abs(number);
  const text = size >= 1e8 ? number.toExponential(3) : number.toFixed(size >= 1e4 ? 0 : 2);
  return text.replace("-", "−");
}

function signed(number) {
  const text = format(number);
  return number > 0 ? `+${text}` : text;
}

/* The classes of a sample, the greatest score first; null is minus infinity. */
function explainClasses(model, sample) {
  const classes = sample[3].map((parts, code) => {
    const [prior, sum, reference, total, posterior, others, rest] = parts.slice(0, 7).map((value) => value ?? -Infinity);
    const terms = parts[7].map(([feature, value]) => ({ name: model.features[feature], value: value ?? -Infinity }));
    if (others) terms.push({ name: `and ${others} other${others > 1 ? "s" : ""}`, value: rest, sum: true });
    return { label: model.classes[code], code, prior, sum, reference, total, posterior, terms };
  });
  return classes.sort((a, b) => b.posterior - a.posterior || b.total - a.total);
}

function classTable(classes, trueCode) {
  const counted = classes.some((one) => Math.abs(one.reference) > 0.005);
  const body = make("tbody");
  for (const one of classes) {
    const label = one.code === trueCode ? `${one.label} (true class)` : one.label;
    const cells = [format(one.prior), signed(one.sum), ...(counted ? [format(one.reference)] : []), format(one.total), one.posterior.toPrecision(3)];
    body.append(make("tr", {}, make("th", { scope: "row" }, ...unbroken(label)), ...cells.map((text) => make("td", { class: "n" }, text))));
  }
  const names = ["class", "log prior", "evidence", ...(counted ? ["reference density"] : []), "score", "probability"];
  const head = make("tr", {}, ...names.map((name, i) => make("th", i ? { scope: "col", class: "n" } : { scope: "col" }, name)));
  return make("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Classes" },
    make("table", {}, make("thead", {}, head), body));
}

/* The ends of the axis that all classes of a sample share; zero is on it. */
function axisOf(lists) {
  const values = lists.flat().filter((term) => !term.sum).map((term) => Math.max(-MOST_NATS, Math.min(MOST_NATS, term.value)));
  const low = Math.min(-0.5, ...values);
  const high = Math.max(0.5, ...values);
  return { low, high, percent: (value) => (100 * (Math.max(low, Math.min(high, value)) - low)) / (high - low) };
}

function bar(value, axis) {
  const [from, to] = [axis.percent(Math.min(0, value)), axis.percent(Math.max(0, value))];
  const beyond = value < axis.low || value > axis.high ? " beyond" : "";
  const mark = make("i", { class: (value < 0 ? "minus" : "plus") + beyond });
  mark.style.left = `${from}%`;
  mark.style.width = `${to - from}%`;
  const track = make("div", { class: "track" }, mark);
  track.style.setProperty("--zero", `${axis.percent(0)}%`);
  return track;
}

function ruler(axis) {
  const ends = make("div", { class: "ruler" });
  const ticks = [[axis.low, format(axis.low)], [0, "0"], [axis.high, signed(axis.high)]];
  for (const [value, words] of ticks.filter(([end]) => end === 0 || Math.abs(axis.percent(end) - axis.percent(0)) > 25)) {
    const tick = make("span", {}, words);
    tick.style.left = `${axis.percent(value)}%`;
    ends.append(tick);
  }
  return ends;
}

function classEvidence(one, axis) {
  const body = make("tbody");
  for (const term of one.terms) {
    body.append(make("tr", {}, make("th", { scope: "row", title: term.name }, term.name),
      make("td", { class: "n" }, signed(term.value)), make("td", {}, ...(term.sum ? [] : [bar(term.value, axis)]))));
  }
  body.append(make("tr", { class: "axis-row", "aria-hidden": "true" }, make("td"), make("td"), make("td", {}, ruler(axis))));
  const head = make("tr", {}, make("th", { scope: "col" }, "feature"), make("th", { scope: "col", class: "n" }, "nats"),
    make("th", { scope: "col" }, "against ◂ ▸ for"));
  const columns = make("colgroup", {}, make("col", { class: "name" }), make("col", { class: "value" }), make("col"));
  return make("div", {}, make("h4", {}, `${one.label}: probability ${one.posterior.toPrecision(3)}`),
    make("table", { class: "steps" }, columns, make("thead", {}, head), body));
}

function explain(model, sample, place) {
  const [name, trueCode, predictedCode] = sample;
  const classes = explainClasses(model, sample);
  const many = classes.length > MANY_CLASSES;
  const between = classes.filter((one, i) => !many || i < SHOWN_CLASSES || one.code === trueCode || one.code === predictedCode);
  const axis = axisOf(between.map((one) => one.terms));
  const verdict = trueCode === predictedCode ? "correctly" : "incorrectly";
  const chosen = classes.find((one) => one.code === predictedCode);
  const words = `Sample ${name} is ${model.classes[trueCode]} and was ${verdict} predicted to be ` +
    `${model.classes[predictedCode]}, with probability ${chosen.posterior.toPrecision(3)}.`;
  place.replaceChildren(make("p", {}, words), classTable(classes, trueCode),
    make("div", { class: "classes" }, ...between.map((one) => classEvidence(one, axis))));
  const others = classes.length - between.length;
  if (others) place.append(make("p", { class: "note" }, `The evidence for the ${others} other classes is not drawn; their scores are in the table.`));
}

function listSamples(model, select) {
  const right = "Classified correctly";
  const groups = { Misclassified: [], [right]: [] };
  model.samples.forEach((sample, i) => {
    const text = sample[1] === sample[2] ? `${sample[0]} (${model.classes[sample[1]]})`
      : `${sample[0]} (${model.classes[sample[1]]}, predicted ${model.classes[sample[2]]})`;
    groups[sample[1] === sample[2] ? right : "Misclassified"].push(make("option", { value: i }, text));
  });
  select.replaceChildren(...Object.entries(groups).filter(([, options]) => options.length)
    .map(([label, options]) => make("optgroup", { label }, ...options)));
}

for (const block of document.querySelectorAll(".evidence")) {
  const models = JSON.parse(block.querySelector("script").textContent);
  const [modelSelect, sampleSelect] = block.querySelectorAll("select");
  const place = block.querySelector(".explanation");
  modelSelect.append(...models.map((model, i) => make("option", { value: i }, model.left_out ? `${model.name} (${model.left_out} samples left out)` : model.name)));
  const model = () => models[modelSelect.value];
  const show = () => explain(model(), model().samples[sampleSelect.value], place);
  modelSelect.addEventListener("change", () => { listSamples(model(), sampleSelect); show(); });
  sampleSelect.addEventListener("change", show);
  listSamples(model(), sampleSelect);
  show();
  block.querySelector(".controls").hidden = false;
  const follow = () => {
    if (!location.hash.startsWith("#why=")) return;
    const [name, sample] = JSON.parse(decodeURIComponent(location.hash.slice(5)));
    const number = models.findIndex((one) => one.name === name);
    const place = models[number]?.samples.findIndex((one) => one[0] === sample) ?? -1;
    if (place < 0) return;
    modelSelect.value = number;
    listSamples(model(), sampleSelect);
    sampleSelect.value = place;
    show();
    block.scrollIntoView();
  };
  window.addEventListener("hashchange", follow);
  follow();
}

