/* The Review view: queues, criteria, figures; what is judged one by one stands in review-queue.js. All HTML comes from
   the server. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.review) return;
  const NAME = "redstring-reviewer", OPEN = "redstring-review-queue", EVERY = 700;
  const state = { kit: null, root: null, door: null, play: null, show: "home", name: "", wanted: "" };
  const one = (selector) => state.kit.one(selector);
  const part = (name) => one(`[data-part="${name}"]`);

  /* ---------- what a browser keeps ---------- */
  const kept = (key, where = localStorage) => { try { return where.getItem(key) || ""; } catch { return ""; } };
  function keep(key, value, where = localStorage) {
    try { if (value) where.setItem(key, value); else where.removeItem(key); } catch { /* it lasts for this visit */ }
  }
  /* Whoever has logged in is known by that name; anybody else says one, once. */
  const login = () => (window.gradio_config || {}).username || "";
  const named = () => login() || state.name.trim();
  function haveName() {
    if (named()) return true;
    state.kit.banner("Enter your name to start. Your ratings are saved under it.");
    part("name").focus();
    return false;
  }

  /* ---------- screens ---------- */
  function show(name) {
    state.show = name;
    one(".rev").dataset.show = name;
    ["figures", "learned"].filter((slot) => slot !== name).forEach((slot) => state.kit.swap(slot, ""));
    if (name !== "learned") follow("");
  }
  const opened = () => new URLSearchParams(location.search).get("case") || "";
  async function home(matter = part("matter").value) {
    const said = state.play.leave();
    keep(OPEN, "", sessionStorage);
    show("home");
    await said;
    const draft = written(matter);
    return state.kit.send({ do: "home", matter, cases: opened() }, { quiet: true }).then(() => {
      const field = one("[name=criteria]");
      if (draft && field && part("matter").value === matter) field.value = draft;
    });
  }
  /* Criteria that somebody is writing for the matter that is shown. */
  function written(matter) {
    const field = one("[name=criteria]");
    return field && part("matter").value === matter && field.value !== field.defaultValue ? field.value : "";
  }
  async function enter(queue, before = state.show) {
    if (!haveName()) return;
    keep(OPEN, queue, sessionStorage);
    state.kit.banner("");
    if (await state.play.enter(queue)) show("queue"); else { keep(OPEN, "", sessionStorage); show(before); }
  }
  const figures = (queue) => state.kit.send({ do: "figures", queue }, { quiet: true });
  async function settle(queue) {
    await figures(queue);
    const place = one(".rev-differ");
    if (place) { place.scrollIntoView(); place.focus({ preventScroll: true }); }
  }

  /* ---------- from a case and back ---------- */
  /* The first item of the queue of a case; whoever has no name yet gives it first. */
  async function reviewCase(id) {
    state.wanted = id;
    redstring.view("review");
    if (!named()) { await home(); haveName(); return; }
    state.wanted = "";
    await state.play.leave();
    show("queue");
    const found = await state.kit.send({ do: "review-case", cases: id }, { quiet: true });
    if (!found || state.show !== "queue") return;
    if (found.queue) await enter(found.queue, "home"); else show("home");
    if (state.show === "home") state.kit.send({ do: "home", matter: "", cases: id }, { quiet: true });
  }
  async function toCase(id) {
    const bar = document.querySelector(".case-bar");
    await state.play.said();
    if (bar && bar.dataset.case === id) redstring.view("investigate"); else redstring.openCase(id);
  }
  /* What was said of the passages of the case that is shown, on their cards. */
  const marks = { of: "", html: {} };
  async function lookForMarks() {
    const bar = document.querySelector(".case-bar"), id = bar ? bar.dataset.case : "";
    if (marks.of !== id) Object.assign(marks, { of: id, html: {} });
    let found = { marks: {} };
    if (id && named()) try { found = await state.ask({ do: "marks", cases: id }); } catch { /* they are asked for again */ }
    if (marks.of !== id) return;
    marks.html = found.marks || {};
    mark();
  }
  function mark() {
    document.querySelectorAll("#passages .card").forEach((card) => {
      const head = card.querySelector(".cite"), now = card.querySelector(".rev-mark"), html = marks.html[card.dataset.id] || "";
      if (!head || (now ? now.dataset.html : "") === html) return;
      if (now) now.remove();
      if (!html) return;
      head.insertAdjacentHTML("afterend", html);
      card.querySelector(".rev-mark").dataset.html = html;
    });
  }

  function tell(words) {
    state.kit.banner(words);
    inSight();
  }
  /* On a phone the line stands above what was scrolled to. */
  const inSight = () => state.kit.slot("banner").scrollIntoView({ block: "nearest" });
  /* A file of verdicts goes the way of all files; then the server is told what it is. */
  async function bring(form, { file, format }) {
    if (!haveName()) return;
    if (!file || !file.size) { tell("Choose a file first; an empty one says nothing."); return; }
    if (file.size > Number(form.dataset.most)) { tell(`${file.name}: larger than the ${form.dataset.most / 1e6} MB taken here; the command line takes it.`); return; }
    const { root = "", api_prefix: prefix = "/gradio_api" } = window.gradio_config || {};
    const body = new FormData();
    body.append("files", file, file.name);
    const arrived = await fetch(`${root}${prefix}/upload`, { method: "POST", body }).then((answer) => (answer.ok ? answer.json() : null), () => null);
    if (!arrived) { tell(`${file.name}: did not arrive; send it again.`); return; }
    await state.kit.send({ do: "verdicts-in", ...JSON.parse(form.dataset.with), format, file: { key: arrived[0], name: file.name } });
  }

  /* How far learning is, again and again as long as its screen is there. */
  function follow(job) {
    clearTimeout(state.timer);
    if (job) state.timer = setTimeout(() => state.kit.send({ do: "learning", job }, { quiet: true }), EVERY);
  }

  const acts = {
    enter: (button) => enter(button.dataset.queue),
    figures: (button) => { if (!haveName()) return; state.kit.banner(""); figures(button.dataset.queue); },
    settle: (button) => { if (haveName()) settle(button.dataset.queue); },
    "to-case": (button) => toCase(button.dataset.case),
    leave: () => (state.kit.banner(""), home()).then(() => { const first = one(".rev-home button"); if (first) first.focus(); }),
    fold: (button) => button.setAttribute("aria-expanded", String(one(".rev").toggleAttribute("data-open"))),
    verdict: (button) => state.play.verdict(button),
    reason: (button) => state.play.reason(button),
    why: () => state.play.why(),
    undo: () => state.play.undo(),
    again: () => state.play.again(),
    bring,
    "ask-in": (button) => redstring.askIn(button.dataset.matter),
  };
  function after(found, request) {
    if ((request.do === "figures" || request.do === "settle") && found.html) {
      show("figures");
      // Who came straight to a queue, from a case or by loading the page anew, has not been at home yet.
      if (!part("matter").options.length) state.kit.send({ do: "home", matter: "", cases: opened() }, { quiet: true });
    }
    if (request.do.startsWith("verdicts-")) inSight();
    if (found.html && found.html.learned && state.show !== "learned") { show("learned"); one("[data-key=learned]").focus(); }
    if (state.show === "learned") follow(found.job || "");
    if (found.made && state.show !== "home") show("home");
    if (found.made) { const button = one(`[data-key="enter-${CSS.escape(found.made)}"]`); if (button) button.focus(); }
  }

  /* ---------- beginning ---------- */
  /* Whoever was judging when the page was loaded anew goes on, as soon as all views are there. */
  function whenThere([first, ...others], act) {
    redstring.appears(first, () => { if (others.length) whenThere(others, act); else act(); });
  }
  function arrive() {
    part("named").hidden = Boolean(login());
    if (state.wanted) return;
    if (state.show === "queue") state.play.focus();
    const queue = state.show === "home" && named() && kept(OPEN, sessionStorage);
    if (queue) enter(queue); else if (state.show === "home") home();
  }
  function review(element, server) {
    state.name = kept(NAME);
    const more = () => ({ reviewer: login() ? "" : state.name });
    state.root = element;
    state.kit = redstring.kit(element, server.review, { acts, after, more });
    state.ask = (request) => server.review(redstring.signed({ ...more(), ...request }));
    state.play = redstring.reviewQueue(element, state.kit, state.ask, figures);
    part("name").value = state.name;
    part("name").addEventListener("input", (event) => { state.name = event.target.value; keep(NAME, state.name); });
    part("name").addEventListener("change", () => { if (state.wanted && named()) reviewCase(state.wanted); else if (state.show === "home") state.kit.send({ do: "queues" }, { quiet: true }); });
    part("matter").addEventListener("change", (event) => { state.kit.swap("criteria", ""); home(event.target.value); });
    document.addEventListener("redstring:view", (event) => { if (event.detail === "review") arrive(); else state.wanted = ""; });
    document.addEventListener("redstring:view", (event) => { if (event.detail === "investigate") lookForMarks(); });
    document.addEventListener("redstring:kept", lookForMarks);
    redstring.appears("#passages .list", () => new MutationObserver(mark).observe(document.querySelector("#passages .list"), { childList: true, subtree: true }));
    if (document.body.dataset.view === "review") arrive();
    // If the address names this view, it is shown anyway; entering the queue twice would take two items.
    else if (new URLSearchParams(location.search).get("view") !== "review" && named() && kept(OPEN, sessionStorage)) whenThere(["#app", "#library", "#check", "#cases", "#evaluation", ".top"], () => redstring.view("review"));
  }
  Object.assign(redstring, { review, reviewCase });
})();
