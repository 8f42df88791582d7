// Fetches the page again every second and changes only what differs, so that a selection stays.

const silence = document.getElementById("silence");
const clock = (when) => when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
let answered = new Date();

/** Makes `old` equal to `fresh`, and leaves equal parts untouched. */
function match(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName) return void old.replaceWith(document.importNode(fresh, true));
  if (old.nodeType !== Node.ELEMENT_NODE) return void (old.nodeValue = fresh.nodeValue);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [olds, news] = [[...old.childNodes], [...fresh.childNodes]];
  olds.slice(news.length).forEach((node) => node.remove());
  news.forEach((node, k) => { if (olds[k]) match(olds[k], node); else old.append(document.importNode(node, true)); });
}

async function ask() {
  const answer = await fetch("/", { cache: "no-store", signal: AbortSignal.timeout(4000) });
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const live = page.getElementById("live");
  if (!live) throw new Error("something else answered");
  match(document.getElementById("live"), live);
  if (document.title !== page.title) document.title = page.title;
  answered = new Date();
  silence.hidden = true;
  root.classList.remove("stale");
}

async function poll() {
  if (!document.hidden) {
    try {
      await ask();
    } catch {
      const words = `The node has not answered since ${clock(answered)}. The values below are from that time.`;
      if (silence.textContent !== words) silence.textContent = words;
      silence.hidden = false;
      root.classList.add("stale");
    }
  }
  root.dataset.ready = "1";
  setTimeout(poll, 1000);
}

makeTheme();
poll();
