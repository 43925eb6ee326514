/* The Evaluate view: gold questions put to a corpus, with figures and plots. The page only asks and draws. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.evaluation) return;
  const EVERY = 500;
  const LARGEST_FILE = 4_000_000;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const eva = { root: null, server: null, offer: null, job: "", timer: null, entered: false, turn: 0, beginning: false };
  const part = (name) => one(`[data-eva="${name}"]`, eva.root);

  /* ---------- asking the server ---------- */
  async function ask(request, wanted = () => true) {
    let found;
    try { found = await eva.server.evaluation(redstring.signed(request)); }
    catch { found = { error: "The server did not answer; its log has the details." }; }
    if (found.error) { if (wanted()) say(found.error); throw new Error(found.error); }
    return found;
  }
  const say = (words) => part("banner").replaceChildren(redstring.banner(words));
  const hush = () => part("banner").replaceChildren();

  /* ---------- what can be chosen ---------- */
  async function enter() {
    const turn = ++eva.turn;
    const offer = await ask({ do: "offer" }, () => turn === eva.turn).catch(() => null);
    if (!offer || turn !== eva.turn) return;
    eva.offer = offer;
    const select = part("corpus");
    const before = select.value;
    const wanted = before || redstring.lib.state.name;
    select.replaceChildren(...offer.corpora.map((item) => new Option(item.name, item.name)));
    if (offer.corpora.some((item) => item.name === wanted)) select.value = wanted;
    // Whoever comes back finds what was chosen.
    if (select.value !== before) chosenCorpus();
    if (!eva.entered) redstring.evaluationPair.start(eva);
    eva.entered = true;
    if (offer.job && !eva.job) follow(offer.job);
  }
  const corpus = () => eva.offer.corpora.find((item) => item.name === part("corpus").value);
  function chosenCorpus() {
    const carried = corpus() ? corpus().questions.length : 0;
    const own = one("option[value=own]", part("gold"));
    own.textContent = carried ? `Included with the corpus (${carried})` : "None included with this corpus";
    own.disabled = !carried;
    if (!carried) part("gold").value = "files"; else if (!part("queries").files.length) part("gold").value = "own";
    chosenGold();
    redstring.evaluationPair.corpus(corpus());
  }
  function chosenGold() { part("files").hidden = part("gold").value !== "files"; }

  /* ---------- an evaluation ---------- */
  function encoded(input) {
    const file = input.files[0];
    if (!file) return null;
    if (file.size > LARGEST_FILE) throw new Error(`${file.name} is larger than ${LARGEST_FILE / 1e6} MB: the command line takes it`);
    return new Promise((done, failed) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => done({ name: file.name.slice(-200), data: String(reader.result).split(",")[1] || "" }));
      reader.addEventListener("error", () => failed(new Error(`${file.name} cannot be read`)));
      reader.readAsDataURL(file);
    });
  }
  async function begin(ablate) {
    if (eva.beginning || eva.job) return;
    hush();
    const request = { do: "start", ablate, corpus: part("corpus").value, gold: part("gold").value, questions: Number(part("questions").value), chosen: { preset: one("[name=preset]", eva.root).value } };
    try {
      if (request.gold === "files") Object.assign(request, { queries: await encoded(part("queries")), qrels: await encoded(part("qrels")) });
    } catch (error) { say(error.message); return; }
    eva.beginning = true;
    const found = await ask(request).catch(() => null);
    eva.beginning = false;
    if (found) follow(found.job);
  }
  function follow(job) {
    eva.job = job;
    busy(true);
    reveal("gold-stage");
    bar(0, "Loading");
    tick();
  }
  async function tick() {
    const found = await ask({ do: "poll", job: eva.job }).catch(() => null);
    if (!found) { eva.job = ""; busy(false); part("progress").hidden = true; return; }
    const what = found.step === "questions" || found.step === "loading" ? "questions" : found.step;
    bar(found.total ? found.done / found.total : 0, found.step === "loading" ? "Loading" : `${what}: ${found.done} of ${found.total}`);
    if (found.state === "waiting") bar(0, redstring.waiting(found.before));
    if (found.state === "waiting" || found.state === "running") { eva.timer = setTimeout(tick, EVERY); return; }
    ended(found);
  }
  function ended(found) {
    eva.job = "";
    busy(false);
    part("progress").hidden = true;
    if (found.state === "failed") { say(found.message); return; }
    if (found.state === "cancelled") say(found.table ? "Cancelled; the figures are of what was asked until then." : "Cancelled.");
    if (!found.table) return;
    part("waiting").hidden = true;
    if (found.ablate) {
      part("parts").replaceChildren(headed("What each part adds", found.table));
      draw(part("parts"), found.plots);
      part("parts").scrollIntoView({ block: "start" });
    } else {
      part("parts").replaceChildren();
      part("figures").innerHTML = found.table;
      const keep = linkTo("Download results", "evaluation.jsonl", () => new Blob([found.file], { type: "application/jsonl" }));
      keep.title = "One question a line; python -m engine evaluate --compare reads it";
      one(".hint", part("figures")).append(" ", keep);
      part("plots").replaceChildren();
      draw(part("plots"), found.plots);
      reveal("gold-stage");
    }
  }
  function linkTo(words, name, made) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "eva-file";
    button.textContent = words;
    button.addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(made());
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
    return button;
  }
  function headed(title, html) {
    const section = document.createElement("section");
    const head = document.createElement("h2");
    head.className = "eva-h";
    head.textContent = title;
    section.append(head);
    section.insertAdjacentHTML("beforeend", html);
    return section;
  }
  /* On a phone the figures stand below the form: they are brought into sight. */
  function reveal(name) {
    if (matchMedia("(max-width: 760px)").matches) part(name).scrollIntoView({ block: "start", behavior: "smooth" });
  }
  function busy(on) {
    part("stop").hidden = !on;
    part("go").hidden = part("ablate").hidden = on;
    part("progress").hidden = !on;
    if (on) part("waiting").hidden = true;
  }
  function bar(share, words) {
    const percent = Math.round(100 * share);
    one(".bar u", part("progress")).style.width = `${percent}%`;
    one(".bar", part("progress")).setAttribute("aria-valuenow", String(percent));
    part("step").textContent = words;
  }

  /* ---------- plots ---------- */
  async function draw(holder, plots) {
    for (const plot of plots) {
      const box = document.createElement("figure");
      const title = document.createElement("figcaption");
      title.textContent = plot.title;
      const place = document.createElement("div");
      place.className = "eva-plot";
      place.dataset.name = plot.name;
      place.setAttribute("role", "img");
      place.setAttribute("aria-label", plot.title);
      place.plot = plot;
      const save = document.createElement("button");
      save.type = "button";
      save.className = "eva-file";
      save.textContent = "SVG";
      save.title = `Save “${plot.title}” as a file`;
      save.addEventListener("click", () => window.Plotly.downloadImage(place, { format: "svg", filename: plot.name, width: 760, height: plot.layout.height || 420 }));
      title.append(save);
      box.append(title, place);
      holder.append(box);
    }
    await redstring.plotly().then(paint, (error) => say(error.message));
  }
  function paint() {
    if (!window.Plotly || !eva.root || document.body.dataset.view !== "evaluate") return;
    all(".eva-plot", eva.root).filter((place) => place.plot && place.offsetParent).forEach((place) => {
      redstring.plots.paint(place);
    });
  }

  /* ---------- tabs ---------- */
  function show(tab) {
    one(".eva", eva.root).dataset.tab = tab;
    all("[data-eva-tab]", eva.root).forEach((button) => button.setAttribute("aria-selected", String(button.dataset.evaTab === tab)));
    ["gold", "pair"].forEach((name) => { part(`${name}-form`).hidden = part(`${name}-stage`).hidden = name !== tab; });
    hush();
    paint();
  }

  function evaluation(element, server) {
    Object.assign(eva, { root: element, server });
    element.addEventListener("click", (event) => {
      const tab = event.target.closest("[data-eva-tab]");
      if (tab) show(tab.dataset.evaTab);
      if (event.target.closest("[data-eva=ablate]")) begin(true);
      if (event.target.closest("[data-eva=stop]") && eva.job) { part("step").textContent = "Cancelling"; ask({ do: "cancel", job: eva.job }).catch(() => null); }
    });
    part("gold-form").addEventListener("submit", (event) => { event.preventDefault(); begin(false); });
    part("corpus").addEventListener("change", chosenCorpus);
    part("gold").addEventListener("change", chosenGold);
    part("questions").addEventListener("input", (event) => { part("count").textContent = event.target.value; });
    document.addEventListener("redstring:view", (event) => { if (event.detail === "evaluate") { enter(); paint(); } });
    new MutationObserver(paint).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    if (document.body.dataset.view === "evaluate") enter();
  }
  Object.assign(redstring, { evaluation });
  redstring.eva = { state: eva, one, all, part, ask, say, hush, reveal };
})();
