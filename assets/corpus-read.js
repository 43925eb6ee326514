/* Reading a corpus: the tree of documents, the text, what references lead to, who cites a provision. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || !redstring.lib || redstring.lib.reading) return;
  const { state: lib, one, all, part, ask, asking, say } = redstring.lib;
  redstring.lib.reading = true;
  const TYPING = 180;
  const HOVER = 220;
  const here = { document: null, first: 0, stop: 0, length: 0, busy: false, asked: 0, found: 0 };
  const phone = () => matchMedia("(max-width: 760px)").matches;
  const fromHtml = (html) => { const box = document.createElement("template"); box.innerHTML = html; return box.content; };

  /* ---------- the list of documents ---------- */
  async function list(first = 0) {
    const words = part("search").value.trim();
    const turn = ++here.found;
    const found = await ask({ do: "documents", words, kind: part("kind").value, first }).catch(() => null);
    if (!found || turn !== here.found) return;
    const tree = part("tree");
    if (first) one(".more-lines[data-more=documents]", tree).closest("li").replaceWith(fromHtml(found.html));
    else {
      tree.replaceChildren(fromHtml(found.html));
      if (found.found) tree.append(fromHtml(`<li role="none" class="tree-sep">In headings</li>${found.found}`));
      if (!tree.childElementCount) tree.append(fromHtml('<li class="empty"><p>No title or heading holds these words.</p></li>'));
    }
    part("count").textContent = found.total.toLocaleString("en");
    reachable();
  }
  /* One line of the tree can be reached by Tab, all others by arrows. */
  function reachable(line) {
    const lines = all("[role=treeitem]", part("tree"));
    const chosen = line || lines.find((item) => item.classList.contains("on")) || lines[0];
    lines.forEach((item) => { item.tabIndex = item === chosen ? 0 : -1; });
  }

  /* ---------- opening lines ---------- */
  const below = (line) => one(":scope > ul", line.parentElement);
  async function unfold(line) {
    if (line.getAttribute("aria-expanded") !== "false") return;
    line.setAttribute("aria-expanded", "true");
    if (below(line)) { below(line).hidden = false; return; }
    const section = line.dataset.section === undefined ? null : Number(line.dataset.section);
    const found = await ask({ do: "nodes", document: Number(line.dataset.document), section }).catch(() => null);
    if (!found) { line.setAttribute("aria-expanded", "false"); return; }
    const list = document.createElement("ul");
    list.setAttribute("role", "group");
    list.append(fromHtml(found.html));
    if (!below(line)) line.parentElement.append(list);
  }
  function fold(line) {
    if (line.getAttribute("aria-expanded") !== "true") return;
    line.setAttribute("aria-expanded", "false");
    if (below(line)) below(line).hidden = true;
  }
  async function moreLines(line) {
    if (line.dataset.more === "documents") return list(Number(line.dataset.first));
    const owner = one(":scope > .line", line.closest("ul").parentElement);
    const section = owner.dataset.section === undefined ? null : Number(owner.dataset.section);
    return asking({ do: "nodes", document: Number(owner.dataset.document), section, first: Number(line.dataset.first) },
      (found) => line.closest("li").replaceWith(fromHtml(found.html)));
  }
  function mark(line) {
    all(".line.on", part("tree")).forEach((item) => { item.classList.remove("on"); item.removeAttribute("aria-selected"); });
    if (!line) return;
    line.classList.add("on");
    line.setAttribute("aria-selected", "true");
    reachable(line);
  }
  async function choose(line) {
    if (line.dataset.more) { await moreLines(line); return; }
    mark(line);
    const open = line.getAttribute("aria-expanded");
    if (open === "false") unfold(line);
    else if (open === "true" && Number(line.dataset.document) === here.document) fold(line);
    await read(Number(line.dataset.document), Number(line.dataset.at), { keepTree: true });
  }
  function onTreeKey(event) {
    const line = event.target.closest("[role=treeitem]");
    if (!line) return;
    const seen = all("[role=treeitem]", part("tree")).filter((item) => item.offsetParent !== null);
    const at = seen.indexOf(line);
    const go = (to) => { if (to) { event.preventDefault(); reachable(to); to.focus(); } };
    const inwards = getComputedStyle(part("tree")).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    if (event.key === "ArrowDown") go(seen[at + 1]);
    else if (event.key === "ArrowUp") go(seen[at - 1]);
    else if (event.key === "Home") go(seen[0]);
    else if (event.key === "End") go(seen[seen.length - 1]);
    else if (event.key === inwards) { event.preventDefault(); if (line.getAttribute("aria-expanded") === "true") go(seen[at + 1]); else unfold(line); }
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      if (line.getAttribute("aria-expanded") === "true") fold(line);
      else { const up = line.closest("ul").parentElement; go(up && one(":scope > .line", up)); }
    }
  }

  /* ---------- the text ---------- */
  async function read(number, at, { keepTree = false, kept = false } = {}) {
    const turn = ++here.asked;
    if (!kept) redstring.address({ view: "corpus", corpus: lib.name, document: number, at });
    closePeek();
    const other = number !== here.document;
    const [piece, head] = await Promise.all([
      ask({ do: "piece", document: number, at }).catch(() => null),
      other ? ask({ do: "head", document: number }).catch(() => null) : null,
    ]);
    if (!piece || turn !== here.asked || (other && !head)) return;
    Object.assign(here, { document: number, first: piece.first, stop: piece.stop, length: piece.length });
    if (head) { part("doc").innerHTML = head.html; part("doc").dir = head.direction; }
    part("doc").hidden = false;
    part("text").innerHTML = before() + piece.html;
    part("text").lang = piece.language;
    one(".read", lib.root).dataset.pane = "text";
    const scroll = part("scroll");
    const start = at > 0 ? one(`.head[data-at="${at}"], .prov[data-at="${at}"]`, part("text")) : null;
    if (start) { scroll.scrollTop += start.getBoundingClientRect().top - scroll.getBoundingClientRect().top - 12; flash(start); } else scroll.scrollTop = 0;
    where(at);
    fill();
    if (!keepTree) followInTree(number, at);
    if (phone()) scroll.scrollIntoView({ block: "start" });
  }
  const before = () => (here.first > 0 ? '<button type="button" class="earlier" data-earlier>Earlier in this document</button>' : "");
  function flash(mark) {
    const target = mark.classList.contains("head") ? mark.nextElementSibling || mark : mark;
    target.classList.add("flash");
    setTimeout(() => target.classList.remove("flash"), 1600);
  }
  /* More text when the end of what is here comes near. */
  async function fill() {
    const scroll = part("scroll");
    if (here.busy || here.stop >= here.length || scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight > 900) return;
    here.busy = true;
    const turn = here.asked;
    const piece = await ask({ do: "piece", document: here.document, at: here.stop }).catch(() => null);
    here.busy = false;
    if (!piece || turn !== here.asked || piece.stop <= here.stop) return;
    here.stop = piece.stop;
    part("text").append(fromHtml(piece.html));
    fill();
  }
  async function earlier() {
    const first = Math.max(0, here.first - 40);
    const turn = here.asked;
    const piece = await ask({ do: "piece", document: here.document, at: first, stop: here.first }).catch(() => null);
    if (!piece || turn !== here.asked) return;
    const scroll = part("scroll");
    const height = scroll.scrollHeight;
    one("[data-earlier]", part("text")).remove();
    here.first = first;
    part("text").prepend(fromHtml(before() + piece.html));
    scroll.scrollTop += scroll.scrollHeight - height;
  }
  function where(at) {
    const document = here.document;
    asking({ do: "path", document, at }, (found) => {
      if (document !== here.document) return;
      const title = one("h2", part("doc"));
      const name = title ? `<button type="button" class="crumb doc" dir="auto" data-document="${document}" data-at="0"></button>` : "";
      part("crumbs").innerHTML = '<button type="button" class="crumb back" data-back>Documents</button>' + name + found.html;
      if (title) one(".crumb.doc", part("crumbs")).textContent = title.textContent;
    });
  }
  /* Opens the tree down to where the text is, if the document's line is in the list. */
  async function followInTree(number, at) {
    const found = await ask({ do: "path", document: number, at }, { quiet: true }).catch(() => null);
    let line = one(`.line.doc[data-document="${number}"]`, part("tree"));
    if (!found || !line) return mark(null);
    await unfold(line);
    for (const section of found.sections) {
      const next = one(`.line[data-section="${section}"]`, line.parentElement);
      if (!next) break;
      line = next;
      if (section !== found.sections[found.sections.length - 1]) await unfold(line);
    }
    mark(line);
    line.scrollIntoView({ block: "nearest" });
    return undefined;
  }

  /* ---------- where references lead ---------- */
  let hovering = null;
  let peeked = 0;
  function closePeek() { clearTimeout(hovering); peeked += 1; part("peek").hidden = true; }
  async function openPeek(link) {
    const turn = ++peeked;
    here.peeking = link;
    const found = await ask({ do: "targets", refs: link.dataset.refs.split(",").map(Number) }, { quiet: true }).catch(() => null);
    /* The pointer may have gone on while it was asked. */
    if (!found || turn !== peeked || !link.isConnected) return;
    const card = part("peek");
    card.innerHTML = found.html;
    card.hidden = false;
    const spot = link.getClientRects()[0] || link.getBoundingClientRect();
    const left = Math.min(Math.max(12, spot.left), innerWidth - card.offsetWidth - 12);
    const under = spot.bottom + 6 + card.offsetHeight < innerHeight;
    card.style.left = `${left}px`;
    card.style.top = `${under ? spot.bottom + 6 : Math.max(12, spot.top - card.offsetHeight - 6)}px`;
  }
  async function follow(link) {
    clearTimeout(hovering);
    /* Nothing points on a touch screen: where it leads is shown first, and followed from there. */
    if (matchMedia("(hover: none)").matches) { await openPeek(link); return; }
    await asking({ do: "targets", refs: link.dataset.refs.split(",").map(Number) }, (found) => {
      if (found.spot) return read(found.spot.document, found.spot.at);
      return openPeek(link);
    });
  }
  async function citedBy(button) {
    const article = button.closest(".prov");
    const known = one(":scope > .citing", article);
    if (known) { known.remove(); button.setAttribute("aria-expanded", "false"); return; }
    await asking({ do: "citing", document: here.document, at: Number(button.dataset.by) }, (found) => {
      const list = document.createElement("ul");
      list.className = "citing";
      list.dir = "ltr";
      list.append(fromHtml(found.html));
      article.append(list);
      button.setAttribute("aria-expanded", "true");
    });
  }
  async function moreCiting(button) {
    const at = Number(button.closest(".prov").dataset.at);
    await asking({ do: "citing", document: here.document, at, first: Number(button.dataset.first) },
      (found) => button.closest("li").replaceWith(fromHtml(found.html)));
  }
  async function copy(button) {
    const words = button.closest(".prov").dataset.citation;
    const said = button.textContent;
    try { await navigator.clipboard.writeText(words); button.textContent = "Copied"; } catch { button.textContent = words; }
    setTimeout(() => { button.textContent = said; }, 1600);
  }
  async function remove(button) {
    if (!button.dataset.sure) {
      button.dataset.sure = "1";
      button.textContent = "Really remove it? Its text and references go";
      setTimeout(() => { delete button.dataset.sure; button.textContent = "Remove from the corpus"; }, 5000);
      return;
    }
    await asking({ do: "remove", document: here.document }, (found) => lib.parts.forEach((member) => member.resume && member.resume(found.job, { open: true })));
  }

  function onTextClick(event) {
    const link = event.target.closest("a.ref");
    if (link) { event.preventDefault(); return follow(link); }
    const place = event.target.closest(".go, .crumb[data-document]");
    if (place) { event.preventDefault(); return read(Number(place.dataset.document), Number(place.dataset.at)); }
    const control = event.target.closest("button");
    if (!control) return undefined;
    if (control.matches("[data-earlier]")) return earlier();
    if (control.matches("[data-by]")) return citedBy(control);
    if (control.matches(".more-citing")) return moreCiting(control);
    if (control.matches("[data-copy]")) return copy(control);
    if (control.matches("[data-remove]")) return remove(control);
    if (control.matches("[data-back]")) one(".read", lib.root).dataset.pane = "tree";
    return undefined;
  }
  /* A reference is rejected, or no longer is; its provision is drawn anew, and what was open stays open. */
  async function judge(button) {
    const link = here.peeking;
    const prov = link && link.closest(".prov");
    if (!prov) return;
    button.disabled = true;
    const at = Number(prov.dataset.at);
    const turn = here.asked;
    await ask({ do: button.dataset.act === "reject" ? "reject-link" : "restore-link", link: JSON.parse(button.dataset.link) }).then(async () => {
      window.redstring.judgedElsewhere(lib.name);
      const piece = await ask({ do: "piece", document: here.document, at, stop: at + 1 });
      if (turn !== here.asked || !prov.isConnected) return;
      const anew = one(".prov", fromHtml(piece.html));
      prov.replaceWith(anew);
      const again = one(`a.ref[data-refs="${link.dataset.refs}"]`, anew);
      if (again) await openPeek(again);
    }).catch(() => { button.disabled = false; });
  }
  function onKey(event) {
    if (event.key === "Escape") closePeek();
    if (event.key !== "x" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const button = part("peek").hidden ? null : one("button.judge", part("peek"));
    if (button && document.body.dataset.view === "corpus") { event.preventDefault(); judge(button); }
  }
  function onPeekClick(event) {
    const judged = event.target.closest("button.judge");
    if (judged) { judge(judged); return; }
    const resolve = event.target.closest("[data-resolve]");
    const target = event.target.closest(".target[data-document]");
    closePeek();
    if (resolve) lib.parts.forEach((member) => member.resolveOne && member.resolveOne(Number(resolve.dataset.resolve)));
    else if (target) read(Number(target.dataset.document), Number(target.dataset.at));
  }
  function start(element) {
    let typing = null;
    part("search").addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => list(), TYPING); });
    part("kind").addEventListener("change", () => list());
    part("tree").addEventListener("click", (event) => { const line = event.target.closest("[role=treeitem]"); if (line) choose(line); });
    part("tree").addEventListener("keydown", onTreeKey);
    const pane = one(".text-pane", element);
    pane.addEventListener("click", onTextClick);
    part("scroll").addEventListener("scroll", () => { closePeek(); fill(); }, { passive: true });
    const over = (event) => {
      const link = event.target.closest("a.ref");
      if (!link) return;
      clearTimeout(hovering);
      hovering = setTimeout(() => openPeek(link), HOVER);
    };
    pane.addEventListener("mouseover", over);
    pane.addEventListener("focusin", over);
    pane.addEventListener("mouseout", (event) => { if (!event.target.closest("a.ref")) return; clearTimeout(hovering); if (!part("peek").matches(":hover")) hovering = setTimeout(() => { if (!part("peek").matches(":hover")) closePeek(); }, HOVER); });
    part("peek").addEventListener("mouseleave", closePeek);
    part("peek").addEventListener("click", onPeekClick);
    document.addEventListener("keydown", onKey);
  }
  async function opened(found) {
    const kinds = [["", ""], ...found.kinds];
    part("kind").replaceChildren(...kinds.map(([kind, words]) => new Option(words || "all types", kind)));
    part("kind").hidden = found.kinds.length < 2;
    part("search").value = "";
    Object.assign(here, { document: null, asked: here.asked + 1 });
    part("doc").innerHTML = part("text").innerHTML = part("crumbs").innerHTML = "";
    one(".read", lib.root).dataset.pane = "tree";
    await list();
    if (here.document === null && !phone()) await read(0, 0, { keepTree: true, kept: true }).catch(() => say("The first document could not be opened."));
  }
  /* The grade of a kind has changed, and so perhaps that of the document that is open. */
  const regraded = () => here.document !== null && asking({ do: "head", document: here.document }, (head) => { part("doc").innerHTML = head.html; }, { quiet: true });
  lib.parts.push({ start, opened, regraded, read: (document, at, how) => { redstring.lib.show("read"); return read(document, at, how); } });
})();
