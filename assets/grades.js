/* The grades of a corpus: the table of its kinds, and the grade of the document that is read. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.grading) return;
  const { state: lib, one, all, part, ask, asking, hush } = redstring.lib;
  redstring.lib.grading = true;
  const table = { stale: true, name: "" };

  function put(found) {
    table.stale = false;
    part("grades").innerHTML = found.html;
    const name = one("[data-lib=grade-name]", part("grades"));
    if (name) { name.value = table.name; name.addEventListener("input", () => { table.name = name.value; }); }
  }
  const draw = () => asking({ do: "grades" }, put);
  async function choose(select) {
    const { gradeKind: kind, gradeDocument: document } = select.dataset;
    const label = select.getAttribute("aria-label");
    select.disabled = true;
    try {
      const found = await ask({ do: "grade", grade: select.value, name: table.name, ...(document === undefined ? { kind } : { target: document }) });
      hush();
      put(found);
      lib.parts.forEach((member) => member.regraded && member.regraded());
      const again = all("select", lib.root).find((other) => other.getAttribute("aria-label") === label && other.offsetParent !== null);
      if (again) again.focus();
    } catch {
      select.disabled = false;
      draw();
    }
  }
  function start(element) {
    element.addEventListener("change", (event) => {
      if (event.target.matches("[data-grade-kind], [data-grade-document]")) choose(event.target);
    });
  }
  lib.parts.push({
    start,
    opened: () => { table.stale = true; },
    shown: (tab) => { if (tab === "grades" && table.stale && !lib.creating) draw(); },
  });
})();
