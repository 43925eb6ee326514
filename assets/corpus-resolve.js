/* What a person decides about references, and the statistics of a corpus. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.resolving) return;
  const { state: lib, one, all, part, ask, asking, show } = redstring.lib;
  redstring.lib.resolving = true;
  const TYPING = 220;
  const list = { turn: 0, only: null, stale: true, fills: "" };
  const plots = { stale: true };
  const fromHtml = (html) => { const box = document.createElement("template"); box.innerHTML = html; return box.content; };

  /* ---------- the list ---------- */
  function filters() {
    const source = part("source").value;
    return { kind: part("status").value, relation: part("relation").value, source: source === "" ? null : Number(source), words: part("words").value.trim() };
  }
  async function draw(first = 0) {
    const turn = ++list.turn;
    list.stale = false;
    const request = list.only === null ? { ...filters(), first } : { refs: [list.only] };
    const found = await ask({ do: "cases", ...request }).catch(() => null);
    if (!found || turn !== list.turn) return;
    const cases = part("cases");
    if (first) one(".more-cases", cases).replaceWith(fromHtml(found.html));
    else cases.replaceChildren(fromHtml(found.html));
    if (!cases.childElementCount) cases.append(fromHtml('<li class="empty"><b>Nothing here.</b><p>No reference fits this choice.</p></li>'));
    if (list.only !== null) cases.append(fromHtml('<li class="more-cases"><button type="button" data-all>Show all</button></li>'));
    part("open").textContent = list.only === null ? found.total.toLocaleString("en") : "";
    part("may").hidden = lib.facts.writable;
    part("waiting").hidden = !found.waiting;
    choices(found);
  }
  function choices(found) {
    const key = JSON.stringify([lib.name, found.relations, found.sources]);
    if (list.fills === key) return;
    list.fills = key;
    part("relation").replaceChildren(new Option("all relations", ""), ...found.relations.map((name) => new Option(name.replaceAll("_", " "), name)));
    part("source").replaceChildren(new Option("all documents", ""), ...found.sources.map(([number, title]) => new Option(title, number)));
  }
  const placeOf = (item) => JSON.parse(item.dataset.place);
  const refsOf = (item) => (item.dataset.ref === undefined ? [] : [Number(item.dataset.ref)]);
  function decide(item, target) {
    return asking({ do: "decide", refs: refsOf(item), target }, (found) => { replace(item, found.html); part("waiting").hidden = !found.waiting; });
  }
  function undo(item) {
    return asking({ do: "undo", refs: refsOf(item), place: placeOf(item) }, (found) => { replace(item, found.html); part("waiting").hidden = !found.waiting; });
  }
  function replace(item, html) {
    const made = fromHtml(html);
    const next = made.firstElementChild;
    item.replaceWith(made);
    if (next) { const control = one("button, input", next); if (control) control.focus(); }
  }
  const suggesting = new WeakMap();
  function suggest(input) {
    clearTimeout(suggesting.get(input));
    suggesting.set(input, setTimeout(() => {
      const box = one(".suggested", input.closest(".case"));
      const words = input.value.trim();
      if (!words) { box.replaceChildren(); return; }
      asking({ do: "suggest", words }, (found) => { if (input.value.trim() === words) box.innerHTML = found.html; });
    }, TYPING));
  }
  function onClick(event) {
    const go = event.target.closest(".go");
    if (go) {
      event.preventDefault();
      return lib.parts.forEach((member) => member.read && member.read(Number(go.dataset.document), Number(go.dataset.at)));
    }
    const control = event.target.closest("button");
    if (!control) return undefined;
    const item = control.closest(".case");
    if (control.dataset.first) return draw(Number(control.dataset.first));
    if (control.matches("[data-all]")) { list.only = null; return draw(); }
    if (control.matches("[data-none]")) return decide(item, null);
    if (control.matches("[data-undo]")) return undo(item);
    if (control.dataset.target) return decide(item, control.dataset.target);
    return undefined;
  }

  /* ---------- statistics ---------- */
  function themed(layout) {
    const style = getComputedStyle(lib.root);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    const axis = { gridcolor: colour("line"), linecolor: colour("line"), zerolinecolor: colour("line"), tickcolor: colour("line") };
    return {
      ...layout,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("soft"), size: 12, family: colour("sans") },
      xaxis: { ...layout.xaxis, ...axis }, yaxis: { ...layout.yaxis, ...axis },
      hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { color: colour("ink") } },
    };
  }
  const painted = (data) => data.map((trace) => ({ ...trace, marker: { color: getComputedStyle(lib.root).getPropertyValue(`--${trace.meta}`).trim() } }));
  async function statistics() {
    plots.stale = false;
    const name = lib.name;
    const found = await ask({ do: "statistics" }).catch(() => null);
    if (!found || name !== lib.name) { plots.stale = true; return; }
    const holder = part("plots");
    holder.replaceChildren();
    for (const plot of found.plots) {
      const box = document.createElement("figure");
      const title = document.createElement("figcaption");
      title.textContent = plot.title;
      const place = document.createElement("div");
      place.className = "plot";
      place.setAttribute("role", "img");
      place.setAttribute("aria-label", `${plot.title}: ${summary(plot)}`);
      place.plot = plot;
      box.append(title, place);
      holder.append(box);
    }
    if (found.cited) holder.append(fromHtml(`<figure class="wide"><figcaption>Most cited provisions</figcaption>${found.cited}</figure>`));
    if (!holder.childElementCount) holder.append(fromHtml('<div class="empty"><p>Nothing to count yet.</p></div>'));
    await redstring.plotly().then(paint, (error) => say(error.message));
  }
  function summary(plot) {
    return plot.data.map((trace) => `${trace.name}: ${(trace.orientation === "h" ? trace.y : trace.x).map((label, at) => `${label} ${(trace.orientation === "h" ? trace.x : trace.y)[at]}`).join(", ")}`).join("; ");
  }
  function paint() {
    if (!window.Plotly || !lib.root) return;
    all(".plot", lib.root).forEach((place) => {
      window.Plotly.react(place, painted(place.plot.data), themed(place.plot.layout), { displayModeBar: false, responsive: true });
    });
  }

  function start() {
    let typing = null;
    ["status", "relation", "source"].forEach((name) => part(name).addEventListener("change", () => { list.only = null; draw(); }));
    part("words").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => { list.only = null; draw(); }, TYPING); });
    part("cases").addEventListener("click", onClick);
    part("apply").addEventListener("click", () => asking({ do: "apply" }, (found) => lib.parts.forEach((member) => member.resume && member.resume(found.job, { open: true }))));
    part("cases").addEventListener("input", (event) => { if (event.target.matches("[data-suggest]")) suggest(event.target); });
    part("plots").addEventListener("click", (event) => {
      const most = event.target.closest(".most");
      if (most) lib.parts.forEach((member) => member.read && member.read(Number(most.dataset.document), Number(most.dataset.at)));
    });
    new MutationObserver(paint).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  }
  function shown(tab) {
    if (tab === "resolve" && list.stale) draw();
    if (tab === "statistics") { if (plots.stale) statistics(); else paint(); }
  }
  function opened() {
    Object.assign(list, { only: null, stale: true });
    plots.stale = true;
    ["status", "words"].forEach((name) => { part(name).value = ""; });
    part("relation").value = part("source").value = "";
    part("cases").replaceChildren();
    part("plots").replaceChildren();
  }
  lib.parts.push({ start, shown, opened, resolveOne: (number) => { list.only = number; list.stale = true; show("resolve"); } });
})();
