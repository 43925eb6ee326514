/* Whether a corpus is searched by meaning, how far that is, and what starts it, stops it and goes on with it. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.vectors) return;
  const { state: lib, one, part, ask, say, refresh } = redstring.lib;
  redstring.lib.vectors = true;
  const EVERY = 1500;
  const seen = { of: "", state: "", timer: null, asked: 0, acting: false };

  /* Whatever state the corpus is in: this tells of the latest one. */
  async function look(request = { do: "vectors" }) {
    clearTimeout(seen.timer);
    const of = lib.name, quiet = request.do === "vectors";
    if (seen.of !== of) { Object.assign(seen, { of, state: "" }); part("vectors").hidden = true; }
    // What somebody has just had done is answered first, and an answer that was overtaken says nothing any more.
    if (quiet && seen.acting) return;
    const number = ++seen.asked;
    seen.acting = !quiet;
    const found = await ask({ ...request, state: "" }, { quiet }).catch(() => null);
    if (number !== seen.asked) return;
    seen.acting = false;
    if (of !== lib.name) { look(); return; }
    if (found) draw(found);
    else if (!quiet) look();
    else if (seen.state === "going") again();
  }
  function again() {
    clearTimeout(seen.timer);
    const shown = document.body.dataset.view === "corpus" && document.visibilityState === "visible";
    seen.timer = setTimeout(() => (shown ? look() : again()), EVERY);
  }
  function draw(found) {
    part("vectors").hidden = !found.words;
    part("vectors").dataset.state = found.state;
    part("vectors-words").textContent = found.words;
    const bar = one(".bar", part("vectors"));
    bar.hidden = found.state !== "going" || found.share === null;
    bar.setAttribute("aria-valuenow", String(Math.round(100 * (found.share || 0))));
    one("u", bar).style.width = `${100 * (found.share || 0)}%`;
    const models = found.models || [];
    const select = part("vectors-model");
    // What somebody has chosen, and not sent yet, stays chosen.
    if (select.dataset.of !== JSON.stringify(models)) {
      select.dataset.of = JSON.stringify(models);
      select.replaceChildren(...models.map(([name, title]) => new Option(title, name)));
    }
    select.hidden = !models.length;
    const act = part("vectors-act");
    act.hidden = !found.act;
    act.textContent = found.label || "";
    act.dataset.act = found.act || "";
    act.disabled = false;
    const ended = seen.state === "going" && found.state !== "going";
    seen.state = found.state;
    if (found.state === "going") again();
    if (ended) refresh();
    if (ended && found.state === "done") say(`${lib.name} is searched by meaning now, too.`, { good: true });
  }
  function start() {
    part("vectors-act").addEventListener("click", (event) => {
      const act = event.target;
      act.disabled = true;
      look({ do: act.dataset.act, embedding: act.dataset.act === "embed" && !part("vectors-model").hidden ? part("vectors-model").value : "" });
    });
  }
  lib.parts.push({ start, opened: () => { look(); }, renewed: () => look() });
})();
