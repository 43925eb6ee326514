/* The answer beside the passages: its chips show the words they cite, and lead to them. */
(() => {
  "use strict";
  if (window.redstring.answer) return;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const PHONE = "(max-width: 760px)";
  let shown = null; /* the chip whose quote is shown */

  /* ---------- passages or answer ---------- */
  function tab(name) {
    const pane = one("#passages");
    if (!pane) return;
    pane.dataset.tab = name;
    all("#passages-head [data-tab]").forEach((button) => button.setAttribute("aria-selected", String(button.dataset.tab === name)));
    hide();
  }
  /* The page brings a pane to the front by its name; the answer shares its pane with the passages. */
  function follow() {
    const panes = one("#panes");
    const seen = () => { if (panes.dataset.pane === "answer" || panes.dataset.pane === "passages") tab(panes.dataset.pane); };
    new MutationObserver(seen).observe(panes, { attributes: true, attributeFilter: ["data-pane"] });
    one("#passages-head").addEventListener("click", (event) => {
      const button = event.target.closest("[data-tab]");
      if (button) one(`#switch [data-pane=${button.dataset.tab}]`).click();
    });
  }

  /* ---------- the quote behind a chip ---------- */
  const quoteOf = (chip) => one(`.quoted[data-n="${chip.dataset.n}"]`, chip.closest(".answer"));
  function hide() {
    const open = one("#quote-shown");
    if (open) open.remove();
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
  }
  function show(chip) {
    if (shown === chip) return;
    hide();
    const quote = quoteOf(chip);
    if (!quote) return;
    const open = quote.cloneNode(true);
    open.id = "quote-shown";
    open.setAttribute("role", "tooltip");
    document.body.append(open);
    const at = chip.getBoundingClientRect();
    const room = { width: document.documentElement.clientWidth, height: window.innerHeight };
    const size = open.getBoundingClientRect();
    const left = Math.max(10, Math.min(at.left + at.width / 2 - size.width / 2, room.width - size.width - 10));
    const below = at.bottom + 8 + size.height <= room.height - 10;
    const top = below ? at.bottom + 8 : Math.max(10, at.top - 8 - size.height);
    Object.assign(open.style, { left: `${left}px`, top: `${top}px` });
    shown = chip;
    chip.setAttribute("aria-describedby", "quote-shown");
  }

  /* ---------- to the passage ---------- */
  /* The quoted words inside a card, wherever its markup cuts them: blanks count as one. */
  function rangeOf(card, words) {
    const text = one(".text", card);
    if (!text) return null;
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const places = [];
    let plain = "";
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (let offset = 0; offset < node.data.length; offset += 1) {
        const sign = node.data[offset];
        const blank = /\s/.test(sign);
        if (blank && plain.endsWith(" ")) continue;
        plain += blank ? " " : sign;
        places.push([node, offset]);
      }
    }
    const wanted = words.split(/\s+/).join(" ").trim();
    const start = plain.indexOf(wanted);
    if (start < 0 || !wanted) return null;
    const range = document.createRange();
    const last = places[start + wanted.length - 1];
    range.setStart(...places[start]);
    range.setEnd(last[0], last[1] + 1);
    return range;
  }
  function mark(range) {
    if (!window.CSS || !CSS.highlights || !window.Highlight) return;
    CSS.highlights.delete("cited");
    if (range) CSS.highlights.set("cited", new Highlight(range));
  }
  function lead(chip) {
    const quote = quoteOf(chip);
    if (!quote) return;
    const id = quote.dataset.passage;
    const words = quote.dataset.quote;
    const corpus = chip.closest(".answer").dataset.corpus;
    hide();
    window.redstring.select(id, { scroll: true });
    const card = all("#passages .card").find((item) => item.dataset.members.split("\n").includes(id));
    /* What has no card, such as the definition of a term, is read where it stands. */
    if (!card) { window.redstring.readPassage(corpus, id); return; }
    card.hidden = false;
    const range = rangeOf(card, words);
    mark(range);
    const spot = range ? range.getBoundingClientRect() : card.getBoundingClientRect();
    const list = one("#passages .list");
    if (matchMedia(PHONE).matches) window.scrollBy({ top: spot.top - 140 });
    else if (list) list.scrollBy({ top: spot.top - list.getBoundingClientRect().top - 90 });
  }

  /* A changed provision, or the amending one, is read where it stands. */
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest(".answer [data-read]");
    if (!link) return;
    event.preventDefault();
    window.redstring.readPassage(link.closest(".answer").dataset.corpus, link.dataset.read);
  });

  async function copy(button) {
    const form = one(`[data-form="${button.dataset.copy}"]`, button.closest(".answer"));
    const before = button.textContent;
    try { await navigator.clipboard.writeText(form.textContent); button.textContent = "Copied"; }
    catch { button.textContent = "Not allowed here"; }
    setTimeout(() => { button.textContent = before; }, 1600);
  }

  function answer(element, trigger, watch) {
    const chipOf = (event) => event.target.closest && event.target.closest(".source");
    element.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") { const chip = chipOf(event); if (chip) show(chip); } });
    element.addEventListener("pointerout", (event) => { if (event.pointerType === "mouse" && chipOf(event)) hide(); });
    element.addEventListener("focusin", (event) => { const chip = chipOf(event); if (chip && chip.matches(":focus-visible")) show(chip); });
    element.addEventListener("focusout", (event) => { if (chipOf(event)) hide(); });
    element.addEventListener("click", (event) => {
      const chip = chipOf(event);
      /* A finger has nothing to hover with: the first tap shows the quote, the second follows it. */
      if (chip) { if (event.pointerType === "touch" && shown !== chip) { show(chip); return; } lead(chip); return; }
      const asked = event.target.closest("[data-answer]");
      if (asked) { trigger(asked.dataset.answer === "stop" ? "expand" : "select", { action: asked.dataset.answer }); return; }
      const form = event.target.closest("[data-copy]");
      if (form) copy(form);
    });
    watch("value", () => { hide(); mark(null); });
    follow();
    tab("passages");
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  document.addEventListener("scroll", hide, true);
  document.addEventListener("click", (event) => { if (shown && !event.target.closest(".source")) hide(); });
  document.addEventListener("redstring:view", hide);
  window.redstring.answer = answer;
})();
