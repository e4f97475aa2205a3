// What is wrong with a page, asked in a browser.

function texts() {
  const small = [], cut = [];
  for (const text of document.querySelectorAll(".image svg text")) {
    const box = text.getBoundingClientRect();
    if (box.width === 0) continue;
    const svg = text.closest("svg");
    const frame = svg.getBoundingClientRect();
    const scale = frame.width / svg.viewBox.baseVal.width;
    const size = parseFloat(getComputedStyle(text).fontSize) * scale;
    if (size < 9.95) small.push([text.textContent, size]);
    const outside = box.left < frame.left - 1 || box.right > frame.right + 1
      || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    if (outside) cut.push(text.textContent);
  }
  return [small, cut];
}

function overflowing() {
  const width = document.documentElement.clientWidth;
  const outside = [...document.querySelectorAll("body *")].filter((element) => {
    if (element.matches(".skip") || element.parentElement.closest(".scroll, pre, svg")) return false;
    const box = element.getBoundingClientRect();
    return box.width > 0 && (box.right > width + 1 || box.left < -1);
  });
  return [
    document.documentElement.scrollWidth - width,
    outside.map((element) => element.outerHTML.slice(0, 80)),
  ];
}

function unnamed() {
  const all = (selector) => [...document.querySelectorAll(selector)];
  return [
    ...all(".image svg").filter((drawing) => !drawing.closest("[role=img][aria-label]")),
    ...all("input, select").filter((control) => !control.labels.length),
    ...all("button, a, summary").filter((control) => !control.textContent.trim()),
    ...all(".table table").filter((table) => !table.caption),
  ].map((element) => element.outerHTML.slice(0, 80));
}

function saved(done) {
  const svg = document.querySelector(".drawing .image svg");
  pixels(svg).then((blob) => blob.arrayBuffer()).then((buffer) => {
    done([[...new Uint8Array(buffer)], svg.viewBox.baseVal.width]);
  });
}
