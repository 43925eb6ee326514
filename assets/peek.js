/* What stands on the board and has no card yet, told from the board's own data: a passage, or a query. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.peek) return;
  const piece = (tag, name, text) => { const made = document.createElement(tag); made.className = name; made.textContent = text; made.dir = "auto"; return made; };
  /* A query for a gap: its area, its words, and what it found. */
  function ofQuery(node, known) {
    const card = piece("article", "card compact query", "");
    Object.assign(card.dataset, { id: node.id, members: node.id });
    card.tabIndex = 0;
    card.style.setProperty("--c", `var(--${node.strategy})`);
    const cite = piece("header", "cite", "");
    cite.append(piece("span", "n", "◆"), piece("b", "", node.title), piece("span", "where", node.where));
    const list = piece("ol", "found", "");
    for (const found of node.found) {
      const item = document.createElement("li");
      const there = known(found.id);
      const words = piece(there ? "button" : "span", "", found.name);
      if (there) Object.assign(words, { type: "button" }).dataset.select = found.id;
      item.append(words);
      if (found.new) item.append(" ", piece("small", "", "new"));
      list.append(item);
    }
    card.append(cite, piece("p", "text", node.text), piece("div", "told", node.told), list);
    return card;
  }
  function ofPassage(node) {
    const card = piece("article", "card compact", "");
    Object.assign(card.dataset, { id: node.id, members: node.id, citation: node.citation, document: node.title });
    const cite = piece("header", "cite", "");
    cite.append(piece("span", "n", "·"), piece("b", "", node.title), piece("span", "where", node.where));
    if (node.badge) cite.append(piece("span", "badge", node.badge));
    const text = piece("p", "text", node.text);
    text.lang = node.language;
    const acts = document.createElement("footer");
    acts.className = "acts";
    for (const [act, words] of [["follow", "Search on from here"], ["whole", "Read the whole document"], ["pin", "Pin"], ["dismiss", "Dismiss"], ["copy", "Copy citation"], ["read", "Open in document"]]) {
      const button = piece("button", "", words);
      button.type = "button";
      button.dataset.act = act;
      acts.append(button);
    }
    card.append(cite, text, piece("div", "why", node.why), acts);
    return card;
  }
  /* ``known``: whether a passage can be gone to by its id. */
  redstring.peek = (node, known) => (node.kind === "query" ? ofQuery(node, known) : ofPassage(node));
})();
