/* The plan of a question: its views and constraints are changed here and sent with the question. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.plan) return;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const LISTS = ["must_include", "must_exclude", "documents", "types", "languages"];
  const panel = () => one("#plan .plan");

  function changed(section) {
    section.dataset.edited = "1";
    one(".mark", section).hidden = false;
    one("[data-count]", section).textContent = String(all(".plan-views input[type=checkbox]:checked", section).length);
  }
  /* What was changed does not fit another question: it is dropped, with a word about it. */
  function drop(words) {
    const section = panel();
    if (!section) return;
    const told = section.dataset.edited ? words : "";
    const note = document.createElement("p");
    note.className = "dropped";
    note.setAttribute("role", "status");
    note.textContent = told;
    if (told) section.replaceWith(note); else section.remove();
  }
  function added(section) {
    const row = one(".plan-views li", section).cloneNode(true);
    Object.assign(row.dataset, { name: "own", dense: "1", origin: "added by hand" });
    one(".kind", row).textContent = "own";
    one("small", row).textContent = "added by hand";
    one("textarea", row).value = "";
    one("input[type=number]", row).value = "0.3";
    one("input[type=checkbox]", row).checked = true;
    one(".plan-views", section).append(row);
    one("textarea", row).focus();
  }
  function onClick(event) {
    const section = panel();
    const control = event.target.closest("[data-do], .constraint");
    if (!section || !control) return;
    if (control.dataset.do === "close") {
      event.preventDefault();
      section.dataset.edited = "";
      drop("");
      return;
    }
    if (control.dataset.do === "add") added(section);
    else control.setAttribute("aria-pressed", String(control.getAttribute("aria-pressed") !== "true"));
    changed(section);
  }
  const numberOr = (text, spare) => (Number.isFinite(parseFloat(text)) ? parseFloat(text) : spare);

  function constraints(section) {
    const found = Object.fromEntries(LISTS.map((kind) => [kind, []]));
    all(".constraint[aria-pressed=true]", section).forEach(({ dataset }) => {
      if (LISTS.includes(dataset.kind)) found[dataset.kind].push(dataset.value);
      else found[dataset.kind] = dataset.kind === "as_of" ? dataset.value : Number(dataset.value);
    });
    return found;
  }
  /* The plan as it stands on the page, as JSON; nothing where nobody has changed it. */
  function planned() {
    const section = panel();
    if (!section || !section.dataset.edited) return "";
    section.open = false;
    const views = all(".plan-views li", section).map((row) => ({
      name: row.dataset.name,
      text: one("textarea", row).value,
      weight: numberOr(one("input[type=number]", row).value, 0),
      dense: row.dataset.dense === "1",
      enabled: one("input[type=checkbox]", row).checked,
      origin: row.dataset.origin,
    })).filter((view) => view.text.trim());
    const plan = { ...JSON.parse(section.dataset.plan), views, constraints: constraints(section), edited: true };
    return JSON.stringify({ corpus: section.dataset.corpus, settings: JSON.parse(section.dataset.settings), plan });
  }
  function plan(element) {
    element.addEventListener("click", onClick);
    element.addEventListener("input", (event) => { if (panel() && event.target.closest(".plan-views")) changed(panel()); });
  }
  document.addEventListener("input", (event) => {
    const section = panel();
    if (!section || !event.target.closest("#question")) return;
    if (event.target.value.trim() === JSON.parse(section.dataset.plan).question.trim()) return;
    drop("The question has changed: the edited plan was dropped.");
  });
  Object.assign(redstring, { plan, planned });
})();
