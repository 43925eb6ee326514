/* The Corpus view: which corpus, which tab, and the one door to the server. Reading, adding and resolving have files of their own. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.books) return;
  const VISITOR_KEY = "redstring-visitor";
  const REFRESH = 15000;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const lib = { root: null, name: "", facts: null, shelf: [], tab: "read", choices: 0, creating: false, trigger: () => {}, server: null, parts: [], wanted: null, entering: null, opening: null };

  /* ---------- who is asking ---------- */
  function token() {
    const bytes = crypto.getRandomValues(new Uint8Array(24));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
  }
  let visiting = "";
  /* The token that private corpora belong to. It lives in this browser and nowhere else in the clear. */
  function visitor() {
    if (visiting) return visiting;
    try { visiting = localStorage.getItem(VISITOR_KEY) || ""; } catch { /* private mode: the token lasts for this visit */ }
    if (!visiting) {
      visiting = token();
      try { localStorage.setItem(VISITOR_KEY, visiting); } catch { /* as above */ }
    }
    return visiting;
  }

  /* ---------- asking the server ---------- */
  const part = (name) => one(`[data-lib="${name}"]`, lib.root);
  async function ask(request, { quiet = false } = {}) {
    let found;
    try {
      const state = request.corpus === undefined && lib.facts ? lib.facts.state : "";
      found = await lib.server.corpus(redstring.signed({ corpus: lib.name, state, ...request }));
    } catch {
      found = { error: "The server did not answer; its log has the details." };
    }
    if (found.error && !quiet) say(found.error);
    if (found.changed) await refresh();
    if (found.error) throw new Error(found.error);
    return found;
  }
  /* Asks, and does with the answer what is given; an error has been said and ends it. */
  const asking = (request, then, options) => ask(request, options).then(then, () => undefined);

  const say = (words, { good = false } = {}) => part("banner").replaceChildren(redstring.banner(words, good));
  const hush = () => part("banner").replaceChildren();

  /* ---------- the shelf ---------- */
  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  async function refresh() {
    if (!lib.server) return;
    // Whoever chooses a tab while the shelf is asked for is left there too.
    const { choices: before } = lib;
    const found = await ask({ do: "shelf", corpus: "" }, { quiet: true }).catch(() => null);
    if (!found) return;
    const shelf = JSON.stringify(lib.shelf);
    lib.shelf = found.corpora;
    if (found.job) lib.parts.forEach((member) => member.resume && member.resume(found.job));
    if (JSON.stringify(lib.shelf) === shelf) return;
    drawShelf();
    if (shelf !== "[]") lib.trigger("change");
    const known = lib.shelf.find((item) => item.name === lib.name);
    if (!known) open((lib.shelf.find((item) => !item.problem) || { name: "" }).name, { before });
    else if (lib.facts && known.state !== lib.facts.state) {
      // Of a state with the same text only what is searched has changed: whoever reads reads on.
      if (known.text && known.text === lib.facts.text) renewed(known);
      else open(lib.name, { tab: lib.tab, anew: true, before });
    }
  }
  function renewed(item) {
    lib.facts = item;
    lib.parts.forEach((member) => member.renewed && member.renewed());
  }
  /* Everything of one's own is deleted at the second press, and only soon after the first. */
  async function forget(button) {
    if (!button.dataset.sure) {
      const words = button.textContent;
      button.dataset.sure = "1";
      button.textContent = "Delete all your corpora and ratings? This cannot be undone.";
      setTimeout(() => { delete button.dataset.sure; button.textContent = words; }, 5000);
      return;
    }
    try { await ask({ do: "forget-me", corpus: "" }); } catch { return; }
    await refresh();
    say("Your corpora and their verdicts are deleted.", { good: true });
  }
  function drawShelf() {
    part("forget").hidden = !lib.shelf.some((item) => item.private);
    part("shelf").replaceChildren(...lib.shelf.map((item) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "book";
      button.dataset.name = item.name;
      button.setAttribute("aria-pressed", String(item.name === lib.name && !lib.creating));
      const name = document.createElement("b");
      name.dir = "auto";
      name.textContent = item.name;
      const size = document.createElement("small");
      size.textContent = item.problem ? "cannot be opened" : `${count(item.documents, "document")} · ${count(item.passages, "passage")}`;
      button.title = item.problem;
      button.append(name, size);
      if (item.private) {
        const seal = document.createElement("span");
        seal.className = "badge";
        seal.textContent = "Private";
        button.append(seal);
      }
      return button;
    }));
  }

  /* ---------- a corpus, a tab ---------- */
  function open(name, how = {}) {
    lib.opening = openNow(name, how);
    return lib.opening;
  }
  async function openNow(name, { tab = "read", anew = false, before = lib.choices } = {}) {
    const item = lib.shelf.find((other) => other.name === name);
    if (!item) return;
    const other = lib.name !== name || anew || lib.creating;
    Object.assign(lib, { name, facts: item, creating: false });
    one(".lib", lib.root).classList.remove("creating");
    drawShelf();
    part("name").textContent = name;
    part("facts").textContent = item.problem || [count(item.documents, "document"), count(item.passages, "passage"), item.languages.slice(0, 6).join(", ")].filter(Boolean).join(" · ");
    const addTab = one("[data-tab=add]", lib.root);
    if (addTab) addTab.hidden = !item.addable;
    if (item.problem) return;
    if (other) {
      if (!anew) hush();
      const found = await ask({ do: "overview" }).catch(() => null);
      if (!found) return;
      one("[data-tab=resolve] small", lib.root).textContent = found.open ? found.open.toLocaleString("en") : "";
      await Promise.all(lib.parts.map((member) => member.opened && member.opened(found, anew)));
    }
    // Whoever has chosen a tab meanwhile is left there.
    show(lib.choices !== before ? lib.tab : addTab && addTab.hidden && tab === "add" ? "read" : tab);
  }
  function show(tab) {
    lib.tab = tab;
    all("[data-tab]", lib.root).forEach((button) => {
      const on = button.dataset.tab === tab;
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
    });
    all("[data-view]", lib.root).forEach((view) => { view.hidden = view.dataset.view !== tab; });
    lib.parts.forEach((member) => member.shown && member.shown(tab));
  }
  /* A person's own choice: no answer that comes late takes it back. */
  function choose(tab) {
    lib.choices += 1;
    show(tab);
  }
  function create() {
    lib.creating = true;
    hush();
    one(".lib", lib.root).classList.add("creating");
    part("name").textContent = "New corpus";
    part("facts").textContent = "";
    drawShelf();
    choose("add");
  }

  /* ---------- keys and clicks ---------- */
  function onTabKey(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const tabs = all("[data-tab]", lib.root).filter((button) => !button.hidden);
    const at = tabs.indexOf(event.target);
    if (at < 0) return;
    const next = tabs[(at + (event.key === "ArrowRight" ? 1 : tabs.length - 1)) % tabs.length];
    next.focus();
    choose(next.dataset.tab);
  }
  function onClick(event) {
    const tab = event.target.closest("[data-tab]");
    if (tab) return choose(tab.dataset.tab);
    const book = event.target.closest(".book");
    if (book) return open(book.dataset.name);
    if (event.target.closest("[data-lib=new]")) return create();
    if (event.target.closest("[data-lib=ask]")) return askThis();
    if (event.target.closest("[data-lib=back]")) return redstring.view("investigate");
    const away = event.target.closest("[data-lib=forget]");
    if (away) return forget(away);
    return undefined;
  }
  const seen = () => document.body.dataset.view === "corpus" && document.visibilityState === "visible";

  function books(element, server, trigger) {
    Object.assign(lib, { root: element, server, trigger });
    element.addEventListener("click", onClick);
    one(".lib-tabs", element).addEventListener("keydown", onTabKey);
    lib.parts.forEach((member) => member.start && member.start(element));
    document.addEventListener("redstring:view", (event) => { if (event.detail === "corpus") lib.entering = enter(); });
    document.addEventListener("visibilitychange", () => { if (seen()) refresh(); });
    window.addEventListener("focus", () => { if (seen()) refresh(); });
    setInterval(() => { if (seen()) refresh(); }, REFRESH);
    if (document.body.dataset.view === "corpus") enter();
  }
  async function enter() {
    const { choices: before } = lib;
    await refresh();
    if (await addressed()) return;
    if (!lib.name && lib.shelf.length) await open((lib.wanted || lib.shelf.find((item) => !item.problem) || lib.shelf[0]).name, { before });
  }
  /* The corpus, document and position that the address names; returns whether it names one that is here. */
  async function addressed() {
    const { corpus, document: number, at } = redstring.addressed();
    await lib.opening;
    if (corpus === undefined || !lib.shelf.some((item) => item.name === corpus)) return false;
    if (corpus !== lib.name || lib.creating) await open(corpus);
    if (number !== undefined) lib.parts.forEach((member) => member.read && member.read(Number(number), Number(at || 0), { kept: true }));
    return true;
  }
  /* The next question is asked of a corpus: it is chosen in Investigate. */
  const chooseCorpus = (name) => lib.trigger("select", { corpus: name });
  function askThis() {
    chooseCorpus(lib.name);
    redstring.view("investigate");
    one("#question textarea", document).focus();
  }
  /* From a card of the investigation to the same passage among its neighbours. */
  async function readPassage(name, id) {
    const before = lib.choices;
    redstring.view("corpus", { kept: true });
    // The view may be opening its first document: that must not come after the passage that is wanted.
    await lib.entering;
    await refresh();
    await lib.opening;
    await open(name || (lib.shelf[0] || {}).name, { before });
    await asking({ do: "place", target: id }, (spot) => {
      if (lib.choices === before) lib.parts.forEach((member) => member.read && member.read(spot.document, spot.at));
    });
  }

  Object.assign(redstring, { books, visitor, readPassage });
  redstring.lib = { chosen: chooseCorpus, state: lib, one, all, part, ask, asking, say, hush, open, show, refresh, count };
})();
