// A table that scrolls in its own box shows at which edges it continues.

/** Marks the edges at which the table continues. The hint says so in words while anything is hidden. */
function cue(box, frame, hint) {
  const mark = () => {
    frame.classList.toggle("more-left", box.scrollLeft > 1);
    frame.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    frame.classList.toggle("more-below", box.scrollTop + box.clientHeight < box.scrollHeight - 1);
    frame.style.setProperty("--bar", `${box.offsetHeight - box.clientHeight}px`); // height of the scrollbar
    if (hint) hint.hidden = box.clientWidth >= box.scrollWidth - 1;
  };
  box.addEventListener("scroll", mark, { passive: true });
  const watcher = new ResizeObserver(() => requestAnimationFrame(mark));
  watcher.observe(box);
  if (box.firstElementChild) watcher.observe(box.firstElementChild);
  mark();
}
