/* The areas of a corpus: as they stand, edited by a person. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.areas) return;
  const { state: lib, one, all, part, ask, asking, say, refresh, count } = redstring.lib;
  redstring.lib.areas = true;
  const MEASURE = 500;
  const edit = { content: null, kept: "", reach: {}, covered: 0, facts: {}, stale: true, timer: null, picked: new Map(), undo: [], settling: null };

  /* ---------- small builders: every word of a corpus or a model is text, never markup ---------- */
  function make(tag, props = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
      if (name === "class") element.className = value;
      else if (name === "text") element.textContent = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (name in element && name !== "list") element[name] = value;
      else element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
    return element;
  }
  const button = (words, act, props = {}) => make("button", { type: "button", text: words, onclick: act, ...props });
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const main = () => (edit.facts.languages || ["en"])[0];
  const nameOf = (area) => area.names[main()] || Object.values(area.names)[0] || area.id;
  const areaOf = (id) => edit.content.areas.find((area) => area.id === id);
  const share = (value) => `${Math.round(100 * value)}%`;
  const dirty = () => JSON.stringify(edit.content) !== edit.kept;
  const may = () => Boolean(edit.facts.writable);
  const slug = (words) => words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "area";
  function freeId(words) {
    const base = slug(words);
    let found = base;
    for (let number = 2; areaOf(found); number += 1) found = `${base}-${number}`;
    return found;
  }

  /* ---------- changing what is edited ---------- */
  /* Each change is one step that Undo takes back before anything is saved. */
  function change(act, { redraw = true } = {}) {
    if (!may()) return;
    edit.undo.push(JSON.stringify(edit.content));
    act();
    if (redraw) draw();
    marks();
    clearTimeout(edit.timer);
    edit.timer = setTimeout(measure, MEASURE);
  }
  function marks() {
    part("areas-unsaved").hidden = !dirty();
    one("[data-areas=undo]", lib.root).textContent = edit.undo.length ? "Undo" : "Undo last save";
    one("[data-areas=undo]", lib.root).hidden = !may() || !(edit.undo.length || edit.facts.undo);
    const areas = edit.content.areas.length;
    part("areas-facts").textContent = areas ? `${count(areas, "area")} · ${share(edit.covered)} of the passages` : "";
  }
  async function measure() {
    if (!edit.content.areas.length) { edit.reach = {}; edit.covered = 0; marks(); return; }
    const asked = JSON.stringify(edit.content);
    const found = await ask({ do: "areas-measure", ontology: edit.content }, { quiet: true }).catch(() => null);
    if (!found || JSON.stringify(edit.content) !== asked) return;
    Object.assign(edit, { reach: found.reach, covered: found.covered });
    /* Only the figures are put in: whoever is typing keeps the place. */
    all("[data-area]", part("areas-list")).forEach((item) => {
      const area = areaOf(item.dataset.area);
      if (area) one(".area-figure", item).replaceChildren(...figure(area));
    });
    marks();
  }
  function rename(area, language, words) {
    change(() => { if (words.trim()) area.names[language] = words.trim(); else if (Object.keys(area.names).length > 1) delete area.names[language]; }, { redraw: false });
  }
  function addKeyword(area, language, words) {
    const found = words.split(",").map((word) => word.trim()).filter(Boolean);
    if (!found.length) return;
    change(() => { area.keywords[language] = [...new Set([...(area.keywords[language] || []), ...found])]; });
  }
  function dropKeyword(area, language, word) {
    change(() => {
      area.keywords[language] = area.keywords[language].filter((other) => other !== word);
      if (!area.keywords[language].length) delete area.keywords[language];
      edit.picked.delete(area.id);
    });
  }
  function merge(area, into) {
    change(() => {
      const other = areaOf(into);
      for (const [language, words] of Object.entries(area.keywords)) other.keywords[language] = [...new Set([...(other.keywords[language] || []), ...words])];
      for (const [language, words] of Object.entries(area.names)) other.names[language] = other.names[language] || words;
      other.required = other.required || area.required;
      without(area.id, into);
    });
  }
  function without(id, instead = "") {
    edit.content.areas = edit.content.areas.filter((area) => area.id !== id);
    for (const [type, needed] of Object.entries(edit.content.transactions)) {
      edit.content.transactions[type] = [...new Set(needed.map((name) => (name === id ? instead : name)).filter(Boolean))];
      unneeded(type);
    }
    for (const concept of edit.content.concepts || []) if (concept.area === id) concept.area = instead || null;
    edit.picked.delete(id);
  }
  function split(area) {
    const picked = [...(edit.picked.get(area.id) || [])].map((key) => JSON.parse(key));
    if (!picked.length) return;
    change(() => {
      const [language, first] = picked[0];
      const name = first.slice(0, 1).toUpperCase() + first.slice(1);
      const made = { ...copy(area), id: freeId(first), names: { [language]: name }, keywords: {} };
      for (const [spoken, word] of picked) {
        (made.keywords[spoken] ||= []).push(word);
        area.keywords[spoken] = area.keywords[spoken].filter((other) => other !== word);
        if (!area.keywords[spoken].length) delete area.keywords[spoken];
      }
      edit.content.areas.splice(edit.content.areas.indexOf(area) + 1, 0, made);
      edit.picked.delete(area.id);
    });
  }
  function move(area, by) {
    change(() => {
      const from = edit.content.areas.indexOf(area);
      edit.content.areas.splice(from, 1);
      edit.content.areas.splice(Math.max(0, from + by), 0, area);
    });
    const again = one(`[data-area="${CSS.escape(area.id)}"] [data-move="${by}"]`, part("areas-list"));
    if (again) again.focus();
  }

  /* ---------- an area ---------- */
  function figure(area) {
    const reach = edit.reach[area.id];
    if (!reach) return [make("span", { text: "counting …" })];
    const told = [make("span", { text: count(reach.passages, "passage") })];
    if (reach.overlap && reach.overlap[1] >= 0.5) told.push(make("span", { class: "shared", text: `${share(reach.overlap[1])} also in ${areaOf(reach.overlap[0]) ? nameOf(areaOf(reach.overlap[0])) : reach.overlap[0]}`, dir: "auto" }));
    return told;
  }
  function chip(area, language, word) {
    const reach = edit.reach[area.id];
    const found = reach && reach.found.find(([spoken, text]) => spoken === language && text === word);
    const key = JSON.stringify([language, word]);
    const picked = (edit.picked.get(area.id) || new Set()).has(key);
    const times = found ? count(found[2], "passage") : "";
    const pick = make("button", { type: "button", text: word, dir: "auto", lang: language, title: times, disabled: !may(), "aria-pressed": String(picked), onclick: () => {
      const chosen = edit.picked.get(area.id) || new Set();
      if (!chosen.delete(key)) chosen.add(key);
      edit.picked.set(area.id, chosen);
      draw();
    } });
    const drop = may() && button("×", () => dropKeyword(area, language, word), { "aria-label": `Remove ${word}`, class: "drop-word" });
    return make("span", { class: found && !found[2] ? "key-chip nowhere" : "key-chip", title: found && !found[2] ? "stands nowhere in this corpus" : "" }, pick, drop);
  }
  function keywordLine(area, language) {
    const words = area.keywords[language] || [];
    const typed = may() && make("input", { type: "text", maxLength: 200, placeholder: "add keyword", "aria-label": `Add a keyword in ${language}`, class: "add-word", onkeydown: (event) => {
      if (event.key !== "Enter" || !event.target.value.trim()) return;
      event.preventDefault();
      addKeyword(area, language, event.target.value);
      const next = one(`[data-area="${CSS.escape(area.id)}"] [data-words="${CSS.escape(language)}"] .add-word`, part("areas-list"));
      if (next) next.focus();
    }, onchange: (event) => addKeyword(area, language, event.target.value) });
    return make("div", { class: "area-words", "data-words": language }, make("span", { class: "area-language", text: language }), make("div", { class: "key-chips" }, ...words.map((word) => chip(area, language, word)), typed));
  }
  function languagesOf(area) {
    const known = new Set([...Object.keys(area.names), ...Object.keys(area.keywords)]);
    const listed = (edit.facts.languages || []).filter((language) => language !== "und");
    return [...new Set([...listed.filter((language) => known.has(language) || may()), ...known])];
  }
  function nameLine(area) {
    const names = languagesOf(area).map((language) => make("input", { type: "text", class: language === main() ? "area-name" : "area-name other", value: area.names[language] || "", maxLength: 200, dir: "auto", lang: language, readOnly: !may(), placeholder: `name in ${language}`, "aria-label": `Name in ${language}`, title: language, onchange: (event) => rename(area, language, event.target.value) }));
    const [first, ...others] = names;
    const extra = others.filter((input) => input.value || may());
    return [first, extra.length ? make("details", { class: "area-names" }, make("summary", {}, ...(others.some((input) => input.value) ? others.filter((input) => input.value).flatMap((input, at) => [at ? " · " : "", make("bdi", { text: input.value, lang: input.lang })]) : ["names in other languages"])), make("div", {}, ...extra)) : null];
  }
  function examples(area) {
    const reach = edit.reach[area.id];
    if (!reach || !reach.examples.length) return null;
    return make("details", { class: "area-examples" }, make("summary", { text: "Examples" }), ...reach.examples.map((example) => make("p", {}, make("a", { href: "#", dir: "auto", text: `${example.document}, ${example.label}`, onclick: (event) => { event.preventDefault(); lib.parts.forEach((member) => member.read && member.read(example.number, example.at)); } }), make("span", { text: example.text, dir: "auto" }))));
  }
  function tools(area, place) {
    const picked = (edit.picked.get(area.id) || new Set()).size;
    const others = edit.content.areas.filter((other) => other !== area);
    const into = make("select", { "aria-label": "Merge into", onchange: (event) => event.target.value && merge(area, event.target.value) }, new Option("merge into …", ""), ...others.map((other) => new Option(nameOf(other), other.id)));
    return make("div", { class: "area-acts" },
      make("label", {}, make("input", { type: "number", min: 1, max: 99, value: area.minimum_passages, onchange: (event) => change(() => { area.minimum_passages = Math.min(99, Math.max(1, Math.round(Number(event.target.value)) || 1)); }) }), "passages needed"),
      make("label", {}, make("input", { type: "checkbox", checked: area.required, onchange: (event) => change(() => { area.required = event.target.checked; }) }), "always required"),
      make("span", { class: "area-moves" },
        picked ? button(`Split off ${count(picked, "keyword")}`, () => split(area), { class: "split" }) : null,
        others.length ? into : null,
        button("↑", () => move(area, -1), { "aria-label": "Move up", disabled: place === 0, "data-move": "-1" }),
        button("↓", () => move(area, 1), { "aria-label": "Move down", disabled: place === edit.content.areas.length - 1, "data-move": "1" }),
        button("Delete", () => change(() => without(area.id)), { class: "danger" })));
  }
  function card(area, place) {
    const lines = languagesOf(area).filter((language) => (area.keywords[language] || []).length || may());
    return make("li", { class: "area-card", "data-area": area.id }, make("header", {}, ...nameLine(area), make("small", { class: "area-figure" }, ...figure(area))), ...lines.map((language) => keywordLine(area, language)), examples(area), may() ? tools(area, place) : make("p", { class: "hint", text: `${count(area.minimum_passages, "passage")} needed${area.required ? " · always required" : ""}` }));
  }

  /* ---------- transactions and rules ---------- */
  function types() {
    const listed = Object.entries(edit.content.transactions);
    if (!listed.length && !may()) return [];
    const rows = listed.map(([type, needed]) => make("div", { class: "type-row" },
      make("input", { type: "text", value: type, maxLength: 200, dir: "auto", readOnly: !may(), "aria-label": "Type of transaction", onchange: (event) => renameType(type, event.target.value.trim()) }),
      make("div", { class: "key-chips" }, ...edit.content.areas.filter((area) => may() || needed.includes(area.id)).map((area) => typeArea(type, needed, area))),
      may() && button("×", () => change(() => { delete edit.content.transactions[type]; delete (edit.content.wording || {})[type]; unneeded(type); }), { "aria-label": `Delete ${type}`, class: "drop-word" })));
    return [make("h3", { text: "Types of transactions" }), make("p", { class: "hint", text: "What a question can be about, and the areas that then need evidence, each with the least number of passages." }), ...rows, may() && button("New type", () => change(() => { let name = "new-type"; for (let number = 2; edit.content.transactions[name]; number += 1) name = `new-type-${number}`; edit.content.transactions[name] = []; }))].filter(Boolean);
  }
  /* A type has numbers for the areas that it needs and for no others. */
  function unneeded(type) {
    const numbers = (edit.content.least || {})[type];
    if (!numbers) return;
    for (const id of Object.keys(numbers)) if (!(edit.content.transactions[type] || []).includes(id)) delete numbers[id];
    if (!Object.keys(numbers).length) delete edit.content.least[type];
  }
  const leastOf = (type, area) => ((edit.content.least || {})[type] || {})[area.id] || area.minimum_passages;
  function setLeast(type, area, value) {
    change(() => { ((edit.content.least ||= {})[type] ||= {})[area.id] = Math.min(99, Math.max(1, Math.round(Number(value)) || 1)); });
  }
  function typeArea(type, needed, area) {
    const on = needed.includes(area.id);
    const chip = make("button", { type: "button", class: "type-area", text: nameOf(area), dir: "auto", disabled: !may(), "aria-pressed": String(on), onclick: () => change(() => { edit.content.transactions[type] = on ? needed.filter((id) => id !== area.id) : [...needed, area.id]; unneeded(type); }) });
    if (!on) return chip;
    return make("span", { class: "type-needs" }, chip, make("input", { type: "number", min: 1, max: 99, value: leastOf(type, area), disabled: !may(), "aria-label": `Passages of ${nameOf(area)} that ${type} needs`, title: "passages needed", onchange: (event) => setLeast(type, area, event.target.value) }));
  }
  function renameType(old, name) {
    if (!name || name === old) return draw();
    if (edit.content.transactions[name]) { say(`There is a type ${name} already.`); return draw(); }
    return change(() => {
      edit.content.transactions = Object.fromEntries(Object.entries(edit.content.transactions).map(([type, needed]) => [type === old ? name : type, needed]));
      for (const part of ["wording", "least"]) if ((edit.content[part] || {})[old]) { edit.content[part][name] = edit.content[part][old]; delete edit.content[part][old]; }
      for (const rule of edit.content.rules || []) rule.transactions = (rule.transactions || []).map((type) => (type === old ? name : type));
    });
  }
  function conceptList() {
    const concepts = edit.facts.concepts || [];
    if (!concepts.length) return [];
    const row = (concept) => make("li", { style: `margin-inline-start:${20 * concept.depth}px` }, make("details", {}, make("summary", {}, make("b", { text: concept.name, dir: "auto" }), make("small", { text: concept.wrong.length ? `${concept.wrong.length} not found` : count(concept.articles.length, "provision"), class: concept.wrong.length ? "rule-warning" : "" })),
      concept.definition ? make("p", { text: concept.definition, dir: "auto" }) : null,
      concept.articles.length ? make("p", { text: concept.articles.join("; "), dir: "auto" }) : null,
      concept.checks.length ? make("p", { class: "hint", text: `To check: ${concept.checks.join("; ")}`, dir: "auto" }) : null,
      ...concept.wrong.map((words) => make("p", { class: "rule-warning", text: words, dir: "auto" }))));
    return [make("h3", { text: "Concepts" }), make("p", { class: "hint", text: "A question that names one is led to its provisions. They are written in the file: download it, and load it again." }), make("ul", { class: "concept-list" }, ...concepts.map(row))];
  }
  function ruleList() {
    const rules = edit.facts.rules || [];
    if (!rules.length) return [];
    return [make("h3", { text: "Rules" }), make("p", { class: "hint", text: "Applied to the facts of a case beside its coverage. They are written in the file: download it, and load it again." }), ...rules.map((rule) => make("article", { class: "rule" }, make("header", {}, make("b", { text: rule.name, dir: "auto" }), make("code", { text: rule.when })), make("p", { text: `${rule.then}. ${rule.because}`, dir: "auto" }), ...redstring.lib.cited(rule)))];
  }

  /* ---------- the whole ---------- */
  function draw() {
    const list = part("areas-list");
    list.replaceChildren(...edit.content.areas.map(card));
    if (!list.childElementCount) list.append(make("li", { class: "empty" }, make("b", { text: "No areas yet." }), make("p", { text: "Add one, or load an ontology.yaml; nothing is saved before you say so." })));
    part("areas-types").replaceChildren(...types());
    part("areas-rules").replaceChildren(...conceptList(), ...ruleList());
    part("areas-may").hidden = may();
    ["new", "load"].forEach((name) => { one(`[data-areas=${name}]`, lib.root).hidden = !may(); });
    one("[data-areas=download]", lib.root).hidden = !edit.content.areas.length;
    marks();
  }
  async function load() {
    edit.stale = false;
    const found = await ask({ do: "areas" }).catch(() => null);
    if (!found) { edit.stale = true; return; }
    /* What somebody has edited while it was asked for is not taken back. */
    if (edit.content && dirty()) return;
    Object.assign(edit, { content: found.content, kept: JSON.stringify(found.content), reach: found.reach, covered: found.covered, facts: found, undo: [], picked: new Map() });
    draw();
  }
  async function save() {
    clearTimeout(edit.timer);
    await edit.settling;
    const found = await ask({ do: "areas-save", ontology: edit.content, words: "edited on the page" }).catch(() => null);
    if (!found) return;
    /* There is something to take back now; a button that went and came again would move those beside it. */
    edit.facts.undo = true;
    say("Saved. The next investigation uses these areas.", { good: true });
    await (edit.settling = settled());
  }
  /* The corpus has a new state: the shelf is looked at anew, and what stands is read again. What is asked next
     waits for that, else it would be asked of the state before. */
  async function settled() {
    edit.kept = JSON.stringify(edit.content);
    edit.undo = [];
    edit.stale = true;
    marks();
    await refresh();
    if (edit.stale) await load();
  }
  async function undo() {
    if (edit.undo.length) {
      edit.content = JSON.parse(edit.undo.pop());
      draw();
      return measure();
    }
    await edit.settling;
    const found = await ask({ do: "areas-undo" }).catch(() => null);
    if (!found) return undefined;
    say("The state before the last save is in force again.", { good: true });
    return (edit.settling = settled());
  }
  function download() {
    return asking({ do: "areas-file", ontology: edit.content }, (found) => {
      const address = URL.createObjectURL(new Blob([found.text], { type: "application/yaml" }));
      make("a", { href: address, download: "ontology.yaml" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    });
  }
  async function loadFile(file) {
    if (!file) return;
    const text = await file.text();
    await asking({ do: "areas-load", mapping: text }, (found) => change(() => Object.assign(edit, { content: found.content, reach: found.reach, covered: found.covered })));
    part("areas-file").value = "";
  }
  const acts = {
    new: () => { change(() => edit.content.areas.unshift({ id: freeId("new-area"), names: { [main()]: "New area" }, keywords: {}, required: false, minimum_passages: 2, minimum_similarity: 0.3 })); const field = one(".area-name", part("areas-list")); field.focus(); field.select(); },
    undo, save, download,
    discard: () => { edit.undo = []; edit.content = JSON.parse(edit.kept); draw(); measure(); },
    load: () => part("areas-file").click(),
  };
  function start() {
    one("[data-view=areas]", lib.root).addEventListener("click", (event) => {
      const control = event.target.closest("[data-areas]");
      if (control && acts[control.dataset.areas]) acts[control.dataset.areas]();
    });
    part("areas-file").addEventListener("change", (event) => loadFile(event.target.files[0]));
    document.addEventListener("redstring:connected", () => { if (lib.tab === "areas" && edit.content && !dirty()) load(); else edit.stale = edit.stale || !dirty(); });
  }
  function opened(_, anew) {
    edit.stale = true;
    if (anew) {
      /* What somebody is editing outlives a change of the corpus; what nobody has touched is read again. */
      if (edit.content && dirty()) edit.stale = false;
      return;
    }
    Object.assign(edit, { content: null, undo: [], picked: new Map() });
  }
  Object.assign(redstring.lib, { make });
  lib.parts.push({ start, opened, shown: (tab) => { if (tab === "areas" && (edit.stale || !edit.content)) load(); } });
})();
