/* A wrong link is reported where it is met: on a card, on a string of the board, in the answer. With the key x
   what is chosen is reported, or taken back. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.report) return;
  const TYPING = "input, textarea, select, [contenteditable=true]";
  const one = (selector, within = document) => within.querySelector(selector);
  const piece = (tag, name, text) => { const made = document.createElement(tag); made.className = name; made.textContent = text; return made; };
  const WRONG = "Mark this link as wrong (x): it will be ignored from the next case";
  const UNDO = "Reported as wrong: the next case leaves it out. Take that back (x)";

  const { state } = redstring;
  const strings = () => (state.data && state.data.edges) || [];
  /* A string that was clicked, or the one by which the selected passage was first reached. */
  function stringShown() {
    const own = strings().find((edge) => edge.id === state.string);
    if (own) return own;
    return state.selected === null ? null : strings().find((edge) => edge.to === state.selected && edge.first && edge.link) || null;
  }
  function chooseString(id) {
    if (state.selected !== null) redstring.select(null);
    state.string = id;
    redstring.post({ type: "string", id });
    inspect();
  }
  /* The board is drawn anew: a string that is no longer on it is not chosen any more. */
  function redrawn() {
    if (!strings().some((edge) => edge.id === state.string)) state.string = null;
    inspect();
  }
  /* A link is reported as wrong, or no longer is: everything stays chosen as it was. */
  function judge(button, id) {
    state.reported = true;
    state.act({ action: button.dataset.act, id: id || "", link: button.dataset.link });
  }
  /* Links of a corpus were judged elsewhere on the page: the open case, where it is asked of that corpus, shows it. */
  function judgedElsewhere(corpus) {
    const cards = one("#passages .cards");
    if (!cards || cards.dataset.corpus !== corpus) return;
    state.reported = true;
    state.act({ action: "judged", id: "", link: "" });
  }
  function stay() {
    const { selected, string } = state;
    state.reported = false;
    redstring.select(selected);
    if (string !== null) chooseString(string);
  }

  /* What the chosen string of the board says, under the board. */
  function inspect() {
    const holder = one("#board [data-board=string]");
    if (!holder) return;
    const edge = stringShown();
    holder.hidden = !edge;
    if (!edge) { holder.replaceChildren(); return; }
    const named = (id) => { const node = state.data.nodes.find((item) => item.id === id); return node ? node.name || node.title : ""; };
    const words = piece("p", "what", "");
    const start = named(edge.from);
    const to = piece("b", "", named(edge.to));
    to.dir = "auto";
    words.append(to, ` ${edge.words}`.replace(/\s+/g, " "));
    words.dir = "auto";
    const line = piece("div", edge.wrong ? "string wrong" : "string", "");
    line.append(words);
    if (edge.said) { const quote = piece("q", "", edge.said.replace(/^“|”$/g, "")); quote.dir = "auto"; line.append(quote); }
    if (start) line.title = start;
    const acts = piece("div", "acts", "");
    if (edge.wrong) acts.append(piece("span", "told", "Rejected: the next case leaves it out"));
    if (edge.link && state.data.judging) {
      const button = piece("button", "judge", edge.wrong ? "undo" : "✕ wrong");
      button.type = "button";
      Object.assign(button.dataset, { act: edge.wrong ? "unreject" : "reject", link: JSON.stringify(edge.link) });
      button.title = edge.wrong ? UNDO : WRONG;
      button.append(piece("kbd", "", "x"));
      button.addEventListener("click", () => judge(button));
      acts.append(button);
    }
    holder.replaceChildren(line, acts);
  }
  /* The button that the key x presses: in the answer the one of the sentence that is pointed at or has the focus, else that of a
     string that was clicked, of the selected card, of the string to the selected passage. */
  function button() {
    const sentence = document.activeElement && document.activeElement.closest && document.activeElement.closest("#answer li[data-kind], #answer .say");
    const string = one("#board [data-board=string]:not([hidden]) button.judge");
    const card = one("#passages .card.on .why button.judge");
    const pointed = one("#answer li[data-kind]:hover button.judge, #answer .say:hover button.judge");
    return pointed || (sentence && one("button.judge", sentence)) || (state.string !== null ? string : card || string);
  }
  function report() {
    const found = button();
    if (found) found.click();
    return Boolean(found);
  }
  document.addEventListener("click", (event) => {
    const judged = event.target.closest("#answer button.judge");
    if (judged) judge(judged);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "x" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TYPING)) return;
    if (document.body.dataset.view && document.body.dataset.view !== "investigate") return;
    if (report()) event.preventDefault();
  });
  Object.assign(redstring, { report, inspect, chooseString, redrawn, judge, judgedElsewhere, stay, strings });
})();
