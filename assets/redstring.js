/* The page's own behaviour. Board, coverage and cards talk to each other here, without the server. */
(() => {
  "use strict";
  if (window.redstring) return;
  const THEME_KEY = "redstring-theme";
  const TOKENS = ["panel", "ink", "soft", "line", "accent", "spare-a", "spare-b", "spare-c"];
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const state = { selected: null, string: null, reported: false, evidence: null, data: null, frame: null, ready: false, colours: "", words: "", chosen: null, act: () => {}, expand: () => {}, steered: false, beside: null };

  /* ---------- who is asking ---------- */
  /* A secret name for this page load, in memory alone: the server keeps a visitor's model under it. */
  const SESSION = [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const session = () => SESSION;
  /* Every request of a panel goes out signed: the visitor whose corpora are asked, the session whose model is used. */
  const signed = (request) => ({ visitor: window.redstring.visitor(), session: SESSION, ...request });

  /* ---------- theme ---------- */
  const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => { try { return localStorage.getItem(THEME_KEY); } catch { return null; } };
  const wantedTheme = () => state.chosen || remembered() || (systemDark.matches ? "dark" : "light");
  function theme() {
    const wanted = wantedTheme();
    document.body.classList.toggle("dark", wanted === "dark");
    const button = one("#theme-toggle");
    if (button) button.setAttribute("aria-pressed", String(wanted === "dark"));
    sendTheme();
  }
  function toggleTheme() {
    state.chosen = wantedTheme() === "dark" ? "light" : "dark";
    try { localStorage.setItem(THEME_KEY, state.chosen); } catch { /* private mode: the choice lasts for this visit */ }
    theme();
  }
  /* Others set the theme, too, and style sheets come late: whenever the colours may be others, look again. */
  function watchTheme() {
    systemDark.addEventListener("change", theme);
    new MutationObserver(theme).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    new MutationObserver(theme).observe(document.head, { childList: true, subtree: true, characterData: true });
    document.head.addEventListener("load", theme, true);
  }

  /* ---------- the board's frame ---------- */
  const post = (message) => { if (state.ready) state.frame.contentWindow.postMessage(message, "*"); };
  function sendTheme({ anew = false } = {}) {
    const style = getComputedStyle(document.body);
    const threads = style.getPropertyValue("--threads").trim().split(" ").map((name) => `thread-${name}`);
    const colours = Object.fromEntries([...TOKENS, ...threads].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    const told = JSON.stringify(colours);
    if (told === state.colours && !anew) return;
    state.colours = told;
    post({ type: "theme", colours });
  }
  const NOTHING = { nodes: [], edges: [], heads: [] };
  const sendBoard = () => post({ type: "draw", data: { ...(state.data || NOTHING), heads: (state.data || NOTHING).heads.map(redstring.word || String) }, selected: state.selected, string: state.string });
  const sendEvidence = () => post({ type: "evidence", ids: state.evidence ? [...state.evidence.ids] : [] });
  const sendWords = () => post({ type: "search", text: state.words });
  /* A frame that has just loaded knows nothing, whatever was said before: it is told everything. */
  function sendAll() {
    state.ready = true;
    sendTheme({ anew: true });
    sendBoard();
    sendEvidence();
    sendWords();
  }
  window.addEventListener("message", (event) => {
    if (!state.frame || event.source !== state.frame.contentWindow || !event.data || !event.data.board) return;
    if (event.data.type === "ready") sendAll();
    // Whoever goes through the board by keys stays there, also where the panes are shown one at a time.
    if (event.data.type === "select") select(event.data.id, { scroll: !event.data.keep });
    if (event.data.type === "string") redstring.chooseString(event.data.id); else if (event.data.type === "report") redstring.report();
    if (event.data.type === "clear") select(null);
    if (event.data.type === "where") document.dispatchEvent(new CustomEvent("redstring:where", { detail: event.data }));
  });

  /* ---------- scripts of others ---------- */
  const libraryUrl = (name) => `${(window.gradio_config || {}).root || ""}/libraries/${name}`;
  async function board(element, props, watch, trigger) {
    state.frame = one("iframe", element);
    state.expand = (limit) => trigger("expand", { limit });
    const show = () => {
      state.data = props.value ? JSON.parse(props.value) : null;
      element.classList.toggle("blank", !state.data);
      redstring.redrawn();
      boardHead(element);
      sendBoard();
      tell("drawn");
    };
    watch("value", show);
    one("[data-board=search]", element).addEventListener("input", (event) => { state.words = event.target.value; sendWords(); tell("search"); });
    element.addEventListener("click", (event) => {
      const control = event.target.closest("[data-board]");
      if (!control) return;
      if (control.dataset.board === "more") state.expand(Number(control.dataset.limit));
      if (control.dataset.board === "full") fullScreen(element);
    });
    show();
    const script = await fetch(libraryUrl("vis-network.js")).then((found) => (found.ok ? found.text() : null), () => null);
    state.failed = script === null;
    if (state.failed) { boardHead(element); return; }
    state.frame.srcdoc = props.page.replace("<!--vis-network-->", () => `<script>${script}</` + "script>");
  }
  function boardHead(element) {
    const data = state.data || { shown: 0, total: 0, legend: [] };
    const count = data.total ? `${data.shown} of ${data.total}` : "";
    one("[data-board=count]", element).textContent = state.failed ? "The board could not be loaded: load the page again." : count;
    const more = one("[data-board=more]", element);
    more.hidden = data.shown >= data.total;
    more.dataset.limit = data.shown < 300 ? 300 : 100000;
    more.textContent = data.shown < 300 && data.total > 300 ? "show more" : "show all";
    const legend = one(".legend", element);
    legend.replaceChildren(...[...data.legend, ...(data.total ? [{ token: "accent", words: "selected path" }] : [])].map((item) => {
      const entry = document.createElement("span");
      if (item.shape) entry.dataset.shape = item.shape;
      entry.style.setProperty("--c", `var(--${item.token})`);
      entry.append(document.createElement("i"), item.words);
      return entry;
    }));
  }
  /* What stands in place of the board hears what is drawn, selected and searched. */
  const tell = (what) => document.dispatchEvent(new CustomEvent(`redstring:${what}`));
  const fullScreen = (element) => (document.fullscreenElement ? document.exitFullscreen() : element.closest(".pane").requestFullscreen?.());

  /* ---------- cards ---------- */
  const cardOf = (id) => all("#passages .card").find((card) => card.dataset.members.split("\n").includes(id));
  function select(id, { scroll = false } = {}) {
    Object.assign(state, { selected: id, string: null });
    all("#passages .card.on").forEach((card) => card.classList.remove("on"));
    let card = id === null ? null : cardOf(id);
    const peek = one("#peek");
    if (peek && (!card || card.parentElement !== peek)) peek.replaceChildren();
    if (id !== null && !card) card = peekAt(id);
    if (card) {
      card.classList.add("on");
      if (scroll) { pane("passages"); card.scrollIntoView({ block: "nearest", behavior: "smooth" }); }
    }
    post({ type: "select", id });
    redstring.inspect();
    tell("selected");
  }
  /* A passage or a query that stands on the board or in the tree and has no card (see peek.js). */
  function peekAt(id) {
    const nodes = (state.data && state.data.nodes) || [];
    const node = nodes.find((item) => item.id === id) || (state.beside && state.beside.id === id ? state.beside : null);
    const peek = one("#peek");
    if (!node || !peek) return null;
    const card = window.redstring.peek(node, (other) => cardOf(other) || nodes.some((item) => item.id === other));
    peek.replaceChildren(card);
    return card;
  }
  async function copy(card, button) {
    const before = button.textContent;
    try { await navigator.clipboard.writeText(card.dataset.citation); button.textContent = "Copied"; }
    catch { button.textContent = card.dataset.citation; }
    setTimeout(() => { button.textContent = before; }, 1600);
  }
  function onCardClick(event) {
    const control = event.target.closest("[data-act]");
    const card = event.target.closest(".card");
    const other = event.target.closest("[data-select]");
    if (other) return select(other.dataset.select, { scroll: true });
    if (control) {
      const act = control.dataset.act;
      if (act === "more") return state.act({ action: "more", id: "" });
      if (act === "tree") return redstring.showInTree(card.dataset.id);
      if (act === "copy") return copy(card, control);
      if (act === "read") return window.redstring.readPassage(one("#passages .cards").dataset.corpus, card.dataset.id);
      if (act.endsWith("reject")) { if (state.selected !== card.dataset.id) select(card.dataset.id); return redstring.judge(control, card.dataset.id); }
      state.steered = act === "follow" || act === "whole" ? card.dataset.id : state.selected;
      state.reading = act === "whole" ? card.dataset.id : null;
      return state.act({ action: act, id: card.dataset.id, reason: control.dataset.reason || "" });
    }
    if (card && !event.target.closest("summary, details table, a")) select(card.dataset.id);
    return undefined;
  }
  function passages(element, trigger, watch, kind) {
    element.addEventListener("click", onCardClick);
    element.addEventListener("keydown", (event) => {
      const card = event.target;
      if (!card.classList.contains("card")) return;
      if (event.key === "Enter") select(card.dataset.id);
      const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
      if (step) { event.preventDefault(); nextCard(card, step); }
    });
    if (kind === "ranked") state.act = (detail) => trigger("select", detail);
    watch("value", () => {
      if (kind === "ranked" && state.reported && one("#ranked .card")) { evidence(null); redstring.stay(); } else if (kind === "ranked") {
        state.reported = false;
        const keep = state.steered || null;
        state.steered = false;
        evidence(null);
        const first = one("#ranked .card");
        if (keep && cardOf(keep)) select(keep, { scroll: true });
        else select(first ? first.dataset.id : null);
        one("#passages .list").scrollTop = keep ? one("#passages .list").scrollTop : 0;
      }
      if (kind === "ranked") sort();
      filter();
      counts();
      if (kind === "rest") toRead();
    });
  }
  /* From card to card in the order in which they are shown. */
  function nextCard(card, step) {
    const cards = all("#passages .card").filter((other) => other.offsetParent).sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
    const next = cards[cards.indexOf(card) + step];
    if (next) { next.focus(); select(next.dataset.id, { scroll: true }); }
  }
  document.addEventListener("click", (event) => {
    if (!event.target.closest("a.skip")) return;
    event.preventDefault();
    view("investigate");
    pane("passages");
    const first = one("#ranked .card") || one("#question textarea");
    first.focus();
    first.scrollIntoView({ block: "nearest" });
  });
  /* After a document was read whole: to where it stands. */
  function toRead() {
    const head = state.reading && all("#rest .read-whole").find((part) => part.dataset.from === state.reading);
    if (!head) return;
    state.reading = null;
    setTimeout(() => head.scrollIntoView({ block: "start" }));
  }
  function filter() {
    const wanted = (one("#filter") ? one("#filter").value : "").trim().toLowerCase();
    const cards = all("#ranked .card, #rest .card");
    cards.forEach((card) => {
      const members = card.dataset.members.split("\n");
      const out = (wanted && !card.textContent.toLowerCase().includes(wanted)) || (state.evidence && !members.some((id) => state.evidence.ids.has(id)));
      card.hidden = Boolean(out);
    });
    const note = one("#filter-note");
    if (!note) return;
    note.hidden = !state.evidence;
    if (state.evidence) {
      const count = cards.filter((card) => !card.hidden).length;
      one("span", note).textContent = `Evidence for ${state.evidence.name}: ${count} of ${state.evidence.ids.size} among the cards`;
    }
  }
  function sort() {
    const by = one("#sort").value;
    const list = one("#ranked .cards");
    if (!list) return;
    const rank = (card) => Number(one(".n", card).textContent);
    const place = (card) => Number(card.dataset.place);
    const cards = all(".card", list).sort((a, b) => (by === "document" ? place(a) - place(b) : 0) || rank(a) - rank(b));
    cards.forEach((card, index) => { card.style.order = String(index); });
  }
  function passagesHead(element) {
    element.addEventListener("input", (event) => { if (event.target.id === "filter") filter(); });
    element.addEventListener("change", (event) => { if (event.target.id === "sort") sort(); });
    element.addEventListener("click", (event) => { if (event.target.closest("#filter-note button")) evidence(null); });
  }

  /* ---------- coverage ---------- */
  function evidence(area) {
    state.evidence = area;
    all("#coverage .area").forEach((button) => button.setAttribute("aria-pressed", String(Boolean(area) && button === area.button)));
    sendEvidence();
    filter();
    if (area) one("#passages .list").scrollTop = 0;
  }
  function coverage(element, watch) {
    const head = () => {
      const areas = one(".areas", element);
      one("#coverage-count").textContent = areas ? areas.dataset.summary : "";
      counts();
    };
    watch("value", head);
    const act = (control) => {
      const row = control.closest(".area-row"), id = control.parentElement.dataset.area, kind = control.dataset.areaAct;
      const [best] = JSON.parse(one(".area", row).dataset.evidence);
      if (kind === "texts") return redstring.view("corpus");
      if (kind !== "search") return state.act({ action: kind, id });
      if (best) return state.act({ action: "follow", id: best });
      const question = one("#question textarea");
      question.value = one("b", row).textContent;
      question.dispatchEvent(new Event("input", { bubbles: true }));
      return question.focus();
    };
    element.addEventListener("click", (event) => {
      const control = event.target.closest("[data-area-act]");
      if (control) return act(control);
      const outside = event.target.closest("[data-read]");
      if (outside) return window.redstring.readPassage(one("#passages .cards").dataset.corpus, outside.dataset.read);
      const button = event.target.closest(".area");
      if (!button) return undefined;
      const ids = JSON.parse(button.dataset.evidence);
      if (button.getAttribute("aria-pressed") === "true" || !ids.length) return evidence(null);
      evidence({ button, name: one("b", button).textContent, ids: new Set(ids) });
      if (matchMedia("(max-width: 760px)").matches) pane("passages");
      return undefined;
    });
  }

  /* ---------- story, rail, panes ---------- */
  function story(element, watch) {
    const show = () => {
      const line = one(".story", element);
      const brought = line && line.dataset.brought ? JSON.parse(line.dataset.brought) : {};
      all("#threads label, #set-close_gaps label").forEach((label) => {
        const key = one("input", label).name === "test" ? "gaps" : one("input", label).name;
        const count = brought[key];
        if (count === undefined) label.removeAttribute("data-count"); else label.dataset.count = `+${count}`;
      });
      all(".step-table:popover-open").forEach(under);
      counts();
    };
    watch("value", show);
    chips(element);
    show();
  }
  /* The table behind a step stands under it, also when the story goes on, and never beyond the screen. */
  function under(table) {
    const box = one(`[popovertarget="${table.id}"]`).getBoundingClientRect();
    const left = Math.max(12, Math.min(box.left, window.innerWidth - table.offsetWidth - 12));
    const top = Math.max(12, Math.min(box.bottom + 8, window.innerHeight - table.offsetHeight - 12));
    Object.assign(table.style, { top: `${top}px`, left: `${left}px` });
  }
  document.addEventListener("toggle", (event) => {
    if (event.newState === "open" && event.target.classList.contains("step-table")) under(event.target);
  }, true);
  function counts() {
    const ranked = all("#ranked .card").length;
    const covered = (one("#coverage-count") || {}).textContent || "";
    const set = (name, text) => { const tab = one(`#switch [data-pane=${name}]`); if (tab) tab.textContent = text; };
    set("passages", ranked ? `Passages ${ranked}` : "Passages");
    set("coverage", covered ? `Coverage ${covered.replace(" of ", "/")}` : "Coverage");
  }
  function pane(name) {
    const stage = one("#panes");
    if (stage) stage.dataset.pane = name;
    all("#switch button").forEach((button) => button.setAttribute("aria-selected", String(button.dataset.pane === name)));
  }
  function panes(element) {
    element.addEventListener("click", (event) => {
      const button = event.target.closest("[data-pane]");
      if (button) pane(button.dataset.pane);
    });
    pane("passages");
  }
  function ask(text) {
    const area = one("#question textarea");
    const setter = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
    setter.call(area, text);
    area.dispatchEvent(new Event("input", { bubbles: true }));
    one("#go").click();
  }
  /* Calls back with an element as soon as the page has it. */
  function appears(selector, act) {
    const there = () => {
      const found = one(selector);
      if (found) act(found);
      return Boolean(found);
    };
    if (there()) return;
    new MutationObserver((_, observer) => { if (there()) observer.disconnect(); }).observe(document.body, { childList: true, subtree: true });
  }
  function rail() {
    appears("#question textarea", (area) => { area.dir = "auto"; });
    // A date is chosen from a calendar; the field stays a text field for the server.
    appears("#set-as_of input", (field) => { field.type = "date"; });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.closest("#question")) return;
    event.preventDefault();
    one("#go").click();
  });
  function finding(element) {
    element.addEventListener("click", (event) => {
      const pinpoint = event.target.closest("[data-passage]");
      if (pinpoint) lead(pinpoint.dataset.passage, pinpoint.closest("[data-corpus]").dataset.corpus);
      if (event.target.closest("[data-finding]")) { pane("answer"); one("#passages").scrollIntoView({ block: "nearest" }); }
    });
  }
  /* To the card of a passage; without one it is read in its document. */
  function lead(id, corpus) {
    select(id, { scroll: true });
    if (!cardOf(id)) redstring.readPassage(corpus, id);
  }
  function chips(element) {
    element.addEventListener("click", (event) => {
      const chip = event.target.closest(".chip");
      if (!chip) return;
      if (chip.dataset.question) ask(chip.dataset.question);
      else if (chip.dataset.passage) select(chip.dataset.passage, { scroll: true });
      else chip.parentElement.classList.add("all");
    });
  }
  function fold(element) {
    const set = (open) => {
      one("#rail").classList.toggle("open", open);
      one("#fold").setAttribute("aria-expanded", String(open));
    };
    element.addEventListener("click", (event) => {
      if (event.target.closest("#fold")) set(!one("#rail").classList.contains("open"));
    });
    /* On a phone a case would be told below screens of settings. */
    document.addEventListener("click", (event) => {
      if (event.target.closest("#go, #plan-go") && matchMedia("(max-width: 760px)").matches) set(false);
    });
  }
  /* ---------- addresses ---------- */
  /* Each view, case, comparison and reading position has its own: ?view=corpus&corpus=NAME&document=3&at=12&case=ID. */
  const addressed = () => Object.fromEntries(new URLSearchParams(location.search));
  function address(parts, { replace = false } = {}) {
    const url = new URL(location.href);
    Object.entries(parts).forEach(([name, value]) => { if (value === "" || value === undefined) url.searchParams.delete(name); else url.searchParams.set(name, value); });
    if (url.href !== location.href) history[replace ? "replaceState" : "pushState"]({}, "", url);
  }
  /* Back and Forward show what the address names; nothing of that is a new entry. */
  addEventListener("popstate", () => {
    view(PANELS[addressed().view] ? addressed().view : "investigate", { kept: true });
    document.dispatchEvent(new CustomEvent("redstring:address", { detail: addressed() }));
  });

  /* ---------- the views of the page ---------- */
  const PANELS = { corpus: "library", check: "check", cases: "cases", review: "review", evaluate: "evaluation" };
  const built = (ids, act) => (ids.length ? appears(`#${ids[0]}`, () => built(ids.slice(1), act)) : act());
  function view(name, { kept = false, quiet = false } = {}) {
    document.body.dataset.view = name;
    const gone = { ...(name === "corpus" ? {} : { corpus: "", document: "", at: "" }), ...(name === "cases" ? {} : { compare: "" }) };
    if (!kept) address({ view: name === "investigate" ? "" : name, ...gone });
    one("#app").toggleAttribute("data-away", name !== "investigate");
    Object.entries(PANELS).forEach(([panel, id]) => one(`#${id}`).toggleAttribute("data-here", name === panel));
    one(".top").dataset.view = name;
    all(".views [data-view]").forEach((button) => button.setAttribute("aria-selected", String(button.dataset.view === name)));
    // On a phone the tabs are wider than the screen.
    one(`.views [data-view="${name}"]`).scrollIntoView({ block: "nearest", inline: "nearest" });
    if (!quiet) document.dispatchEvent(new CustomEvent("redstring:view", { detail: name }));
  }
  /* Whoever has logged in sees under which name, and the way out. */
  function account() {
    const name = (window.gradio_config || {}).username;
    one("#account span").textContent = name || "";
    one("#account").hidden = !name;
  }
  function header(element, watch) {
    theme();
    watchTheme();
    account();
    redstring.language(one("#language"));
    watch("value", () => { account(); redstring.language(one("#language")); redstring.modelLabel(); if (document.body.dataset.view) view(document.body.dataset.view, { kept: true, quiet: true }); });
    element.addEventListener("click", (event) => {
      if (event.target.closest("#theme-toggle")) toggleTheme();
      const brand = event.target.closest("a.brand");
      if (brand) { event.preventDefault(); redstring.openCase(""); }
      const chosen = event.target.closest(".views [data-view]");
      if (chosen) view(chosen.dataset.view);
    });
    rail();
    if (PANELS[addressed().view]) built(["app", ...Object.values(PANELS)], () => view(addressed().view, { kept: true }));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (state.evidence) evidence(null); else if (state.selected !== null || state.string !== null) select(null);
  });
  /* What a job says while others have their turn. */
  const waiting = (before) => `Waiting: ${before === 1 ? "one other has" : `${before} others have`} their turn first`;
  window.redstring = { waiting, appears, addressed, address, ask, finding, libraryUrl, session, signed, header, view, board, passages, passagesHead, coverage, story, panes, chips, fold, select, post, state, nodes: (kind = "passage") => ((state.data && state.data.nodes) || []).filter((node) => node.kind === kind).map((node) => node.id) };
})();
