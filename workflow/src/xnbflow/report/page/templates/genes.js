/* Genes of a series: volcano or MA plot, the view of one gene, and the table of all. */
const FDR = 0.05;
/* Milliseconds from the last letter of an input to its effect. */
const TYPING = 150;

function controlled(label, control) {
  return make("label", {}, label, " ", control);
}

function typedInput(type, value, attributes, change) {
  const input = make("input", { type, value, ...attributes });
  let timer;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => change(input.value), TYPING);
  });
  return input;
}

function checkbox(label, change) {
  const input = make("input", { type: "checkbox" });
  input.addEventListener("change", () => change(input.checked));
  return make("label", { class: "check" }, input, ` ${label}`);
}

class GeneExplorer {
  constructor(content) {
    this.content = content;
    content.names = searchNames(content);
    this.state = {
      contrast: 0, fdr: FDR, change: 0, plot: "Volcano plot",
      text: "", direction: 0, core: false, beyond: false, sort: { key: "fdr", down: false }, page: 0,
    };
    this.counts = make("p", { class: "note", "aria-live": "polite" });
    this.beside = new GeneView(content, { class: "gene-view", "aria-live": "polite" });
    this.plane = new GenePlane(content, this.state, (i) => this.show(i));
    const open = new GeneView(content, { class: "gene-view wide" });
    this.table = new GeneTable(content, this.state, { open, choose: (i) => this.show(i) });
    this.chosen = [...content.features.keys()].find((i) => content.arrays.core[i]) ?? 0;
    this.setContrast(0);
  }

  setContrast(contrast) {
    this.state.contrast = contrast;
    this.state.numbers = statisticsOf(this.content, contrast);
    const changes = this.state.numbers.change.filter(isKnown);
    this.state.most = changes.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    this.state.signs = directions(this.state.numbers, this.state);
  }

  /* Ring a feature in the plot. */
  choose(i) {
    this.chosen = i;
    this.plane.mark(i);
  }

  /* Ring a feature in the plot, and show it beside it. */
  async show(i) {
    this.choose(i);
    await this.beside.show(i);
  }

  async redraw() {
    const { content, state } = this;
    state.signs = directions(state.numbers, state);
    const count = (direction) => state.signs.filter((sign) => sign === direction).length.toLocaleString("en");
    this.counts.textContent = `${count(1)} higher and ${count(-1)} lower in “${content.contrasts[state.contrast]}”`;
    await this.plane.draw();
    this.plane.mark(this.chosen);
  }

  /* An input of a threshold: text that is no number, or a negative one, changes nothing. */
  threshold(key, attributes) {
    const initial = String(this.state[key]);
    return typedInput("number", initial, { min: "0", ...attributes }, (text) => {
      const value = Number(text);
      if (text === "" || !Number.isFinite(value) || value < 0) return;
      this.state[key] = value;
      this.redraw();
      if (this.state.beyond) this.table.filter();
    });
  }

  controlsOfPlot() {
    const { content, state } = this;
    const controls = make("div", { class: "controls" });
    if (content.contrasts.length > 1) {
      controls.append(choice("Class", content.contrasts, content.contrasts[0], (name) => {
        this.setContrast(content.contrasts.indexOf(name));
        this.redraw();
        this.table.filter();
      }));
    }
    if (content.ranges.mean) {
      controls.append(choice("Plot", ["Volcano plot", "MA plot"], state.plot, (name) => {
        state.plot = name;
        this.redraw();
      }));
    }
    controls.append(controlled("FDR below", this.threshold("fdr", { max: "1", step: "0.01" })));
    controls.append(controlled(`${content.change} at least`, this.threshold("change", { step: "0.25" })));
    return controls;
  }

  controlsOfTable() {
    const { content, state, table } = this;
    const set = (key) => (value) => {
      state[key] = value;
      table.filter();
    };
    const placeholder = content.symbols.some(Boolean) ? "gene or probe" : content.noun;
    const search = typedInput("search", "", { autocomplete: "off", placeholder, class: "search" }, set("text"));
    const options = [["0", "all"], ["1", "higher"], ["-1", "lower"]];
    const direction = make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
    direction.addEventListener("change", () => set("direction")(Number(direction.value)));
    const hasCore = content.arrays.core.some(Boolean);
    return make("div", { class: "controls" }, controlled("Search", search), controlled("Direction", direction),
      checkbox("beyond the thresholds", set("beyond")), ...(hasCore ? [checkbox("core only", set("core"))] : []), table.download);
  }

  async start(block) {
    const pair = make("div", { class: "pair" }, make("div", {}, this.counts, this.plane.place), this.beside.place);
    const place = block.querySelector(".live-genes");
    place.replaceChildren(this.controlsOfPlot(), pair, this.controlsOfTable(), this.table.scroll, this.table.pages);
    this.table.filter();
    block.classList.add("live");
    await this.redraw();
    await this.show(this.chosen);
  }
}

const explorers = new Map();

async function startGenes(block) {
  const content = await unpack(block.querySelector("script.packed").textContent);
  const explorer = new GeneExplorer(content);
  explorers.set(block.dataset.series, explorer);
  await explorer.start(block);
}

/* Names of genes on the first screen lead to the gene among all others. */
function linkGenes(blocks) {
  for (const row of document.querySelectorAll("table.core tr[data-feature]")) {
    const block = blocks.find((candidate) => candidate.dataset.series === row.dataset.series);
    if (!block) continue;
    const name = row.querySelector(".name");
    const button = make("button", { type: "button", class: "gene", title: name.textContent }, name.textContent);
    button.addEventListener("click", () => openGene(block, row.dataset.feature));
    name.replaceChildren(button);
  }
}

async function openGene(block, feature) {
  for (let group = block.closest("details"); group; group = group.parentElement.closest("details")) group.open = true;
  block.scrollIntoView();
  while (!block.classList.contains("live")) await new Promise(requestAnimationFrame);
  const explorer = explorers.get(block.dataset.series);
  const i = explorer.content.features.indexOf(feature);
  if (i >= 0) await explorer.show(i);
}

if (document.getElementById("library") && typeof DecompressionStream === "function") {
  const blocks = [...document.querySelectorAll(".genes")];
  linkGenes(blocks);
  for (const block of blocks) {
    let started = Promise.resolve();
    whenSeen(block, () => { started = started.then(() => startGenes(block)); });
  }
}
