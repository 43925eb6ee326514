/* With the key x the link on the trail of the selected card is reported as wrong, and taken back. */
(() => {
  "use strict";
  const TYPING = "input, textarea, select, [contenteditable=true]";
  document.addEventListener("keydown", (event) => {
    if (event.key !== "x" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPING)) return;
    if (document.body.dataset.view && document.body.dataset.view !== "investigate") return;
    const button = document.querySelector("#passages .card.on .why button.judge");
    if (!button) return;
    event.preventDefault();
    button.click();
  });
})();
