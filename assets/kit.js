/* A small kit for views whose HTML is made on the server: fragments are swapped into their slots, controls say by
   data-attributes what they do.

   data-slot="NAME"       what an answer has under html.NAME stands here
   data-do="VERB"         a button (click) or a form (submit; data-on="change" or "input": then) that asks the server
   data-busy="WORDS"      what a button that sends a form says until the answer is there
   data-with='{...}'      what goes along; a form sends its fields, too
   data-act="NAME"        what the view's own script does, without the server
   data-sure="WORDS"      the button says these words first and is meant at the second click
   data-key="NAME"        whoever is in a control with a key finds it again after its slot was swapped
   time[data-time=both]   told as "2 hours ago", and below it exactly, in the reader's own time
   data-plot='{...}'      a chart of plotly

   An answer: { html: { slot: HTML }, error, said, file: { name, type, data }, focus: SELECTOR }. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.kit) return;
  const PAUSE = 250, SURE = 6000;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const LOST = "The server did not answer; its log has the details.";

  /* A line that says what went wrong, or what was done, until somebody closes it. */
  redstring.banner = (words, good = false) => {
    const line = document.createElement("div");
    line.className = good ? "banner good" : "banner";
    line.setAttribute("role", good ? "status" : "alert");
    const text = document.createElement("span");
    text.dir = "auto";
    text.textContent = words;
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "close";
    close.addEventListener("click", () => line.remove());
    line.append(text, close);
    return line;
  };

  function kit(root, door, { acts = {}, after = () => {}, more = () => ({}) } = {}) {
    const turns = {};
    let asking = 0;
    const slot = (name) => one(`[data-slot="${name}"]`, root);

    /* ---------- asking ---------- */
    /* Of two questions of a kind the last one counts, whichever is answered first. */
    async function send(request, { quiet = false } = {}) {
      const turn = turns[request.do] = (turns[request.do] || 0) + 1;
      asking += 1;
      root.toggleAttribute("data-asking", true);
      let found;
      try { found = await door(redstring.signed({ ...more(request), ...request })); } catch { found = { error: LOST }; }
      asking -= 1;
      root.toggleAttribute("data-asking", asking > 0);
      if (turn !== turns[request.do]) return null;
      take(found, request, quiet);
      return found;
    }
    /* What follows by itself on something leaves standing what was said of that. */
    function take(found, request, quiet) {
      if (found.error || found.said || !quiet) banner(found.error || found.said || "", !found.error);
      Object.entries(found.html || {}).forEach(([name, html]) => swap(name, html));
      if (found.file) keep(found.file);
      after(found, request);
      const target = found.focus && one(found.focus, root);
      if (target) target.focus({ preventScroll: false });
    }

    /* ---------- fragments ---------- */
    function swap(name, html) {
      const place = slot(name);
      if (!place) return;
      const focused = place.contains(document.activeElement) ? document.activeElement : null;
      const key = focused && focused.dataset.key;
      const chosen = place.tagName === "SELECT" ? place.value : null;
      place.innerHTML = html;
      if (chosen !== null && [...place.options].some((option) => option.value === chosen)) place.value = chosen;
      dress(place);
      if (focused && focused !== place) (key && one(`[data-key="${CSS.escape(key)}"]`, place) || reachable(place)).focus({ preventScroll: true });
    }
    /* Whoever was in a control that is gone stays where it was. */
    function reachable(place) {
      if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
      return place;
    }
    function dress(place) {
      all("time[data-time]", place).forEach(tell);
      plots(place);
    }

    /* ---------- what went wrong, what was done ---------- */
    const banner = (words, good = false) => slot("banner").replaceChildren(...(words ? [redstring.banner(words, good)] : []));

    /* ---------- controls ---------- */
    const given = (element) => JSON.parse(element.dataset.with || "{}");
    const fields = (form) => Object.fromEntries(new FormData(form));
    const formOf = (event) => event.target.closest("form[data-do], form[data-act]");
    function submit(form, button) {
      if (form.dataset.act) awaited(button, () => acts[form.dataset.act](form, fields(form)));
      else if (form.checkValidity()) awaited(button, () => send({ do: form.dataset.do, ...given(form), ...fields(form) }));
    }
    /* Whoever waits sees so on what was pressed, in its data-busy words, and does not ask for the same twice. */
    async function awaited(button, asked) {
      if (!button) return void asked();
      if (button.ariaBusy === "true") return;
      const words = button.textContent;
      button.ariaBusy = "true";
      if (button.dataset.busy) button.textContent = button.dataset.busy;
      try { await asked(); } finally {
        button.ariaBusy = null;
        if (button.dataset.busy) button.textContent = words;
      }
    }
    function click(event) {
      const button = event.target.closest("button[data-do], button[data-act], input[data-act]");
      if (!button || !root.contains(button)) return;
      if (button.dataset.sure && !sure(button)) return;
      if (button.dataset.act) acts[button.dataset.act](button, event);
      else send({ do: button.dataset.do, ...given(button) });
    }
    function sure(button) {
      if (button.dataset.asked) return true;
      const words = button.textContent;
      button.dataset.asked = "1";
      button.textContent = button.dataset.sure;
      setTimeout(() => { delete button.dataset.asked; button.textContent = words; }, SURE);
      return false;
    }
    const waiting = new WeakMap();
    function typed(event) {
      const form = formOf(event);
      if (!form || form.dataset.on !== "input") return;
      clearTimeout(waiting.get(form));
      waiting.set(form, setTimeout(() => submit(form), PAUSE));
    }
    root.addEventListener("click", click);
    root.addEventListener("input", typed);
    root.addEventListener("change", (event) => { const form = formOf(event); if (form && form.dataset.on === "change") submit(form); });
    root.addEventListener("submit", (event) => {
      const form = formOf(event);
      if (!form) return;
      event.preventDefault();
      clearTimeout(waiting.get(form));
      // What is sent at each change has been sent when Enter is pressed in a field that has changed.
      if (form.dataset.on === "change" && document.activeElement.form === form && document.activeElement.name && !event.submitter) document.activeElement.blur();
      else submit(form, event.submitter);
    });
    new MutationObserver(() => paint(root)).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    return { send, swap, slot, banner, dress, submit, one: (selector) => one(selector, root), all: (selector) => all(selector, root) };
  }

  /* ---------- files ---------- */
  function keep({ name, type, data }) {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /* ---------- times ---------- */
  const AGES = [["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3600], ["minute", 60]];
  const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  const exactly = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  function age(at) {
    const seconds = (Date.now() - at) / 1000;
    const unit = AGES.find(([, size]) => Math.abs(seconds) >= size);
    return unit ? ago.format(-Math.round(seconds / unit[1]), unit[0]) : "just now";
  }
  function tell(time) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) return;
    const relative = document.createElement("span");
    relative.textContent = age(at);
    const exact = document.createElement("small");
    exact.textContent = exactly.format(at);
    time.replaceChildren(relative, exact);
  }

  /* ---------- charts ---------- */
  const colour = (name, within) => getComputedStyle(within).getPropertyValue(`--${name}`).trim();
  function painted(trace, within) {
    const { meta, ...made } = trace;
    const own = Array.isArray(meta) ? meta.map((name) => colour(name, within)) : colour(meta, within);
    made.marker = { ...trace.marker, color: own };
    if (trace.line) made.line = { ...trace.line, color: own };
    return made;
  }
  function themed(layout, within) {
    const line = colour("line", within);
    const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, tickcolor: line };
    const axes = Object.fromEntries(Object.keys(layout).filter((key) => /^[xy]axis/.test(key)).map((key) => [key, { ...axis, ...layout[key] }]));
    return {
      ...layout, ...axes, autosize: true,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("soft", within), size: 12, family: colour("sans", within) },
      hoverlabel: { bgcolor: colour("panel", within), bordercolor: line, font: { color: colour("ink", within) } },
    };
  }
  function plots(place) {
    const charts = all("[data-plot]", place);
    if (!charts.length) return;
    redstring.plotly().then(() => paint(place), (error) => charts.forEach((chart) => { chart.textContent = error.message; }));
  }
  function paint(place) {
    if (!window.Plotly) return;
    all("[data-plot]", place).filter((chart) => chart.offsetParent).forEach((chart) => {
      const { data, layout } = JSON.parse(chart.dataset.plot);
      window.Plotly.react(chart, data.map((trace) => painted(trace, chart)), themed(layout, chart), { displayModeBar: false, responsive: true });
    });
  }

  Object.assign(redstring, { kit });
})();
