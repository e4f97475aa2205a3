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
  return !Number.isNaN(value);
}

function valuesOfClass(content, values, code) {
  return values.filter((value, sample) => content.class[sample] === code && isKnown(value));
}

/* Quartiles and median of a class as lines; none with fewer than two samples. */
function boxLayers(values, code) {
  const [left, right] = [code - BOX, code + BOX];
  const none = { x0: [], x1: [], y0: [], y1: [] };
  if (values.length < 2) return [{ mark: "bars", colour: "grey", ...none }, { mark: "bars", colour: "ink", ...none }];
  const sorted = [...values].sort((a, b) => a - b);
  const low = quantile(sorted, 0.25);
  const middle = quantile(sorted, 0.5);
  const high = quantile(sorted, 0.75);
  return [
    { mark: "bars", colour: "grey", x0: [left, left, left, right], x1: [right, right, left, right], y0: [low, high, low, low], y1: [low, high, high, high] },
    { mark: "bars", colour: "ink", x0: [left], x1: [right], y0: [middle], y1: [middle] },
  ];
}

/* A line from sample to sample of each patient with several; NaN begins the next patient. */
function patientLayer(content, values, x) {
  const patients = new Map();
  content.group.forEach((patient, sample) => {
    if (patient < 0 || !isKnown(values[sample])) return;
    patients.set(patient, [...(patients.get(patient) ?? []), sample]);
  });
  const layer = { mark: "line", colour: "grey", x: [], y: [] };
  for (const samples of patients.values()) {
    samples.sort((a, b) => content.class[a] - content.class[b]);
    layer.x.push(...samples.map((sample) => x[sample]), NaN);
    layer.y.push(...samples.map((sample) => values[sample]), NaN);
  }
  return layer;
}

/* Samples by class over their box, batches in colour; a line joins the samples of a patient. Every
   gene of a series has the same layers, so that a chart can be updated. */
function valuesChart(content, values) {
  const { classes, batches } = content;
  const x = content.class.map((code, sample) => code + (((sample * GOLDEN) % 1) - 0.5) * SPREAD);
  const layers = classes.flatMap((_, code) => boxLayers(valuesOfClass(content, values, code), code));
  layers.push(patientLayer(content, values, x));
  const coloured = batches.length ? content.batch : content.class;
  for (const part of [...new Set(coloured)].sort((a, b) => a - b)) {
    const samples = coloured.flatMap((other, sample) => (other === part && isKnown(values[sample]) ? [sample] : []));
    layers.push({
      mark: "points",
      colour: part < 0 ? "grey" : part,
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
  return {
    title: content.title,
    height: 260,
    x: { label: "", ticks: classes, range: [-0.6, classes.length - 0.4] },
    y: { label: content.unit },
    layers,
  };
}

function densityChart(content, values) {
  const known = values.filter(isKnown);
  const spread = deviation(known);
  const low = Math.min(...known) - spread;
  const step = (Math.max(...known) + spread - low) / (DENSITY_POINTS - 1);
  const grid = Array.from({ length: DENSITY_POINTS }, (_, i) => low + step * i);
  const layers = content.classes.flatMap((label, code) => {
    const ofClass = valuesOfClass(content, values, code);
    const curve = ofClass.length > 1 ? density(ofClass, spread, grid) : null;
    const [x, y] = curve ? [grid, curve] : [[], []];
    return [
      { mark: "band", colour: code, x, lower: x.map(() => 0), upper: y },
      { mark: "line", colour: code, label, x, y },
    ];
  });
  return { height: 200, x: { label: content.unit }, y: { label: "density" }, layers };
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
    return make("tr", {}, make("th", { scope: "row" }, label), ...headings.map((heading) => make("td", { class: "n" }, cells.get(heading) ?? "")));
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
      this.head.append(this.commandFor(feature));
      return;
    }
    if (this.update) this.update(values);
    else this.update = await this.draw(values);
  }

  commandFor(feature) {
    const command = this.content.command.replace("{}", () => this.content.features[feature]);
    const number = String(this.content.low.length);
    return make("p", { class: "note" }, "The page has the samples’ values of the first ", number, " features. Draw this one: ", make("code", {}, command));
  }

  async draw(values) {
    const points = make("div", { class: "chart" });
    const curves = make("div", { class: "chart" });
    this.charts.replaceChildren(points, curves);
    await library();
    const updatePoints = await drawLayers(valuesChart(this.content, values), points);
    const updateCurves = await drawLayers(densityChart(this.content, values), curves);
    return (next) => {
      updatePoints(valuesChart(this.content, next));
      updateCurves(densityChart(this.content, next));
    };
  }
}
