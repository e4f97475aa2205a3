/* Volcano and MA plot of all features. */
/* Pixels between the pointer and a point that is named; a finger covers more. */
const REACH = { mouse: 12, pen: 14, touch: 26 };
/* A feature within the thresholds is named only if it is nearer by this many pixels. */
const HANDICAP = 3;
/* A press that moves by more pixels is a drag. */
const DRAG = 5;
/* Features that are named in the plot, most letters of a name, and pixels of a letter. */
const MOST_NAMED = 8;
const LONGEST_LABEL = 16;
const LETTER = 6.5;
const PLANE_HEIGHT = 480;
/* Parts of the plot's width and height that axes take, about. */
const AXES = { width: 90, height: 100 };
const HALF_LINE = 8;

/* Features that are beyond both thresholds, by direction: -1 lower, 1 higher, 0 neither. */
function directions({ change, fdr }, limits) {
  const beyond = (value, i) => fdr[i] < limits.fdr && Math.abs(value) >= limits.change;
  return Int8Array.from(change, (value, i) => (beyond(value, i) ? Math.sign(value) : 0));
}

function extent(numbers) {
  let [low, high] = [Infinity, -Infinity];
  for (const number of numbers) {
    if (number < low) low = number;
    if (number > high) high = number;
  }
  return [low, high];
}

function overlap(one, other) {
  return one.left <= other.right && other.left <= one.right && one.low <= other.high && other.low <= one.high;
}

/* The side of its point on which each feature's name is written: inside of the frame, and without
   names that would cover another one. Sizes are estimates in pixels. */
function labelSides(content, place, x, y, features) {
  const [left, right] = extent(x);
  const [bottom, top] = extent(y);
  const width = Math.max(200, place.clientWidth - AXES.width);
  const height = PLANE_HEIGHT - AXES.height;
  const boxes = [];
  const sides = { left: [], right: [] };
  for (const i of features) {
    const px = ((x[i] - left) / (right - left || 1)) * width;
    const py = ((y[i] - bottom) / (top - bottom || 1)) * height;
    const length = HALF_LINE + LETTER * Math.min(LONGEST_LABEL, nameOf(content, i).length);
    const candidates = [["right", px], ["left", px - length]];
    for (const [side, start] of candidates) {
      const box = { left: start, right: start + length, low: py - HALF_LINE, high: py + HALF_LINE };
      if (box.left < 0 || box.right > width || boxes.some((other) => overlap(box, other))) continue;
      boxes.push(box);
      sides[side].push(i);
      break;
    }
  }
  return sides;
}

class GenePlane {
  constructor(content, state, choose) {
    this.content = content;
    this.state = state;
    this.choose = choose;
    this.place = make("div", { class: "chart plane" });
    this.legend = make("ul", { class: "legend" });
    this.tip = make("div", { class: "tip" });
  }

  /* Draw all features with the present thresholds. */
  async draw() {
    await library();
    const { state, content } = this;
    const inks = theme();
    const isMa = state.plot === "MA plot";
    const { change, evidence, mean } = state.numbers;
    this.x = isMa ? mean : change;
    this.y = isMa ? change : evidence;
    const label = `${content.change} of ${cut(content.contrasts[state.contrast])}`;
    const axes = isMa ? ["mean", label] : [label, "−log10 p"];
    const figure = newFigure({ height: PLANE_HEIGHT, x: { label: axes[0] }, y: { label: axes[1] } }, inks);
    const shown = this.addFeatures(figure);
    this.addThresholds(figure, inks, isMa);
    this.addCore(figure, inks, shown);
    this.chosen = new Bokeh.ColumnDataSource({ data: { x: [], y: [] } });
    figure.scatter({ field: "x" }, { field: "y" }, { source: this.chosen, size: 13, fill_color: null, line_color: inks.ink, line_width: 3, level: "overlay" });
    const canvas = make("div", { class: "canvas" });
    this.tip.hidden = true;
    const items = [["●", ORANGE, "higher"], ["●", BLUE, "lower"], ["●", GREY, "within the thresholds"]];
    if (content.arrays.core.some(Boolean)) items.push(["○", inks.ink, "core set"]);
    this.legend.replaceChildren(...items.map((item) => legendItem(...item)));
    this.place.replaceChildren(this.legend, canvas, this.tip);
    this.view = await showFigure(figure, canvas);
    this.listen(canvas);
  }

  isShown(i) {
    return isKnown(this.x[i]) && isKnown(this.y[i]);
  }

  scatter(figure, features, look) {
    figure.scatter(features.map((i) => this.x[i]), features.map((i) => this.y[i]), look);
  }

  addFeatures(figure) {
    const shown = [...this.content.features.keys()].filter((i) => this.isShown(i));
    const looks = [[0, GREY, 3, 0.35], [-1, BLUE, 5, 0.75], [1, ORANGE, 5, 0.75]];
    for (const [sign, colour, size, alpha] of looks) {
      const features = shown.filter((i) => this.state.signs[i] === sign);
      this.scatter(figure, features, { size, fill_color: colour, line_color: null, fill_alpha: alpha });
    }
    return shown;
  }

  addThresholds(figure, inks, isMa) {
    const { signs, change, numbers } = this.state;
    const line = (location, dimension) => figure.add_layout(new Bokeh.Span({ location, dimension, line_color: inks.soft, line_dash: "dashed" }));
    let least = Infinity;
    signs.forEach((sign, i) => { if (sign) least = Math.min(least, numbers.evidence[i]); });
    if (!isMa && least < Infinity) line(least, "width");
    if (change > 0) for (const location of [-change, change]) line(location, isMa ? "width" : "height");
  }

  /* Ring the core features, and name them; without a core, name the features with most evidence. */
  addCore(figure, inks, shown) {
    const { content, state } = this;
    const core = shown.filter((i) => content.arrays.core[i]);
    this.scatter(figure, core, { size: 10, fill_color: null, line_color: inks.ink, line_width: 1.5 });
    const { evidence } = state.numbers;
    const first = core.length ? core : shown.filter((i) => state.signs[i]).sort((a, b) => evidence[b] - evidence[a]);
    const sides = labelSides(content, this.place, this.x, this.y, first.slice(0, MOST_NAMED));
    for (const [side, align, offset] of [["right", "left", HALF_LINE], ["left", "right", -HALF_LINE]]) {
      const features = sides[side];
      if (!features.length) continue;
      const names = features.map((i) => cut(nameOf(content, i), LONGEST_LABEL));
      const look = { text_color: inks.ink, text_font_size: "12px", text_align: align, x_offset: offset, text_baseline: "middle" };
      figure.text(features.map((i) => this.x[i]), features.map((i) => this.y[i]), names, look);
    }
  }

  /* Ring the chosen feature. */
  mark(i) {
    if (!this.chosen) return;
    this.chosen.data = this.isShown(i) ? { x: [this.x[i]], y: [this.y[i]] } : { x: [], y: [] };
  }

  /* The feature at a place of the figure, in pixels; -1 if none is near. */
  nearest(px, py, pointer) {
    const { x_scale, y_scale, bbox } = this.view.frame;
    const { left, right, top, bottom } = bbox;
    if (px < left || px > right || py < top || py > bottom) return -1;
    const [x0, y0] = [x_scale.invert(left), y_scale.invert(bottom)];
    const perX = (right - left) / (x_scale.invert(right) - x0);
    const perY = (bottom - top) / (y_scale.invert(top) - y0);
    let best = -1;
    let least = REACH[pointer] ?? REACH.mouse;
    for (let i = 0; i < this.x.length; i++) {
      const across = left + (this.x[i] - x0) * perX - px;
      const along = bottom - (this.y[i] - y0) * perY - py;
      const distance = Math.hypot(across, along) + (this.state.signs[i] ? 0 : HANDICAP);
      if (distance < least) [best, least] = [i, distance];
    }
    return best;
  }

  /* Name the feature under the pointer, and return it. */
  point(event) {
    const box = this.view.el.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const feature = this.nearest(px, py, event.pointerType);
    this.tip.hidden = feature < 0;
    if (feature < 0) return feature;
    const texts = statisticTexts(this.content, this.state.numbers, feature);
    this.tip.replaceChildren(make("b", {}, nameOf(this.content, feature)), ...texts.map(([heading, text]) => make("span", {}, `${heading} ${text}`)));
    this.tip.style.left = `${Math.min(px + 12, box.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.max(0, py - this.tip.offsetHeight - 8) + this.view.el.offsetTop}px`;
    return feature;
  }

  listen(canvas) {
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") this.tip.hidden = true; });
    let pressed = null;
    canvas.addEventListener("pointerdown", (event) => { pressed = event; });
    canvas.addEventListener("pointerup", (event) => {
      if (!pressed || Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) > DRAG) return;
      const feature = this.point(event);
      if (feature >= 0) this.choose(feature);
    });
  }
}
