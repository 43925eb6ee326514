/* What changed between two days, both wordings side by side, and references to outdated law. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.law) return;
  const { state: lib, one, part, ask } = redstring.lib;
  redstring.lib.law = true;
  const views = {
    changes: { stale: true, turn: 0, call: "law-changes", list: "changes-list", request: () => ({ since: part("changes-from").value || null, until: part("changes-to").value || null, document: part("changes-document").value, words: part("changes-words").value.trim() }) },
    outdated: { stale: true, turn: 0, call: "law-outdated", list: "outdated-list", request: () => ({ kind: part("outdated-kind").value }) },
  };
  const fromHtml = (html) => { const box = document.createElement("template"); box.innerHTML = html; return box.content; };
  async function draw(name, first = 0) {
    const view = views[name], turn = ++view.turn, list = part(view.list);
    view.stale = false;
    list.setAttribute("aria-busy", "true");
    const found = await ask({ do: view.call, ...view.request(), first }).catch(() => null);
    if (turn !== view.turn) return;
    list.removeAttribute("aria-busy");
    if (!found) return;
    if (first) one(".law-more", list).replaceWith(fromHtml(found.html));
    else { list.replaceChildren(fromHtml(found.html)); list.scrollTop = 0; }
    if (name === "changes") {
      part("changes-sum").textContent = found.summary;
      part("changes-from").value = found.since;
      part("changes-to").value = found.until;
      options("changes-document", "all documents", found.documents);
    } else {
      part("outdated-count").textContent = found.total.toLocaleString("en");
      options("outdated-kind", "all kinds", found.kinds.map((kind) => [kind, kind]));
    }
  }
  function options(name, every, rows) {
    const select = part(name), chosen = select.value;
    select.replaceChildren(new Option(every, ""), ...rows.map(([value, words]) => new Option(words, value)));
    select.value = chosen;
  }
  function start() {
    let typing = null;
    ["changes-from", "changes-to", "changes-document"].forEach((name) => part(name).addEventListener("change", () => draw("changes")));
    part("changes-words").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => draw("changes"), 300); });
    part("outdated-kind").addEventListener("change", () => draw("outdated"));
    Object.entries(views).forEach(([name, view]) => part(view.list).addEventListener("click", (event) => {
      const go = event.target.closest(".go");
      const more = event.target.closest("[data-first]");
      if (more) draw(name, Number(more.dataset.first));
      if (!go) return;
      event.preventDefault();
      lib.parts.forEach((member) => member.read && member.read(Number(go.dataset.document), Number(go.dataset.at)));
    }));
  }
  function shown(tab) { if (views[tab] && views[tab].stale) draw(tab); }
  function opened() {
    Object.values(views).forEach((view) => { view.stale = true; part(view.list).replaceChildren(); });
    ["changes-from", "changes-to", "changes-document", "changes-words", "outdated-kind"].forEach((name) => { part(name).value = ""; });
  }
  lib.parts.push({ start, shown, opened, renewed: () => { Object.values(views).forEach((view) => { view.stale = true; }); } });
})();
