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

/* Files made here: a table as it is shown, a figure as pixels. */
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
  const button = make("button", { type: "button", class: "file" }, "Save as TSV");
  button.addEventListener("click", () => save(`${section}-${number}.tsv`, tableText(table), "text/tab-separated-values"));
  place.after(button);
}

const DOTS_PER_INCH = 300;
const POINTS_PER_INCH = 72;

function checksum(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ -1) >>> 0;
}

/* A PNG with the chunk pHYs (dots per metre) after its header. */
function withResolution(png) {
  const chunk = new DataView(new ArrayBuffer(21));
  const perMetre = Math.round(DOTS_PER_INCH / 0.0254);
  chunk.setUint32(0, 9);
  [..."pHYs"].forEach((letter, i) => chunk.setUint8(4 + i, letter.charCodeAt(0)));
  chunk.setUint32(8, perMetre);
  chunk.setUint32(12, perMetre);
  chunk.setUint8(16, 1);
  chunk.setUint32(17, checksum(new Uint8Array(chunk.buffer, 4, 13)));
  return [png.slice(0, 33), chunk.buffer, png.slice(33)];
}

async function pixels(svg) {
  const [, , width, height] = svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
  const copy = svg.cloneNode(true);
  const scale = DOTS_PER_INCH / POINTS_PER_INCH;
  copy.setAttribute("width", Math.round(width * scale));
  copy.setAttribute("height", Math.round(height * scale));
  copy.setAttribute("style", "color:#1b1f24");
  const source = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = make("canvas", { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(source);
  const png = await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  return withResolution(await png.arrayBuffer());
}

for (const files of document.querySelectorAll(".drawing .files")) {
  const figure = files.closest(".drawing");
  const name = files.querySelector("a").getAttribute("href").split("/").pop().replace(/svg$/, "png");
  const button = make("button", { type: "button", class: "file" }, "PNG", make("span", { class: "hidden" }, ` of ${name.replace(/.png$/, "")}`));
  button.addEventListener("click", async () => save(name, await pixels(figure.querySelector("svg")), "image/png"));
  files.append(" ", button);
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
  addDownload(table, table.parentElement);
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
    body.append(make("tr", {}, make("th", { scope: "row" }, label), ...cells.map((text) => make("td", { class: "n" }, text))));
  }
  const names = ["class", "log prior", "evidence", ...(counted ? ["reference density"] : []), "score", "probability"];
  const head = make("tr", {}, ...names.map((name, i) => make("th", i ? { scope: "col", class: "n" } : { scope: "col" }, name)));
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Classes" },
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
  body.append(make("tr", { class: "axis", "aria-hidden": "true" }, make("td"), make("td"), make("td", {}, ruler(axis))));
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
}

/* Genes: the values of a feature by class, and names of points in the figures of the group. */
const GENE_PAGE = "https://www.ncbi.nlm.nih.gov/gene/?term=";
const BATCH_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D46", "#7F7F7F"];
const PLAIN = "#888888";
const MOST_FOUND = 6;
const MISSING = 255;
/* Pixels between the pointer and a point that is named; a finger covers more. */
const REACH = { mouse: 8, pen: 12, touch: 24 };
const CHART = { left: 52, top: 10, column: 90, height: 170, bottom: 24 };

function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function shorten(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function compact(number) {
  const text = number && Math.abs(number) < 0.001 ? number.toExponential(1) : String(number);
  return text.replaceAll("-", "−");
}

/* The values of a feature were rounded to 255 steps from its least to its greatest. */
function valuesOf(content, i) {
  const n = content.samples.length;
  const bytes = atob(content.values.slice(0, 4 * Math.ceil(((i + 1) * n) / 3)));
  const [low, high] = [content.low[i], content.high[i]];
  return content.samples.map((_, j) => {
    const step = bytes.charCodeAt(i * n + j);
    return step === MISSING ? null : low + (step / (MISSING - 1)) * (high - low);
  });
}

function joined(content, x, y) {
  const groups = new Map();
  content.group.forEach((group, j) => {
    if (group >= 0 && y[j] !== null) groups.set(group, [...(groups.get(group) ?? []), j]);
  });
  return [...groups.values()].filter((own) => new Set(own.map((j) => content.class[j])).size > 1).map((own) => {
    const points = own.sort((a, b) => content.class[a] - content.class[b]).map((j) => `${x[j]},${y[j]}`);
    return draw("polyline", { points: points.join(" "), fill: "none", stroke: PLAIN, "stroke-width": 0.8 });
  });
}

function chart(content, i) {
  const values = valuesOf(content, i);
  const [low, high] = [content.low[i], content.high[i]];
  const width = CHART.left + CHART.column * content.classes.length;
  const height = CHART.top + CHART.height + CHART.bottom;
  const ground = CHART.top + CHART.height;
  const place = (value) => ground - 6 - ((CHART.height - 12) * (value - low)) / (high - low || 1);
  const x = content.class.map((code, j) => CHART.left + CHART.column * (code + 0.5 + (((j * 0.618) % 1) - 0.5) * 0.5));
  const y = values.map((value) => (value === null ? null : place(value)));
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, "font-size": 12, fill: "currentColor" });
  svg.style.setProperty("--width", `${width}px`);
  svg.append(draw("path", { d: `M${CHART.left} ${CHART.top}V${ground}H${width}`, fill: "none", stroke: "currentColor", "stroke-width": 0.6 }));
  for (const value of new Set([low, high])) {
    svg.append(draw("text", { x: CHART.left - 4, y: place(value) + 4, "text-anchor": "end" }, value.toPrecision(3).replace("-", "−")));
  }
  content.classes.forEach((label, code) => {
    const middle = CHART.left + CHART.column * (code + 0.5);
    svg.append(draw("text", { x: middle, y: ground + 16, "text-anchor": "middle" }, draw("title", {}, label), shorten(label, 13)));
  });
  svg.append(...joined(content, x, y));
  content.samples.forEach((sample, j) => {
    if (y[j] === null) return;
    const batch = content.batch[j];
    const colour = batch >= 0 ? BATCH_COLOURS[batch] : content.batches.length ? PLAIN : BATCH_COLOURS[0];
    const words = [sample, content.classes[content.class[j]], ...(batch >= 0 ? [content.batches[batch]] : []), values[j].toPrecision(3)];
    svg.append(draw("circle", { cx: x[j], cy: y[j], r: 3, fill: colour }, draw("title", {}, words.join(", "))));
  });
  const [first, last] = [content.classes[0], content.classes.at(-1)];
  return make("div", { class: "scroll", role: "img", tabindex: "0", "aria-label": `Values of ${content.features[i]} in ${values.length} samples, classes ${first} to ${last}` }, svg);
}

function describeGene(content, statistics, i) {
  const [feature, symbol, term] = [content.features[i], content.symbols[i], content.terms[i]];
  const name = symbol || feature;
  const title = term ? make("a", { href: GENE_PAGE + encodeURIComponent(term), rel: "noreferrer" }, name) : name;
  const numbers = statistics
    .filter(([, key]) => content.points[key][i] !== null)
    .map(([heading, key]) => `${heading} ${compact(content.points[key][i])}`);
  const words = [...(symbol && symbol !== feature ? [feature] : []), ...numbers].join("; ");
  const batches = content.batches.map((batch, code) => {
    const mark = draw("svg", { viewBox: "0 0 10 10", width: 10, height: 10 }, draw("circle", { cx: 5, cy: 5, r: 4, fill: BATCH_COLOURS[code] }));
    mark.style.cssText = "display: inline; height: 0.6em; width: 0.6em";
    return make("span", { role: "img", "aria-label": batch }, " ", mark, ` ${batch}`);
  });
  return make("figure", {}, make("figcaption", {}, make("strong", {}, title), words ? ` ${words}` : "", ...batches), chart(content, i));
}

/* The features whose name or symbol is the text; else those that begin with it, else have it. */
function findGenes(content, text) {
  const names = content.features.map((feature, i) => [feature, ...content.symbols[i].split("///")].map((name) => name.trim().toLowerCase()));
  for (const fits of [(name) => name === text, (name) => name.startsWith(text), (name) => name.includes(text)]) {
    const found = [...names.keys()].filter((i) => names[i].some(fits));
    if (found.length) return found;
  }
  return [];
}

/* The features' places in a figure, in the points of its drawing. */
function placesIn(image, content) {
  const [left, top, width, height, x0, x1, y0, y1] = image.querySelector("svg").dataset.axes.split(" ").map(Number);
  const [x, y] = [content.points[image.dataset.x], content.points[image.dataset.y]];
  return content.features.map((_, i) => (x[i] === null || y[i] === null ? [NaN, NaN]
    : [left + ((x[i] - x0) / (x1 - x0)) * width, top + ((y1 - y[i]) / (y1 - y0)) * height]));
}

function namePoints(image, content, show) {
  const svg = image.querySelector("svg");
  const places = placesIn(image, content);
  const tip = make("div", { class: "tip" });
  tip.hidden = true;
  image.append(tip);
  const nearest = (event) => {
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let [best, least] = [-1, REACH[event.pointerType] ?? REACH.mouse];
    places.forEach(([x, y], i) => {
      const distance = Math.hypot(x * scale - px, y * scale - py);
      if (distance < least) [best, least] = [i, distance];
    });
    tip.hidden = best < 0;
    if (best < 0) return best;
    const [x, y] = places[best].map((each) => each * scale);
    tip.textContent = content.symbols[best] || content.features[best];
    const left = x > box.width / 2;
    tip.style.left = left ? "" : `${x + 6}px`;
    tip.style.right = left ? `${image.clientWidth - x + 6}px` : "";
    tip.style.top = `${Math.max(0, y - 22)}px`;
    return best;
  };
  image.addEventListener("pointermove", nearest);
  image.addEventListener("pointerleave", (event) => { tip.hidden = event.pointerType === "mouse" || tip.hidden; });
  image.addEventListener("pointerdown", (event) => {
    const i = nearest(event);
    if (i >= 0) show(i);
  });
}

for (const block of document.querySelectorAll(".genes")) {
  const { content, statistics, command } = JSON.parse(block.querySelector("script").textContent);
  const [input, place, caption] = [block.querySelector("input"), block.querySelector(".found"), block.querySelector(".caption")];
  const show = (found, note = "") => {
    place.replaceChildren(...found.slice(0, MOST_FOUND).map((i) => describeGene(content, statistics, i)), ...(note ? [make("p", {}, note)] : []));
  };
  input.addEventListener("input", () => {
    const text = input.value.trim();
    const found = text ? findGenes(content, text.toLowerCase()) : [];
    const rest = found.length - MOST_FOUND;
    const none = `None of the first ${content.features.length} features has this name. Every feature of the series: ${command.replace("{}", () => text)}`;
    show(found, text && !found.length ? none : rest > 0 ? `${rest} more; type more letters of the name.` : "");
  });
  for (const image of block.parentElement.querySelectorAll(".image[data-x]")) {
    namePoints(image, content, (i) => { input.value = content.features[i]; show([i]); });
  }
  block.querySelector(".controls").hidden = false;
  caption.hidden = false;
}
