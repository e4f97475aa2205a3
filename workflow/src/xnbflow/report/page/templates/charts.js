/* Charts by BokehJS. The library is packed in the page; the first chart that comes into sight
   unpacks it. Without it, or without JavaScript, the static figures stay. */
const [BLUE, ORANGE] = ["#0072B2", "#D55E00"];
const PALETTE = ["#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#8C6D46", "#7F7F7F", BLUE, ORANGE];
const MARKERS = ["circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "x", "star"];
const SIGNS = ["●", "■", "▲", "◆", "▼", "✚", "✖", "★"];
/* The mark of the class, group or line i: when colours begin again, marks are shifted by one. */
const markOf = (i) => (i + Math.floor(i / PALETTE.length)) % MARKERS.length;
const GREY = "#888888";
/* Rows and columns of a matrix with longer names are cut on the axes; the pointer shows all. */
const LONGEST_NAME = 26;
const LEAST_NAME = 6;
const LINE_OF_AXIS = 14;
/* Charts are drawn this many pixels before they come into sight. */
const AHEAD = "300px";
/* Cells of a matrix that are darker than this have white texts. */
const DARK_CELL = 0.55;
/* Longer texts under the pointer are cut, so that they do not cover the next figure. */
const LONGEST_TIP = 40;
/* Pixels of a letter of an axis, about, and of an axis with its labels. */
const LETTER_OF_AXIS = 7;
const WIDTH_OF_AXIS = 80;
const DARK = matchMedia("(prefers-color-scheme: dark)");

async function unzip(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
}

let loading = null;

function library() {
  loading ??= (async () => {
    const packed = document.getElementById("library").textContent;
    const program = make("script");
    program.textContent = await new Response(await unzip(packed)).text();
    document.head.append(program);
    Bokeh.logger.set_level("error");
    return Bokeh;
  })();
  return loading;
}

/* A header and arrays of numbers, as gene_content.py packs them. */
async function unpack(text) {
  const buffer = await new Response(await unzip(text)).arrayBuffer();
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const kinds = { uint8: Uint8Array, uint16: Uint16Array };
  const aligned = (place) => 8 * Math.ceil(place / 8);
  let place = aligned(4 + size);
  header.arrays = Object.fromEntries(header.arrays.map(([name, kind, length]) => {
    const numbers = new kinds[kind](buffer, place, length);
    place = aligned(place + numbers.byteLength);
    return [name, numbers];
  }));
  return header;
}

function cut(text, length = LONGEST_NAME) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/* Colours of the page for a canvas, which does not know its style. */
function theme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return { ink: colour("--ink"), soft: colour("--soft"), line: colour("--line"), paper: colour("--paper") };
}

function colourOf(colour, inks) {
  if (colour === "ink") return inks.ink;
  if (colour === "grey" || colour === undefined) return GREY;
  return typeof colour === "number" ? PALETTE[colour % PALETTE.length] : colour;
}

/* A figure without layers; names of categories below it are cut to the `width` that they have. */
function newFigure(chart, inks, width = 600) {
  const ranges = {};
  for (const side of ["x", "y"]) {
    const { names, range, end } = chart[side];
    if (names) ranges[`${side}_range`] = new Bokeh.Range1d({ start: -0.5, end: names.length - 0.5 });
    else if (range) ranges[`${side}_range`] = new Bokeh.Range1d({ start: range[0], end: range[1] });
    else if (typeof end === "number") ranges[`${side}_range`] = new Bokeh.DataRange1d({ end });
    if (chart[side].log) ranges[`${side}_axis_type`] = "log";
  }
  const figure = Bokeh.Plotting.figure({
    ...ranges, height: chart.height, sizing_mode: "stretch_width", tools: "pan,box_zoom,wheel_zoom,reset",
    toolbar_location: "above", background_fill_color: null, border_fill_color: null, outline_line_color: null,
    x_axis_label: chart.x.label || undefined, y_axis_label: chart.y.label || undefined, min_border_right: 12,
  });
  figure.toolbar.logo = null;
  figure.toolbar.autohide = true;
  for (const axis of [figure.below[0], figure.left[0]]) {
    axis.setv({
      axis_label_text_color: inks.ink, axis_label_text_font_style: "normal", axis_label_text_font_size: "13px",
      major_label_text_color: inks.soft, major_label_text_font_size: "12px", axis_line_color: inks.line,
      major_tick_line_color: inks.line, minor_tick_line_color: null,
    });
  }
  for (const grid of figure.center.filter((one) => one instanceof Bokeh.Grid)) grid.grid_line_color = chart.x.names || (chart.x.ticks && grid.dimension === 0) ? null : inks.line;
  nameTicks(figure.below[0], chart.x, width, true);
  nameTicks(figure.left[0], chart.y, width, false);
  return figure;
}

function nameTicks(axis, side, width, below) {
  const names = side.names ?? side.ticks;
  if (!names) return;
  const room = (width - WIDTH_OF_AXIS) / names.length;
  const share = Math.floor(room / LETTER_OF_AXIS);
  const longest = Math.max(...names.map((name) => name.length));
  /* names that would overlap are upright; of many every second, third, ... is written */
  const crowded = below && share < Math.min(longest, LEAST_NAME);
  const every = crowded ? Math.max(1, Math.ceil(LINE_OF_AXIS / room)) : 1;
  const ticks = names.map((_, i) => i).filter((i) => i % every === 0);
  axis.ticker = new Bokeh.FixedTicker({ ticks: side.hidden ? [] : ticks, minor_ticks: [] });
  const length = side.ticks && !crowded ? Math.max(LEAST_NAME, Math.min(LONGEST_NAME, share)) : LONGEST_NAME;
  axis.major_label_overrides = new Map(names.map((name, i) => [i, cut(name, length)]));
  axis.major_tick_line_color = null;
  if (crowded) axis.major_label_orientation = "vertical";
  else if (side.names && below && longest > 12 && names.length > 3) axis.major_label_orientation = 0.9;
}

/* Tips are texts per point; the columns of a source get plain names, since theirs are any text. */
function columnsOf(columns, tips = {}) {
  const texts = Object.values(tips).map((words, i) => [`tip${i}`, words.map((text) => cut(String(text), LONGEST_TIP))]);
  return { ...columns, ...Object.fromEntries(texts) };
}

function sourceOf(columns, tips) {
  return new Bokeh.ColumnDataSource({ data: columnsOf(columns, tips) });
}

function addTips(figure, renderer, tips) {
  const names = Object.keys(tips ?? {});
  if (!names.length) return;
  const tooltips = names.map((name, i) => [cut(name, LONGEST_TIP), `@tip${i}`]);
  figure.add_tools(new Bokeh.HoverTool({ renderers: [renderer], tooltips, visible: false }));
}

/* Layers of a chart: the columns of their source, and how it is drawn. */
const LAYERS = {
  points: {
    columns({ x, y, size, tips }) {
      return [{ x, y, size: Array.isArray(size) ? size : x.map(() => size ?? 8) }, tips];
    },
    draw(figure, source, layer, colour) {
      const places = [{ field: "x" }, { field: "y" }];
      if (layer.joined) figure.line(...places, { source, line_color: colour, line_width: 2 });
      const renderer = figure.scatter(...places, {
        source, marker: MARKERS[markOf(typeof layer.colour === "number" ? layer.colour : 0)], size: { field: "size" },
        line_color: colour, line_width: layer.hollow ? 2 : 1, fill_color: layer.hollow ? null : colour, fill_alpha: 0.85,
      });
      addTips(figure, renderer, layer.tips);
    },
  },
  line: {
    columns: ({ x, y }) => [{ x, y }],
    draw(figure, source, layer, colour) {
      figure.line({ field: "x" }, { field: "y" }, { source, line_color: colour, line_width: 1.5, line_dash: layer.dash ?? "solid" });
    },
  },
  bars: {
    columns: ({ x0, y0, x1, y1 }) => [{ x0, y0, x1, y1 }],
    draw(figure, source, layer, colour) {
      figure.segment({ field: "x0" }, { field: "y0" }, { field: "x1" }, { field: "y1" }, { source, line_color: colour, line_width: 1.8 });
    },
  },
  band: {
    columns: ({ x, lower, upper }) => [{ x, lower, upper }],
    draw(figure, source, layer, colour) {
      figure.varea({ field: "x" }, { field: "lower" }, { field: "upper" }, { source, fill_color: colour, fill_alpha: 0.18 });
    },
  },
  level: {
    columns: () => [{}],
    draw(figure, source, layer, colour) {
      figure.add_layout(new Bokeh.Span({ location: layer.y, dimension: "width", line_color: colour, line_dash: "dashed", line_width: 1.5 }));
    },
  },
  cells: {
    columns(layer, chart, inks) {
      const positions = (side) => new Map(chart[side].names.map((name, i) => [name, i]));
      const columns = positions("x");
      const rows = positions("y");
      const ink = layer.alpha.map((alpha) => (alpha > DARK_CELL ? "#ffffff" : inks.ink));
      const x = layer.x.map((name) => columns.get(name));
      const y = layer.y.map((name) => rows.get(name));
      return [{ x, y, colour: layer.colour, alpha: layer.alpha, ink, text: layer.text ?? ink.map(() => "") }, layer.tips];
    },
    draw(figure, source, layer, colour, inks) {
      const places = [{ field: "x" }, { field: "y" }];
      const renderer = figure.rect(...places, 1, 1, {
        source, fill_color: { field: "colour" }, fill_alpha: { field: "alpha" }, line_color: inks.line, line_width: 0.5,
      });
      if (layer.text) {
        figure.text(...places, { field: "text" }, {
          source, text_align: "center", text_baseline: "middle", text_color: { field: "ink" }, text_font_size: "13px",
        });
      }
      addTips(figure, renderer, layer.tips);
    },
  },
};

function legendItem(sign, colour, text, alpha = 1) {
  const mark = make("span", { class: "sign", "aria-hidden": "true" }, sign);
  mark.style.color = colour;
  mark.style.opacity = alpha;
  return make("li", {}, mark, text);
}

function legend(layers, inks) {
  const labelled = layers.filter((layer) => layer.label);
  if (labelled.length < 2) return [];
  return [make("ul", { class: "legend" }, ...labelled.map((layer) => {
    const number = typeof layer.colour === "number" ? layer.colour : 0;
    const sign = layer.mark === "level" ? "┅" : layer.mark === "bars" ? "┃" : layer.hollow ? "○" : SIGNS[markOf(number)];
    return legendItem(sign, colourOf(layer.colour, inks), layer.label);
  }))];
}

/* Features by samples: strips of the class and of other columns above the standardised values. */
function heatMap(content) {
  const { samples, strips, rows, z } = content;
  const labels = [...strips.map((strip) => strip.name), ...rows];
  const classes = strips[0].cells.map((i) => strips[0].texts[i]);
  const cells = { mark: "cells", x: [], y: [], colour: [], alpha: [], tips: { row: [], value: [], sample: [], class: [] } };
  const add = (label, j, colour, alpha, value) => {
    cells.x.push(samples[j]);
    cells.y.push(label);
    cells.colour.push(colour);
    cells.alpha.push(alpha);
    const words = [label, value, samples[j], classes[j]];
    Object.values(cells.tips).forEach((texts, i) => texts.push(words[i]));
  };
  for (const { name, texts, colours, alphas, cells: own } of strips) own.forEach((i, j) => add(name, j, colours[i], alphas[i], texts[i]));
  z.forEach((row, i) => row.forEach((value, j) => {
    const text = value === null ? "missing" : `${value > 0 ? "+" : ""}${(value / 100).toFixed(2)} SD`;
    add(rows[i], j, content.colours[value > 0 ? 1 : 0], Math.min(1, Math.abs(value ?? 0) / 100 / content.darkest), text);
  }));
  return {
    height: content.height, keys: content.keys, layers: [cells],
    x: { label: "samples", names: samples, hidden: true }, y: { label: "", names: [...labels].reverse() },
  };
}

async function showFigure(figure, place) {
  const view = await Bokeh.Plotting.show(figure, place);
  return Array.isArray(view) ? view[0] : view;
}

/* Draw a chart; the result updates it with the numbers of another chart with the same layers. */
async function drawLayers(chart, place) {
  const inks = theme();
  const figure = newFigure(chart, inks, place.clientWidth || undefined);
  const sources = chart.layers.map((layer) => {
    const { columns, draw } = LAYERS[layer.mark];
    const source = sourceOf(...columns(layer, chart, inks));
    draw(figure, source, layer, colourOf(layer.colour, inks), inks);
    return source;
  });
  const heading = chart.title ? [make("p", { class: "title" }, chart.title)] : [];
  const canvas = make("div", { class: "canvas" });
  const keys = chart.keys ? [make("ul", { class: "legend" }, ...chart.keys.map(([text, colour, alpha]) => legendItem("■", colour, text, alpha)))] : [];
  place.replaceChildren(...heading, ...legend(chart.layers, inks), ...keys, canvas);
  await showFigure(figure, canvas);
  return (changed) => changed.layers.forEach((layer, i) => {
    sources[i].data = columnsOf(...LAYERS[layer.mark].columns(layer, changed, inks));
  });
}

/* Samples: colour and symbol by any column, the sample under the pointer, why it was classified. */
const MOST_KINDS = 8;

/* Categories of a column, by frequency; of many numbers thirds, of many texts the most frequent. */
function kindsOf(cells) {
  const counts = new Map();
  for (const text of cells) counts.set(text || "unknown", (counts.get(text || "unknown") ?? 0) + 1);
  const numbers = cells.filter((text) => text).map(Number);
  if (counts.size > MOST_KINDS && numbers.every(Number.isFinite)) {
    const sorted = [...numbers].sort((a, b) => a - b);
    const edges = [0, 1, 2, 3].map((i) => sorted[Math.min(sorted.length - 1, Math.floor((i * sorted.length) / 3))]);
    const third = (number) => (number < edges[1] ? 0 : number < edges[2] ? 1 : 2);
    const names = [`below ${edges[1]}`, `${edges[1]} to below ${edges[2]}`, `${edges[2]} or more`];
    return cells.map((text) => (text ? names[third(Number(text))] : "unknown"));
  }
  const frequent = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, MOST_KINDS - 1);
  const few = counts.size <= MOST_KINDS;
  return cells.map((text) => (few || frequent.includes(text || "unknown") ? text || "unknown" : "other"));
}

function choice(label, names, chosen, change) {
  const select = make("select", {}, ...names.map((name) => make("option", name === chosen ? { value: name, selected: "" } : { value: name }, name)));
  select.addEventListener("change", () => change(select.value));
  return make("label", {}, label, " ", select);
}

function whyLink(place, sample) {
  const target = document.querySelector(".evidence") ? "" : "details.html";
  return `${target}#why=${encodeURIComponent(JSON.stringify([place, sample]))}`;
}

async function drawSamples(chart, place) {
  const names = Object.keys(chart.columns);
  const choices = chart.coloured ?? names;
  const state = { colour: names[0], symbol: names[0] };
  const canvas = make("div", { class: "canvas" });
  const keys = make("div");
  const chosen = make("p", { class: "note", "aria-live": "polite" }, chart.place ? "Click a sample to see why it was classified as it was." : "");
  const redraw = async () => {
    const inks = theme();
    const kinds = kindsOf(chart.columns[state.colour]);
    const symbols = kindsOf(chart.columns[state.symbol]);
    const [colours, marks] = [kinds, symbols].map((texts) => [...new Set(texts)].sort());
    const figure = newFigure(chart, inks);
    const tips = { sample: chart.samples, ...chart.columns };
    const source = sourceOf({
      ...chart.points, colour: kinds.map((text) => PALETTE[colours.indexOf(text) % PALETTE.length]),
      marker: symbols.map((text) => MARKERS[markOf(marks.indexOf(text))]),
    }, tips);
    const renderer = figure.scatter({ field: "x" }, { field: "y" }, {
      source, size: chart.samples.length > 300 ? 6 : 10, marker: { field: "marker" }, fill_color: { field: "colour" },
      line_color: { field: "colour" }, fill_alpha: 0.75, nonselection_fill_alpha: 0.25,
    });
    figure.text({ field: "x" }, { field: "y" }, { field: "text" }, {
      source: sourceOf({ ...chart.points, text: chart.named ?? [] }), text_color: inks.ink, text_font_size: "12px", x_offset: 6, y_offset: -4,
    });
    if (chart.level !== undefined) LAYERS.level.draw(figure, null, { y: chart.level }, GREY);
    addTips(figure, renderer, tips);
    figure.add_tools(new Bokeh.TapTool({ renderers: [renderer], visible: false }));
    source.selected.change.connect(() => {
      const [i] = source.selected.indices;
      if (i === undefined) return;
      const words = [chart.samples[i], ...names.map((name) => `${name}: ${chart.columns[name][i] || "unknown"}`)].join("; ");
      const link = chart.place ? [" ", make("a", { href: whyLink(chart.place, chart.samples[i]) }, "Why was it classified so?")] : [];
      chosen.replaceChildren(words, ...link);
    });
    const same = state.colour === state.symbol;
    const list = (title, items) => make("ul", { class: "legend" }, ...(title ? [make("li", { class: "note" }, title)] : []), ...items);
    keys.replaceChildren(
      list(same ? "" : state.colour, colours.map((text, i) => legendItem(same ? SIGNS[markOf(i)] : "●", PALETTE[i % PALETTE.length], text))),
      ...(same ? [] : [list(state.symbol, marks.map((text, i) => legendItem(SIGNS[markOf(i)], inks.soft, text)))]),
    );
    canvas.replaceChildren();
    await showFigure(figure, canvas);
  };
  const set = (key) => (name) => { state[key] = name; redraw(); };
  const controls = make("div", { class: "controls" }, choice("Colour", choices, names[0], (name) => {
    if (state.symbol === state.colour) state.symbol = name;
    state.colour = name;
    redraw();
  }), choice("Symbol", choices, names[0], set("symbol")));
  place.replaceChildren(...(chart.title ? [make("p", { class: "title" }, chart.title)] : []), ...(choices.length > 1 ? [controls] : []), keys, chosen, canvas);
  await redraw();
}

/* A chart takes the place of its static figure, which print keeps. */
async function drawChart(drawing) {
  const chart = JSON.parse(drawing.querySelector("script.chart-data").textContent);
  const place = make("div", { class: "chart", role: "group", "aria-label": drawing.querySelector(".image").getAttribute("aria-label") });
  await library();
  drawing.querySelector(".chart")?.remove();
  drawing.querySelector(".scroll").after(place);
  const kinds = { samples: drawSamples, "heat map": (content) => drawLayers(heatMap(content), place), gene: (content) => drawLayers(valuesChart(content, content.values.map((value) => value ?? NaN)), place) };
  await (kinds[chart.kind] ?? drawLayers)(chart, place);
  drawing.classList.add("live");
}

const drawn = new Set();
const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    drawn.add(target);
    target.dispatchEvent(new Event("draw"));
  }
}, { rootMargin: AHEAD });

/* Draw an element when it comes into sight, and again when the page gets light or dark. */
function whenSeen(element, draw) {
  element.addEventListener("draw", draw);
  watcher.observe(element);
}

DARK.addEventListener("change", () => { for (const element of drawn) element.dispatchEvent(new Event("draw")); });
if (document.getElementById("library") && typeof DecompressionStream === "function") {
  for (const data of document.querySelectorAll("script.chart-data")) {
    const drawing = data.closest(".drawing");
    drawing.classList.add("awaited");
    whenSeen(drawing, () => drawChart(drawing));
  }
}
