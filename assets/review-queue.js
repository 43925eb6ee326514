/* One item of a queue at a time, one key a verdict. The next item is here before it is asked for: an item that a tab
   holds stands in a slot of it (a to f), and the server hands a slot the same item until it was judged. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.reviewQueue) return;
  // Two or three are in use; the others are for items that come back.
  const SLOTS = [..."abcdef"], TYPING = "input, textarea, select, [contenteditable=true]";
  const BROWSER = "redstring-review-browser", TAB = "redstring-review-tab", AT = "redstring-review-at", MOST_TABS = 12;
  // An item is its reviewer's for five minutes: it is asked for again before, as long as somebody is there, ms.
  const AGAIN = 100_000, THERE = 900_000, LOOK = 10_000;
  const LOST = "The server did not answer: this verdict was not kept, and its item is here again.";

  /* ---------- which tab this is ---------- */
  /* A tab that was loaded anew, or comes after one that has crashed, is the same tab to the server. */
  const stored = (key, where) => { try { return where.getItem(key) || ""; } catch { return ""; } };
  const store = (key, value, where) => { try { where.setItem(key, value); } catch { /* it lasts for this load */ } };
  const random = () => [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  function locked(name) {
    return new Promise((done) => {
      navigator.locks.request(name, { ifAvailable: true }, (lock) => { done(Boolean(lock)); return lock ? new Promise(() => {}) : undefined; }).catch(() => done(false));
    });
  }
  let tab = null;
  async function tabName() {
    if (tab) return tab;
    const browser = stored(BROWSER, localStorage) || random();
    store(BROWSER, browser, localStorage);
    const before = stored(TAB, sessionStorage);
    if (!navigator.locks) tab = before || `${browser}-${random()}`;
    else {
      const names = [...new Set([before, ...Array.from({ length: MOST_TABS }, (_, number) => `${browser}-${number}`)])].filter(Boolean);
      for (const name of names) if (!tab && await locked(`redstring-review-${name}`)) tab = name;
      tab = tab || `${browser}-${random()}`;
    }
    store(TAB, tab, sessionStorage);
    return tab;
  }

  function reviewQueue(root, kit, ask, over) {
    const state = { queue: "", shown: null, ahead: [], asked: new Set(), since: 0, seen: null, line: Promise.resolve(), there: 0, turn: 0, timer: 0, swept: false };
    const part = (name) => kit.one(`[data-part="${name}"]`);
    const frame = () => kit.one(".rev");
    const playing = () => Boolean(state.queue) && frame().dataset.show === "queue";

    /* ---------- items ---------- */
    const here = () => [state.shown, ...state.ahead].filter(Boolean);
    const free = () => SLOTS.filter((slot) => !state.asked.has(slot) && !here().some((piece) => piece.slot === slot));
    /* As many slots as are to be filled: one item waits behind the one that is shown. */
    function wanted() {
      const slots = free().slice(0, Math.max(0, (state.shown ? 1 : 2) - state.ahead.length));
      slots.forEach((slot) => state.asked.add(slot));
      return slots;
    }
    function put(piece) {
      here().forEach((other) => { if (other.slot === piece.slot) other.slot = ""; });
      const known = here().find((other) => other.case === piece.case && other.key === piece.key);
      if (known) known.slot = piece.slot; else state.ahead.push(piece);
    }
    function show(piece, { quiet = false } = {}) {
      const place = part("item");
      const within = place.contains(document.activeElement) || part("bar").contains(document.activeElement) || document.activeElement === document.body;
      state.shown = piece;
      state.since = performance.now();
      frame().toggleAttribute("data-waiting", !piece);
      if (!piece) return;
      place.innerHTML = piece.html;
      frame().dataset.kind = piece.kind;
      forget();
      state.swept = false;
      remember();
      if (within && !quiet) focus();
    }
    /* Which slots are in use, the one of the item that is shown first. */
    function remember() {
      store(`${AT}-${tab}`, JSON.stringify([state.queue, ...here().map((piece) => piece.slot).filter(Boolean)]), localStorage);
    }
    const next = () => show(state.ahead.shift() || null);
    function focus() {
      const text = kit.one('.rev-holder [data-part="text"]');
      if (text && playing()) text.focus({ preventScroll: true });
    }

    /* ---------- asking, one thing after another ---------- */
    function send(request, failed = () => {}) {
      const { turn, queue } = state;
      const done = state.line.then(async () => {
        // A verdict is sent also where its reviewer has left meanwhile.
        if (turn !== state.turn && request.do !== "verdict") return;
        let found;
        try { found = await ask({ queue, tab: await tabName(), seen: state.seen, ...request }); } catch { found = { error: LOST }; }
        if (turn !== state.turn) { if (found.error) kit.banner(found.error); return; }
        (request.slots || []).forEach((slot) => state.asked.delete(slot));
        take(found, failed);
      });
      state.line = done;
      return done;
    }
    function take(found, failed) {
      if (found.error) { kit.banner(found.error); failed(); return; }
      if (found.case !== undefined) Object.assign(part("to-case"), { hidden: !found.case }).dataset.case = found.case;
      if (found.seen !== undefined) state.seen = found.seen;
      Object.entries(found.html || {}).forEach(([name, html]) => kit.swap(name, html));
      // Where there is little room, what was read once makes room for the item.
      const criteria = found.html && found.html["shown-criteria"] && matchMedia("(max-width: 760px)").matches && kit.one(".rev-shown");
      if (criteria) criteria.open = false;
      if (found.missed) told(found.missed);
      (found.turns || []).forEach(put);
      if (found.back) back(found.back);
      if (!state.shown && state.ahead.length) next();
      else if (!state.shown && !state.asked.size && found.left && !state.swept) sweep();
      else if (!state.shown && !state.asked.size) finished(found.left);
      remember();
    }
    function told(words) {
      const line = document.createElement("p");
      line.textContent = `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
      line.className = "rev-missed";
      kit.slot("last").replaceChildren(line);
    }
    /* An item comes back in front of those that are here already. */
    function back(piece) {
      const known = here().find((other) => other.case === piece.case && other.key === piece.key);
      state.ahead = [state.shown, ...state.ahead].filter((other) => other && other !== known);
      show(known || piece);
    }
    function finished(left) {
      if (!left) { const queue = state.queue; leave(); over(queue); return; }
      const place = part("item");
      const words = document.createElement("p");
      words.className = "rev-elsewhere";
      words.tabIndex = -1;
      words.textContent = `${left === 1 ? "The last item is" : `The last ${left} items are`} before somebody else now, or in another tab of yours. This page looks again by itself.`;
      place.replaceChildren(words);
      frame().dataset.kind = "";
      frame().removeAttribute("data-waiting");
      words.focus();
      clearTimeout(state.timer);
      state.timer = setTimeout(again, LOOK);
    }
    /* What no slot in use brings may be held by another one of this tab, from before it was loaded anew. */
    function sweep() {
      state.swept = true;
      const slots = free();
      slots.forEach((slot) => state.asked.add(slot));
      send({ do: "turns", slots });
    }
    function again() {
      if (playing() && !state.shown && !state.asked.size) sweep();
    }

    /* ---------- what a reviewer does ---------- */
    function verdict(button) {
      const piece = state.shown;
      if (!piece) return;
      const said = { verdict: button.dataset.verdict, ...why.given(), seconds: Math.min(86_400, (performance.now() - state.since) / 1000) };
      next();
      send({ do: "verdict", case: piece.case, key: piece.key, ...said, slots: wanted() }, () => back(piece));
    }
    const undo = () => send({ do: "take-back", slots: free().slice(0, 1) });

    /* ---------- reasons ---------- */
    const why = {
      chosen: () => kit.one(".rev-chip[aria-pressed=true]"),
      given: () => ({ reason: why.chosen() ? why.chosen().textContent : "", note: part("note").value.trim() }),
      open(on) {
        part("why").hidden = !on;
        part("why-open").setAttribute("aria-expanded", String(on));
      },
      has() {
        const { reason, note } = why.given();
        part("why-open").toggleAttribute("data-given", Boolean(reason || note));
      },
    };
    function toggleWhy() {
      const opens = part("why").hidden;
      why.open(opens);
      const first = kit.all(".rev-chip").find((chip) => chip.offsetParent);
      if (opens && first) first.focus(); else focus();
    }
    function reason(chip) {
      const on = chip.getAttribute("aria-pressed") !== "true";
      kit.all(".rev-chip").forEach((other) => other.setAttribute("aria-pressed", String(on && other === chip)));
      why.has();
    }
    function forget() {
      kit.all(".rev-chip[aria-pressed=true]").forEach((chip) => chip.setAttribute("aria-pressed", "false"));
      part("note").value = "";
      if (part("why").contains(document.activeElement)) focus();
      why.open(false);
      why.has();
    }

    /* ---------- keys ---------- */
    const letter = (event) => (/^[a-z0-9]$/i.test(event.key) ? event.key : event.code.replace(/^(Key|Digit|Numpad)/, "")).toLowerCase();
    document.addEventListener("keydown", (event) => {
      if (!playing() || document.body.dataset.view !== "review" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      state.there = Date.now();
      if (root.contains(event.target) && event.target.closest(".rev-why") && (event.key === "Escape" || (event.key === "Enter" && event.target.closest("input")))) {
        event.preventDefault();
        event.stopPropagation();
        why.open(false);
        focus();
        return;
      }
      // A key that is held down is one verdict.
      if (event.repeat || event.target.closest(TYPING) || document.querySelector("dialog[open]")) return;
      const key = letter(event);
      const button = kit.all("[data-press]").find((one) => one.dataset.press.split(" ").includes(key) && one.offsetParent);
      if (!button) return;
      event.preventDefault();
      button.click();
    });
    root.addEventListener("input", (event) => { if (event.target === part("note")) why.has(); });
    root.addEventListener("pointerdown", () => { state.there = Date.now(); });
    setInterval(() => {
      const slots = here().map((piece) => piece.slot).filter(Boolean);
      if (playing() && slots.length && Date.now() - state.there < THERE) send({ do: "turns", slots });
    }, AGAIN);

    /* ---------- coming and going ---------- */
    /* Resolves once all that was said is kept. */
    function leave() {
      const { line } = state;
      clearTimeout(state.timer);
      Object.assign(state, { queue: "", shown: null, ahead: [], asked: new Set(), seen: null, turn: state.turn + 1, line: Promise.resolve() });
      ["last", "head", "progress", "shown-criteria"].forEach((name) => kit.swap(name, ""));
      part("item").replaceChildren();
      return line;
    }
    /* The item that was shown before comes first again. */
    async function enter(queue) {
      leave();
      await tabName();
      let at = [];
      try { at = JSON.parse(stored(`${AT}-${tab}`, localStorage) || "[]"); } catch { /* none is known */ }
      const used = at[0] === queue ? at.slice(1).filter((slot) => SLOTS.includes(slot)) : [];
      Object.assign(state, { queue, there: Date.now() });
      const slots = [...new Set([...used, ...SLOTS])].slice(0, Math.max(2, used.length));
      slots.forEach((slot) => state.asked.add(slot));
      let worked = true;
      const asked = send({ do: "enter", slots }, () => { worked = false; });
      frame().dataset.show = "queue";
      await asked;
      if (worked && state.queue) focus();
      return worked && Boolean(state.queue);
    }
    /* Resolves once all that was said is kept. */
    const said = () => state.line;
    return { enter, leave, said, verdict, undo, why: toggleWhy, reason, again, focus };
  }
  Object.assign(redstring, { reviewQueue });
})();
