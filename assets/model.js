/* The language model of this page load: the control in the header, and the dialog that connects one.
   The key lives in its field until it is sent; it is never stored, and never written anywhere else. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.model) return;
  const FAILED = "The server did not answer; its log has the details.";
  const ASKED = ["input", "cached", "output"];
  const BUDGET = { "budget-calls": "call_budget", "budget-tokens": "token_budget", "budget-seconds": "time_budget", "budget-money": "money_budget" };
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const state = { root: null, server: null, budgeted: () => {}, told: { whose: "nobody" } };
  const dialog = () => one("dialog", state.root);
  const part = (name) => one(`[data-model="${name}"]`, state.root);

  /* ---------- asking the server ---------- */
  async function ask(request) {
    try { return await state.server.model(redstring.signed(request)); }
    catch { return { error: FAILED }; }
  }
  function filled() {
    const values = { url: part("url").value.trim(), model: part("name").value.trim(), key: part("key").value, currency: part("currency").value.trim() };
    for (const name of ASKED) values[name] = part(name).value === "" ? null : Number(part(name).value);
    values.context = part("context").value === "" ? null : Number(part("context").value);
    return values;
  }
  async function busy(words, work) {
    dialog().dataset.busy = "1";
    result("wait", [words]);
    try { await work(); } finally { delete dialog().dataset.busy; }
  }
  function result(tone, lines) {
    const place = part("result");
    place.dataset.tone = tone;
    place.replaceChildren(...lines.map((line) => { const made = document.createElement("p"); made.textContent = line; made.dir = "auto"; return made; }));
    if (lines.length) place.scrollIntoView({ block: "nearest" });
  }

  /* ---------- what is connected ---------- */
  function label() {
    const button = one("#model-open");
    if (!button) return;
    button.dataset.whose = state.told.whose;
    one("span", button).textContent = state.told.whose === "nobody" ? "No model" : state.told.model;
    button.setAttribute("aria-label", `Language model: ${one("span", button).textContent}`);
    button.title = state.told.whose === "nobody" ? "Connect a language model" : [state.told.model, state.told.host].filter(Boolean).join(" at ");
  }
  function show(told) {
    const before = state.told.whose;
    state.told = told;
    document.body.dataset.model = told.whose;
    label();
    part("now").dataset.whose = told.whose;
    part("told").textContent = told.words;
    one("[data-do=forget]", state.root).hidden = told.whose !== "visitor";
    part("own").hidden = part("acts").hidden = !told.visitors;
    all("[data-local]", state.root).forEach((option) => { option.hidden = option.disabled = !told.private; });
    if (before !== told.whose) document.dispatchEvent(new CustomEvent("redstring:model", { detail: told.whose }));
  }
  async function refresh() {
    const told = await ask({ do: "state" });
    if (!told.error) show(told);
  }

  /* ---------- the dialog ---------- */
  function open() {
    // The budget is a setting of the case, which may have been changed among the settings.
    for (const [mine, name] of Object.entries(BUDGET)) part(mine).value = redstring.setting(name) ?? "";
    result("", []);
    dialog().showModal();
    const first = state.told.visitors ? part("provider") : one("[data-do=close]", state.root);
    first.focus();
    refresh();
  }
  function close() {
    part("key").value = "";
    dialog().close();
  }
  function choose() {
    const chosen = part("provider").selectedOptions[0];
    part("url").value = chosen.dataset.url || "";
    part("key").placeholder = chosen.value === "openai" ? "sk-…" : chosen.dataset.local !== undefined ? "Not needed, mostly" : "";
    one("datalist", state.root).replaceChildren();
    if (!chosen.dataset.url) part("url").focus();
  }
  const budget = (names) => names.map((name) => part(Object.keys(BUDGET).find((mine) => BUDGET[mine] === name)).value);

  const ACTS = {
    close,
    list: () => busy("Asking for its models …", async () => {
      const found = await ask({ do: "list", ...filled() });
      if (found.error) return result("bad", [found.error]);
      one("datalist", state.root).replaceChildren(...found.models.map((name) => { const made = document.createElement("option"); made.value = name; return made; }));
      if (!part("name").value && found.models.length === 1) part("name").value = found.models[0];
      part("name").focus();
      return result("", [found.words]);
    }),
    test: () => busy("Testing …", async () => {
      const found = await ask({ do: "test", ...filled() });
      if (found.error) return result("bad", [found.error]);
      return result(found.fine ? "good" : "weak", found.lines);
    }),
    connect: () => busy("Connecting …", async () => {
      const found = await ask({ do: "connect", ...filled() });
      if (found.error) return result("bad", [found.error]);
      part("key").value = "";
      show(found.state);
      return result("good", found.lines);
    }),
    forget: () => busy("Disconnecting …", async () => {
      part("key").value = "";
      const found = await ask({ do: "forget" });
      if (found.error) return result("bad", [found.error]);
      show(found.state);
      return result("", ["Disconnected; the key is forgotten."]);
    }),
  };

  function model(element, server, budgeted) {
    Object.assign(state, { root: element, server, budgeted });
    element.addEventListener("click", (event) => {
      const control = event.target.closest("[data-do]");
      if (control && control.type !== "submit") { ACTS[control.dataset.do](); return; }
      // The dialog itself is hit only where its backdrop is.
      if (event.target === dialog() && outside(event)) close();
    });
    element.addEventListener("keydown", (event) => {
      // Escape closes the dialog alone, whatever else it closes on the page.
      if (event.key === "Escape") event.stopPropagation();
    });
    one("form", element).addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.target.closest("dialog").dataset.busy === undefined && state.told.visitors) ACTS.connect();
    });
    dialog().addEventListener("close", () => { part("key").value = ""; });
    part("provider").addEventListener("change", choose);
    Object.keys(BUDGET).forEach((name) => part(name).addEventListener("change", () => state.budgeted()));
    document.addEventListener("click", (event) => {
      // Where there is no model, what needs one asks for one.
      const wanting = state.told.whose === "nobody" && event.target.closest("[data-answer=write]");
      if (!wanting && !event.target.closest("#model-open")) return;
      if (wanting) event.stopPropagation();
      open();
    }, true);
    // A page that comes back from the browser's memory may have been forgotten meanwhile.
    window.addEventListener("pageshow", (event) => { if (event.persisted) refresh(); });
    choose();
    refresh();
  }
  function outside(event) {
    const box = dialog().getBoundingClientRect();
    return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
  }
  /* Who brings a model wants it used; that of the server is used when somebody says so. Without one the
     helpers go back to their twins. */
  function use(on) {
    const box = one("#use-model input[type=checkbox]");
    if (box && box.checked !== on) box.click();
  }
  document.addEventListener("redstring:model", (event) => use(event.detail === "visitor"));

  Object.assign(redstring, { model, budget, modelLabel: label });
})();
