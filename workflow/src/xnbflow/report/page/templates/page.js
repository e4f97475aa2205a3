"use strict";

/* Every element is made here; text is set as text, so that no name of a feature becomes markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
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

for (const table of document.querySelectorAll(".table table")) {
  const rows = table.tBodies[0].rows;
  [...table.tHead.rows[0].cells].forEach((header, column) => {
    if (rows[0]?.cells[column]?.classList.contains("n")) header.classList.add("n");
    if (rows.length < 2) return;
    const button = make("button", { type: "button" }, ...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sortTable(table, column, header));
  });
  if (rows.length > 7) addFilter(table, table.parentElement);
}

/* Groups: open or close all of a section; open those around the target of a link. */
for (const section of document.querySelectorAll("main > section")) {
  const groups = section.querySelectorAll(":scope > details");
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

/* Waterfall: what each feature adds to each class for a sample. */
const SHOWN_FEATURES = 20;

/* Two decimals, of great numbers none; of those that would not fit their column four digits. */
function format(number) {
  if (number === -Infinity) return "−∞";
  const size = Math.abs(number);
  const text = size >= 1e8 ? number.toExponential(3) : number.toFixed(size >= 1e4 ? 0 : 2);
  return text.replace("-", "−");
}

function logSumExp(values) {
  const most = Math.max(...values);
  return most === -Infinity ? most : most + Math.log(values.reduce((sum, v) => sum + Math.exp(v - most), 0));
}

function explainClasses(model, sample) {
  const [, , , fitNumber, values] = sample;
  const fit = model.fits[fitNumber];
  let next = 0;
  const classes = model.classes.map((label, code) => {
    const terms = fit.sets[code].map((feature) => ({ feature: model.features[feature], value: values[next++] ?? -Infinity }));
    const prior = fit.prior[code] ?? -Infinity;
    return { label, code, prior, terms, total: terms.reduce((sum, term) => sum + term.value, prior) };
  });
  const all = logSumExp(classes.map((one) => one.total));
  for (const one of classes) one.posterior = Math.exp(one.total - all);
  return classes.sort((a, b) => b.total - a.total);
}

function classTable(classes, trueCode) {
  const body = make("tbody");
  for (const one of classes) {
    const label = one.code === trueCode ? `${one.label} (true class)` : one.label;
    const cells = [format(one.prior), format(one.total - one.prior), format(one.total), one.posterior.toPrecision(3)];
    body.append(make("tr", {}, make("th", { scope: "row" }, label), ...cells.map((text) => make("td", { class: "n" }, text))));
  }
  const names = ["class", "log prior", "sum of its features", "log score", "probability"];
  const head = make("tr", {}, ...names.map((name, i) => make("th", i ? { scope: "col", class: "n" } : { scope: "col" }, name)));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Classes" },
    make("table", {}, make("thead", {}, head), body));
}

function classSteps(one) {
  const ordered = [...one.terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const shown = ordered.slice(0, SHOWN_FEATURES).map((term) => ({ name: term.feature, value: term.value }));
  const rest = ordered.slice(SHOWN_FEATURES);
  if (rest.length) shown.push({ name: `${rest.length} others`, value: rest.reduce((sum, term) => sum + term.value, 0) });
  const steps = [{ name: "prior", value: one.prior }, ...shown].filter((step) => Number.isFinite(step.value));
  let at = 0;
  for (const step of steps) { step.from = at; at += step.value; step.to = at; }
  const ends = steps.flatMap((step) => [step.from, step.to]);
  const low = Math.min(0, ...ends);
  const span = Math.max(0, ...ends) - low || 1;
  const percent = (value) => `${(100 * (value - low)) / span}%`;
  const body = make("tbody");
  for (const step of steps) {
    const bar = make("i", { class: step.value < 0 ? "minus" : "plus" });
    bar.style.left = percent(Math.min(step.from, step.to));
    bar.style.width = `${(100 * Math.abs(step.value)) / span}%`;
    const track = make("div", { class: "track" }, bar);
    track.style.setProperty("--zero", percent(0));
    body.append(make("tr", {}, make("th", { scope: "row", title: step.name }, step.name),
      make("td", { class: "n" }, format(step.value)), make("td", {}, track)));
  }
  const head = make("tr", {}, make("th", { scope: "col" }, "feature"), make("th", { scope: "col", class: "n" }, "adds"),
    make("th", { scope: "col" }, "running sum"));
  const columns = make("colgroup", {}, make("col", { class: "name" }), make("col", { class: "value" }), make("col"));
  return make("div", {}, make("h4", {}, `${one.label}: ${format(one.total)}`),
    make("table", { class: "steps" }, columns, make("thead", {}, head), body));
}

function explain(model, sample, place) {
  const [name, trueCode, predictedCode] = sample;
  const classes = explainClasses(model, sample);
  const verdict = trueCode === predictedCode ? "rightly" : "wrongly";
  const words = `Sample ${name} is ${model.classes[trueCode]} and was ${verdict} predicted to be ` +
    `${model.classes[predictedCode]}, with probability ${classes[0].posterior.toPrecision(3)}.`;
  place.replaceChildren(make("p", {}, words), classTable(classes, trueCode),
    make("div", { class: "classes" }, ...classes.map(classSteps)));
}

function listSamples(model, select) {
  const right = model.left_out ? `Classified rightly (${model.left_out} more are left out)` : "Classified rightly";
  const groups = { Misclassified: [], [right]: [] };
  model.samples.forEach((sample, i) => {
    const text = sample[1] === sample[2] ? `${sample[0]} (${model.classes[sample[1]]})`
      : `${sample[0]} (${model.classes[sample[1]]}, taken for ${model.classes[sample[2]]})`;
    groups[sample[1] === sample[2] ? right : "Misclassified"].push(make("option", { value: i }, text));
  });
  select.replaceChildren(...Object.entries(groups).filter(([, options]) => options.length)
    .map(([label, options]) => make("optgroup", { label }, ...options)));
}

for (const block of document.querySelectorAll(".waterfall")) {
  const models = JSON.parse(block.querySelector("script").textContent);
  const [modelSelect, sampleSelect] = block.querySelectorAll("select");
  const place = block.querySelector(".explanation");
  modelSelect.append(...models.map((model, i) => make("option", { value: i }, model.name)));
  const model = () => models[modelSelect.value];
  const show = () => explain(model(), model().samples[sampleSelect.value], place);
  modelSelect.addEventListener("change", () => { listSamples(model(), sampleSelect); show(); });
  sampleSelect.addEventListener("change", show);
  listSamples(model(), sampleSelect);
  show();
  block.querySelector(".controls").hidden = false;
}
