/* The table of all features: a page of its rows is in the document at a time. */
const ROWS_PER_PAGE = 15;

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

/* Features that pass the filters, in the order of the table; a gene of exactly the searched name
   comes first. */
function matchingRows(content, state) {
  const words = state.text.trim().toLowerCase();
  const passes = (i) => (!state.core || content.arrays.core[i])
    && (!state.beyond || state.signs[i])
    && (!state.direction || Math.sign(state.numbers.change[i]) === state.direction)
    && (!words || content.names[i].includes(words));
  const sorted = sortedRows(content, state, [...content.features.keys()].filter(passes));
  if (!words) return sorted;
  const exact = (i) => content.names[i].split("\n").includes(words);
  return [...sorted.filter(exact), ...sorted.filter((i) => !exact(i))];
}

/* A cell of a file that a spreadsheet would take for a formula gets an apostrophe. */
function csvCell(value) {
  if (typeof value === "number") return Number.isNaN(value) ? "" : String(Number(value.toPrecision(4)));
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/* The lines of a file with these features, for the class that is shown. */
function csvOf(content, state, rows) {
  const { change, fdr, auc, mean } = state.numbers;
  const label = content.contrasts[state.contrast];
  const columns = [
    ["class", () => label],
    ["feature", (i) => content.features[i]],
    ["symbol", (i) => content.symbols[i]],
    [content.change, (i) => change[i]],
    ["FDR", (i) => fdr[i]],
    ["AUC", (i) => auc[i]],
    ...(mean ? [["mean", (i) => mean[i]]] : []),
    ["core", (i) => (content.arrays.core[i] ? "yes" : "no")],
  ];
  const line = (cells) => `${cells.map(csvCell).join(",")}\r\n`;
  return [line(columns.map(([heading]) => heading)), ...rows.map((i) => line(columns.map(([, value]) => value(i))))];
}

class GeneTable {
  constructor(content, state, { open, choose }) {
    this.content = content;
    this.state = state;
    this.choose = choose;
    this.view = open;
    this.opened = make("tr", { class: "opened" }, make("td", { colspan: 6 }, open.place));
    this.openedFeature = -1;
    this.output = make("output", { "aria-live": "polite" });
    this.previous = this.turnButton("Previous", -1);
    this.next = this.turnButton("Next", 1);
    this.table = make("table", { class: "all-genes" }, make("caption", { class: "hidden" }, "All features"), this.head());
    this.scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All features" }, this.table);
    this.download = make("button", { type: "button", class: "button" }, "Download CSV");
    this.download.addEventListener("click", () => save(`${content.name}-genes.csv`, csvOf(content, state, this.rows), "text/csv"));
    this.pages = make("div", { class: "pages" }, this.previous, this.next, this.output);
  }

  head() {
    const { content, state } = this;
    const columns = [
      ["name", content.noun], ["change", content.change], ["fdr", "FDR"], ["auc", "AUC"],
      ...(content.ranges.mean ? [["mean", "mean"]] : []), ["core", "core"],
    ];
    const row = make("tr", {}, ...columns.map(([key, heading]) => {
      const button = make("button", { type: "button" }, heading);
      const sorted = key === state.sort.key ? { "aria-sort": "ascending" } : {};
      const cell = make("th", { scope: "col", ...(key === "name" ? {} : { class: `n ${key}` }), ...sorted }, button);
      button.addEventListener("click", () => this.sortBy(key, cell));
      return cell;
    }));
    return make("thead", {}, row);
  }

  /* Sort by a column, the other way round if it was sorted before; large changes come first. */
  sortBy(key, cell) {
    const order = cell.getAttribute("aria-sort");
    const down = order === "ascending" || (order === null && (key === "core" || key === "change"));
    for (const other of cell.parentElement.cells) other.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", down ? "descending" : "ascending");
    this.state.sort = { key, down };
    this.filter();
  }

  turnButton(text, by) {
    const button = make("button", { type: "button", class: "button" }, text);
    button.addEventListener("click", () => {
      this.state.page += by;
      this.showRows();
    });
    return button;
  }

  filter() {
    this.state.page = 0;
    this.rows = matchingRows(this.content, this.state);
    this.showRows();
  }

  showRows() {
    const { content, state, rows } = this;
    const start = state.page * ROWS_PER_PAGE;
    const body = make("tbody", {}, ...rows.slice(start, start + ROWS_PER_PAGE).map((i) => this.row(i)));
    this.openedFeature = -1;
    this.table.tBodies[0]?.remove();
    this.table.append(body);
    const pages = Math.max(1, Math.ceil(rows.length / ROWS_PER_PAGE));
    const words = (count) => count.toLocaleString("en");
    const isWhole = content.features.length === content.total;
    const part = isWhole ? "" : ` (the first ${words(content.features.length)} by rank are here; the files have all)`;
    const unknown = rows.length || content.symbols.some(Boolean) ? "" : `. The ${content.noun}s of this study have no symbols: search for the name of a probe`;
    this.download.textContent = `Download ${words(rows.length)} as CSV`;
    this.output.textContent = `${words(rows.length)} of ${words(content.total)} ${content.noun}s${part}; page ${state.page + 1} of ${words(pages)}${unknown}`;
    this.previous.disabled = state.page === 0;
    this.next.disabled = state.page >= pages - 1;
  }

  row(i) {
    const { content, state } = this;
    const { change, fdr, auc, mean } = state.numbers;
    const name = nameOf(content, i);
    const button = make("button", { type: "button", class: "gene", title: name }, name);
    button.addEventListener("click", () => this.open(i));
    const heading = make("th", { scope: "row" }, button);
    if (name !== content.features[i]) heading.append(" ", make("small", {}, content.features[i]));
    const cell = (text, kind = "") => make("td", { class: `n ${kind}` }, text);
    return make("tr", { "data-i": i }, heading, this.changeCell(change[i]), cell(STATISTICS.fdr(fdr[i])), cell(STATISTICS.auc(auc ? auc[i] : NaN)),
      ...(mean ? [cell(STATISTICS.mean(mean[i]), "mean")] : []), cell(content.arrays.core[i] ? "yes" : ""));
  }

  changeCell(change) {
    const bar = make("i", { class: change < 0 ? "minus" : "plus" });
    bar.style.width = `${Math.min(100, (100 * Math.abs(change || 0)) / this.state.most)}%`;
    const arrow = change > 0 ? "▲" : change < 0 ? "▼" : "";
    const text = make("span", { class: "value" }, `${arrow} ${STATISTICS.change(change)}`);
    return make("td", { class: "n change" }, make("span", { class: "mini", "aria-hidden": "true" }, bar), text);
  }

  /* Show a gene below its row, or hide it if it is open. */
  async open(i) {
    this.opened.remove();
    const chosen = this.choose(i);
    if (this.openedFeature === i) {
      this.openedFeature = -1;
      return;
    }
    this.openedFeature = i;
    this.table.querySelector(`tr[data-i="${i}"]`).after(this.opened);
    await this.view.show(i);
    await chosen;
  }
}
