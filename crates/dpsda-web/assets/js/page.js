// Builds the page, then marks it as ready.

function makeCopies() {
  for (const code of document.querySelectorAll(".code")) {
    const button = el("button", { type: "button", onclick: () => copy(code.querySelector("pre").textContent, button) }, "Copy");
    code.append(button);
  }
}

function main() {
  document.body.append(tip, spoken);
  makeTheme();
  makeCurves();
  makeTable();
  makeCopies();
  document.querySelectorAll(".graph").forEach(makeNetwork);
  drawAll();
  let width = root.clientWidth;
  new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    for (const figure of FIGURES) drawFigure(figure);
  }).observe(root);
}

try {
  main();
} catch (error) {
  count();
  console.error(error);
}
root.dataset.ready = "1";
