/* Reads the settings as a person does: from what the page shows, not from what Gradio holds. */
() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const text = (element) => element.textContent.trim();
  const listed = (words) => words.filter(Boolean).sort().join("; ") || "none";
  const element = (name) => document.querySelector(name === "strategies" ? "#threads" : `#set-${name}`);
  function shows(name) {
    const control = element(name);
    const boxes = all("input[type=checkbox]", control);
    if (boxes.length === 1 && !control.matches("fieldset")) return boxes[0].checked ? "on" : "off";
    if (boxes.length) return listed(all("label:has(input:checked)", control).map(text));
    if (control.querySelector("input[type=radio]")) return text(control.querySelector("label:has(input:checked)"));
    const chosen = control.querySelector("input[role=combobox]");
    if (chosen && chosen.value) return chosen.value === "any" ? "none" : chosen.value;
    if (chosen) return listed(all(".token", control).map((token) => text(token).replace(/ \([\d,]+\)$/, "")));
    return listed(control.querySelector("input[type=number], input, textarea").value.split("\n").map((line) => line.trim()));
  }
  const visible = (name) => element(name).checkVisibility({ visibilityProperty: true });
  const names = () => all("#threads, [id^=set-]").map((control) => (control.id === "threads" ? "strategies" : control.id.slice(4)));
  const whole = () => Object.fromEntries(names().filter(visible).map((name) => [name, shows(name)]));
  /* Types into fields one right after the other, each of which must be there to be typed into. */
  async function type(fields) {
    for (const [name, words] of fields) {
      const field = element(name).querySelector("input, textarea");
      if (!visible(name) || field.disabled || field.readOnly) throw new Error(`${name} takes nothing in`);
      field.scrollIntoViewIfNeeded();
      field.focus();
      field.select();
      document.execCommand("insertText", false, words);
      await new Promise((drawn) => setTimeout(drawn));
    }
  }
  window.controls = {
    all: whole,
    type,
    shown: {},
    said: () => Object.fromEntries(all("[data-setting]").map((row) => [row.dataset.setting, listed(text(row.querySelector("td")).split("; "))])),
    done: () => document.querySelector(".story[data-state=done]:not([data-before]), .banner") !== null,
    forget: () => document.querySelector(".story")?.setAttribute("data-before", "1"),
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest("#go")) controls.shown = whole();
  }, true);
}
