/* Beside the board: the tree of how each passage was reached, and the pool in charts. The server renders what is
   open; here it is folded, gone through by keys, and kept in step with what the rest of the page has selected. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.views) return;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const { state } = redstring;
  const QUESTION = "?";
  const SOON = 40, TYPED = 180; // ms
  const own = { view: "board", element: null, trigger: null, turn: 0, open: null, full: false, timer: null, pushed: 0, at: 0 };
  const part = (name) => one(`[data-views=${name}]`, own.element);
  const running = () => Boolean(one(".story[data-state=running]"));
  const idOf = (row) => row.dataset.id || (row.classList.contains("tree-question") ? QUESTION : "");
  const level = (row) => Number(row.dataset.level);
  const rows = () => all(".tree-row", part("tree"));
  const rowOf = (id) => rows().find((row) => idOf(row) === id);

  /* ---------- asking the server ---------- */
  function look(more = {}) {
    own.turn += 1;
    const searched = own.view === "tree" ? state.words.trim() : "";
    own.trigger("select", { given: JSON.stringify({ view: own.view, turn: own.turn, selected: state.selected || "", words: searched, ...more }) });
  }
  /* Several things that happen together are asked for once. */
  function soon(full, after = SOON) {
    own.full ||= full;
    clearTimeout(own.timer);
    own.timer = setTimeout(() => {
      const whole = own.full;
      own.full = false;
      if (own.view === "board" || !state.data) return;
      if (whole) look(own.view === "tree" ? { open: own.open } : {});
      else if (state.selected !== null) look({ only: true });
    }, after);
  }

  /* ---------- what comes ---------- */
  function shown(told) {
    // Steps that come together are told once for each of them, always as the last of them is.
    if (told.at === own.at) return;
    own.at = told.at;
    if (told.kind === own.view) one("[data-view-count]").textContent = told.count || "";
    if (told.turn === 0) own.pushed = performance.now();
    if (told.kind === "tree") {
      const focused = document.activeElement && document.activeElement.closest(".tree-row");
      const place = focused ? idOf(focused) : null;
      part("tree").innerHTML = told.html;
      const again = place === null ? null : rowOf(place);
      if (again) focus(again);
      all(".tree-row", part("tree")).forEach((row) => row.classList.toggle("hit", (told.hits || []).includes(row.dataset.id)));
      came(told);
      if (state.words.trim()) part("tree").scrollTop = 0;
      mark({ scroll: !state.words.trim() });
    }
    if (told.kind === "rows") branched(told);
    if (told.kind === "told") came(told);
    if (told.kind === "charts") redstring.drawCharts(part("charts"), told);
  }
  function branched(told) {
    const before = told.first ? rows().find((row) => row.dataset.more === told.branch) : rowOf(told.branch);
    if (!before || (!told.first && before.getAttribute("aria-expanded") !== "true")) return;
    if (!told.first) remove(below(before));
    before.insertAdjacentHTML("afterend", told.html);
    if (told.first) {
      const next = before.nextElementSibling;
      const held = document.activeElement === before;
      before.remove();
      if (held && next) focus(next);
    }
    mark();
  }
  /* What came of the selected passage; where it has neither card nor dot, its card is made of it. */
  function came(told) {
    if ((state.selected || "") !== told.selected) return;
    part("told").innerHTML = told.told;
    part("told").hidden = own.view !== "tree" || !told.told.trim();
    state.beside = told.node;
    if (told.node && !one("#passages .card.on")) redstring.select(told.node.id, { scroll: !matchMedia("(max-width: 760px)").matches });
  }

  /* ---------- rows ---------- */
  function below(row) {
    const found = [];
    for (let next = row.nextElementSibling; next && level(next) > level(row); next = next.nextElementSibling) found.push(next);
    return found;
  }
  const remove = (some) => some.forEach((row) => row.remove());
  function parent(row) {
    let before = row.previousElementSibling;
    while (before && level(before) >= level(row)) before = before.previousElementSibling;
    return before;
  }
  /* The selected passage, the way to it, and what came through it. */
  function mark({ scroll = false } = {}) {
    rows().forEach((row) => { row.classList.remove("via", "from"); row.setAttribute("aria-selected", "false"); });
    const row = state.selected === null ? null : rowOf(state.selected);
    if (!row) { if (state.selected === null) part("told").hidden = true; return; }
    row.setAttribute("aria-selected", "true");
    for (let step = parent(row); step; step = parent(step)) step.classList.add("via");
    below(row).forEach((step) => step.classList.add("from"));
    if (!part("tree").contains(document.activeElement)) reach(row);
    if (scroll) row.scrollIntoView({ block: "nearest" });
  }
  /* The one row that the tab key reaches. */
  function reach(row) {
    rows().forEach((other) => { other.tabIndex = other === row ? 0 : -1; });
  }
  function focus(row) {
    reach(row);
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }
  function fold(row, open) {
    if (row.getAttribute("aria-expanded") === String(open)) return;
    row.setAttribute("aria-expanded", String(open));
    if (open) look({ branch: idOf(row) });
    else remove(below(row));
    if (!state.words.trim()) own.open = rows().filter((other) => other.dataset.id && other.getAttribute("aria-expanded") === "true").map(idOf).slice(0, 2000);
  }
  function chosen(row, { scroll }) {
    if (row.dataset.more) look({ branch: row.dataset.more, first: Number(row.dataset.first) });
    else if (row.dataset.id) redstring.select(row.dataset.id, { scroll });
    else fold(row, row.getAttribute("aria-expanded") !== "true");
  }
  function onClick(event) {
    const row = event.target.closest(".tree-row");
    if (!row) return;
    focus(row);
    if (event.target.closest(".tree-fold") && row.hasAttribute("aria-expanded")) fold(row, row.getAttribute("aria-expanded") !== "true");
    else chosen(row, { scroll: true });
  }
  function onKey(event) {
    const row = event.target.closest(".tree-row");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const every = rows(), at = every.indexOf(row), state_ = row.getAttribute("aria-expanded");
    const to = { ArrowDown: every[at + 1], ArrowUp: every[at - 1], Home: every[0], End: every[every.length - 1] };
    if (event.key in to) { if (to[event.key]) focus(to[event.key]); }
    else if (event.key === "ArrowRight") { if (state_ === "false") fold(row, true); else if (state_ === "true" && below(row).length) focus(every[at + 1]); }
    else if (event.key === "ArrowLeft") { if (state_ === "true") fold(row, false); else if (parent(row)) focus(parent(row)); }
    else if (event.key === "Enter" || event.key === " ") chosen(row, { scroll: !matchMedia("(max-width: 760px)").matches });
    else return;
    event.preventDefault();
  }

  /* ---------- the tabs ---------- */
  function show(view) {
    own.view = view;
    one("#board-pane").dataset.view = view;
    all("[data-view-tab]").forEach((button) => {
      const here = button.dataset.viewTab === view;
      button.setAttribute("aria-selected", String(here));
      button.tabIndex = here ? 0 : -1;
    });
    ["tree", "charts"].forEach((name) => { part(name).hidden = name !== view; });
    part("told").hidden = view !== "tree" || !part("told").textContent.trim() || state.selected === null;
    one("[data-view-count]").textContent = "";
    if (!state.data) { nothing(); return; }
    clearTimeout(own.timer);
    look(view === "tree" ? { open: own.open } : {});
  }
  function nothing() {
    ["tree", "charts"].forEach((name) => {
      const words = document.createElement("p");
      words.className = "views-waiting";
      words.textContent = running() ? "The case begins …" : "Ask a question: what it finds stands here.";
      part(name).replaceChildren(words);
    });
    one("[data-view-count]").textContent = "";
    part("told").replaceChildren();
    part("told").hidden = true;
  }
  function views(element, props, watch, trigger) {
    Object.assign(own, { element, trigger });
    watch("value", () => { if (props.value) shown(JSON.parse(props.value)); });
    part("tree").addEventListener("click", onClick);
    part("tree").addEventListener("keydown", onKey);
    nothing();
    document.addEventListener("click", (event) => {
      const tab = event.target.closest("[data-view-tab]");
      if (tab) show(tab.dataset.viewTab);
    });
    document.addEventListener("keydown", (event) => {
      const tab = event.target.closest && event.target.closest("[data-view-tab]");
      if (!tab || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
      const tabs = all("[data-view-tab]");
      const next = tabs[(tabs.indexOf(tab) + (event.key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
      next.focus();
      show(next.dataset.viewTab);
      event.preventDefault();
    });
    document.addEventListener("redstring:drawn", () => {
      if (!state.data) { own.open = null; nothing(); return; }
      // While a case runs its steps bring what is in front.
      if (own.view !== "board" && !running() && (own.open !== null || performance.now() - own.pushed > 400)) soon(true);
    });
    document.addEventListener("redstring:selected", () => {
      if (own.view !== "tree" || !state.data) return;
      mark({ scroll: true });
      soon(state.selected !== null && !rowOf(state.selected));
    });
    document.addEventListener("redstring:search", () => { if (own.view === "tree") soon(true, TYPED); });
  }
  /* From a card to the passages that came through it. */
  function showInTree(id) {
    if (matchMedia("(max-width: 760px)").matches) one("#switch [data-pane=board]").click();
    if (state.selected !== id) redstring.select(id);
    own.open = [...new Set([...(own.open || []), id])];
    show("tree");
  }
  Object.assign(redstring, { views, showInTree, viewInFront: () => own.view });
})();
