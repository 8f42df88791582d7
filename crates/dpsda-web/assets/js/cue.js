// A table that scrolls in its own box shows where it goes on.

/** Marks the edges behind which the table goes on; the hint says so in words while anything is hidden at all. */
function cue(box, frame, hint) {
  const mark = () => {
    frame.classList.toggle("more-left", box.scrollLeft > 1);
    frame.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    frame.classList.toggle("more-below", box.scrollTop + box.clientHeight < box.scrollHeight - 1);
    frame.style.setProperty("--bar", `${box.offsetHeight - box.clientHeight}px`); // what lies below the last row
    if (hint) hint.hidden = box.clientWidth >= box.scrollWidth - 1;
  };
  box.addEventListener("scroll", mark, { passive: true });
  const watcher = new ResizeObserver(() => requestAnimationFrame(mark));
  watcher.observe(box);
  if (box.firstElementChild) watcher.observe(box.firstElementChild);
  mark();
}
