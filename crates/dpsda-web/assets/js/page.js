// Puts everything in its place, then says that it is ready.

/** Light or dark by hand; until the first click the system decides. */
function makeTheme() {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.style.colorScheme || (system.matches ? "dark" : "light")) === "dark";
  const label = () => { button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", `Switch to ${dark() ? "light" : "dark"} colours`); };
  button.addEventListener("click", () => { root.style.colorScheme = dark() ? "light" : "dark"; label(); });
  system.addEventListener("change", label);
  button.hidden = false;
  label();
}

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
