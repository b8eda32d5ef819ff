// Tables that are wider than the page scroll by themselves; the keyboard has to reach them as well.
addEventListener("load", () => {
  for (const each of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
  }
});
