// The root of the page, and a count of script errors.

const root = document.documentElement;
root.classList.add("js");
root.dataset.errors = "0";
const count = () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); };
addEventListener("error", count);
addEventListener("unhandledrejection", count);
