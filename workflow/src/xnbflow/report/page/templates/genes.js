/* Genes: volcano and MA plot, the table of all features, and the view of one. Numbers are steps of
   their range (gene_content.py); a missing one is the step after the last. */
const STEPS = 65534;
const VALUE_STEPS = 254;
const ROWS_PER_PAGE = 15;
/* Pixels between the pointer and a point that is named; a finger covers more. */
const REACH = { mouse: 12, pen: 14, touch: 26 };
const GENE_PAGE = "https://www.ncbi.nlm.nih.gov/gene/?term=";
const ENSEMBL_PAGE = "https://www.ensembl.org/Multi/Search/Results?q=";
/* Least smoothing of a density: this share of the standard deviation of all samples. */
const LEAST_BANDWIDTH = 0.3;
const DENSITY_POINTS = 120;
/* Core features that are named in the plot. */
const MOST_NAMED = 8;
/* Most letters of such a name, and pixels of a letter. */
const LONGEST_LABEL = 16;
const LETTER = 6.5;

function number(value, digits = 3) {
  if (value === null || Number.isNaN(value)) return "";
  const size = Math.abs(value);
  const text = size && size < 0.001 ? value.toExponential(1) : size >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(digits)));
  return text.replaceAll("-", "−");
}

/* A column of statistics as numbers; probabilities are stored as -log10. */
function statistic(content, name) {
  const [steps, range] = [content.arrays[name], content.ranges[name]];
  if (!steps || !range) return null;
  const [low, high] = range;
  return Float64Array.from(steps, (step) => (step > STEPS ? NaN : low + ((high - low || 1) * step) / STEPS));
}

function statisticsOf(content, j) {
  return {
    change: statistic(content, `change.${j}`), evidence: statistic(content, `evidence.${j}`),
    fdr: statistic(content, `fdr.${j}`)?.map((value) => 10 ** -value), auc: statistic(content, `auc.${j}`),
    mean: statistic(content, "mean"),
  };
}

function valuesOf(content, i) {
  const n = content.samples.length;
  if (content.low[i] === undefined || content.low[i] === null) return null;
  const span = content.high[i] - content.low[i];
  return Array.from(content.arrays.values.subarray(i * n, (i + 1) * n), (step) => (step > VALUE_STEPS ? NaN : content.low[i] + (span * step) / VALUE_STEPS));
}

/* Hazen's quantile, as the classifiers' bandwidths use it. */
function quantile(sorted, p) {
  const place = Math.min(Math.max(p * sorted.length - 0.5, 0), sorted.length - 1);
  const below = Math.floor(place);
  return sorted[below] + (place - below) * (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]);
}

function deviation(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1));
}

/* Gaussian kernel density with Silverman's bandwidth, not below the floor. */
function density(values, spread, grid) {
  const sorted = [...values].sort((a, b) => a - b);
  const range = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.349;
  const width = deviation(values);
  const rule = 0.9 * (range > 0 ? Math.min(width, range) : width);
  const bandwidth = Math.max(rule, LEAST_BANDWIDTH * spread) * values.length ** -0.2;
  if (!(bandwidth > 0)) return null;
  const scale = 1 / (values.length * bandwidth * Math.sqrt(2 * Math.PI));
  return grid.map((x) => scale * values.reduce((sum, value) => sum + Math.exp(-0.5 * ((x - value) / bandwidth) ** 2), 0));
}

/* Samples by class over their box, batches in colour; a line joins the samples of a patient. */
function valuesChart(content, values) {
  const { classes, batches } = content;
  const x = content.class.map((code, j) => code + (((j * 0.618) % 1) - 0.5) * 0.4);
  const layers = [];
  classes.forEach((_, code) => {
    const own = values.filter((value, j) => content.class[j] === code && !Number.isNaN(value)).sort((a, b) => a - b);
    if (own.length < 2) return;
    const [low, middle, high] = [0.25, 0.5, 0.75].map((p) => quantile(own, p));
    const [left, right] = [code - 0.33, code + 0.33];
    layers.push({ mark: "bars", colour: "grey", x0: [left, left, left, right], x1: [right, right, left, right], y0: [low, high, low, low], y1: [low, high, high, high] });
    layers.push({ mark: "bars", colour: "ink", x0: [left], x1: [right], y0: [middle], y1: [middle] });
  });
  const groups = new Map();
  content.group.forEach((group, j) => { if (group >= 0 && !Number.isNaN(values[j])) groups.set(group, [...(groups.get(group) ?? []), j]); });
  for (const own of groups.values()) {
    own.sort((a, b) => content.class[a] - content.class[b]);
    layers.push({ mark: "line", colour: "grey", x: own.map((j) => x[j]), y: own.map((j) => values[j]) });
  }
  const parts = batches.length ? [...batches.keys(), -1] : classes.map((_, code) => code);
  for (const part of parts) {
    const own = values.map((_, j) => j).filter((j) => (batches.length ? content.batch[j] : content.class[j]) === part && !Number.isNaN(values[j]));
    if (!own.length) continue;
    layers.push({
      mark: "points", colour: part < 0 ? "grey" : part, label: batches.length ? batches[part] ?? "no batch" : undefined,
      x: own.map((j) => x[j]), y: own.map((j) => values[j]),
      tips: { sample: own.map((j) => content.samples[j]), class: own.map((j) => classes[content.class[j]]), value: own.map((j) => number(values[j])) },
    });
  }
  return { title: content.title, height: 260, x: { label: "", ticks: classes, range: [-0.6, classes.length - 0.4] }, y: { label: content.unit }, layers };
}

function densityChart(content, values) {
  const known = values.filter((value) => !Number.isNaN(value));
  const spread = deviation(known);
  const [low, high] = [Math.min(...known) - spread, Math.max(...known) + spread];
  const grid = Array.from({ length: DENSITY_POINTS }, (_, i) => low + ((high - low) * i) / (DENSITY_POINTS - 1));
  const layers = content.classes.flatMap((label, code) => {
    const own = values.filter((value, j) => content.class[j] === code && !Number.isNaN(value));
    const y = own.length > 1 ? density(own, spread, grid) : null;
    if (!y) return [];
    return [{ mark: "band", colour: code, x: grid, lower: grid.map(() => 0), upper: y }, { mark: "line", colour: code, label, x: grid, y }];
  });
  return { height: 200, x: { label: content.unit }, y: { label: "density" }, layers };
}

function nameOf(content, i) {
  return content.symbols[i] || content.features[i];
}

/* The search term of a gene at NCBI and Ensembl: its symbol, the feature's name, or none. */
function termOf(content, i) {
  const kind = content.arrays.term[i];
  return kind === 1 ? content.symbols[i].split("///")[0].trim() : kind === 2 ? content.features[i] : "";
}

function geneHead(content, i) {
  const [name, feature, term] = [nameOf(content, i), content.features[i], termOf(content, i)];
  const links = term ? [["NCBI Gene", GENE_PAGE], ["Ensembl", ENSEMBL_PAGE]].map(([text, page]) => make("a", { href: page + encodeURIComponent(term), rel: "noreferrer", target: "_blank" }, text)) : [];
  const numbers = content.contrasts.map((label, j) => {
    const row = statisticsOf(content, j);
    const parts = [[content.change, row.change], ["FDR", row.fdr], ["AUC", row.auc]].filter(([, column]) => column && !Number.isNaN(column[i]));
    return make("p", { class: "numbers" }, make("b", {}, label), ...parts.map(([heading, column]) => make("span", {}, `${heading} ${number(column[i])}`)));
  });
  const core = content.arrays.core[i] ? [make("span", { class: "tag" }, "core")] : [];
  return [make("h4", {}, name, ...(name === feature ? [] : [" ", make("small", {}, feature)]), ...core), make("p", { class: "out" }, ...links), ...numbers];
}

async function drawGene(content, i, place) {
  const values = valuesOf(content, i);
  const head = geneHead(content, i);
  if (!values) {
    const command = content.command.replace("{}", () => content.features[i]);
    place.replaceChildren(...head, make("p", { class: "note" }, "The page has the samples’ values of the first ", String(content.low.length), " features. Draw this one: ", make("code", {}, command)));
    return;
  }
  const [points, curves] = [make("div", { class: "chart" }), make("div", { class: "chart" })];
  place.replaceChildren(...head, points, curves);
  await drawLayers(valuesChart(content, values), points);
  await drawLayers(densityChart(content, values), curves);
}

/* Features that are beyond both thresholds, by direction: -1 lower, 1 higher, 0 neither. */
function directions(state) {
  const { change, fdr } = state.numbers;
  return Int8Array.from(change, (value, i) => (fdr[i] < state.fdr && Math.abs(value) >= state.change ? Math.sign(value) : 0));
}

/* Which features have their name to the right of their point, and which to the left: inside of the
   figure, and without those whose name would cover another one. Sizes are estimates in pixels. */
function labelled(content, place, x, y, named) {
  const extent = (numbers) => numbers.reduce(([low, high], one) => (Number.isNaN(one) ? [low, high] : [Math.min(low, one), Math.max(high, one)]), [Infinity, -Infinity]);
  const [[left, right], [bottom, top]] = [extent(x), extent(y)];
  const [width, height] = [Math.max(200, place.clientWidth - 90), 380];
  const [boxes, sides] = [[], { left: [], right: [] }];
  for (const i of named) {
    const [px, py] = [((x[i] - left) / (right - left || 1)) * width, ((y[i] - bottom) / (top - bottom || 1)) * height];
    const long = 8 + LETTER * Math.min(LONGEST_LABEL, nameOf(content, i).length);
    for (const [side, from] of [["left", px], ["right", px - long]]) {
      const box = { left: from, right: from + long, low: py - 8, high: py + 8 };
      const free = boxes.every((one) => box.right < one.left || one.right < box.left || box.high < one.low || one.high < box.low);
      if (box.left < 0 || box.right > width || !free) continue;
      boxes.push(box);
      sides[side].push(i);
      break;
    }
  }
  return [["left", 8, sides.left], ["right", -8, sides.right]];
}

async function drawPlane(content, state, place, select) {
  await library();
  const inks = theme();
  const { change, evidence, mean } = state.numbers;
  const ma = state.plot === "MA plot";
  const [x, y] = ma ? [mean, change] : [change, evidence];
  const [xlabel, ylabel] = ma ? ["mean", content.change] : [content.change, "−log10 p"];
  const figure = newFigure({ height: 480, x: { label: xlabel }, y: { label: ylabel } }, inks);
  const groups = [[0, GREY, 3], [-1, BLUE, 5], [1, ORANGE, 5]];
  for (const [sign, colour, size] of groups) {
    const own = [];
    for (let i = 0; i < x.length; i++) if (state.signs[i] === sign && !Number.isNaN(x[i]) && !Number.isNaN(y[i])) own.push(i);
    figure.scatter(own.map((i) => x[i]), own.map((i) => y[i]), { size, fill_color: colour, line_color: null, fill_alpha: sign ? 0.75 : 0.35 });
  }
  const found = state.signs.reduce((list, sign, i) => { if (sign) list.push(i); return list; }, []);
  if (!ma && found.length) {
    const cut = found.reduce((least, i) => Math.min(least, evidence[i]), Infinity);
    figure.add_layout(new Bokeh.Span({ location: cut, dimension: "width", line_color: inks.soft, line_dash: "dashed" }));
  }
  if (state.change > 0) {
    for (const location of [-state.change, state.change]) figure.add_layout(new Bokeh.Span({ location, dimension: ma ? "width" : "height", line_color: inks.soft, line_dash: "dashed" }));
  }
  const core = [...content.features.keys()].filter((i) => content.arrays.core[i] && !Number.isNaN(x[i]) && !Number.isNaN(y[i]));
  figure.scatter(core.map((i) => x[i]), core.map((i) => y[i]), { size: 10, fill_color: null, line_color: inks.ink, line_width: 1.5 });
  const named = (core.length ? core : [...found].sort((a, b) => evidence[b] - evidence[a])).slice(0, MOST_NAMED);
  for (const [align, offset, own] of labelled(content, place, x, y, named)) {
    if (own.length) figure.text(own.map((i) => x[i]), own.map((i) => y[i]), own.map((i) => cut(nameOf(content, i), LONGEST_LABEL)), { text_color: inks.ink, text_font_size: "12px", text_align: align, x_offset: offset, text_baseline: "middle" });
  }
  const mark = new Bokeh.ColumnDataSource({ data: { x: [], y: [] } });
  figure.scatter({ field: "x" }, { field: "y" }, { source: mark, size: 13, fill_color: null, line_color: inks.ink, line_width: 3, level: "overlay" });
  const tip = make("div", { class: "tip" });
  tip.hidden = true;
  const canvas = make("div", { class: "canvas" });
  place.replaceChildren(canvas, tip);
  const view = await showFigure(figure, canvas);
  const nearest = (event) => {
    const box = view.el.getBoundingClientRect();
    const frame = view.frame;
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const { left, right, top, bottom } = frame.bbox;
    let [best, least] = [-1, REACH[event.pointerType] ?? REACH.mouse];
    if (px >= left && px <= right && py >= top && py <= bottom) {
      const [x0, x1] = [frame.x_scale.invert(left), frame.x_scale.invert(right)];
      const [y0, y1] = [frame.y_scale.invert(bottom), frame.y_scale.invert(top)];
      const [ax, ay] = [(right - left) / (x1 - x0), (bottom - top) / (y1 - y0)];
      for (let i = 0; i < x.length; i++) {
        const distance = Math.hypot(left + (x[i] - x0) * ax - px, bottom - (y[i] - y0) * ay - py) + (state.signs[i] ? 0 : 3);
        if (distance < least) [best, least] = [i, distance];
      }
    }
    tip.hidden = best < 0;
    if (best < 0) return best;
    const numbers = [[content.change, change], ["FDR", state.numbers.fdr], ["AUC", state.numbers.auc]].filter(([, column]) => column && !Number.isNaN(column[best]));
    tip.replaceChildren(make("b", {}, nameOf(content, best)), ...numbers.map(([heading, column]) => make("span", {}, `${heading} ${number(column[best])}`)));
    tip.style.left = `${Math.min(px + 12, box.width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.max(0, py - tip.offsetHeight - 8) + view.el.offsetTop}px`;
    return best;
  };
  canvas.addEventListener("pointermove", nearest);
  canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") tip.hidden = true; });
  let pressed = null;
  canvas.addEventListener("pointerdown", (event) => { pressed = [event.clientX, event.clientY]; });
  canvas.addEventListener("pointerup", (event) => {
    if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 5) return;
    const i = nearest(event);
    if (i >= 0) select(i);
  });
  return (i) => { mark.data = Number.isNaN(x[i]) ? { x: [], y: [] } : { x: [x[i]], y: [y[i]] }; };
}

/* The table: columns over the typed arrays; a page of rows is in the document at a time. */
const COLUMNS = [
  { key: "name", heading: "" }, { key: "change", heading: "" }, { key: "fdr", heading: "FDR" },
  { key: "auc", heading: "AUC" }, { key: "mean", heading: "mean" }, { key: "core", heading: "core" },
];

function sortedRows(content, state, rows) {
  const { key, down } = state.sort;
  const sign = down ? -1 : 1;
  if (key === "name") {
    const collator = new Intl.Collator(undefined, { numeric: true });
    return rows.sort((a, b) => sign * collator.compare(nameOf(content, a), nameOf(content, b)));
  }
  const column = key === "core" ? content.arrays.core : state.numbers[key];
  const missing = (i) => Number.isNaN(column[i]);
  return rows.sort((a, b) => missing(a) - missing(b) || sign * (column[a] - column[b]) || a - b);
}

function matchingRows(content, state) {
  const words = state.text.trim().toLowerCase();
  const names = content.lower;
  const rows = [];
  for (let i = 0; i < names.length; i++) {
    if (state.core && !content.arrays.core[i]) continue;
    if (state.beyond && !state.signs[i]) continue;
    if (state.direction && Math.sign(state.numbers.change[i]) !== state.direction) continue;
    if (words && !names[i].includes(words)) continue;
    rows.push(i);
  }
  const sorted = sortedRows(content, state, rows);
  if (!words) return sorted;
  const exact = (i) => names[i].split("\n").includes(words);  // a gene of that name comes first
  return [...sorted.filter(exact), ...sorted.filter((i) => !exact(i))];
}

/* A cell of a file that a spreadsheet would take for a formula gets an apostrophe. */
function csvCell(value) {
  const text = typeof value === "number" ? (Number.isNaN(value) ? "" : String(Number(value.toPrecision(4)))) : value;
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csvOf(content, state, rows) {
  const { change, fdr, auc, mean } = state.numbers;
  const columns = [["feature", (i) => content.features[i]], ["symbol", (i) => content.symbols[i]], [content.change, (i) => change[i]],
    ["FDR", (i) => fdr[i]], ["AUC", (i) => auc[i]], ...(mean ? [["mean", (i) => mean[i]]] : []), ["core", (i) => (content.arrays.core[i] ? "yes" : "no")]];
  const line = (cells) => `${cells.map(csvCell).join(",")}\r\n`;
  return [line(columns.map(([heading]) => heading)), ...rows.map((i) => line(columns.map(([, value]) => value(i))))];
}

function rowCells(content, state, i, open) {
  const { change, fdr, auc, mean } = state.numbers;
  const [name, feature] = [nameOf(content, i), content.features[i]];
  const button = make("button", { type: "button", class: "gene" }, name);
  button.addEventListener("click", () => open(i));
  const arrow = change[i] > 0 ? "▲" : change[i] < 0 ? "▼" : "";
  const bar = make("i", { class: change[i] < 0 ? "minus" : "plus" });
  bar.style.width = `${Math.min(100, (100 * Math.abs(change[i] || 0)) / state.most)}%`;
  const cell = (text) => make("td", { class: "n" }, text);
  return [make("th", { scope: "row" }, button, ...(name === feature ? [] : [" ", make("small", {}, feature)])),
    make("td", { class: "n change" }, make("span", { class: "mini", "aria-hidden": "true" }, bar), make("span", { class: "value" }, `${arrow} ${number(change[i])}`)), cell(number(fdr[i], 2)), cell(number(auc[i])),
    ...(mean ? [cell(number(mean[i]))] : []), cell(content.arrays.core[i] ? "yes" : "")];
}

function controlled(label, control) {
  return make("label", {}, label, " ", control);
}

async function startGenes(block) {
  const content = await unpack(block.querySelector("script.packed").textContent);
  content.lower = content.features.map((feature, i) => [feature, ...content.symbols[i].split("///")].map((name) => name.trim().toLowerCase()).join("\n"));
  const state = { contrast: 0, fdr: 0.05, change: 0, plot: "Volcano plot", text: "", direction: 0, core: false, beyond: false, sort: { key: "fdr", down: false }, page: 0 };
  const plane = make("div", { class: "chart plane" });
  const view = make("div", { class: "gene-view", "aria-live": "polite" });
  const counts = make("p", { class: "note", "aria-live": "polite" });
  let mark = () => {};
  let chosen = -1;
  const setNumbers = () => {
    state.numbers = statisticsOf(content, state.contrast);
    state.most = state.numbers.change.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 1e-9);
    state.signs = directions(state);
  };
  const select = async (i) => {
    chosen = i;
    mark(i);
    await library();
    await drawGene(content, i, view);
  };
  const redraw = async () => {
    state.signs = directions(state);
    const [up, down] = [1, -1].map((sign) => state.signs.reduce((sum, each) => sum + (each === sign), 0));
    counts.textContent = `${up.toLocaleString("en")} higher and ${down.toLocaleString("en")} lower in “${content.contrasts[state.contrast]}”`;
    mark = await drawPlane(content, state, plane, select);
    if (chosen >= 0) mark(chosen);
  };

  const table = make("table", { class: "all-genes" });
  const output = make("output", { "aria-live": "polite" });
  let rows = [];
  const showRows = () => {
    const shown = rows.slice(state.page * ROWS_PER_PAGE, (state.page + 1) * ROWS_PER_PAGE);
    const body = make("tbody");
    const open = async (i) => {
      const after = body.querySelector(`tr[data-i="${i}"]`);
      const opened = body.querySelector("tr.opened");
      opened?.remove();
      mark(i);
      chosen = i;
      if (opened?.dataset.of === String(i)) return;
      const place = make("div", { class: "gene-view wide" });
      after.after(make("tr", { class: "opened", "data-of": i }, make("td", { colspan: 6 }, place)));
      await library();
      await drawGene(content, i, place);
    };
    body.append(...shown.map((i) => make("tr", { "data-i": i }, ...rowCells(content, state, i, open))));
    table.tBodies[0]?.remove();
    table.append(body);
    const pages = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE));
    const [n, all] = [content.features.length, content.total].map((count) => count.toLocaleString("en"));
    const part = n === all ? "" : ` (the first ${n} by rank are here; the files have all)`;
    output.textContent = `${rows.length.toLocaleString("en")} of ${all} features${part}; page ${state.page + 1} of ${pages.toLocaleString("en")}`;
    previous.disabled = state.page === 0;
    next.disabled = state.page >= pages - 1;
  };
  const filter = () => {
    state.page = 0;
    rows = matchingRows(content, state);
    showRows();
  };
  const turn = (text, by) => {
    const button = make("button", { type: "button", class: "button" }, text);
    button.addEventListener("click", () => { state.page += by; showRows(); });
    return button;
  };
  const [previous, next] = [turn("Previous", -1), turn("Next", 1)];
  const headings = COLUMNS.filter(({ key }) => key !== "mean" || content.ranges.mean);
  const head = make("tr", {}, ...headings.map(({ key, heading }) => {
    const button = make("button", { type: "button" }, heading || content[key === "name" ? "noun" : "change"]);
    const cell = make("th", { scope: "col", ...(key === "name" ? {} : { class: "n" }), ...(key === state.sort.key ? { "aria-sort": "ascending" } : {}) }, button);
    button.addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending" || (cell.getAttribute("aria-sort") === null && (key === "core" || key === "change"));
      for (const other of head.cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      state.sort = { key, down };
      filter();
    });
    return cell;
  }));
  table.append(make("caption", { class: "hidden" }, "All features"), make("thead", {}, head));

  const typed = (type, value, attributes, change) => {
    const input = make("input", { type, value, ...attributes });
    let timer;
    input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => change(input), 150); });
    return input;
  };
  const checkbox = (label, key) => {
    const input = make("input", { type: "checkbox" });
    input.addEventListener("change", () => { state[key] = input.checked; filter(); });
    return make("label", { class: "check" }, input, ` ${label}`);
  };
  const threshold = (key, smallest) => (input) => {
    const value = Number(input.value);
    if (input.value === "" || !Number.isFinite(value) || value < smallest) return;
    state[key] = value;
    redraw();
    if (state.beyond) filter();
  };
  const contrasts = content.contrasts.length > 1 ? [choice("Class", content.contrasts, content.contrasts[0], (name) => {
    state.contrast = content.contrasts.indexOf(name);
    setNumbers();
    redraw();
    filter();
  })] : [];
  const above = make("div", { class: "controls" }, ...contrasts,
    ...(content.ranges.mean ? [choice("Plot", ["Volcano plot", "MA plot"], "Volcano plot", (name) => { state.plot = name; redraw(); })] : []),
    controlled("FDR below", typed("number", "0.05", { min: "0", max: "1", step: "0.01" }, threshold("fdr", 0))),
    controlled(`${content.change} at least`, typed("number", "0", { min: "0", step: "0.25" }, threshold("change", 0))));
  const order = make("select", {}, ...[["0", "all"], ["1", "higher"], ["-1", "lower"]].map(([value, text]) => make("option", { value }, text)));
  order.addEventListener("change", () => { state.direction = Number(order.value); filter(); });
  const download = make("button", { type: "button", class: "button" }, "Download CSV");
  download.addEventListener("click", () => save(`${content.name}-genes.csv`, csvOf(content, state, rows), "text/csv"));
  const below = make("div", { class: "controls" },
    controlled("Search", typed("search", "", { autocomplete: "off", placeholder: content.noun === "gene" ? "gene or probe" : "feature", class: "search" }, (input) => { state.text = input.value; filter(); })),
    controlled("Direction", order), checkbox("beyond the thresholds", "beyond"),
    ...(content.arrays.core.some(Boolean) ? [checkbox("core only", "core")] : []), download);
  const place = block.querySelector(".live-genes");
  setNumbers();
  place.replaceChildren(above, make("div", { class: "pair" }, make("div", {}, counts, plane), view), below,
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All features" }, table), make("div", { class: "pages" }, previous, next, output));
  filter();
  block.classList.add("live");
  await redraw();
  await select([...content.features.keys()].find((i) => content.arrays.core[i]) ?? 0);
}

if (document.getElementById("library") && typeof DecompressionStream === "function") {
  for (const block of document.querySelectorAll(".genes")) {
    let started = null;
    whenSeen(block, () => { started = (started ?? Promise.resolve()).then(() => startGenes(block)); });
  }
}
