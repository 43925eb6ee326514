/* Two settings side by side on one question. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.eva || redstring.evaluationPair) return;
  const { one, all, part, ask, say, hush, reveal, state } = redstring.eva;
  let turn = 0;
  const SHOWN = 4;
  const sides = () => all("[data-side]", state.root);

  /* A side starts with what its preset says; what is changed afterwards is a change of the preset. */
  function filled(side) {
    const preset = state.offer.presets[one("select", side).value];
    one("[type=number]", side).value = preset.rounds;
    one("[data-eva=threads]", side).replaceChildren(...state.offer.strategies.map((strategy) => {
      const label = document.createElement("label");
      const box = document.createElement("input");
      box.type = "checkbox";
      box.name = strategy.name;
      label.style.setProperty("--c", strategy.colour);
      box.checked = preset.strategies.includes(strategy.name);
      label.title = strategy.meaning;
      label.append(box, strategy.title);
      return label;
    }));
  }
  function chosen(side) {
    const threads = all("[type=checkbox]", side).filter((box) => box.checked).map((box) => box.name);
    return { preset: one("select", side).value, strategies: threads, rounds: Number(one("[type=number]", side).value) };
  }
  async function compare() {
    const question = part("question").value;
    if (!question.trim()) { say("There is no question: write one, or choose one."); return; }
    // An emptied number is no nought: the browser says at the field what is missing.
    if (!part("pair-form").reportValidity()) return;
    hush();
    const mine = ++turn;
    const latest = () => mine === turn;
    part("compare").textContent = "Comparing …";
    const found = await ask({ do: "pair", corpus: part("corpus").value, question, sides: sides().map(chosen) }, latest).catch(() => null);
    // Of several questions the last one counts, whichever is answered first.
    if (!latest()) return;
    part("compare").textContent = "Compare";
    if (!found) return;
    part("pair-waiting").hidden = true;
    part("sides").innerHTML = found.html;
    reveal("pair-stage");
  }
  function start() {
    sides().forEach((side, at) => {
      if (at === 0) one("select", side).value = "quick";
      filled(side);
      one("select", side).addEventListener("change", () => filled(side));
    });
    part("pair-form").addEventListener("submit", (event) => { event.preventDefault(); compare(); });
    part("question").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); compare(); }
    });
    part("chips").addEventListener("click", (event) => {
      const chip = event.target.closest(".chip");
      if (!chip) return;
      part("question").value = chip.textContent;
      compare();
    });
  }
  function corpus(item) {
    part("chips").replaceChildren(...(item ? item.questions : []).slice(0, SHOWN).map((text) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.className = "chip";
      chip.dir = "auto";
      chip.textContent = text;
      return chip;
    }));
  }
  redstring.evaluationPair = { start, corpus };
})();
