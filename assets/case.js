/* A case has an address, ?case=ID: reload, back, a second tab. The line over it takes steps back and hands it over. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.caseBar) return;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const TITLE = "Redstring";
  const addressed = () => redstring.addressed().case || "";
  const goTo = (id) => redstring.address({ case: id });
  function saveBytes({ name, type, data }) {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }
  function tell(words) {
    const place = one("#banner .prose") || one("#banner");
    const banner = document.createElement("div");
    banner.className = "banner";
    banner.setAttribute("role", "alert");
    const head = document.createElement("b");
    head.textContent = "That did not work.";
    const said = document.createElement("span");
    said.dir = "auto";
    said.textContent = words;
    banner.append(head, said);
    place.replaceChildren(banner);
  }
  async function handOver(server, id, format, button) {
    button.disabled = true;
    try {
      const file = await server.export_case({ visitor: redstring.visitor(), case: id, format });
      if (file.error) tell(file.error); else saveBytes(file);
    } catch { tell("The server did not answer: try again."); } finally { button.disabled = false; }
  }
  /* Another case, on this page: its address, its view, and what the server has of it. */
  let open = () => {};
  function openCase(id) {
    redstring.address({ case: id, view: "", corpus: "", document: "", at: "", compare: "" });
    redstring.view("investigate", { kept: true });
    open(id);
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="?case="]');
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    openCase(new URL(link.href).searchParams.get("case"));
  });

  /* ---------- the last cases ---------- */
  const AGES = [[60, "second", 1], [3600, "minute", 60], [86_400, "hour", 3600], [604_800, "day", 86_400], [Infinity, "week", 604_800]];
  const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
  function age(time) {
    const seconds = Math.max(0, (Date.now() - new Date(time).getTime()) / 1000);
    const [, unit, length] = AGES.find(([below]) => seconds < below);
    return unit === "second" ? "now" : relative.format(-Math.floor(seconds / length), unit);
  }
  function ages(within) {
    all("time[datetime]", within).forEach((time) => {
      time.textContent = age(time.dateTime);
      time.title = new Date(time.dateTime).toLocaleString();
    });
  }
  function here(within) {
    all("a", within).forEach((link) => {
      if (new URL(link.href).searchParams.get("case") === addressed()) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    });
  }
  function recent(element, server) {
    const fill = async () => {
      let told = null;
      try { told = await server.recent({ visitor: redstring.visitor() }); } catch { return; }
      element.innerHTML = told.html;
      ages(element);
      here(element);
    };
    document.addEventListener("redstring:kept", fill);
    fill();
  }

  function caseBar(element, trigger, watch, server) {
    open = (id) => trigger("expand", { id });
    const bar = () => one(".case-bar", element);
    const shown = () => {
      const now = bar();
      const id = now ? now.dataset.case : "";
      document.title = id ? `${now.dataset.title} · ${TITLE}` : TITLE;
      if (id && id !== addressed()) goTo(id);
      if (!now || one(".do", now)) document.dispatchEvent(new CustomEvent("redstring:kept"));
    };
    watch("value", shown);
    document.addEventListener("redstring:address", () => { if (!bar() || bar().dataset.case !== addressed()) open(addressed()); });
    element.addEventListener("click", (event) => {
      const control = event.target.closest("[data-case-act]");
      if (!control) return;
      const act = control.dataset.caseAct;
      const menu = control.closest("details");
      if (menu) menu.open = false;
      const id = bar().dataset.case;
      if (act === "review") redstring.reviewCase(id);
      else if (act === "compare") redstring.compareCase(id);
      else if (act === "own") redstring.ask(bar().dataset.title);
      else if (act === "memo") handOver(server, id || "example", "docx", control);
      else if (act === "export") handOver(server, id, control.dataset.format, control);
      else if (act === "share") trigger("select", { action: control.getAttribute("aria-pressed") === "true" ? "unshare" : "share" });
      else trigger("select", { action: act });
    });
    document.addEventListener("click", (event) => {
      const menu = one("details.menu[open]", element);
      if (menu && !menu.contains(event.target)) menu.open = false;
    });
    document.addEventListener("keydown", (event) => {
      const menu = event.key === "Escape" && one("details.menu[open]", element);
      if (menu) { menu.open = false; one("summary", menu).focus(); }
    });
    redstring.appears("#question textarea", () => open(addressed()));
  }
  Object.assign(redstring, { caseBar, recent, openCase, saveBytes, ages });
})();
