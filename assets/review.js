/* The Review view: queues, criteria, figures; what is judged one by one stands in review-queue.js. All HTML comes from
   the server. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.review) return;
  const NAME = "redstring-reviewer", OPEN = "redstring-review-queue", EVERY = 700;
  const state = { kit: null, root: null, door: null, play: null, show: "home", name: "" };
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
    state.kit.banner("Say your name first: verdicts are kept under it.");
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
  async function enter(queue) {
    if (!haveName()) return;
    keep(OPEN, queue, sessionStorage);
    state.kit.banner("");
    const before = state.show;
    if (await state.play.enter(queue)) show("queue"); else { keep(OPEN, "", sessionStorage); show(before); }
  }
  const figures = (queue) => state.kit.send({ do: "figures", queue }, { quiet: true });

  /* How far learning is, again and again as long as its screen is there. */
  function follow(job) {
    clearTimeout(state.timer);
    if (job) state.timer = setTimeout(() => state.kit.send({ do: "learning", job }, { quiet: true }), EVERY);
  }

  const acts = {
    enter: (button) => enter(button.dataset.queue),
    figures: (button) => { if (!haveName()) return; state.kit.banner(""); figures(button.dataset.queue); },
    leave: () => (state.kit.banner(""), home()).then(() => { const first = one(".rev-home button"); if (first) first.focus(); }),
    fold: (button) => button.setAttribute("aria-expanded", String(one(".rev").toggleAttribute("data-open"))),
    verdict: (button) => state.play.verdict(button),
    reason: (button) => state.play.reason(button),
    why: () => state.play.why(),
    undo: () => state.play.undo(),
    again: () => state.play.again(),
    "ask-in": (button) => redstring.askIn(button.dataset.matter),
  };
  function after(found, request) {
    if (request.do === "figures" || request.do === "settle") { if (found.html) show("figures"); }
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
    if (state.show === "queue") state.play.focus();
    const queue = state.show === "home" && named() && kept(OPEN, sessionStorage);
    if (queue) enter(queue); else if (state.show === "home") home();
  }
  function review(element, server) {
    state.name = kept(NAME);
    const more = () => ({ reviewer: login() ? "" : state.name });
    state.root = element;
    state.kit = redstring.kit(element, server.review, { acts, after, more });
    state.play = redstring.reviewQueue(element, state.kit, (request) => server.review(redstring.signed({ ...more(), ...request })), figures);
    part("name").value = state.name;
    part("name").addEventListener("input", (event) => { state.name = event.target.value; keep(NAME, state.name); });
    part("name").addEventListener("change", () => { if (state.show === "home") state.kit.send({ do: "queues" }, { quiet: true }); });
    part("matter").addEventListener("change", (event) => { state.kit.swap("criteria", ""); home(event.target.value); });
    document.addEventListener("redstring:view", (event) => { if (event.detail === "review") arrive(); });
    if (document.body.dataset.view === "review") arrive();
    else if (named() && kept(OPEN, sessionStorage)) whenThere(["#app", "#library", "#check", "#cases", "#evaluation", ".top"], () => redstring.view("review"));
  }
  Object.assign(redstring, { review });
})();
