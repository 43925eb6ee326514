/* The Check view: a text, its claims, and what the sources say of them. The page only asks and draws. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.check) return;
  const EVERY = 400;
  const LARGEST_FILE = 4_000_000;
  const chk = { root: null, server: null, findings: {}, job: "", text: "", hidden: [], claims: [], seen: 0, only: "", files: {}, audit: null, corpus: "", done: "", log: [], reviewing: false };
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const part = (name) => one(`[data-chk="${name}"]`, chk.root);
  function make(tag, classes, text) {
    const element = document.createElement(tag);
    if (classes) element.className = classes;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /* ---------- asking the server ---------- */
  async function ask(request) {
    let found;
    try { found = await chk.server.check({ visitor: redstring.visitor(), session: redstring.session(), ...request }); }
    catch { found = { error: "The server did not answer; its log has the details." }; }
    if (found.error) { say(found.error); throw new Error(found.error); }
    return found;
  }
  const say = (words) => part("banner").replaceChildren(redstring.banner(words));
  const hush = () => part("banner").replaceChildren();

  /* ---------- what can be chosen ---------- */
  async function enter() {
    const offer = await ask({ do: "offer" }).catch(() => null);
    if (!offer) return;
    chk.findings = Object.fromEntries(offer.findings.map((finding) => [finding.key, finding]));
    const select = part("corpus");
    const before = select.value || redstring.lib.state.name;
    select.replaceChildren(...offer.corpora.map((name) => new Option(name, name)));
    if (offer.corpora.includes(before)) select.value = before;
    part("model-row").hidden = !offer.model;
    if (!offer.model) part("model").checked = false;
    if (offer.job && !chk.job) { chk.text = offer.text; chk.corpus = select.value; follow(offer); }
  }
  async function dropped(file) {
    if (!file) return;
    if (file.size > LARGEST_FILE) { say(`${file.name} is larger than ${LARGEST_FILE / 1e6} MB: the command line takes it`); return; }
    const data = await new Promise((done) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => done(String(reader.result).split(",")[1] || ""));
      reader.addEventListener("error", () => done(null));
      reader.readAsDataURL(file);
    });
    if (data === null) { say(`${file.name} cannot be read`); return; }
    busy(true);
    bar(0, `Reading ${file.name}`);
    const found = await ask({ do: "read", file: { name: file.name.slice(-200), data } }).catch(() => null);
    busy(Boolean(chk.job));
    if (found) { part("text").value = found.text; if (found.note) say(found.note); else hush(); part("text").focus(); }
  }

  /* ---------- an audit ---------- */
  async function begin() {
    hush();
    const grade = part("grade").value;
    const request = { do: "start", corpus: part("corpus").value, text: part("text").value, day: part("day").value || null, grade: grade || null, model: part("model").checked };
    chk.text = request.text;
    chk.corpus = request.corpus;
    const found = await ask(request).catch(() => null);
    if (found) follow(found);
  }
  function follow({ job, hidden }) {
    Object.assign(chk, { job, hidden, claims: [], seen: 0, only: "", audit: null, files: {}, done: "", log: [], tally: null, reviewing: false });
    busy(true);
    part("waiting").hidden = true;
    part("result").hidden = false;
    ["axes", "filters", "files", "notes", "list"].forEach((name) => part(name).replaceChildren());
    drawText();
    bar(0, "Reading the text");
    tick();
  }
  async function tick() {
    const found = await ask({ do: "poll", job: chk.job, seen: chk.seen }).catch(() => null);
    if (!found) { over(); return; }
    if (found.claims.length) { chk.seen += found.claims.length; chk.claims.push(...found.claims); drawText(); drawList(); drawFilters(); }
    const step = found.step === "loading" ? "Loading" : found.step[0].toUpperCase() + found.step.slice(1);
    bar(found.total ? found.done / found.total : 0, found.total ? `${step}: ${found.done} of ${found.total}` : step);
    if (found.state === "waiting") bar(0, redstring.waiting(found.before));
    if (found.state === "waiting" || found.state === "running") { setTimeout(tick, EVERY); return; }
    over();
    if (found.state === "failed") { say(found.message); if (!chk.claims.length) { part("result").hidden = true; part("waiting").hidden = false; } }
    if (found.state === "cancelled") { say("Cancelled; the claims checked until then stay."); drawAxes(); }
    if (found.state === "done") finished(found);
  }
  function over() { chk.done = chk.job; chk.job = ""; busy(false); part("progress").hidden = true; }
  function finished(found) {
    Object.assign(chk, { audit: found.audit, claims: found.final, text: found.audit.text });
    logged(found);
    drawText(); drawList(); drawFilters(); drawAxes(); drawFiles();
    part("notes").replaceChildren(...found.audit.notes.map((note) => make("p", "hint", note)));
    if (found.audit.model) {
      const changed = found.audit.changed_by_model;
      part("notes").append(make("p", "hint", `Second reading by ${found.audit.model}, ${found.audit.spent.calls} calls: ${changed.length ? `it changed the verdict of claim ${changed.join(", ")}` : "it changed no verdict"}.`));
    }
  }
  /* What people said of the verdicts, and the files, which hold it. */
  function logged(found) {
    Object.assign(chk, { log: found.log, tally: found.tally, reviewing: found.reviewing, files: found.files });
    part("name-row").hidden = !found.reviewing || found.signed;
  }
  /* The verdict on a claim as it stands: a person's, else the check's. */
  function standing(claim) {
    const said = chk.tally && chk.tally.overruled[claim.number];
    const low = !said && claim.finding === "supported" && claim.below_minimum_grade;
    const finding = low ? "below_grade" : (said || claim).finding;
    return { finding, words: said ? said.words : `${chk.findings[finding].sign} ${chk.findings[finding].word}` };
  }
  async function sayOf(number, act, more = {}) {
    const found = await ask({ do: "review", job: chk.done, act, claim: number, name: part("name").value, ...more }).catch(() => null);
    if (!found) return;
    hush();
    logged(found);
    if (chk.only && !chk.claims.some((claim) => standing(claim).finding === chk.only)) chk.only = "";
    drawText(); drawList(); drawFilters(); drawAxes(); drawFiles();
    const item = one(`#chk-${number}`, chk.root);
    if (item) { const control = one(".chk-review button", item); (control || item).focus({ preventScroll: true }); }
  }
  function busy(is) { part("go").disabled = is; part("go").textContent = is ? "Checking …" : "Check"; part("stop").hidden = !is; part("progress").hidden = !is; }
  function bar(share, words) {
    const percent = Math.round(100 * share);
    one(".bar", part("progress")).setAttribute("aria-valuenow", percent);
    one(".bar u", part("progress")).style.width = `${percent}%`;
    part("step").textContent = words;
  }

  /* ---------- drawing ---------- */
  /* Places are counted in characters of Unicode, as the server counts them. */
  function drawText() {
    const letters = Array.from(chk.text);
    for (const at of chk.hidden) letters[at] = `⟦U+${letters[at].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
    const parts = [];
    let place = 0;
    for (const claim of chk.claims) {
      const [start, end] = claim.span;
      if (start < place) continue;
      const stands = standing(claim).finding;
      const finding = chk.findings[stands];
      parts.push(letters.slice(place, start).join(""));
      const mark = make("span", `chk-claim ${stands}`);
      mark.setAttribute("role", "button");
      mark.tabIndex = 0;
      mark.dataset.claim = claim.number;
      mark.title = `${finding.word}: ${finding.meaning}`;
      mark.append(letters.slice(start, end).join(""), make("sup", "", `${finding.sign}\u00a0${claim.number}`));
      mark.setAttribute("aria-label", `Claim ${claim.number}, ${finding.word}: ${letters.slice(start, end).join("")}`);
      if (chk.only && chk.only !== stands) mark.classList.add("away");
      parts.push(mark);
      place = end;
    }
    part("shown").replaceChildren(...parts, letters.slice(place).join(""));
  }
  function drawList() {
    const outside = chk.only ? [] : chk.log.filter((entry) => entry.number.startsWith("c"));
    part("list").replaceChildren(
      ...chk.claims.filter((claim) => !chk.only || standing(claim).finding === chk.only).map(drawClaim),
      ...(outside.length ? [make("li", "chk-sep", "Citations outside of the claims")] : []), ...outside.map(drawOutside));
  }
  function drawOutside(entry) {
    const item = make("li", `chk-item ${entry.finding}`);
    item.id = `chk-${entry.number}`;
    item.tabIndex = -1;
    const head = make("header");
    head.append(make("span", "chk-badge", entry.word), make("small", "", entry.number));
    const said = make("p", "chk-said", entry.words);
    said.dir = "auto";
    item.append(head, said);
    if (entry.reason) item.append(make("p", "chk-reason", entry.reason));
    if (entry.passage) item.append(drawLink(entry));
    item.append(...drawReview(entry));
    return item;
  }
  /* What a person said of a verdict, and what one can say of it. */
  function drawReview(entry) {
    if (!entry || (!entry.said && !chk.reviewing)) return [];
    const line = make("div", "chk-review");
    if (entry.said) { const told = make("span", entry.review, entry.said); told.dir = "auto"; line.append(told); }
    if (!chk.reviewing) return [line];
    const control = (words, act) => { const button = make("button", "", words); button.type = "button"; button.addEventListener("click", act); return button; };
    if (entry.review) line.append(control("undo", () => sayOf(entry.number, "undo")));
    else line.append(control("Confirm", () => sayOf(entry.number, "confirm")), control("Overrule", () => line.replaceWith(drawOverrule(entry, line))));
    return [line];
  }
  function drawOverrule(entry, line) {
    const form = make("form", "chk-review chk-overrule");
    const select = make("select");
    select.setAttribute("aria-label", "What the verdict is instead");
    select.append(...Object.values(chk.findings).filter((finding) => finding.key !== entry.finding && finding.key !== "below_grade").map((finding) => new Option(finding.word, finding.key)));
    const note = make("input");
    Object.assign(note, { type: "text", maxLength: 2000, placeholder: "why (optional)", dir: "auto" });
    note.setAttribute("aria-label", "Why");
    const go = make("button", "", "Overrule");
    const away = make("button", "", "cancel");
    away.type = "button";
    away.addEventListener("click", () => form.replaceWith(line));
    form.addEventListener("submit", (event) => { event.preventDefault(); sayOf(entry.number, "overrule", { instead: select.value, note: note.value }); });
    form.append(select, note, go, away);
    setTimeout(() => select.focus());
    return form;
  }
  function drawLink(source) {
    const link = make("button", "chk-link", source.citation);
    link.type = "button";
    link.dir = "auto";
    link.title = "Read it among its neighbours";
    link.addEventListener("click", () => redstring.readPassage(chk.corpus, source.passage));
    return link;
  }
  function drawClaim(claim) {
    const stands = standing(claim);
    const item = make("li", `chk-item ${stands.finding}`);
    item.id = `chk-${claim.number}`;
    item.tabIndex = -1;
    const head = make("header");
    head.append(make("span", "chk-badge", stands.words), make("small", "", `claim ${claim.number}`));
    const said = make("p", "chk-said", claim.text);
    const reason = make("p", "chk-reason", claim.reason);
    said.dir = reason.dir = "auto";
    item.append(head, said, reason);
    const none = claim.finding === "not_in_corpus";
    if (claim.sources.length && !none) item.append(drawQuote(claim.sources[0]));
    if (claim.successor) { item.append(make("p", "chk-label", "In force now")); item.append(drawQuote(claim.successor)); }
    claim.remarks.forEach((remark) => { const line = make("p", "chk-remark", remark); line.dir = "auto"; item.append(line); });
    const more = none ? claim.sources.slice(0, 2) : claim.sources.slice(1, 4).filter((source) => !claim.successor || source.passage !== claim.successor.passage);
    if (more.length) {
      const fold = make("details");
      fold.append(make("summary", "", none ? "The nearest passages" : "Further passages"), ...more.map(drawQuote));
      item.append(fold);
    }
    item.append(...drawReview(chk.log.find((entry) => entry.number === String(claim.number))));
    return item;
  }
  function drawQuote(source) {
    const quote = make("blockquote", source.in_force ? "" : "old");
    const words = make("p");
    words.dir = "auto";
    words.append(...source.quote.map(([text, kind]) => (kind ? make("mark", kind, text) : text)));
    const foot = make("div", "chk-foot");
    foot.append(drawLink(source));
    if (!source.in_force) foot.append(make("small", "chk-old", "no longer in force"));
    if (source.cited) foot.append(make("small", "", "cited"));
    foot.append(make("small", "", source.grade ? `grade ${source.grade}` : "no grade"));
    quote.append(words, foot);
    return quote;
  }
  function drawFilters() {
    const counts = {};
    const people = {};
    chk.claims.forEach((claim) => {
      const { finding } = standing(claim);
      counts[finding] = (counts[finding] || 0) + 1;
      if (chk.tally && chk.tally.overruled[claim.number]) people[finding] = (people[finding] || 0) + 1;
    });
    const buttons = Object.values(chk.findings).filter((finding) => counts[finding.key]).map((finding) => {
      const button = make("button", `chk-filter ${finding.key}`, `${finding.sign} ${finding.word} ${counts[finding.key]}${people[finding.key] ? ` (${people[finding.key]} by a person)` : ""}`);
      button.type = "button";
      button.title = finding.meaning;
      button.setAttribute("aria-pressed", String(chk.only === finding.key));
      button.addEventListener("click", () => { chk.only = chk.only === finding.key ? "" : finding.key; drawFilters(); drawText(); drawList(); });
      return button;
    });
    part("filters").replaceChildren(...buttons);
  }
  const AXES = {
    Correct: "The sources support it, by the law of the day", Grounded: "A passage supports it, the cited one if the claim cites",
    "To be read": "Cannot be decided automatically", "By people": "Confirmed or overruled by a person" };
  function drawAxes() {
    const of = chk.claims.length;
    const counted = (name, holds) => { const claims = chk.claims.filter(holds).length; return { name, claims, of, words: `${claims} of ${of}` }; };
    const own = [
      counted("Correct", (claim) => claim.correct === true), counted("Grounded", (claim) => claim.grounded),
      counted("To be read", (claim) => claim.correct === null)];
    const people = (claim) => (chk.log.find((entry) => entry.number === String(claim.number)) || {}).review;
    const rows = [...(chk.tally ? chk.tally.axes : own), ...(chk.reviewing ? [counted("By people", people)] : [])];
    part("axes").replaceChildren(...rows.map(({ name, claims, words }) => {
      const row = make("div", "chk-axis");
      row.title = AXES[name];
      const track = make("div", "chk-track");
      const fill = make("u");
      fill.style.width = `${of ? 100 * claims / of : 0}%`;
      track.append(fill);
      row.append(make("b", "", name), track, make("span", "", words));
      return row;
    }));
  }
  const KINDS = { html: ["Page", "text/html"], md: ["Markdown", "text/markdown"], txt: ["Memo with appendix", "text/markdown"], log: ["Log", "text/markdown"], json: ["JSON", "application/json"] };
  function drawFiles() {
    part("files").replaceChildren(...Object.entries(KINDS).filter(([kind]) => chk.files[kind]).map(([kind, [name, type]]) => {
      const button = make("button", "chk-file", name);
      button.type = "button";
      button.addEventListener("click", () => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([chk.files[kind]], { type }));
        link.download = kind === "log" ? "verification-log.md" : kind === "txt" ? "memo-with-appendix.md" : `citation-audit.${kind}`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      });
      return button;
    }));
  }
  function pick(number) {
    all(".picked", chk.root).forEach((element) => element.classList.remove("picked"));
    const item = one(`#chk-${number}`, chk.root);
    if (!item) return;
    item.classList.add("picked");
    all(`[data-claim="${number}"]`, chk.root).forEach((mark) => mark.classList.add("picked"));
    item.scrollIntoView({ block: "nearest", behavior: "smooth" });
    item.focus({ preventScroll: true });
  }

  function check(element, server) {
    Object.assign(chk, { root: element, server });
    part("form").addEventListener("submit", (event) => { event.preventDefault(); begin(); });
    part("file").addEventListener("change", (event) => { dropped(event.target.files[0]); event.target.value = ""; });
    const zone = one(".lib-rail", element);
    zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); dropped(event.dataTransfer.files[0]); });
    element.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-claim]");
      if (mark) { if (chk.only) { chk.only = ""; drawFilters(); drawText(); drawList(); } pick(mark.dataset.claim); }
      if (event.target.closest("[data-chk=stop]")) { part("step").textContent = "Cancelling"; ask({ do: "cancel", job: chk.job }).catch(() => null); }
    });
    element.addEventListener("keydown", (event) => {
      const mark = event.target.closest("[data-claim]");
      if (mark && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); mark.click(); }
    });
    document.addEventListener("redstring:view", (event) => { if (event.detail === "check") enter(); });
    if (document.body.dataset.view === "check") enter();
  }
  Object.assign(redstring, { check });
})();
