/* What is found in a corpus, and what is not: questions are asked as a job, the report is shown and saved. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.finding) return;
  const { state: lib, part, ask, hush } = redstring.lib;
  redstring.lib.finding = true;
  const EVERY = 600;
  const NAMES = { html: ["retrieval-audit.html", "text/html", "Page"], md: ["retrieval-audit.md", "text/markdown", "Markdown"] };
  const found = { job: "", most: 25, stale: true, of: null };

  function busy(is) { part("found-go").disabled = is; part("found-stop").hidden = !is; if (!is) found.job = ""; }
  const step = (words) => { part("found-step").textContent = words; };
  /* What was asked of this corpus stays, however late it is told that the corpus is open. */
  function clear() {
    found.of = lib.name;
    part("found").replaceChildren();
    part("found-files").replaceChildren();
    busy(false);
    step("");
  }
  async function draw() {
    found.stale = false;
    const { value } = part("found-questions");
    const told = await ask({ do: "report-questions" }).catch(() => null);
    if (!told) { found.stale = true; return; }
    found.most = told.most;
    /* Whoever has begun to write meanwhile goes on. */
    if (part("found-questions").value === value) part("found-questions").value = told.questions.join("\n");
    if (told.job && !found.job) follow(told.job);
  }
  async function start() {
    if (found.of !== lib.name) clear();
    const questions = part("found-questions").value.split("\n").map((line) => line.trim()).filter(Boolean);
    if (questions.length > found.most) { step(`At most ${found.most} questions here; the command line takes more.`); return; }
    hush();
    const told = await ask({ do: "report-start", questions }).catch(() => null);
    if (told) follow(told.job);
  }
  function follow(job) { found.job = job; busy(true); step("Loading"); tick(job); }
  async function tick(job) {
    const told = await ask({ do: "report-poll", job }).catch(() => null);
    if (job !== found.job) return;
    if (!told) { busy(false); step(""); return; }
    if (told.state === "waiting") step(redstring.waiting(told.before));
    else if (told.total) step(`Question ${told.done + 1} of ${told.total}`);
    if (told.state === "waiting" || told.state === "running") { setTimeout(tick, EVERY, job); return; }
    busy(false);
    step(told.state === "done" ? "" : told.state === "cancelled" ? "Cancelled." : told.message);
    if (told.state !== "done") return;
    part("found").innerHTML = told.html;
    part("found-files").replaceChildren(...Object.entries(NAMES).map(([form, [name, type, words]]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = words;
      button.addEventListener("click", () => redstring.save(told.files[form], [name, type]));
      return button;
    }));
  }
  function begin() {
    part("found-form").addEventListener("submit", (event) => { event.preventDefault(); start(); });
    part("found-stop").addEventListener("click", () => { if (found.job) { step("Cancelling"); ask({ do: "report-stop", job: found.job }).catch(() => null); } });
  }
  lib.parts.push({
    start: begin,
    opened: (_, anew) => {
      found.stale = true;
      if (anew || found.of !== lib.name) clear();
      if (lib.tab === "report") draw();
    },
    shown: (tab) => { if (tab === "report" && found.stale && !lib.creating) draw(); },
  });
})();
