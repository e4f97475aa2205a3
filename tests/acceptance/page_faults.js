// What is wrong with a page, asked in a browser.

// Texts of charts that are too small; those within a canvas have 12 pixels or more.
function smallTexts() {
  const own = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const small = [...document.querySelectorAll(".drawing *, .genes *")].filter((element) => own(element) && !element.matches("script")
    && element.getClientRects().length && parseFloat(getComputedStyle(element).fontSize) < 9.95);
  return small.map((element) => element.outerHTML.slice(0, 80));
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
    ...all(".drawing").filter((drawing) => !drawing.querySelector("[role=group][aria-label]")),
    ...all("input, select").filter((control) => !control.labels.length),
    ...all("button, a, summary").filter((control) => !control.textContent.trim()),
    ...all(".table table").filter((table) => !table.caption),
  ].map((element) => element.outerHTML.slice(0, 80));
}

function saved(selector, done) {
  pixels(document.querySelector(selector)).then((blob) => blob.arrayBuffer()).then((buffer) => done([...new Uint8Array(buffer)]));
}

// Names in tables, headings and lists whose words are on two lines.
function brokenNames() {
  const broken = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const place = node.parentElement;
    if (!place.closest("th, td, h1, h2, h3, h4, .lines, .note") || place.closest("script, .hidden") || !place.getClientRects().length) continue;
    for (const word of node.data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
}
