// What scrolls sideways can be reached by the keyboard.
for (const region of document.querySelectorAll("pre > code, .table-wrapper")) {
  if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
}
