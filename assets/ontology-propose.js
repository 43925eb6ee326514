/* What is proposed for the areas of a corpus, beside what stands; each change is taken or left by a person. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.proposing) return;
  const { state: lib, part, ask, make, editing, count } = redstring.lib;
  const { edit, change, areaOf, nameOf, button, copy, share } = editing;
  const shown = { found: null, turn: 0 };
  const label = (language, word) => make("span", { class: "key-chip plain", text: word, dir: "auto", lang: language, title: language });
  const chips = (keywords) => make("div", { class: "side-words" }, ...Object.entries(keywords).map(([language, words]) => make("div", { class: "area-words" }, make("span", { class: "area-language", text: language }), make("div", { class: "key-chips" }, ...words.map((word) => label(language, word))))));

  /* ---------- taking and leaving ---------- */
  function take(item) {
    change(() => apply(item));
    leave(item);
  }
  function apply(item) {
    if (item.stands && areaOf(item.stands)) {
      const area = areaOf(item.stands);
      for (const [language, words] of Object.entries(item.keywords)) area.keywords[language] = [...new Set([...(area.keywords[language] || []), ...words])];
    } else if (item.area) {
      if (!areaOf(item.area.id)) edit.content.areas.push(copy(item.area));
    } else {
      const needed = item.areas.filter((id) => areaOf(id));
      if (needed.length) edit.content.transactions[item.id] = needed;
    }
  }
  function leave(item) {
    const { found } = shown;
    found.changes = found.changes.filter((other) => other !== item);
    found.transactions = found.transactions.filter((other) => other !== item);
    draw();
  }
  function takeAll() {
    const { found } = shown;
    change(() => { found.changes.forEach(apply); found.transactions.forEach(apply); });
    clear();
  }
  function clear() {
    shown.turn += 1;
    shown.found = null;
    if (lib.root) part("areas-proposed").replaceChildren();
  }

  /* ---------- one change beside what stands ---------- */
  function figures(item) {
    const told = [count(item.passages, "passage")];
    if (item.overlap && item.overlap[1] >= 0.5) told.push(`${share(item.overlap[1])} also in ${item.overlap[0]}`);
    if (item.source === "model" && item.made_of.length) told.push(`the model joined ${item.made_of.join(", ")}`);
    if (item.added.length) told.push(`the model added ${item.added.map(([, word]) => word).join(", ")}`);
    return make("p", { class: "hint", text: told.join(" · "), dir: "auto" });
  }
  function from(item) {
    if (!item.headings.length) return null;
    return make("details", { class: "area-examples" }, make("summary", { text: "Made from these headings" }), ...item.headings.map((heading) => make("p", {}, make("a", { href: "#", text: heading.text, dir: "auto", lang: heading.language, onclick: (event) => { event.preventDefault(); redstring.readPassage(lib.name, heading.passage); } }))));
  }
  function acts(item) {
    return make("div", { class: "change-acts" }, button("Accept", () => take(item), { class: "accept" }), button("Leave", () => leave(item)));
  }
  function areaChange(item) {
    const stands = item.stands ? areaOf(item.stands) : null;
    const names = Object.values(item.area.names);
    const before = stands
      ? make("div", { class: "side" }, make("small", { text: "Stands" }), make("b", { text: nameOf(stands), dir: "auto" }), chips(stands.keywords))
      : make("div", { class: "side none" }, make("small", { text: "Stands" }), make("span", { text: "no such area" }));
    const after = make("div", { class: "side new" }, make("small", { text: stands ? "Would add keywords" : "New area" }), make("b", { text: stands ? nameOf(stands) : names.join(" · "), dir: "auto" }), chips(item.keywords), figures(item), from(item));
    return make("li", { class: "change" }, before, after, acts(item));
  }
  function typeChange(item) {
    const known = item.areas.map((id) => (areaOf(id) ? nameOf(areaOf(id)) : id));
    return make("li", { class: "change" }, make("div", { class: "side none" }, make("small", { text: "Stands" }), make("span", { text: "no such type" })), make("div", { class: "side new" }, make("small", { text: "New type of transaction" }), make("b", { text: item.heading, dir: "auto" }), make("p", { class: "hint", text: `needs ${known.join(", ")} · ${count(item.passages, "passage")} below this heading`, dir: "auto" })), acts(item));
  }

  /* ---------- asking ---------- */
  async function propose(kind = "") {
    const turn = ++shown.turn;
    const slot = part("areas-proposed");
    slot.replaceChildren(make("div", { class: "proposal working", role: "status" }, make("p", { text: kind ? "The model groups headings and terms …" : "Reading the headings and terms of this corpus …" })));
    await edit.settling;
    const found = await ask({ do: "areas-propose", kind, ontology: edit.content }).catch(() => null);
    if (turn !== shown.turn) return;
    shown.found = found;
    draw();
  }
  function draw() {
    const slot = part("areas-proposed");
    const { found } = shown;
    if (!found) return slot.replaceChildren();
    const total = found.changes.length + found.transactions.length;
    const known = found.known ? ` · ${count(found.known, "area")} you have already` : "";
    const head = make("header", {}, make("h3", { text: total ? `Proposed: ${count(total, "change")}` : "Nothing more is proposed" }), make("span", { class: "area-moves" }, total ? button("Accept all", takeAll, { class: "accept" }) : null, button("Close", clear)));
    const told = make("p", { class: "hint", text: `The proposed areas cover ${share(found.covered)} of the passages by their keywords${known}.` });
    const model = found.model && !found.used
      ? make("p", { class: "hint model" }, button("Group with the language model", () => propose("model")), make("span", { text: ` ${found.model}, at most ${found.most}` }))
      : (found.used ? make("p", { class: "hint", text: found.used }) : null);
    slot.replaceChildren(make("div", { class: "proposal" }, head, told, ...found.notes.map((note) => make("p", { class: "hint note", text: note, dir: "auto" })), model, make("ol", { class: "changes" }, ...found.changes.map(areaChange), ...found.transactions.map(typeChange))));
    return undefined;
  }
  redstring.lib.proposing = { ask: () => propose(), clear };
})();
