/* The Cases view: history, the sheet of a case, figures, two cases side by side. All HTML comes from the server. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.cases) return;
  // What was chosen to be compared, in order; the newest choice replaces the older of two.
  const state = { kit: null, root: null, page: 0, chosen: [], shown: "history", opener: null };
  const frame = () => state.kit.one(".cas");
  const filters = () => Object.fromEntries(new FormData(state.kit.one(".cas-filters")));

  /* ---------- history ---------- */
  function list(page = state.page, { choices = false, quiet = false } = {}) {
    state.page = page;
    return state.kit.send({ do: "history", ...filters(), page, choices }, { quiet });
  }
  const records = () => state.kit.send({ do: "records", matter: filters().matter });
  function enter() {
    const [id, other] = (redstring.addressed().compare || "").split(",");
    if (id && other) { state.chosen = [id, other]; state.kit.send({ do: "compare", id, other }); return; }
    if (state.shown === "records") records(); else list(state.page, { choices: true });
  }
  function clear() {
    const form = state.kit.one(".cas-filters");
    form.reset();
    form.querySelectorAll("select").forEach((select) => { select.value = ""; });
    list(0);
  }

  /* ---------- what is shown ---------- */
  function show(name) {
    state.shown = name;
    frame().dataset.show = name;
    const tab = name === "compare" ? "history" : name;
    state.kit.all("[data-act=tab]").forEach((button) => button.setAttribute("aria-selected", String(button.dataset.tab === tab)));
    if (name !== "compare") { state.kit.swap("compare", ""); if (redstring.addressed().compare) redstring.address({ compare: "" }); }
  }
  function close() {
    state.kit.swap("sheet", "");
    sheetIs("");
    const opener = state.opener && state.kit.one(`[data-key="open-${CSS.escape(state.opener)}"]`);
    if (opener) opener.focus();
  }
  function sheetIs(id) {
    state.opener = id || state.opener;
    frame().toggleAttribute("data-sheet", Boolean(id));
    state.kit.all(".cas-row[data-id]").forEach((row) => row.classList.toggle("on", row.dataset.id === id));
  }
  const open = () => { const card = state.kit.one(".cas-card"); return card ? card.dataset.id : ""; };

  /* ---------- two to compare ---------- */
  function pick(id, on = true) {
    state.chosen = state.chosen.filter((other) => other !== id);
    if (on) state.chosen = [...state.chosen, id].slice(-2);
    choice();
  }
  function choice() {
    state.kit.all("[data-act=pick]").forEach((box) => { box.checked = state.chosen.includes(box.dataset.id); });
    const place = state.kit.one("[data-part=choice]");
    place.hidden = !state.chosen.length;
    if (!state.chosen.length) { place.replaceChildren(); return; }
    const words = document.createElement("span");
    words.textContent = state.chosen.length === 2 ? "Two cases chosen" : "One case chosen: choose another, and compare them";
    place.replaceChildren(words, ...(state.chosen.length === 2 ? [button("Compare", "compare", "cas-primary")] : []), button("Clear selection", "none", "cas-link"));
  }
  function button(words, act, style) {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: words, className: style });
    made.dataset.act = act;
    return made;
  }

  const acts = {
    filter: () => { if (state.shown === "records") records(); else { show("history"); list(0); } },
    clear,
    page: (element) => list(Number(element.dataset.page)).then(() => { state.kit.one(".cas-listed").scrollTop = 0; }),
    tab: (element) => { show(element.dataset.tab); enter(); },
    fold: (element) => element.setAttribute("aria-expanded", String(frame().toggleAttribute("data-open"))),
    investigate: () => { redstring.view("investigate"); document.querySelector("#question textarea").focus(); },
    close,
    pick: (box) => pick(box.dataset.id, box.checked),
    "pick-this": (element) => { pick(element.dataset.id); if (matchMedia("(max-width: 760px)").matches) close(); },
    compare: () => state.kit.send({ do: "compare", id: state.chosen[0], other: state.chosen[1] }),
    none: () => { state.chosen = []; choice(); },
    copy: async (element) => {
      const link = new URL(`?case=${encodeURIComponent(element.dataset.id)}`, location.href).href;
      try { await navigator.clipboard.writeText(link); element.textContent = "Copied"; } catch { element.textContent = link; }
    },
    back: () => { show("history"); choice(); },
  };
  function after(found, request) {
    if (found.show) show(found.show);
    if (request.do === "compare" && !found.error) redstring.address({ view: "cases", compare: `${request.id},${request.other}` });
    if (found.closed) { state.chosen = state.chosen.filter((id) => id !== found.closed); close(); }
    if (request.do === "sheet" && found.html) sheetIs(request.id);
    if (request.do === "history") { choice(); sheetIs(open()); }
    if (!found.again) return;
    list(state.page, { choices: true, quiet: true });
    // The last cases stand in the rail of Investigate, too.
    document.dispatchEvent(new CustomEvent("redstring:kept"));
  }

  function cases(element, server) {
    state.root = element;
    state.kit = redstring.kit(element, server.cases, { acts, after });
    element.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && open() && event.target.closest(".cas-sheet")) { event.stopPropagation(); close(); }
    });
    /* A row is a way to its details, too; its link and its box are themselves. */
    element.addEventListener("click", (event) => {
      const row = event.target.closest(".cas-row[data-id]");
      if (row && !event.target.closest("a, button, label, input")) state.kit.send({ do: "sheet", id: row.dataset.id });
    });
    document.addEventListener("redstring:view", (event) => { if (event.detail === "cases") enter(); });
    if (document.body.dataset.view === "cases") enter();
  }
  /* One case is chosen: the other is chosen from the list. */
  function compareCase(id) {
    pick(id);
    redstring.view("cases");
  }
  Object.assign(redstring, { cases, compareCase });
})();
