/* The pool in charts, each with its figures as a table. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.drawCharts) return;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const GROUND = { margin: { l: 8, r: 16, t: 6, b: 8 }, showlegend: false, bargap: 0.35, dragmode: false };
  const AXIS = { automargin: true, fixedrange: true };
  let holder = null;

  const framed = (layout) => ({ ...GROUND, ...layout, xaxis: { ...AXIS, ...layout.xaxis }, yaxis: { ...AXIS, ...layout.yaxis } });
  async function drawCharts(element, told) {
    holder = element;
    const open = new Set(all("details[open]", holder).map((one) => one.closest("figure").querySelector(".pool-plot").dataset.name));
    holder.innerHTML = told.html;
    const plots = Object.fromEntries((told.plots || []).map((plot) => [plot.name, plot]));
    all(".pool-plot", holder).forEach((place) => {
      const plot = plots[place.dataset.name];
      place.plot = { data: plot.data, layout: framed(plot.layout) };
      place.closest("figure").querySelector("details").open = open.has(place.dataset.name);
    });
    try { await redstring.plotly(); } catch (error) {
      all(".pool-plot", holder).forEach((place) => { place.hidden = true; place.closest("figure").querySelector("details").open = true; });
      return;
    }
    paint();
  }
  function paint() {
    if (!holder || !window.Plotly) return;
    all(".pool-plot", holder).filter((place) => place.plot && place.offsetParent).forEach((place) => redstring.plots.paint(place));
  }
  new MutationObserver(paint).observe(document.body || document.documentElement, { attributes: true, attributeFilter: ["class"] });
  Object.assign(redstring, { drawCharts });
})();
