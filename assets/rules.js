/* The rules of a corpus beside the coverage of a case: the facts a person gives, what follows, and the law's words. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.ruling) return;
  const { state: lib, make } = redstring.lib;
  redstring.lib.ruling = true;
  const TYPING = 350;
  const kept = { key: "", facts: {}, found: null, timer: null, turn: 0, open: false };

  /* The words of the provisions that a rule cites, as the corpus has them. */
  function cited(rule) {
    const quotes = rule.citations.flatMap((citation) => citation.passages.map((passage) => {
      const lapsed = !passage.validity.startsWith("in force");
      return make("blockquote", { class: lapsed ? "cited lapsed" : "cited" }, make("cite", {}, make("span", { text: `${passage.document}, ${passage.label}`, dir: "auto" }), lapsed ? make("span", { class: "badge", text: passage.validity }) : null), make("p", { text: passage.text, dir: "auto" }));
    }));
    const fold = quotes.length ? [make("details", { class: "rule-law", open: false }, make("summary", { text: quotes.length === 1 ? "The provision it cites" : `The ${quotes.length} provisions it cites` }), ...quotes)] : [];
    return [...rule.warnings.map((warning) => make("p", { class: "rule-warning", text: warning, dir: "auto" })), ...fold];
  }

  /* ---------- the form ---------- */
  function field(fact) {
    const value = kept.facts[fact.id] || "";
    const set = (event) => { kept.facts[fact.id] = event.target.value; later(); };
    const options = fact.type === "truth" ? [["", "not known"], ["yes", "yes"], ["no", "no"]] : fact.type === "choice" ? [["", "not known"], ...fact.scale.map((name) => [name, name.replaceAll("_", " ")])] : null;
    const control = options
      ? make("select", { onchange: set }, ...options.map(([name, words]) => new Option(words, name, false, name === value)))
      : make("input", { type: fact.type === "date" ? "date" : "text", value, maxLength: 200, placeholder: { money: fact.unit ? `amount in ${fact.unit}` : "amount", duration: "like 30 days", number: "number" }[fact.type] || "", oninput: set });
    const stated = fact.stated && fact.stated.value !== value
      ? make("button", { type: "button", class: "stated", dir: "auto", text: `use “${fact.stated.words}”`, title: "The question says so; nothing is used before you say it.", onclick: () => { kept.facts[fact.id] = fact.stated.value; update(); } })
      : null;
    return make("label", { class: "fact", "data-fact": fact.id }, make("span", { text: fact.unit && fact.type !== "money" ? `${fact.name} (${fact.unit})` : fact.name, dir: "auto" }), control, stated, make("small", { class: "fact-problem", text: fact.problem, role: "alert" }));
  }
  const STATES = { holds: "holds", "does not hold": "fails", needs: "open", "not in force": "fails" };
  const told = (found) => ({ holds: found.then, needs: "needs more facts" })[found.verdict] || found.told;
  function rule(found) {
    const used = Object.entries(found.used).map(([name, value]) => `${name}: ${value}`);
    return make("article", { class: `rule ${STATES[found.verdict]}` }, make("header", {}, make("b", { text: found.name, dir: "auto" }), make("span", { class: "rule-state", text: told(found), dir: "auto" })), found.verdict === "holds" && found.because ? make("p", { text: found.because, dir: "auto" }) : null, found.needs.length ? make("p", { class: "hint", text: `Needs: ${found.needs.join("; ")}`, dir: "auto" }) : null, used.length ? make("p", { class: "hint", text: used.join(" · "), dir: "auto" }) : null, ...found.reasons.map((reason) => make("p", { class: "hint", text: reason })), ...cited(found));
  }

  /* ---------- asking and drawing ---------- */
  const slot = () => document.querySelector(".rules-slot");
  const keyOf = (place) => JSON.stringify([place.dataset.corpus, place.dataset.question, place.dataset.day, place.dataset.kind]);
  async function update() {
    const place = slot();
    if (!place || !lib.server) return;
    const turn = ++kept.turn;
    const { corpus, question, day, kind } = place.dataset;
    const found = await lib.server.corpus(redstring.signed({ do: "rules", corpus, words: question.slice(0, 500), day, kind, facts: kept.facts })).catch(() => null);
    if (turn !== kept.turn || !found || found.error) return;
    kept.found = found;
    draw();
  }
  function later() {
    clearTimeout(kept.timer);
    kept.timer = setTimeout(update, TYPING);
  }
  function draw() {
    const place = slot();
    if (!place || !kept.found) return;
    const { rules, facts, day } = kept.found;
    place.hidden = !rules.length;
    if (!rules.length) return;
    const form = place.querySelector(".facts-form");
    if (!form) {
      const held = rules.filter((found) => found.verdict === "holds").length;
      const box = make("details", { class: "rules-box", open: kept.open, ontoggle: (event) => { kept.open = event.target.open; } }, make("summary", {}, make("b", { text: "Rules" }), make("small", {})), make("p", { class: "hint", text: `Give the facts you know; what the law says follows, as of ${day}.` }), make("div", { class: "facts-form" }, ...facts.map(field)), make("div", { class: "rule-list" }));
      place.replaceChildren(box);
      place.dataset.held = held;
    } else {
      facts.forEach((fact) => refresh(form, fact));
    }
    place.querySelector(".rule-list").replaceChildren(...rules.map(rule));
    const counts = { holds: 0, needs: 0 };
    rules.forEach((found) => { if (found.verdict in counts) counts[found.verdict] += 1; });
    place.querySelector("summary small").textContent = counts.holds ? `${counts.holds} of ${rules.length} hold` : `${rules.length} to check`;
  }
  /* The field in which somebody types keeps the cursor; the others show what is known now. */
  function refresh(form, fact) {
    const before = form.querySelector(`[data-fact="${CSS.escape(fact.id)}"]`);
    if (before && before.contains(document.activeElement) && document.activeElement.matches("input, select")) before.querySelector(".fact-problem").textContent = fact.problem;
    else if (before) before.replaceWith(field(fact));
  }
  function look() {
    const place = slot();
    if (!place || place.firstElementChild) return;
    const key = keyOf(place);
    if (key !== kept.key) Object.assign(kept, { key, facts: {}, found: null, open: false });
    if (kept.found) draw(); else update();
  }
  redstring.lib.cited = cited;
  lib.parts.push({ start: () => { new MutationObserver(look).observe(document.body, { childList: true, subtree: true }); look(); } });
})();
