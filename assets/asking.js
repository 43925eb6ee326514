/* What is asked at a click is what the page shows then; a depth is applied here, with no way to the server. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.asked) return;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const state = { presets: {}, note: null, shown: {}, turn: 0 };

  /* ---------- a click ---------- */
  /* A date or a number of which half is typed has no value: it is named, not passed over. */
  const unfinished = () => all("#rail input").filter((field) => field.validity.badInput)
    .map((field) => (field.closest("[id^=set-]") || field).id.replace(/^set-/, ""));
  /* Each time by another number: what is cancelled is what was asked before, whichever reaches the server first. */
  function asked(corpus, names, values) {
    state.turn += 1;
    return JSON.stringify({
      turn: state.turn,
      session: redstring.session(),
      visitor: redstring.visitor(),
      question: one("#question textarea").value,
      corpus,
      edited: redstring.planned(),
      view: redstring.viewInFront(),
      matter: matter(),
      held: Object.fromEntries(names.map((name, index) => [name, values[index]])),
      unfinished: unfinished(),
    });
  }

  /* ---------- the depth ---------- */
  const alike = (a, b) => (Array.isArray(a) && Array.isArray(b) ? JSON.stringify([...a].sort()) === JSON.stringify([...b].sort()) : a === b);
  const isPreset = (name) => Object.entries(state.presets[name] || {}).every(([field, value]) => alike(value, state.shown[field]));
  const presetValues = (name, names) => names.map((field) => state.presets[name][field]);
  /* After a control was moved: which depth is chosen. One whose controls were moved away stays chosen, and says so;
     another that they now show is chosen in its place. */
  function moved(depth, names, values) {
    if (state.note) one("small", state.note).textContent = state.depths[depth] || "";
    state.shown = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    const fits = isPreset(depth) ? depth : Object.keys(state.presets).find(isPreset);
    if (state.note) {
      one("p", state.note).hidden = Boolean(fits);
      one("span", state.note).textContent = `${depth[0].toUpperCase()}${depth.slice(1)}, changed`;
    }
    return [fits || depth];
  }
  function depth(element, props, reset) {
    Object.assign(state, { presets: props.presets, depths: props.depths, note: element });
    redstring.appears("#depth input:checked", (chosen) => { one("small", element).textContent = props.depths[chosen.value] || ""; });
    redstring.appears("#threads label", () => all("#threads input").forEach((box) => { box.closest("label").title = props.meanings[box.name] || ""; }));
    element.addEventListener("click", (event) => { if (event.target.closest("button")) reset(); });
  }

  /* ---------- the matter ---------- */
  const MATTER = "redstring-matter";
  function matter() { try { return sessionStorage.getItem(MATTER) || ""; } catch { return ""; } }
  /* What this tab asks from now on is kept in a matter, and ranked by what was learned of it; "": in General. */
  function askIn(name) {
    try { if (name) sessionStorage.setItem(MATTER, name); else sessionStorage.removeItem(MATTER); } catch { return; }
    tellMatter();
    redstring.view("investigate");
    one("#question textarea").focus();
  }
  function tellMatter() {
    if (!state.place) return;
    one("p", state.place).hidden = !matter();
    one("bdi", state.place).textContent = matter();
  }
  function inMatter(element) {
    state.place = element;
    element.addEventListener("click", (event) => { if (event.target.closest("button")) askIn(""); });
    tellMatter();
  }

  Object.assign(redstring, { asked, askIn, inMatter, depth, moved, presetValues, setting: (name) => state.shown[name], turn: () => state.turn });
})();
