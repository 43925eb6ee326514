/* Adding documents: choosing and sending files, following the ingestion, its report. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.adding) return;
  const { state: lib, one, all, part, ask, asking, say, hush, open, show, refresh, count } = redstring.lib;
  redstring.lib.adding = true;
  const EVERY = 400;
  const AT_ONCE = 4;
  const job = { id: "", lines: 0, sending: null, timer: null };
  let files = [];

  /* ---------- choosing ---------- */
  const megabytes = (size) => (size < 1e5 ? `${Math.max(1, Math.round(size / 1e3))} KB` : `${(size / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`);
  function take(found) {
    const known = new Set(files.map((item) => `${item.name}|${item.file.size}`));
    files.push(...found.filter((item) => !known.has(`${item.name}|${item.file.size}`)));
    drawChosen();
  }
  const picked = (list) => [...list].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
  function drawChosen() {
    const list = part("chosen");
    const shown = files.slice(0, 200).map((item, at) => {
      const line = document.createElement("li");
      const name = document.createElement("span");
      name.dir = "auto";
      name.textContent = item.name;
      const size = document.createElement("small");
      size.textContent = megabytes(item.file.size);
      const away = document.createElement("button");
      away.type = "button";
      away.textContent = "×";
      away.setAttribute("aria-label", `Leave out ${item.name}`);
      away.addEventListener("click", () => { files.splice(at, 1); drawChosen(); });
      line.append(name, size, away);
      return line;
    });
    if (files.length > shown.length) { const more = document.createElement("li"); more.textContent = `and ${count(files.length - shown.length, "more file")}`; shown.push(more); }
    list.replaceChildren(...shown);
    const total = files.reduce((sum, item) => sum + item.file.size, 0);
    one("b", part("drop")).textContent = files.length ? `${count(files.length, "file")}, ${megabytes(total)}` : "Drop files or a folder here";
  }
  /* A dropped folder comes as entries that are read step by step. */
  async function dropped(items) {
    const entries = [...items].map((item) => (item.webkitGetAsEntry ? item.webkitGetAsEntry() : null)).filter(Boolean);
    const found = [];
    for (const entry of entries) await walk(entry, "", found);
    take(found);
  }
  async function walk(entry, above, found) {
    if (entry.name.startsWith(".")) return;
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed)).catch(() => null);
      if (file) found.push({ file, name: above + entry.name });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed)).catch(() => []);
      if (!some.length) return;
      for (const inner of some) await walk(inner, `${above}${entry.name}/`, found);
    }
  }

  /* ---------- sending ---------- */
  function send(item, onBytes, sending) {
    const { root = "", api_prefix: prefix = "/gradio_api" } = window.gradio_config || {};
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      const body = new FormData();
      body.append("files", item.file, item.file.name);
      sending.requests.add(request);
      request.upload.addEventListener("progress", (event) => onBytes(event.loaded));
      request.addEventListener("loadend", () => {
        sending.requests.delete(request);
        if (request.status === 200) return done({ key: JSON.parse(request.responseText)[0], name: item.name });
        return failed(new Error(request.status === 413 ? `${item.name}: larger than this server takes` : `${item.name}: did not arrive`));
      });
      request.open("POST", `${root}${prefix}/upload`);
      request.send(body);
    });
  }
  async function sendAll(sending) {
    const total = files.reduce((sum, item) => sum + item.file.size, 0) || 1;
    const sent = files.map(() => 0);
    const arrived = new Array(files.length);
    let next = 0;
    const tell = () => bar(sent.reduce((sum, size) => sum + size, 0) / total, `Sending ${count(files.length, "file")}`);
    const worker = async () => {
      while (next < files.length && !sending.stopped) {
        const at = next++;
        arrived[at] = await send(files[at], (bytes) => { sent[at] = Math.min(bytes, files[at].file.size); tell(); }, sending);
      }
    };
    tell();
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return arrived;
  }
  async function submit(event) {
    event.preventDefault();
    if (job.id || job.sending) return;
    hush();
    const form = one(".add-form", lib.root);
    if (!files.length) { say("There is no file yet: drop some, or choose them."); return; }
    const creating = lib.creating;
    if (creating && !form.elements.name.value.trim()) { say("The corpus needs a name."); form.elements.name.focus(); return; }
    const mapping = form.elements.mapping.files[0];
    const sending = { requests: new Set(), stopped: false };
    job.sending = sending;
    busy(true);
    part("log").textContent = "";
    try {
      const uploaded = await sendAll(sending);
      if (sending.stopped) throw new Error("Cancelled; nothing was changed.");
      const request = { do: creating ? "create" : "add", files: uploaded, passwords: form.elements.passwords.value, mapping: mapping ? await mapping.text() : "" };
      if (creating) Object.assign(request, { corpus: "", name: form.elements.name.value });
      const found = await ask(request, { quiet: true });
      form.elements.passwords.value = "";
      follow(found.job, { open: true });
    } catch (error) {
      say(error.message);
      busy(false);
    }
    job.sending = null;
  }

  /* ---------- following ---------- */
  function busy(on) {
    part("progress").hidden = !on && !part("log").textContent;
    part("go").disabled = on;
    part("stop").hidden = !on;
  }
  function bar(share, words) {
    const line = one(".progress .bar", lib.root);
    const percent = Math.round(100 * Math.min(1, Math.max(0, share)));
    line.setAttribute("aria-valuenow", String(percent));
    one("u", line).style.width = `${percent}%`;
    part("step").textContent = words;
  }
  function follow(id, { open: opens = false } = {}) {
    if (!id || job.id === id) return;
    Object.assign(job, { id, lines: 0, opens });
    part("log").textContent = "";
    busy(true);
    bar(0, "Starting");
    tick();
  }
  async function tick() {
    const found = await ask({ do: "poll", corpus: "", job: job.id, first: job.lines }, { quiet: true }).catch((error) => ({ state: "failed", lines: [], message: error.message, gone: true }));
    const log = part("log");
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 30;
    if (found.lines.length) log.append(`${found.lines.join("\n")}\n`);
    if (atEnd) log.scrollTop = log.scrollHeight;
    job.lines += found.lines.length;
    if (found.step) bar(found.total ? found.done / found.total : 0, found.total > 1 ? `${found.step}: ${found.done.toLocaleString("en")} of ${found.total.toLocaleString("en")}` : found.step);
    if (found.state === "waiting") bar(0, redstring.waiting(found.before));
    if (found.state === "waiting" || found.state === "running") { job.timer = setTimeout(tick, EVERY); return; }
    ended(found);
  }
  async function ended(found) {
    const opens = job.opens;
    job.id = "";
    busy(false);
    if (found.state !== "done") { bar(0, found.state === "cancelled" ? "Cancelled" : "Failed"); say(found.message); return; }
    bar(1, "Done");
    files = [];
    drawChosen();
    const form = one(".add-form", lib.root);
    if (form) form.reset();
    await refresh();
    if (opens) await open(found.corpus, { tab: { remove: "read", apply: "resolve" }[found.kind] || "report", anew: true });
    const said = { remove: "The document is no longer in the corpus.", apply: "The decisions are in force." };
    if (!said[found.kind]) redstring.lib.chosen(found.corpus);
    say(said[found.kind] || `“${found.corpus}” is ready, and chosen for your next question. The report shows what was imported.`, { good: true });
  }
  function stop() {
    if (job.sending) { job.sending.stopped = true; job.sending.requests.forEach((request) => request.abort()); return; }
    if (job.id) asking({ do: "cancel", corpus: "", job: job.id }, () => undefined);
  }

  /* ---------- the report ---------- */
  const reported = () => `${lib.name} ${lib.facts ? lib.facts.state : ""}`;
  /* Once for each state of a corpus: no button is there that an answer still to come would take away. */
  function drawReport() {
    const slot = part("report");
    const of = reported();
    if (slot.dataset.of === of) return;
    slot.dataset.of = of;
    slot.replaceChildren();
    ask({ do: "report" }).then((found) => { if (reported() === of) slot.innerHTML = found.html; }, () => { delete slot.dataset.of; });
  }
  function sort(button) {
    const table = button.closest("table");
    const at = Number(button.dataset.sort);
    const up = button.getAttribute("aria-sort") !== "ascending";
    all("[data-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
    button.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = one("tbody", table);
    const rows = [...body.rows].sort((a, b) => a.cells[at].textContent.localeCompare(b.cells[at].textContent, undefined, { numeric: true }));
    body.append(...(up ? rows : rows.reverse()));
  }
  async function destroy(button) {
    if (!button.dataset.sure) {
      button.dataset.sure = "1";
      button.textContent = "Really delete it? All its documents and decisions go";
      setTimeout(() => { delete button.dataset.sure; button.textContent = "Delete this corpus"; }, 5000);
      return;
    }
    const name = lib.name;
    await asking({ do: "delete" }, async () => { await refresh(); say(`${name} is deleted.`, { good: true }); });
  }

  function start(element) {
    const form = one(".add-form", element);
    part("report").addEventListener("click", (event) => {
      const column = event.target.closest("[data-sort]");
      if (column) sort(column);
      const away = event.target.closest("[data-delete]");
      if (away) destroy(away);
    });
    if (!form) return;
    form.addEventListener("submit", submit);
    form.addEventListener("click", (event) => { const pick = event.target.closest("[data-pick]"); if (pick) one(`[data-input=${pick.dataset.pick}]`, form).click(); });
    all("[data-input]", form).forEach((input) => input.addEventListener("change", () => { take(picked(input.files)); input.value = ""; }));
    part("stop").addEventListener("click", stop);
    const drop = part("drop");
    const over = (on) => (event) => { event.preventDefault(); drop.classList.toggle("over", on); };
    drop.addEventListener("dragover", over(true));
    drop.addEventListener("dragleave", over(false));
    drop.addEventListener("drop", (event) => { over(false)(event); dropped(event.dataTransfer.items); });
  }
  function shown(tab) {
    if (tab === "report") drawReport();
    if (tab !== "add") return;
    all("[data-only=new]", lib.root).forEach((field) => { field.hidden = !lib.creating; });
    part("go").textContent = lib.creating ? "Create corpus" : `Add to ${lib.name}`;
  }
  lib.parts.push({ start, shown, opened: () => { if (lib.tab === "report") drawReport(); }, resume: (id, options) => { if (options) show("add"); follow(id, options); } });
})();
