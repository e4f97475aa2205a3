/* One gene: its statistics, its samples by class, and its density in each class. */
const GENE_PAGE = "https://www.ncbi.nlm.nih.gov/gene/?term=";
const ENSEMBL_PAGE = "https://www.ensembl.org/Multi/Search/Results?q=";
/* Least smoothing of a density: this share of the standard deviation of all samples. */
const LEAST_BANDWIDTH = 0.3;
const DENSITY_POINTS = 120;
/* Half the width of a class's box, and the width over which its samples are spread. */
const BOX = 0.33;
const SPREAD = 0.4;
/* Samples follow each other at this share of the spread, so that neighbours are apart. */
const GOLDEN = 0.618;

/* Hazen's quantile, as the classifiers' bandwidths use it. */
function quantile(sorted, p) {
  const position = Math.min(Math.max(p * sorted.length - 0.5, 0), sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

function deviation(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, values.length - 1));
}

/* Gaussian kernel density with Silverman's bandwidth, not below the floor; null without spread. */
function density(values, spread, grid) {
  const sorted = [...values].sort((a, b) => a - b);
  const range = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.349;
  const width = deviation(values);
  const rule = 0.9 * (range > 0 ? Math.min(width, range) : width);
  const bandwidth = Math.max(rule, LEAST_BANDWIDTH * spread) * values.length ** -0.2;
  if (!(bandwidth > 0)) return null;
  const scale = 1 / (values.length * bandwidth * Math.sqrt(2 * Math.PI));
  const kernel = (distance) => Math.exp(-0.5 * (distance / bandwidth) ** 2);
  return grid.map((x) => scale * values.reduce((sum, value) => sum + kernel(x - value), 0));
}

function isKnown(value) {
  return value !== null && !Number.isNaN(value);
}

function valuesOfClass(content, values, code) {
  return values.filter((value, sample) => content.class[sample] === code && isKnown(value));
}

/* A whisker ends at the last value within this multiple of the distance of the quartiles. */
const WHISKER = 1.5;

/* Box plots of the values of each class: quartiles, median and whiskers as lines; none of a class
   with fewer than two values. The ends of whiskers are short lines. */
function boxesOf({ values, codes }, inks) {
  const columns = { x0: [], y0: [], x1: [], y1: [], colour: [], width: [] };
  const add = (x0, y0, x1, y1, width = 1) => {
    const numbers = { x0, y0, x1, y1, colour: inks.ink, width };
    for (const [name, list] of Object.entries(columns)) list.push(numbers[name]);
  };
  for (const code of new Set(codes)) {
    const sorted = values.filter((value, sample) => codes[sample] === code && isKnown(value)).sort((a, b) => a - b);
    if (sorted.length < 2) continue;
    const [left, right] = [code - BOX, code + BOX];
    const [low, middle, high] = [0.25, 0.5, 0.75].map((p) => quantile(sorted, p));
    const reach = WHISKER * (high - low);
    const within = sorted.filter((value) => value >= low - reach && value <= high + reach);
    for (const y of [low, high]) add(left, y, right, y);
    for (const x of [left, right]) add(x, low, x, high);
    for (const [quartile, end] of [[low, within[0]], [high, within.at(-1)]]) {
      add(code, quartile, code, end);
      add(code - BOX / 2, end, code + BOX / 2, end);
    }
    add(left, middle, right, middle, 2.5);
  }
  return columns;
}

/* A line from sample to sample of each patient with several; NaN begins the next patient. */
function patientLine(content, values, x) {
  const patients = new Map();
  content.group.forEach((patient, sample) => {
    if (patient < 0 || !isKnown(values[sample])) return;
    patients.set(patient, [...(patients.get(patient) ?? []), sample]);
  });
  const line = { mark: "line", colour: GREY, dash: 0, width: 0.6, alpha: 1, x: [], y: [] };
  for (const samples of patients.values()) {
    samples.sort((a, b) => content.class[a] - content.class[b]);
    line.x.push(...samples.map((sample) => x[sample]), NaN);
    line.y.push(...samples.map((sample) => values[sample]), NaN);
  }
  return line;
}

/* Samples by class over their box, batches in colour; a line joins the samples of a patient. Every
   gene of a series has the same marks, so that a chart can be updated. drawings/gene.py draws the
   same for single genes. */
function valuesChart(content, values) {
  const { classes, batches } = content;
  const x = content.class.map((code, sample) => code + (((sample * GOLDEN) % 1) - 0.5) * SPREAD);
  const marks = [{ mark: "boxes", values, codes: content.class }, patientLine(content, values, x)];
  const coloured = batches.length ? content.batch : content.class;
  for (const part of [...new Set(coloured)].sort((a, b) => a - b)) {
    const samples = coloured.flatMap((other, sample) => (other === part && isKnown(values[sample]) ? [sample] : []));
    marks.push({
      mark: "points",
      colour: part < 0 ? GREY : part,
      size: 4.5,
      alpha: 0.85,
      label: batches.length ? batches[part] ?? "no batch" : undefined,
      x: samples.map((sample) => x[sample]),
      y: samples.map((sample) => values[sample]),
      tips: {
        sample: samples.map((sample) => content.samples[sample]),
        class: samples.map((sample) => classes[content.class[sample]]),
        value: samples.map((sample) => measured(values[sample])),
      },
    });
  }
  const names = { names: classes, start: -0.6, end: classes.length - 0.4 };
  return { rows: [[{ height: 260, x: names, y: { label: content.unit }, marks }]] };
}

function densityChart(content, values) {
  const known = values.filter(isKnown);
  const spread = deviation(known);
  const low = Math.min(...known) - spread;
  const step = (Math.max(...known) + spread - low) / (DENSITY_POINTS - 1);
  const grid = Array.from({ length: DENSITY_POINTS }, (_, i) => low + step * i);
  const marks = content.classes.flatMap((label, code) => {
    const ofClass = valuesOfClass(content, values, code);
    const curve = ofClass.length > 1 ? density(ofClass, spread, grid) : null;
    const [x, y] = curve ? [grid, curve] : [[], []];
    return [
      { mark: "band", colour: code, alpha: 0.18, x, lower: x.map(() => 0), upper: y },
      { mark: "line", colour: code, dash: 0, width: 1.1, alpha: 1, label, x, y },
    ];
  });
  return { rows: [[{ height: 200, x: { label: content.unit }, y: { label: "density" }, marks }]] };
}

function geneLinks(content, feature) {
  const term = termOf(content, feature);
  if (!term) return [];
  return [["NCBI Gene", GENE_PAGE], ["Ensembl", ENSEMBL_PAGE]].map(([text, page]) =>
    make("a", { href: page + encodeURIComponent(term), rel: "noreferrer", target: "_blank" }, text));
}

/* Statistics of a gene, a row per class. */
function geneNumbers(content, feature) {
  const rows = content.contrasts.map((label, contrast) => {
    const texts = statisticTexts(content, statisticsAt(content, contrast, feature), 0);
    return { label, texts };
  });
  const headings = [...new Map(rows.flatMap(({ texts }) => texts)).keys()];
  const head = make("tr", {}, make("td"), ...headings.map((heading) => make("th", { scope: "col", class: "n" }, heading)));
  const body = rows.map(({ label, texts }) => {
    const cells = new Map(texts);
    return make("tr", {}, make("th", { scope: "row" }, ...unbroken(label)), ...headings.map((heading) => make("td", { class: "n" }, cells.get(heading) ?? "")));
  });
  return make("table", { class: "numbers" }, make("thead", {}, head), make("tbody", {}, ...body));
}

/* The statistics of one feature only: each as a list of one number. */
function statisticsAt(content, contrast, feature) {
  const arrays = Object.fromEntries(
    Object.entries(content.arrays).filter(([name]) => name.endsWith(`.${contrast}`)).map(([name, steps]) => [name, steps.subarray(feature, feature + 1)]),
  );
  return statisticsOf({ arrays, ranges: content.ranges }, contrast);
}

function geneHead(content, feature) {
  const name = nameOf(content, feature);
  const heading = make("h4", {}, name);
  if (name !== content.features[feature]) heading.append(" ", make("small", {}, content.features[feature]));
  if (content.arrays.core[feature]) heading.append(make("span", { class: "tag" }, "core"));
  return [heading, make("p", { class: "out" }, ...geneLinks(content, feature)), geneNumbers(content, feature)];
}

/* Where one gene is shown. Its charts are drawn once, and get the values of the next gene. */
class GeneView {
  constructor(content, attributes) {
    this.content = content;
    this.head = make("div");
    this.charts = make("div", { class: "charts" });
    this.place = make("div", attributes, this.head, this.charts);
    this.update = null;
  }

  async show(feature) {
    this.head.replaceChildren(...geneHead(this.content, feature));
    const values = valuesOf(this.content, feature);
    this.charts.hidden = !values;
    if (!values) {
      this.head.append(this.withoutValues());
      return;
    }
    if (this.update) this.update(values);
    else this.update = await this.draw(values);
  }

  withoutValues() {
    const command = `xnbflow export ${this.content.name}`;
    const number = String(this.content.low.length);
    return make("p", { class: "note" }, "The page has the samples’ values of the first ", number, ` ${this.content.noun}s. Write those of all as a table: `, make("code", {}, command));
  }

  async draw(values) {
    const points = make("div", { class: "chart" });
    const curves = make("div", { class: "chart" });
    this.charts.replaceChildren(points, curves);
    await library();
    const pointsChart = await drawLayers(valuesChart(this.content, values), points);
    const curvesChart = await drawLayers(densityChart(this.content, values), curves);
    return (next) => {
      pointsChart.update(valuesChart(this.content, next));
      curvesChart.update(densityChart(this.content, next));
    };
  }
}
