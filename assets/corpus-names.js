/* The names of a corpus: a list to search, and what each name is to others. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.naming) return;
  const { state: lib, one, all, part, ask, asking } = redstring.lib;
  redstring.lib.naming = true;
  const TYPING = 220;
  const list = { turn: 0, stale: true, chosen: "" };
  const view = () => one('[data-view="names"]', lib.root);
  const fromHtml = (html) => { const box = document.createElement("template"); box.innerHTML = html; return box.content; };

  async function draw(first = 0) {
    const turn = ++list.turn;
    list.stale = false;
    const found = await ask({ do: "names", words: part("name-words").value.trim(), kind: part("name-kind").value, first }).catch(() => null);
    if (!found || turn !== list.turn) return;
    const names = part("names");
    if (first) one(".more-lines", names).closest("li").replaceWith(fromHtml(found.html));
    else names.replaceChildren(fromHtml(found.html));
    if (!names.childElementCount) names.append(fromHtml('<li class="empty"><p>No name fits.</p></li>'));
    part("name-count").textContent = found.total.toLocaleString("en");
    if (part("name-kind").length !== found.kinds.length + 1) {
      part("name-kind").replaceChildren(new Option("all kinds", ""), ...found.kinds.map(([value, words]) => new Option(words, value)));
    }
    mark();
    if (!list.chosen && window.innerWidth > 760) { const top = one("[data-name]", names); if (top) pick(top.dataset.name); }
  }
  function mark() {
    all("[data-name]", part("names")).forEach((line) => {
      line.classList.toggle("on", line.dataset.name === list.chosen);
      line.setAttribute("aria-pressed", String(line.dataset.name === list.chosen));
    });
  }
  function pick(name) {
    list.chosen = name;
    mark();
    return asking({ do: "name", name }, (found) => {
      if (list.chosen !== name) return;
      part("named").innerHTML = found.html;
      part("named-scroll").scrollTop = 0;
      view().dataset.pane = "text";
    });
  }
  function onClick(event) {
    const go = event.target.closest(".go");
    if (go) {
      event.preventDefault();
      return lib.parts.forEach((member) => member.read && member.read(Number(go.dataset.document), Number(go.dataset.at)));
    }
    const control = event.target.closest("button");
    if (!control) return undefined;
    if (control.dataset.name) return pick(control.dataset.name);
    if (control.dataset.first) return draw(Number(control.dataset.first));
    if (control.matches(".back")) { view().dataset.pane = "tree"; }
    return undefined;
  }

  function start() {
    let typing = null;
    part("name-kind").addEventListener("change", () => draw());
    part("name-words").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => draw(), TYPING); });
    view().addEventListener("click", onClick);
  }
  function shown(tab) { if (tab === "names" && list.stale) draw(); }
  function opened() {
    Object.assign(list, { stale: true, chosen: "" });
    part("name-words").value = "";
    part("name-kind").replaceChildren(new Option("all kinds", ""));
    part("names").replaceChildren();
    part("named").replaceChildren();
    view().dataset.pane = "tree";
  }
  lib.parts.push({ start, shown, opened });
})();
