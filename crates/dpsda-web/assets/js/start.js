// First of all: the data, and functions that make elements.

const DATA = JSON.parse(document.getElementById("data").textContent);
/** Names of keys that mean something to this script; the data has them. */
const NAMES = DATA.names;

/** Sets attributes and children. Text becomes text nodes, so no string is ever read as markup. */
function dress(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

/** An HTML element. */
const el = (tag, attributes = {}, ...children) => dress(document.createElement(tag), attributes, children);

/** An SVG element. */
const svg = (tag, attributes = {}, ...children) =>
  dress(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** A button that is on or off. */
function toggle(text, on, change, attributes = {}) {
  const button = el("button", { type: "button", "aria-pressed": String(on), ...attributes }, text);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    change(now);
  });
  return button;
}

/** Copies text to the clipboard and says so on the button. Pages opened from disk may need the older way. */
async function copy(text, button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el("textarea", { class: "silent" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1200);
}
