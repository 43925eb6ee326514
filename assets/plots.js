/* The library of plots, loaded when the first is drawn, and how they are drawn: in the colours of the page, which the traces name by tokens in "meta". */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.plots) return;
  let plotting = null;
  function plotly() {
    plotting ||= new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = redstring.libraryUrl("plotly.js");
      script.addEventListener("load", done);
      script.addEventListener("error", () => { plotting = null; failed(new Error("The plots could not be loaded: load the page again.")); });
      document.head.append(script);
    });
    return plotting;
  }
  const colours = (place) => {
    const style = getComputedStyle(place);
    return (name) => style.getPropertyValue(`--${name}`).trim();
  };
  function painted(trace, colour) {
    const own = colour(trace.meta);
    const made = { ...trace };
    if (trace.marker) made.marker = { ...trace.marker, color: own };
    if (trace.line) made.line = { ...trace.line, color: own };
    if (trace.error_x) made.error_x = { ...trace.error_x, color: colour("soft") };
    if (trace.mode && trace.mode.includes("text")) made.textfont = { color: colour("ink") };
    return made;
  }
  function themed(layout, colour) {
    const axis = { gridcolor: colour("line"), linecolor: colour("line"), zerolinecolor: colour("line"), tickcolor: colour("line") };
    const axes = Object.fromEntries(Object.keys(layout).filter((key) => /^[xy]axis/.test(key)).map((key) => [key, { ...axis, ...layout[key] }]));
    return {
      ...layout, ...axes,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: colour("soft"), size: 12, family: colour("sans") },
      hoverlabel: { bgcolor: colour("panel"), bordercolor: colour("line"), font: { color: colour("ink") } },
    };
  }
  /* Draws the ``plot`` of a place, or draws it anew. */
  function paint(place) {
    const colour = colours(place);
    return window.Plotly.react(place, place.plot.data.map((trace) => painted(trace, colour)), themed(place.plot.layout, colour), { displayModeBar: false, responsive: true });
  }
  Object.assign(redstring, { plotly, plots: { paint } });
})();
