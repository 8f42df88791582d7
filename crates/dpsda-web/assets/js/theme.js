// The button for light and dark colours.

/** Until the first click the system decides between light and dark. */
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
