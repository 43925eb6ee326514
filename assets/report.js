/* The retrieval audit of the open case: a window over the page, and its files. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.caseReport) return;
  const one = (selector, within = document) => within.querySelector(selector);
  const NAMES = { html: ["retrieval-audit.html", "text/html"], md: ["retrieval-audit.md", "text/markdown"] };

  function save(text, [name, type]) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
  function caseReport(element, props, trigger, watch) {
    const frame = one("dialog", element);
    const body = one(".report-scroll", element);
    let asked = false;
    const waits = (is) => { const button = one("#report-ask"); asked = is; button.disabled = is; button.textContent = is ? "checking …" : "report"; };
    const show = () => {
      if (!props.value || !asked) return;
      waits(false);
      body.innerHTML = props.value;
      body.scrollTop = 0;
      if (!frame.open) frame.showModal();
    };
    watch("value", show);
    /* There is a report on a case that has come to its end. */
    redstring.appears("#story", (story) => {
      const told = () => { const line = one(".story", story); one("#report-ask").hidden = !line || line.dataset.state !== "done"; };
      new MutationObserver(told).observe(story, { childList: true, subtree: true });
    });
    redstring.appears("#report-ask", (button) => button.addEventListener("click", () => {
      waits(true);
      trigger("select", {});
    }));
    /* What went wrong is told in the banner. */
    redstring.appears("#banner", (banner) => new MutationObserver(() => { if (asked && one(".banner", banner)) waits(false); }).observe(banner, { childList: true, subtree: true }));
    element.addEventListener("click", (event) => {
      const control = event.target.closest("[data-report]");
      if (event.target === frame || (control && control.dataset.report === "close")) { frame.close(); return; }
      if (!control) return;
      const form = one(`[data-form="${control.dataset.report}"]`, body);
      if (form) save(form.textContent, NAMES[control.dataset.report]);
    });
  }
  Object.assign(redstring, { caseReport, save });
})();
