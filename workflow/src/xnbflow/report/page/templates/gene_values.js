/* The content of the page's genes. Numbers are steps of their range (gene_content.py); a missing one
   is the step after the last. */
const STEPS = 65534;
const VALUE_STEPS = 254;

/* Numbers of a statistic with a text each; an empty text is a missing number. */
function fixed(value, digits) {
  if (value === null || Number.isNaN(value)) return "";
  return value.toFixed(digits).replace("-", "−");
}

function withSign(value, digits) {
  const text = fixed(value, digits);
  return value > 0 ? `+${text}` : text;
}

function probability(value) {
  if (value === null || Number.isNaN(value)) return "";
  return (value && value < 0.001 ? value.toExponential(1) : value.toFixed(3)).replace("-", "−");
}

/* A value of a sample or a mean: two decimals, or none for large ones such as intensities. */
function measured(value) {
  return fixed(value, Math.abs(value) < 1000 ? 2 : 0);
}

/* The statistics of a feature, with their heading and their text. */
const STATISTICS = {
  change: (value) => withSign(value, 2),
  fdr: probability,
  auc: (value) => fixed(value, 3),
  mean: measured,
};

/* A column of statistics as numbers; null if the study has no such column. */
function statistic(content, name) {
  const steps = content.arrays[name];
  const range = content.ranges[name];
  if (!steps || !range) return null;
  const [low, high] = range;
  const step = (high - low || 1) / STEPS;
  return Float64Array.from(steps, (position) => (position > STEPS ? NaN : low + step * position));
}

/* The statistics of a class against the others, a number per feature. p values are stored as -log10. */
function statisticsOf(content, contrast) {
  const logged = statistic(content, `fdr.${contrast}`);
  return {
    change: statistic(content, `change.${contrast}`),
    evidence: statistic(content, `evidence.${contrast}`),
    fdr: logged ? logged.map((value) => 10 ** -value) : null,
    auc: statistic(content, `auc.${contrast}`),
    mean: statistic(content, "mean"),
  };
}

/* Heading and text of the statistics that a feature has. */
function statisticTexts(content, statistics, feature) {
  const headings = { change: content.change, fdr: "FDR", auc: "AUC" };
  return Object.entries(headings)
    .filter(([key]) => statistics[key] && !Number.isNaN(statistics[key][feature]))
    .map(([key, heading]) => [heading, STATISTICS[key](statistics[key][feature])]);
}

/* The values of a feature, a number per sample; null for a feature whose values the page lacks. */
function valuesOf(content, feature) {
  const low = content.low[feature];
  if (low === undefined || low === null) return null;
  const n = content.samples.length;
  const step = (content.high[feature] - low) / VALUE_STEPS;
  const positions = content.arrays.values.subarray(feature * n, (feature + 1) * n);
  return Array.from(positions, (position) => (position > VALUE_STEPS ? NaN : low + step * position));
}

function nameOf(content, feature) {
  return content.symbols[feature] || content.features[feature];
}

/* The search term of a gene at NCBI and Ensembl: its symbol, the feature's name, or none. */
const TERM_IS_SYMBOL = 1;
const TERM_IS_FEATURE = 2;

function termOf(content, feature) {
  const kind = content.arrays.term[feature];
  if (kind === TERM_IS_SYMBOL) return content.symbols[feature].split("///")[0].trim();
  return kind === TERM_IS_FEATURE ? content.features[feature].split("///")[0].trim() : "";
}

/* Names by which a feature is searched: its own and its symbols, in lower case, a line each. */
function searchNames(content) {
  return content.features.map((feature, i) => {
    const names = [feature, ...content.symbols[i].split("///")];
    return names.map((name) => name.trim().toLowerCase()).join("\n");
  });
}
