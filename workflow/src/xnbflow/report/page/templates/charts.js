/* Charts by BokehJS. The library is packed in the page; the first chart that comes into sight
   unpacks it. Without it, or without JavaScript, the page has links to files of the figures. A chart
   is JSON as page/charts.py writes it: rows of panels, with marks over their axes. */
const [BLUE, ORANGE] = ["#0072B2", "#D55E00"];
const PALETTE = ["#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#8C6D46", "#7F7F7F", "#7028E8", "#999933"];
const MARKERS = ["circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "x", "star"];
const SIGNS = ["●", "■", "▲", "◆", "▼", "✚", "✖", "★"];
/* The mark of the class, group or line i: when colours begin again, marks are shifted by one. */
const markOf = (i) => (i + Math.floor(i / PALETTE.length)) % MARKERS.length;
const GREY = "#888888";
/* Dashes of lines, by their numbers. */
const DASHES = ["solid", "dashed", "dotted", "dotdash", [6, 2, 1, 2, 1, 2], [1, 4]];
/* Pixels of a point, of which marks are larger than in a static figure, and lines wider. */
const POINT = 96 / 72;
const LARGER = 1.8;
const WIDER = 1.4;
/* Rows and columns of a matrix with longer names are cut on the axes; the pointer shows all. */
const LONGEST_NAME = 26;
const LEAST_NAME = 6;
const LINE_OF_AXIS = 14;
/* The angle of names that are too long to be beside each other, in radians. */
const TILT = 0.9;
/* Charts are drawn this many pixels before they come into sight. */
const AHEAD = "300px";
/* Cells of a matrix that are darker than this have white texts. */
const DARK_CELL = 0.55;
/* Longer texts under the pointer are cut, so that they do not cover the next figure. */
const LONGEST_TIP = 40;
/* Pixels of a letter of an axis, about, and of an axis with its labels. */
const LETTER_OF_AXIS = 7;
const WIDTH_OF_AXIS = 80;
/* The order of classes: C1, C2, ..., C10. */
const NATURAL = new Intl.Collator("en", { numeric: true });
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

/* Colours of the page for a canvas, which has no access to its style. */
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

/* The range of an axis that need not begin or end where the marks do; none for one of the marks. */
function rangeOf({ start, end }) {
  const ends = Object.fromEntries(Object.entries({ start, end }).filter(([, value]) => typeof value === "number"));
  const n = Object.keys(ends).length;
  if (!n) return null;
  return n === 2 ? new Bokeh.Range1d(ends) : new Bokeh.DataRange1d(ends);
}

/* A figure without marks; names below it are cut to the `width` that they have. */
function newFigure(panel, inks, width = 600, left = 0) {
  const options = {};
  for (const side of ["x", "y"]) {
    const range = rangeOf(panel[side]);
    if (range) options[`${side}_range`] = range;
    if (panel[side].log) options[`${side}_axis_type`] = "log";
  }
  if (panel.x.opposite) options.x_axis_location = "above";
  const side = Math.min(width, panel.height);
  const whole = { height: panel.height, sizing_mode: "stretch_width", toolbar_location: "above", min_border_right: 12, min_border_left: left };
  const round = { width: side, height: side, toolbar_location: null, min_border: 0 };
  const figure = Bokeh.Plotting.figure({
    ...options, ...(panel.equal ? round : whole), tools: "pan,box_zoom,wheel_zoom,reset",
    background_fill_color: null, border_fill_color: null, outline_line_color: null,
    x_axis_label: panel.x.label || undefined, y_axis_label: panel.y.label || undefined,
  });
  figure.toolbar.logo = null;
  figure.toolbar.autohide = true;
  const below = (panel.x.opposite ? figure.above : figure.below)[0];
  for (const [axis, described] of [[below, panel.x], [figure.left[0], panel.y]]) {
    styleAxis(axis, inks);
    axis.visible = !described.hidden;
    if (described.whole) axis.ticker.min_interval = 1;
  }
  for (const grid of figure.center.filter((one) => one instanceof Bokeh.Grid)) {
    const described = [panel.x, panel.y][grid.dimension];
    grid.grid_line_color = described.names || described.hidden ? null : inks.line;
  }
  nameTicks(below, panel.x, width, true);
  nameTicks(figure.left[0], panel.y, width, false);
  if (panel.right) {
    const axis = new Bokeh.LinearAxis();
    figure.add_layout(axis, "right");
    styleAxis(axis, inks);
    axis.axis_line_color = null;
    nameTicks(axis, panel.right, width, false);
  }
  return figure;
}

function styleAxis(axis, inks) {
  axis.setv({
    axis_label_text_color: inks.ink, axis_label_text_font_style: "normal", axis_label_text_font_size: "13px",
    major_label_text_color: inks.soft, major_label_text_font_size: "12px", axis_line_color: inks.line,
    major_tick_line_color: inks.line, minor_tick_line_color: null,
  });
}

/* The least distance of neighbouring names, as a share of the axis. */
function gapOf(places, { start, end }) {
  const sorted = [...places].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((place, i) => place - sorted[i]);
  const length = Math.abs((end ?? places.length - 0.5) - (start ?? -0.5));
  return Math.min(...gaps, length) / length;
}

function nameTicks(axis, side, width, below) {
  const { names } = side;
  if (!names) return;
  const places = side.at ?? names.map((_, i) => i);
  const room = (width - WIDTH_OF_AXIS) * gapOf(places, side);
  const share = Math.floor(room / LETTER_OF_AXIS);
  const longest = Math.max(...names.map((name) => name.length));
  /* names that would overlap are upright; of many every second, third, ... is written */
  const crowded = below && share < Math.min(longest, LEAST_NAME);
  const every = crowded ? Math.max(1, Math.ceil(LINE_OF_AXIS / room)) : 1;
  axis.ticker = new Bokeh.FixedTicker({ ticks: places.filter((_, i) => i % every === 0), minor_ticks: [] });
  /* a few long names are cut, several are tilted */
  const tilted = below && !crowded && longest > share && names.length > 3;
  const length = below && !crowded && !tilted ? Math.max(LEAST_NAME, Math.min(LONGEST_NAME, share)) : LONGEST_NAME;
  axis.major_label_overrides = new Map(names.map((name, i) => [places[i], cut(name, length)]));
  axis.major_tick_line_color = null;
  if (crowded) axis.major_label_orientation = "vertical";
  else if (tilted) axis.major_label_orientation = TILT;
}

/* Tips are texts per point; the columns of a source get plain names, since theirs are any text. Bokeh
   takes null for 0: a missing number is NaN. */
function columnsOf(columns, tips = {}) {
  const numbers = Object.entries(columns).map(([name, values]) => [name, values.includes(null) ? values.map((value) => value ?? NaN) : values]);
  const texts = Object.values(tips).map((words, i) => [`tip${i}`, words.map((text) => cut(String(text), LONGEST_TIP))]);
  return Object.fromEntries([...numbers, ...texts]);
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

/* The place of each field of the source of a glyph. */
function fields(...names) {
  return names.map((field) => ({ field }));
}

function symbolOf(colour) {
  return MARKERS[markOf(typeof colour === "number" ? colour : 0)];
}

function linesOf(mark, inks) {
  return { line_color: colourOf(mark.colour, inks), line_width: WIDER * mark.width };
}

function addLevel(figure, at, upright, look) {
  figure.add_layout(new Bokeh.Span({ location: at, dimension: upright ? "height" : "width", ...look }));
}

/* A point on a level, beside the first point of another mark. */
function placeOfLevel({ at, upright }, panel) {
  const along = upright ? "y" : "x";
  const other = panel.marks.find((mark) => mark[along]?.length)?.[along].find((value) => value !== null);
  const places = other === undefined ? [] : [other];
  return { [along]: places, [upright ? "x" : "y"]: places.map(() => at) };
}

/* A colour at an opacity over the paper, as an opaque one. */
function mixed(colour, alpha, paper) {
  const numbers = (hex) => [1, 3, 5].map((i) => parseInt((hex.length === 4 ? hex.replace(/\w/g, "$&$&") : hex).slice(i, i + 2), 16));
  const [above, below] = [colour, paper].map(numbers);
  return `rgb(${above.map((part, i) => Math.round(alpha * part + (1 - alpha) * below[i])).join()})`;
}

/* Each kind of mark: the columns of its source with the tips, and how it is drawn. */
const MARKS = {
  points: {
    columns({ x, y, size, tips }) {
      return [{ x, y, size: (Array.isArray(size) ? size : x.map(() => size)).map((points) => LARGER * points) }, tips];
    },
    draw(figure, source, mark, inks) {
      const colour = colourOf(mark.colour, inks);
      if (mark.joined) figure.line(...fields("x", "y"), { source, line_color: colour, line_width: 2 });
      return figure.scatter(...fields("x", "y"), {
        source, marker: symbolOf(mark.colour), size: { field: "size" }, line_color: colour,
        line_width: mark.hollow ? 2 : 1, fill_color: mark.hollow ? null : colour, fill_alpha: mark.alpha,
      });
    },
  },
  line: {
    columns: ({ x, y, tips }) => [{ x, y }, tips],
    draw(figure, source, mark, inks) {
      const look = { line_dash: DASHES[mark.dash], line_alpha: mark.alpha, ...linesOf(mark, inks) };
      return figure.line(...fields("x", "y"), { source, ...look });
    },
  },
  segments: {
    columns: ({ x0, y0, x1, y1 }) => [{ x0, y0, x1, y1 }],
    draw: (figure, source, mark, inks) => figure.segment(...fields("x0", "y0", "x1", "y1"), { source, ...linesOf(mark, inks) }),
  },
  rug: {
    columns: ({ x, low, high }) => [{ x, low: x.map(() => low), high: x.map(() => high) }],
    draw(figure, source, mark, inks) {
      return figure.segment(...fields("x", "low", "x", "high"), { source, line_color: colourOf(mark.colour, inks), line_alpha: 0.8 });
    },
  },
  band: {
    columns: ({ x, lower, upper }) => [{ x, lower, upper }],
    draw(figure, source, mark, inks) {
      return figure.varea(...fields("x", "lower", "upper"), { source, fill_color: colourOf(mark.colour, inks), fill_alpha: mark.alpha });
    },
  },
  rectangles: {
    columns: ({ x0, x1, y0, y1, colours, tips }, _, inks) => [{ x0, x1, y0, y1, colour: colours.map((colour) => colourOf(colour, inks)) }, tips],
    draw(figure, source, mark) {
      return figure.quad(...fields("x0", "x1", "y0", "y1"), { source, fill_color: { field: "colour" }, fill_alpha: mark.alpha, line_color: null });
    },
  },
  area: {
    columns: ({ x, y }) => [{ x, y }],
    draw(figure, source, mark, inks) {
      return figure.patch(...fields("x", "y"), { source, fill_color: colourOf(mark.colour, inks), fill_alpha: mark.alpha, line_color: null });
    },
  },
  regions: {
    columns: (mark, _, inks) => [runsOf(mark, inks)],
    draw: (figure, source) => figure.quad(...fields("x0", "x1", "y0", "y1"), { source, fill_color: { field: "colour" }, line_color: null }),
  },
  level: {
    columns: (mark, panel) => [placeOfLevel(mark, panel)],
    /* a point that is not visible, so that the axis reaches to the level */
    draw(figure, source, mark, inks) {
      addLevel(figure, mark.at, mark.upright, { line_dash: DASHES[mark.dash], ...linesOf(mark, inks) });
      figure.scatter(...fields("x", "y"), { source, size: 0, fill_color: null, line_color: null });
    },
  },
  texts: {
    columns: ({ x, y, texts }) => [{ x, y, text: texts }],
    draw(figure, source, mark, inks) {
      const [right, up] = mark.offset.map((points) => POINT * points);
      return figure.text(...fields("x", "y", "text"), {
        source, text_align: mark.align, text_baseline: mark.baseline, x_offset: right, y_offset: -up,
        text_color: colourOf(mark.colour, inks), text_font_size: "12px",
      });
    },
  },
  cells: {
    columns: (mark, panel, inks) => cellsOf(mark, panel, inks),
    draw(figure, source, mark, inks) {
      const look = { fill_color: { field: "colour" }, fill_alpha: { field: "alpha" }, line_color: mark.framed ? inks.line : null, line_width: 0.5 };
      const renderer = figure.rect(...fields("x", "y"), 1, 1, { source, ...look });
      if (mark.texts) {
        const text = { text_align: "center", text_baseline: "middle", text_color: { field: "ink" }, text_font_size: "13px" };
        figure.text(...fields("x", "y", "text"), { source, ...text });
      }
      const outlined = mark.outlined ?? [];
      const frame = { fill_color: null, line_color: ORANGE, line_width: 2 };
      if (outlined.length) figure.rect(outlined.map(([, column]) => column), outlined.map(([row]) => row + mark.first), 0.9, 0.9, frame);
      return renderer;
    },
  },
  strip: {
    columns({ y, name, codes, texts, colours, alphas }, panel, inks) {
      const cells = panel.marks.find(({ mark }) => mark === "cells");
      const [row, column] = cells.headings;
      const shown = codes.map((code) => colourOf(colours[code], inks));
      const tips = { [row]: codes.map(() => name), [column]: cells.columns, [name]: codes.map((code) => texts[code]) };
      return [{ x: codes.map((_, i) => i), y: codes.map(() => y), colour: shown, alpha: codes.map((code) => alphas[code]) }, tips];
    },
    draw(figure, source) {
      return figure.rect(...fields("x", "y"), 1, 0.8, { source, fill_color: { field: "colour" }, fill_alpha: { field: "alpha" }, line_color: null });
    },
  },
  boxes: {
    columns: (mark, _, inks) => [boxesOf(mark, inks)],
    draw(figure, source) {
      return figure.segment(...fields("x0", "y0", "x1", "y1"), { source, line_color: { field: "colour" }, line_width: { field: "width" } });
    },
  },
  samples: {
    columns: ({ x, y, samples, chosen }, _, inks) => {
      const { colours, symbols } = chosen;
      return [{ x, y, colour: colours.map((i) => PALETTE[i % PALETTE.length]), marker: symbols.map((i) => MARKERS[markOf(i)]) }, chosen.tips];
    },
    draw(figure, source, mark, inks) {
      const renderer = figure.scatter(...fields("x", "y"), {
        source, size: mark.samples.length > 300 ? 6 : 10, marker: { field: "marker" }, fill_color: { field: "colour" },
        line_color: { field: "colour" }, fill_alpha: 0.75, nonselection_fill_alpha: 0.25,
      });
      if (mark.named) {
        const names = { x: mark.x, y: mark.y, text: mark.named };
        figure.text(...fields("x", "y", "text"), { source: sourceOf(names), text_color: inks.ink, text_font_size: "12px", x_offset: 6, y_offset: -4 });
      }
      return renderer;
    },
  },
};

/* Cells of a matrix, row after row, each with its row, its column, its value and the strips above. */
function cellsOf(mark, panel, inks) {
  const [rowName, columnName, valueName, textName] = mark.headings;
  const strips = panel.marks.filter((other) => other.mark === "strip");
  const columns = { x: [], y: [], colour: [], alpha: [], ink: [], text: [] };
  const tips = { [rowName]: [], [columnName]: [], [valueName]: [] };
  if (mark.texts) tips[textName] = [];
  for (const strip of strips) tips[strip.name] = [];
  /* with a least value, numbers are hundredths of the way from it to the greatest one */
  const whole = mark.least ? 1 : mark.most;
  const textOf = (part) => (mark.least ? (mark.least + part * (mark.most - mark.least)).toFixed(3) : part.toFixed(2));
  mark.values.forEach((row, i) => row.forEach((value, j) => {
    const share = Math.min(1, Math.abs(value ?? 0) / 100 / whole);
    columns.x.push(j);
    columns.y.push(i + mark.first);
    columns.colour.push(mark.colours[value > 0 ? 1 : 0]);
    columns.alpha.push(share);
    columns.ink.push(share > DARK_CELL ? "#ffffff" : inks.ink);
    columns.text.push(mark.texts?.[i][j] ?? "");
    tips[rowName].push(mark.rows[i]);
    tips[columnName].push(mark.columns[j]);
    tips[valueName].push(value === null ? "missing" : textOf(value / 100));
    if (mark.texts) tips[textName].push(mark.texts[i][j] || "0");
    for (const { name, texts, codes } of strips) tips[name].push(texts[codes[j]]);
  }));
  return [columns, tips];
}

/* Neighbouring places of a grid with one class as rectangles, which overlap so that no line is
   between them. */
function runsOf({ x, y, codes, alpha }, inks) {
  const columns = { x0: [], x1: [], y0: [], y1: [], colour: [] };
  const middle = (places, i) => (places[Math.max(0, i - 1)] + places[Math.min(i, places.length - 1)]) / 2;
  codes.forEach((row, i) => {
    for (let start = 0, end = 0; start < row.length; start = end) {
      while (end < row.length && row[end] === row[start]) end += 1;
      columns.x0.push(middle(x, start));
      columns.x1.push(middle(x, end));
      columns.y0.push(middle(y, i));
      columns.y1.push(1.05 * middle(y, i + 1) - 0.05 * middle(y, i));
      columns.colour.push(mixed(PALETTE[(row.charCodeAt(start) - 48) % PALETTE.length], alpha, inks.paper));
    }
  });
  return columns;
}

/* The texts under the pointer: "x" and "y" are the coordinates. */
function tipsOf(tips, columns) {
  const texts = Object.entries(tips ?? {}).map(([name, content]) => [name, typeof content === "string" ? columns[content].map(numberText) : content]);
  return Object.fromEntries(texts);
}

/* Three significant digits; none after the point of a large number. Ties of percentages with a decimal
   go to the even digit, as in the page's tables. */
function numberText(value) {
  if (value === null || Number.isNaN(value)) return "";
  const percent = 100 * value;
  if (Math.abs(value) >= 0.1 && Math.abs(value) < 1) {
    const tenths = Math.abs(4 * percent) % 2 === 1 ? 2 * Math.round(5 * percent) : 10 * percent.toFixed(1);
    return String(Math.round(tenths) / 1000).replace("-", "−");
  }
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

function legendItem(sign, colour, text, alpha = 1) {
  const mark = make("span", { class: "sign", "aria-hidden": "true" }, sign);
  mark.style.color = colour;
  mark.style.opacity = alpha;
  return make("li", {}, mark, text);
}

function signOf(mark) {
  if (mark.mark === "segments") return "┃";
  if (mark.mark === "points") return mark.hollow ? "○" : SIGNS[MARKERS.indexOf(symbolOf(mark.colour))];
  return mark.dash ? "┅" : "━";
}

/* The items of a legend: sign, colour, text and opacity of labelled marks and of keys. */
function keysOf(chart, inks) {
  const labelled = chart.rows.flat().flatMap((panel) => panel.marks).filter((mark) => mark.label);
  return [
    ...labelled.map((mark) => [signOf(mark), colourOf(mark.colour, inks), mark.label, 1]),
    ...(chart.keys ?? []).map(([text, colour, alpha]) => ["■", colourOf(colour, inks), text, alpha]),
  ];
}

async function showFigure(figure, place) {
  const view = await Bokeh.Plotting.show(figure, place);
  return Array.isArray(view) ? view[0] : view;
}

/* Draw a panel; return its view, and the sources of its marks. */
async function drawPanel(panel, place, inks, width, left) {
  const figure = newFigure(panel, inks, width, left);
  const renderers = [];
  const sources = panel.marks.map((mark) => {
    const { columns, draw } = MARKS[mark.mark];
    const [numbers, described] = columns(mark, panel, inks);
    const tips = tipsOf(described, numbers);
    const source = sourceOf(numbers, tips);
    const renderer = draw(figure, source, mark, inks);
    if (renderer) addTips(figure, renderer, tips);
    renderers.push(renderer);
    return source;
  });
  return { figure, sources, renderers, view: await showFigure(figure, place) };
}

/* Draw a chart; the result has the views, and updates it with the numbers of a chart with the same
   marks. */
async function drawLayers(chart, place, inks = theme()) {
  if (chart.rows[0][0].marks.some(({ mark }) => mark === "samples")) return drawSamples(chart, place, inks);
  const heading = chart.title ? [make("p", { class: "title" }, chart.title)] : [];
  const keys = keysOf(chart, inks);
  const legend = keys.length ? [make("ul", { class: "legend" }, ...keys.map((key) => legendItem(...key)))] : [];
  const canvases = chart.rows.map((row) => row.map(() => make("div", { class: "canvas" })));
  const panelOf = (canvas, panel) => make("div", panel.equal ? { class: "panel round" } : { class: "panel" }, canvas);
  const rows = canvases.map((row, i) => make("div", { class: "panels" }, ...row.map((canvas, j) => panelOf(canvas, chart.rows[i][j]))));
  place.replaceChildren(...heading, ...legend, ...rows);
  const drawn = [];
  /* panels below each other have one left end */
  const left = chart.rows.length > 1 && chart.rows.every((row) => row.length === 1) ? WIDTH_OF_AXIS : 0;
  for (const [i, row] of chart.rows.entries()) {
    const width = (place.clientWidth || 600) / row.length;
    for (const [j, panel] of row.entries()) {
      const words = [panel.title, panel.note].filter(Boolean);
      if (words.length) canvases[i][j].before(make("p", { class: "note" }, words.join(": ")));
      drawn.push([panel, await drawPanel(panel, canvases[i][j], inks, width, left)]);
    }
  }
  const update = (changed) => {
    const panels = changed.rows.flat();
    drawn.forEach(([, { sources }], i) => panels[i].marks.forEach((mark, k) => {
      const [numbers, tips] = MARKS[mark.mark].columns(mark, panels[i], inks);
      sources[k].data = columnsOf(numbers, tipsOf(tips, numbers));
    }));
  };
  return { keys, views: drawn.map(([, { view }]) => view), update };
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

function whyLink(model, sample) {
  const target = document.querySelector(".evidence") ? "" : "details.html";
  return `${target}#why=${encodeURIComponent(JSON.stringify([model, sample]))}`;
}

/* Samples in colours and symbols of columns that the reader chooses; a click explains a sample. */
async function drawSamples(chart, place, inks) {
  const panel = chart.rows[0][0];
  const mark = panel.marks.find((one) => one.mark === "samples");
  const names = Object.keys(mark.columns);
  const choices = mark.coloured ?? names;
  mark.state ??= { colour: names[0], symbol: names[0] };
  const { state } = mark;
  const canvas = make("div", { class: "canvas" });
  const keys = make("div");
  const chosen = make("p", { class: "note", "aria-live": "polite" }, mark.model ? "Click a sample to see why it was classified as it was." : "");
  const result = { keys: [], views: [], update: () => {} };
  const redraw = async () => {
    const [kinds, symbols] = [state.colour, state.symbol].map((name) => kindsOf(mark.columns[name]));
    const [colours, marks] = [kinds, symbols].map((texts) => [...new Set(texts)].sort(NATURAL.compare));
    mark.chosen = {
      colours: kinds.map((text) => colours.indexOf(text)), symbols: symbols.map((text) => marks.indexOf(text)),
      tips: { sample: mark.samples, ...mark.columns },
    };
    canvas.replaceChildren();
    const { figure, sources, renderers, view } = await drawPanel(panel, canvas, inks, place.clientWidth || undefined);
    const position = panel.marks.indexOf(mark);
    figure.add_tools(new Bokeh.TapTool({ renderers: [renderers[position]], visible: false }));
    sources[position].selected.change.connect(() => {
      const [i] = sources[position].selected.indices;
      if (i === undefined) return;
      const words = [mark.samples[i], ...names.map((name) => `${name}: ${mark.columns[name][i] || "unknown"}`)].join("; ");
      const link = mark.model ? [" ", make("a", { href: whyLink(mark.model, mark.samples[i]) }, "Why was it classified so?")] : [];
      chosen.replaceChildren(words, ...link);
    });
    const same = state.colour === state.symbol;
    const list = (title, items) => make("ul", { class: "legend" }, ...(title ? [make("li", { class: "note" }, title)] : []), ...items.map((item) => legendItem(...item)));
    const ofColours = colours.map((text, i) => [same ? SIGNS[markOf(i)] : "●", PALETTE[i % PALETTE.length], text, 1]);
    const ofSymbols = same ? [] : marks.map((text, i) => [SIGNS[markOf(i)], inks.soft, text, 1]);
    keys.replaceChildren(list(same ? "" : state.colour, ofColours), ...(same ? [] : [list(state.symbol, ofSymbols)]));
    Object.assign(result, { keys: [...ofColours, ...ofSymbols], views: [view] });
  };
  const set = (key) => (name) => { state[key] = name; redraw(); };
  const controls = make("div", { class: "controls" }, choice("Colour", choices, state.colour, (name) => {
    if (state.symbol === state.colour) state.symbol = name;
    state.colour = name;
    redraw();
  }), choice("Symbol", choices, state.symbol, set("symbol")));
  place.replaceChildren(...(chart.title ? [make("p", { class: "title" }, chart.title)] : []), ...(choices.length > 1 ? [controls] : []), keys, chosen, canvas);
  await redraw();
  return result;
}

/* The charts of the page, read when they are drawn. */
const charts = new Map();

function chartOf(drawing) {
  if (!charts.has(drawing)) charts.set(drawing, JSON.parse(drawing.querySelector("script.chart-data").textContent));
  return charts.get(drawing);
}

async function drawChart(drawing) {
  await library();
  await drawLayers(chartOf(drawing), drawing.querySelector(".chart"));
  drawing.classList.add("live");
}

/* A chart as pixels: title, legend and panels, in dark ink on white paper. */
const DOTS_PER_INCH = 300;
const PIXELS_PER_INCH = 96;
const PNG_WIDTH = 640;
const PNG_INKS = { ink: "#1b1f24", soft: "#57606a", line: "#d8dee4", paper: "#ffffff" };
const PNG_MARGIN = 12;
const PNG_LINE = 20;

function frames(n) {
  return n ? new Promise(requestAnimationFrame).then(() => frames(n - 1)) : Promise.resolve();
}

/* Do something as on a screen with more dots: Bokeh asks the window for their number. */
async function withDots(scale, action) {
  const own = Object.getOwnPropertyDescriptor(window, "devicePixelRatio");
  Object.defineProperty(window, "devicePixelRatio", { value: scale, configurable: true });
  try {
    return await action();
  } finally {
    if (own) Object.defineProperty(window, "devicePixelRatio", own);
    else delete window.devicePixelRatio;
  }
}

/* The lines of a legend: items with their place from the left, in pixels. */
function legendLines(context, keys) {
  const lines = [[]];
  let x = PNG_MARGIN;
  for (const key of keys) {
    const width = context.measureText(key[2]).width + 2 * PNG_LINE;
    if (x > PNG_MARGIN && x + width > PNG_WIDTH) {
      lines.push([]);
      x = PNG_MARGIN;
    }
    lines.at(-1).push([x, key]);
    x += width;
  }
  return keys.length ? lines : [];
}

async function pixels(drawing) {
  await library();
  const chart = chartOf(drawing);
  const scale = DOTS_PER_INCH / PIXELS_PER_INCH;
  const copy = make("div", { class: "chart off" });
  copy.style.width = `${PNG_WIDTH}px`;
  document.body.append(copy);
  return withDots(scale, async () => {
    const { keys, views } = await drawLayers(chart, copy, PNG_INKS);
    await frames(3);
    const panels = views.map((view) => view.export("png", true).canvas);
    copy.remove();
    const canvas = make("canvas");
    const context = canvas.getContext("2d");
    context.font = "13px sans-serif";
    const lines = legendLines(context, keys);
    const top = PNG_MARGIN + (chart.title ? PNG_LINE : 0) + PNG_LINE * lines.length;
    let i = 0;
    const rows = chart.rows.map((row) => row.map(() => panels[i++]));
    const heights = rows.map((row) => Math.max(...row.map((panel) => panel.height)));
    canvas.width = Math.round(PNG_WIDTH * scale);
    canvas.height = Math.round(top * scale + heights.reduce((sum, height) => sum + height, 0));
    context.fillStyle = PNG_INKS.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    let y = top * scale;
    rows.forEach((row, r) => {
      let x = 0;
      for (const panel of row) {
        context.drawImage(panel, x, y);
        x += panel.width;
      }
      y += heights[r];
    });
    context.scale(scale, scale);
    context.textBaseline = "middle";
    context.fillStyle = PNG_INKS.ink;
    context.font = "bold 14px sans-serif";
    context.fillText(chart.title ?? "", PNG_MARGIN, PNG_MARGIN + PNG_LINE / 2 - 4);
    context.font = "13px sans-serif";
    lines.forEach((line, n) => line.forEach(([x, [sign, colour, text, alpha]]) => {
      const middle = top - PNG_LINE * (lines.length - n - 0.5);
      context.globalAlpha = alpha;
      context.fillStyle = colour;
      context.fillText(sign, x, middle);
      context.globalAlpha = 1;
      context.fillStyle = PNG_INKS.ink;
      context.fillText(text, x + PNG_LINE, middle);
    }));
    return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  });
}

function addPixels(drawing) {
  const files = drawing.querySelector(".files");
  const name = `${files.dataset.figure}.png`;
  const button = make("button", { type: "button", class: "file" }, "PNG");
  button.addEventListener("click", async () => save(name, [await pixels(drawing)], "image/png"));
  files.querySelector("div").prepend(button);
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
    addPixels(drawing);
    whenSeen(drawing, () => drawChart(drawing));
  }
}

/* Paper has the main sections (style.css): their charts are drawn before they come into sight, when
   the browser has nothing else to do. */
const ON_PAPER = "#answer .drawing.awaited, #genes > .alone .drawing.awaited, #accuracy > .alone .drawing.awaited, #accuracy > .gallery .drawing.awaited, .genes";
window.addEventListener("load", () => {
  const waiting = [...document.querySelectorAll(ON_PAPER)].filter((element) => !element.closest("details:not([open])"));
  const idle = window.requestIdleCallback ?? ((action) => setTimeout(action, 200));
  const next = () => {
    const element = waiting.shift();
    if (!element) return;
    if (!drawn.has(element)) {
      watcher.unobserve(element);
      drawn.add(element);
      element.dispatchEvent(new Event("draw"));
    }
    idle(next);
  };
  idle(next);
});
