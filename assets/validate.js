/* Checking links one after another, by mouse or keyboard; the figures beside them; having a model read a corpus. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.validating) return;
  const { state: lib, one, all, part, ask, asking, say, hush, count } = redstring.lib;
  redstring.lib.validating = true;
  const TYPING = 220;
  const EVERY = 700;
  const queue = { keys: [], total: 0, at: 0, turn: 0, stale: true, done: [], known: new Map(), busy: false, fills: "" };
  const reading = { run: "", windows: 0, timer: null };
  const fromHtml = (html) => { const box = document.createElement("template"); box.innerHTML = html; return box.content; };
  const shownNow = () => lib.tab === "check" && document.body.dataset.view === "corpus" && !lib.creating;

  /* ---------- the queue ---------- */
  const choice = (name) => one(`[data-wanted=${name}]`, lib.root);
  function wanted() {
    const [low, high] = choice("sure").value.split("-").map(Number);
    const document = choice("document").value;
    return { state: choice("state").value, origin: choice("origin").value, sort: choice("sort").value, document: document === "" ? null : Number(document), low, high, order: choice("order").value };
  }
  async function draw() {
    const turn = ++queue.turn;
    queue.stale = false;
    /* What is asked for takes this one's place: nothing is begun on it any more. */
    part("link").inert = true;
    const found = await ask({ do: "links", wanted: wanted() }).catch(() => null);
    if (turn !== queue.turn) return;
    part("link").inert = false;
    if (!found) { queue.stale = true; return; }
    Object.assign(queue, { keys: found.keys, total: found.total, at: 0, done: [] });
    queue.known.clear();
    if (found.keys.length) queue.known.set(found.keys[0], found.html);
    choices(found);
    figures(found);
    part("link-may").hidden = lib.facts.writable;
    part("link-fair").hidden = choice("order").value === "random";
    ["link-note", "link-reviewer"].forEach((name) => { part(name).hidden = !lib.facts.writable; });
    if (found.keys.length) put(found.html);
    else nothing(found);
  }
  function nothing(found) {
    const words = found.open + found.judged + found.stale === 0
      ? "<b>No links to check.</b><p>The texts of this corpus state no exceptions, definitions or amendments, and no model has read it.</p>"
      : found.open === 0 && choice("state").value === "open"
        ? "<b>Everything is judged.</b><p>Choose another state to see the verdicts.</p>"
        : "<b>Nothing here.</b><p>No link fits this choice.</p>";
    part("link").replaceChildren(fromHtml(`<div class="empty">${words}</div>`));
    place();
  }
  function choices(found) {
    const key = JSON.stringify([lib.name, found.sorts, found.documents]);
    if (queue.fills === key) return;
    queue.fills = key;
    const keep = [choice("sort").value, choice("document").value];
    choice("sort").replaceChildren(new Option("all relations", ""), ...found.sorts.map(([name, words]) => new Option(words, name)));
    choice("document").replaceChildren(new Option("all documents", ""), ...found.documents.map(([number, title]) => new Option(title, number)));
    [choice("sort").value, choice("document").value] = keep;
    ["sort", "document"].forEach((name) => { if (choice(name).selectedIndex < 0) choice(name).value = ""; });
  }
  function figures(found) {
    part("link-figures").innerHTML = found.figures;
    part("link-count").textContent = `${found.open.toLocaleString("en")} open, ${found.judged.toLocaleString("en")} judged`;
    one("[data-tab=check] small", lib.root).textContent = found.open ? found.open.toLocaleString("en") : "";
  }
  function place() {
    part("link-place").textContent = queue.keys.length ? `${(queue.at + 1).toLocaleString("en")} of ${queue.total.toLocaleString("en")}` : "";
    part("link-before").disabled = queue.at <= 0;
    part("link-next").disabled = queue.at >= queue.keys.length - 1;
  }
  function put(html) {
    const holder = part("link");
    const act = holder.contains(document.activeElement) && document.activeElement.dataset.act;
    holder.replaceChildren(fromHtml(html));
    place();
    all(".from .passage", holder).forEach((text) => {
      const mark = one("mark", text);
      if (mark && text.scrollHeight > text.clientHeight) text.scrollTop = Math.max(0, mark.offsetTop - text.clientHeight / 3);
    });
    holder.scrollTop = 0;
    const undo = one("[data-act=undo]", holder);
    if (undo) undo.disabled = !queue.done.length && article().dataset.state !== "judged";
    if (act) { const again = one(`[data-act=${act}]`, holder); if (again) again.focus({ preventScroll: true }); }
    ahead();
  }
  async function fetchLink(key) {
    if (queue.known.has(key)) return queue.known.get(key);
    const turn = queue.turn;
    const found = await ask({ do: "link", said: { key } });
    if (turn === queue.turn) queue.known.set(key, found.html);
    return found.html;
  }
  /* The next one is there before it is asked for. */
  function ahead() {
    const next = queue.keys[queue.at + 1];
    if (next && !queue.known.has(next)) fetchLink(next).catch(() => undefined);
  }
  async function go(at) {
    if (at < 0 || at >= queue.keys.length) return;
    const turn = queue.turn;
    queue.at = at;
    const html = await fetchLink(queue.keys[at]).catch(() => null);
    if (html !== null && turn === queue.turn && queue.at === at) put(html);
  }

  /* ---------- verdicts ---------- */
  const article = () => one(".link", part("link"));
  async function judge(judgement, more = {}) {
    const item = article();
    if (!item || !one("[data-act=accepted]", item) || queue.busy || part("link").inert) return;
    queue.busy = true;
    const { key } = item.dataset;
    const said = { key, judgement, note: part("link-note").value.trim(), reviewer: part("link-reviewer").value.trim(), ...more };
    const found = await ask({ do: "judge", said }).catch(() => null);
    queue.busy = false;
    if (!found) return;
    window.redstring.judgedElsewhere(lib.name);
    hush();
    queue.known.set(key, found.html);
    queue.done.push(key);
    part("link-note").value = "";
    figures(found);
    if (queue.stale) draw();
    else if (queue.at < queue.keys.length - 1) go(queue.at + 1);
    else put(found.html);
  }
  async function undo() {
    const key = queue.done[queue.done.length - 1] || (article() && article().dataset.state === "judged" ? article().dataset.key : "");
    if (!key || queue.busy) return;
    queue.busy = true;
    const found = await ask({ do: "unjudge", said: { key } }).catch(() => null);
    queue.busy = false;
    if (!found) return;
    window.redstring.judgedElsewhere(lib.name);
    queue.done = queue.done.filter((other) => other !== key);
    queue.known.set(key, found.html);
    figures(found);
    const at = queue.keys.indexOf(key);
    if (at >= 0) { queue.at = at; put(found.html); }
  }

  /* ---------- corrections ---------- */
  const form = () => one(".correct", part("link"));
  function openForm() {
    const sheet = form();
    if (!sheet) return;
    sheet.hidden = !sheet.hidden;
    if (!sheet.hidden) { one("select", sheet).focus(); sheet.scrollIntoView({ block: "nearest" }); }
  }
  function correct(event) {
    event.preventDefault();
    const sheet = form();
    const { relation, quote, concept } = sheet.elements;
    const at = sheet.dataset.at !== undefined && sheet.dataset.words === quote.value ? Number(sheet.dataset.at) : null;
    judge("corrected", { relation: relation.value, quote: quote.value, at, concept: concept ? concept.value : "", target: sheet.dataset.target || "" });
  }
  /* Words selected in the passage are those that say so. Places count characters, not UTF-16 units. */
  function selected() {
    const sheet = form();
    const chosen = getSelection();
    if (!sheet || sheet.hidden || !chosen || chosen.isCollapsed) return;
    const text = one(".from .passage", part("link"));
    const range = chosen.getRangeAt(0);
    if (!text || !text.contains(range.startContainer) || !text.contains(range.endContainer)) return;
    const before = document.createRange();
    before.setStart(text, 0);
    before.setEnd(range.startContainer, range.startOffset);
    sheet.elements.quote.value = range.toString();
    sheet.dataset.at = String([...before.toString()].length);
    sheet.dataset.words = sheet.elements.quote.value;
  }
  let typing = null;
  function suggest(input) {
    clearTimeout(typing);
    typing = setTimeout(() => {
      const box = one(".suggested", input.form);
      const words = input.value.trim();
      delete input.form.dataset.target;
      if (!words) { box.replaceChildren(); return; }
      asking({ do: "suggest", words }, (found) => { if (input.value.trim() === words) box.innerHTML = found.html; });
    }, TYPING);
  }
  function choose(button) {
    const sheet = button.closest("form");
    sheet.dataset.target = button.dataset.target;
    sheet.elements.target.value = one("b", button).textContent;
    all(".candidate", sheet).forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
  }

  function act(name) {
    if (name === "accepted" || name === "rejected") return judge(name);
    if (name === "correct") return openForm();
    if (name === "close") { form().hidden = true; return undefined; }
    if (name === "skip") return go(queue.at + 1);
    if (name === "undo") return undo();
    return undefined;
  }
  function onClick(event) {
    const link = event.target.closest(".go");
    if (link) {
      event.preventDefault();
      return lib.parts.forEach((member) => member.read && member.read(Number(link.dataset.document), Number(link.dataset.at)));
    }
    const control = event.target.closest("button");
    if (!control) return undefined;
    if (control.dataset.target) return choose(control);
    return control.dataset.act ? act(control.dataset.act) : undefined;
  }
  const KEYS = { a: "accepted", c: "correct", r: "rejected", s: "skip", u: "undo" };
  function onKey(event) {
    if (!shownNow() || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const typed = event.target.closest && event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "Escape" && form() && !form().hidden) { form().hidden = true; return; }
    if (typed || (event.target.closest && event.target.closest("[role=tablist]"))) return;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") { event.preventDefault(); go(queue.at + (event.key === "ArrowRight" ? 1 : -1)); return; }
    const name = KEYS[event.key.toLowerCase()];
    if (!name || part("link").inert || !article() || (!one("[data-act=accepted]", article()) && name !== "skip")) return;
    event.preventDefault();
    act(name);
  }

  /* ---------- a model reads ---------- */
  async function drawReading() {
    const found = await ask({ do: "extraction" }, { quiet: true }).catch(() => null);
    if (!found) return;
    const holder = part("extract");
    if (found.run) { follow(found.run); return; }
    if (!found.may) {
      const line = document.createElement("p");
      line.className = "hint";
      line.textContent = found.why;
      holder.replaceChildren(line);
      return;
    }
    holder.replaceChildren(fromHtml('<form class="extract-form" autocomplete="off"><p class="hint"></p><label class="field"><span>Documents</span><select name="document"></select></label><label class="field"><span>Calls at most</span><input type="number" name="calls" min="1" step="1" placeholder="no limit but the cost told"></label><div class="form-acts"><button type="submit">Show the cost</button></div><div data-lib="extract-cost" aria-live="polite"></div></form>'));
    one(".hint", holder).textContent = `${found.model} lists definitions, exceptions, extensions and whom rules apply to, each with the words that say so. You judge them here; an investigation follows them only where the thread "Links extracted by a model" is on.`;
    one("select", holder).replaceChildren(new Option("all documents", ""), ...found.documents.map(([number, title]) => new Option(title, number)));
    one("form", holder).addEventListener("submit", showCost);
    one("form", holder).addEventListener("input", () => part("extract-cost").replaceChildren());
  }
  function request(sheet) {
    const { document: chosen, calls } = sheet.elements;
    return { document: chosen.value === "" ? null : Number(chosen.value), calls: calls.value ? Math.max(1, Math.round(Number(calls.value))) : null };
  }
  async function showCost(event) {
    event.preventDefault();
    const sheet = event.target;
    const button = one("[type=submit]", sheet);
    button.disabled = true;
    const found = await ask({ do: "extract-cost", reading: request(sheet) }).catch(() => null);
    button.disabled = false;
    if (!found) return;
    const box = part("extract-cost");
    box.innerHTML = found.html;
    if (!found.windows) return;
    const begin = document.createElement("button");
    begin.type = "button";
    begin.className = "primary";
    begin.textContent = `Begin: ${count(found.windows, "window")}`;
    begin.addEventListener("click", async () => {
      begin.disabled = true;
      const started = await ask({ do: "extract", reading: { ...request(sheet), agreed: found.windows } }).catch(() => null);
      if (started) follow(started.run); else box.replaceChildren();
    });
    const acts = document.createElement("div");
    acts.className = "form-acts";
    acts.append(begin);
    box.append(acts);
  }
  function follow(run) {
    if (reading.run === run && part("extract").querySelector(".bar")) return;
    reading.run = run;
    clearTimeout(reading.timer);
    part("extract").replaceChildren(fromHtml('<div class="progress"><div class="bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" aria-label="Progress"><u></u></div><p aria-live="polite">Starting</p><div class="form-acts"><button type="button">Cancel</button></div></div>'));
    one("button", part("extract")).addEventListener("click", (event) => { event.target.disabled = true; asking({ do: "extract-stop", corpus: "", job: run }, () => undefined); });
    tick(run);
  }
  async function tick(run) {
    const found = await ask({ do: "extract-poll", corpus: "", job: run }, { quiet: true }).catch((error) => ({ state: "failed", message: error.message, html: "", done: 0, total: 0 }));
    if (reading.run !== run) return;
    const bar = one(".progress .bar", part("extract"));
    if (bar) {
      const percent = Math.round((100 * found.done) / Math.max(1, found.total));
      bar.setAttribute("aria-valuenow", String(percent));
      one("u", bar).style.width = `${percent}%`;
      one(".progress p", part("extract")).textContent = `${found.done.toLocaleString("en")} of ${count(found.total, "window")} read`;
    }
    if (found.state === "running") { reading.timer = setTimeout(() => tick(run), EVERY); return; }
    reading.run = "";
    const words = { done: "The model has read what was asked.", stopped: `Stopped: ${found.message}. What was read is kept.`, cancelled: "Cancelled; what was read is kept.", failed: found.message };
    say(words[found.state], { good: found.state === "done" });
    await drawReading();
    if (found.html && part("extract-cost")) part("extract-cost").innerHTML = found.html;
    /* A correction that is being written stays; the list follows after it. */
    if (shownNow() && (!form() || form().hidden)) draw(); else queue.stale = true;
  }

  function start() {
    const view = one("[data-view=check]", lib.root);
    all("[data-wanted]", view).forEach((select) => select.addEventListener("change", draw));
    view.addEventListener("click", onClick);
    view.addEventListener("submit", (event) => { if (event.target.matches(".correct")) correct(event); });
    view.addEventListener("input", (event) => { if (event.target.name === "target") suggest(event.target); });
    part("link-before").addEventListener("click", () => go(queue.at - 1));
    part("link-next").addEventListener("click", () => go(queue.at + 1));
    document.addEventListener("keydown", onKey);
    document.addEventListener("selectionchange", () => { if (shownNow()) selected(); });
    document.addEventListener("redstring:model", () => { if (shownNow() && !reading.run) drawReading(); });
  }
  function shown(tab) {
    if (tab !== "check") return;
    (queue.stale ? draw() : Promise.resolve()).then(() => { if (!reading.run) drawReading(); });
  }
  function opened() {
    Object.assign(queue, { keys: [], total: 0, at: 0, stale: true, done: [], fills: "" });
    queue.turn += 1;
    queue.known.clear();
    reading.run = "";
    ["origin", "sort", "document"].forEach((name) => { choice(name).value = ""; });
    choice("state").value = "open";
    choice("sure").value = "0-1";
    choice("order").value = "random";
    part("link-note").value = "";
    part("link").replaceChildren();
    part("link").inert = false;
    part("extract").replaceChildren();
    one("[data-tab=check] small", lib.root).textContent = "";
  }
  lib.parts.push({ start, shown, opened });
})();
