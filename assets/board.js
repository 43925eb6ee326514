/* Inside the frame: draws what the page sends, and tells the page what was clicked. */
(() => {
  "use strict";
  const MARGIN = { left: 46, right: 46, top: 58, bottom: 30 };
  const ROW = 6; // the least height of a dot's row, px, before the board grows beyond the frame
  const QUIET = 0.26; // opacity of what does not belong to the selected path
  const EDGE = 0.48;
  const PLATES = 40; // most names tried

  const host = document.getElementById("board");
  const heads = document.getElementById("heads");
  const notes = document.getElementById("notes");
  const tip = document.getElementById("tip");
  const nodes = new vis.DataSet();
  const edges = new vis.DataSet();
  const network = new vis.Network(host, { nodes, edges }, window.boardOptions);

  let data = { nodes: [], edges: [], heads: [] };
  let colours = {};
  let chosen = null; // id of the selected passage
  let string = null; // number of the selected string
  let evidence = null; // ids to be lifted, or null
  let words = ""; // search
  let place = new Map(); // id -> {x, y} in px
  let columnX = [];
  let dot = 1; // dots shrink where rows are narrow
  let labels = []; // notes along the selected path
  let plates = []; // names of ranked and pinned passages that fit

  const colour = (token) => colours[token] || "#888";
  const byId = () => new Map(data.nodes.map((node) => [node.id, node]));

  function layOut() {
    const width = host.clientWidth, height = host.clientHeight;
    if (!width || !height || !data.nodes.length) return false;
    const xs = data.nodes.map((node) => node.x);
    const low = Math.min(...xs), high = Math.max(...xs, low + 0.001);
    const tall = Math.max(height - MARGIN.top - MARGIN.bottom, data.rows * ROW);
    const wide = width - MARGIN.left - MARGIN.right;
    const single = high - low < 0.01;
    const scale = Math.min(1, height / (tall + MARGIN.top + MARGIN.bottom));
    const x = (value) => (single ? width / 2 : MARGIN.left + ((value - low) / (high - low)) * wide) / scale;
    place = new Map(data.nodes.map((node) => [node.id, { x: x(node.x), y: MARGIN.top + node.y * tall }]));
    columnX = data.heads.map((_, column) => x(column));
    dot = Math.min(1, Math.max(0.5, tall / Math.max(data.rows, 1) / 15));
    return { width, height, scale, tall: tall + MARGIN.top + MARGIN.bottom };
  }

  function lit() {
    const trail = new Set(), main = [];
    const onTrail = new Set();
    const node = chosen !== null && data.nodes.find((one) => one.id === chosen);
    if (!node) return { trail, main, onTrail };
    onTrail.add(node.id);
    const edgeById = new Map(data.edges.map((edge) => [edge.id, edge]));
    // The first trail that is more than a find of the scan; a query for a gap tells of what nobody had found before it.
    const again = (number) => { const edge = edgeById.get(number); return !edge.first && data.nodes.some((one) => one.id === edge.from && one.kind === "query"); };
    const told = node.trails.findIndex((path) => path.length && !again(path[0]));
    node.trails.forEach((path, index) => path.forEach((number) => {
      trail.add(number);
      if (index === told) main.push(edgeById.get(number));
      onTrail.add(edgeById.get(number).from).add(edgeById.get(number).to);
    }));
    // What a passage led to first; of a query everything that it found.
    data.edges.forEach((edge) => { if (edge.from === node.id && (edge.first || node.kind === "query")) { trail.add(edge.id); onTrail.add(edge.to); } });
    return { trail, main, onTrail };
  }

  function paint() {
    if (!place.size) return; // nothing is laid out while the frame is hidden
    const { trail, main, onTrail } = lit();
    const first = new Set(main.map((edge) => edge.id));
    const hit = words ? (node) => `${node.name} ${node.title} ${node.where} ${node.text}`.toLowerCase().includes(words) : null;
    const quiet = (node) =>
      (hit && !hit(node)) || (evidence && !evidence.has(node.id)) || (!hit && !evidence && chosen !== null && onTrail.size && !onTrail.has(node.id));
    nodes.update(data.nodes.map((node) => {
      const red = onTrail.has(node.id);
      const pinned = (data.pinned || []).includes(node.id);
      const dim = quiet(node) && !red;
      return {
        id: node.id, ...place.get(node.id), shape: node.shape, size: node.size * dot + (red ? 1 : 0), label: undefined,
        borderWidth: red ? 3 : pinned ? 2.5 : 1.5, opacity: dim ? 0.5 : 1,
        color: { background: colour(node.strategy), border: red ? colour("accent") : pinned ? colour("ink") : colour("panel") },
      };
    }));
    const shown = new Map(data.nodes.map((node) => [node.id, node]));
    edges.update(data.edges.map((edge) => {
      const red = trail.has(edge.id) || edge.id === string;
      const dim = trail.size > 0 || (hit && !(hit(shown.get(edge.from)) || hit(shown.get(edge.to)))) || evidence;
      return {
        id: edge.id, from: edge.from, to: edge.to, hidden: edge.hidden && !red,
        width: edge.id === string ? 3.5 : red ? (first.has(edge.id) ? 3 : 1.6) : 1.3, smooth: bend(edge), dashes: edge.wrong ? [2, 5] : false,
        color: { color: colour(red ? "accent" : edge.strategy), opacity: red ? (first.has(edge.id) || edge.id === string ? 1 : 0.6) : dim ? QUIET : EDGE, inherit: false },
      };
    }));
    label(main, (node) => !(hit && !hit(node)) && !(evidence && !evidence.has(node.id)), quiet);
  }

  /* A string inside one column always bends to the right, where its words stand. */
  function bend(edge) {
    if (edge.smooth.type !== "curvedCW") return edge.smooth;
    return place.get(edge.from).y > place.get(edge.to).y ? { ...edge.smooth, type: "curvedCCW" } : edge.smooth;
  }

  function label(main, wanted, quiet) {
    const known = byId();
    labels = main.filter((edge) => edge.quote).map((edge) => ({ text: edge.quote, edge, name: false }));
    if (chosen !== null && known.has(chosen)) labels.push({ text: known.get(chosen).name, node: chosen, name: true });
    const pinned = new Set(data.pinned || []);
    const rank = (node) => (pinned.has(node.id) ? 0 : node.rank);
    plates = data.nodes.filter((node) => node.id !== chosen && rank(node) !== null && rank(node) !== undefined && wanted(node))
      .sort((a, b) => rank(a) - rank(b)).slice(0, PLATES).map((node) => ({ text: node.name, node: node.id, plate: node.strategy, dim: quiet(node) }));
    notes.replaceChildren(...[...labels, ...plates].map((item) => {
      const note = document.createElement("div");
      note.className = item.plate ? "note plate" : item.name ? "note name" : "note";
      if (item.plate) note.style.setProperty("--c", colour(item.plate));
      note.classList.toggle("dim", Boolean(item.dim));
      note.dir = "auto";
      note.textContent = item.text;
      item.element = note;
      return note;
    }));
    follow();
  }

  /* Heads and notes are page elements that follow the canvas. */
  function follow() {
    [...heads.children].forEach((head, column) => {
      head.style.left = `${network.canvasToDOM({ x: columnX[column] || 0, y: 0 }).x}px`;
    });
    const taken = [];
    [...labels].reverse().forEach((item) => {
      const from = item.node !== undefined ? place.get(item.node) : place.get(item.edge.from);
      const to = item.node !== undefined ? from : place.get(item.edge.to);
      if (!from || !to) return;
      const middle = network.canvasToDOM({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 });
      const half = item.element.offsetWidth / 2, tall = item.element.offsetHeight;
      const upright = item.node === undefined && Math.abs(from.x - to.x) < 40; // the words stand beside an upright string
      const left = Math.min(Math.max(upright ? middle.x + half + 18 + Math.abs(from.y - to.y) * network.getScale() * 0.16 : middle.x, half + 4), host.clientWidth - half - 4);
      let bottom = Math.max(upright ? middle.y + tall / 2 : middle.y - 15, tall + 34);
      for (const box of taken) {
        if (Math.abs(box.left - left) < box.half + half && bottom > box.top - 2 && bottom - tall < box.bottom + 2) {
          bottom = item.node === undefined && middle.y > (box.top + box.bottom) / 2 ? box.bottom + tall + 26 : box.top - 4;
        }
      }
      taken.push({ left, half, top: bottom - tall, bottom });
      item.element.style.left = `${left}px`;
      item.element.style.top = `${bottom}px`;
    });
    plates.forEach((item) => plate(item, taken));
  }

  /* Put a name to the right of its dot, or to the left, or slightly lower or higher; hide it if all are taken. */
  function plate(item, taken) {
    const spot = place.get(item.node);
    if (!spot) return;
    const at = network.canvasToDOM(spot);
    const half = item.element.offsetWidth / 2, tall = item.element.offsetHeight;
    const boxAt = (side, down) => ({ left: at.x + side * (8 + half), half, top: at.y + down - tall / 2, bottom: at.y + down + tall / 2 });
    const free = ({ left, top, bottom }) => left - half > 2 && left + half < host.clientWidth - 2 && top > 34
      && !taken.some((box) => Math.abs(box.left - left) < box.half + half && bottom > box.top - 1 && top < box.bottom + 1);
    item.box = [boxAt(1, 0), boxAt(-1, 0), boxAt(1, 9), boxAt(1, -9)].find(free) || null;
    item.element.classList.toggle("off", !item.box);
    if (!item.box) return;
    taken.push(item.box);
    item.element.style.left = `${item.box.left}px`;
    item.element.style.top = `${item.box.bottom}px`;
  }
  const plateAt = ({ x, y }) => plates.find(({ box }) => box && Math.abs(box.left - x) < box.half && y > box.top && y < box.bottom);

  function fit() {
    const size = layOut();
    if (!size) return;
    network.setSize(`${size.width}px`, `${size.height}px`);
    paint();
    network.redraw();
    network.moveTo({ position: { x: size.width / 2 / size.scale, y: size.tall / 2 }, scale: size.scale, animation: false });
  }

  function draw(next, selected, held) {
    data = next;
    string = held;
    place = new Map();
    chosen = selected;
    evidence = null;
    const keptNodes = new Set(data.nodes.map((node) => node.id));
    nodes.remove(nodes.getIds().filter((id) => !keptNodes.has(id)));
    edges.clear();
    if (chosen !== null && !keptNodes.has(chosen)) chosen = null;
    heads.replaceChildren(...data.heads.map((text) => {
      const head = document.createElement("div");
      head.className = "head";
      head.textContent = text;
      return head;
    }));
    if (data.nodes.length) fit();
    else { nodes.clear(); notes.replaceChildren(); labels = []; plates = []; }
  }

  function theme(next) {
    colours = next;
    ["panel", "ink", "soft", "line", "accent"].forEach((name) => document.documentElement.style.setProperty(`--${name}`, next[name]));
    if (data.nodes.length) paint();
  }

  function show(id, at) {
    const node = data.nodes.find((one) => one.id === id);
    if (!node) return;
    const title = document.createElement("b"), why = document.createElement("span");
    title.dir = why.dir = "auto";
    title.textContent = node.name;
    why.textContent = node.why;
    tip.replaceChildren(title, why);
    const left = at.x + 300 > host.clientWidth ? Math.max(8, at.x - 280) : at.x + 16;
    tip.style.left = `${left}px`;
    tip.style.top = `${Math.min(at.y + 14, Math.max(8, host.clientHeight - tip.offsetHeight - 8))}px`;
    tip.classList.add("on");
    host.classList.add("over");
  }

  const tell = (message) => parent.postMessage({ board: true, ...message }, "*");
  /* The arrow keys go from node to node: up and down within a round, left and right to the nearest of another. */
  function nearest(key) {
    const at = place.get(chosen);
    const column = (node) => (place.get(node.id).x - at.x) * (key === "ArrowRight" ? 1 : -1);
    const down = (node) => (place.get(node.id).y - at.y) * (key === "ArrowDown" ? 1 : -1);
    const round = data.nodes.find((node) => node.id === chosen).round;
    const aside = key === "ArrowLeft" || key === "ArrowRight";
    const others = data.nodes.filter((node) => node.id !== chosen && (aside ? node.round !== round && column(node) > 0 : node.round === round && down(node) >= 0));
    const far = (node) => { const spot = place.get(node.id); return Math.abs(spot.x - at.x) * (aside ? 3 : 1) + Math.abs(spot.y - at.y) * (aside ? 1 : 3); };
    return others.reduce((best, node) => (best === null || far(node) < far(best) ? node : best), null);
  }
  host.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return tell({ type: "clear" });
    if (event.key === "x" && !event.ctrlKey && !event.metaKey && !event.altKey) return tell({ type: "report" });
    if (!/^Arrow(Up|Down|Left|Right)$/.test(event.key) || !place.size) return undefined;
    event.preventDefault();
    const next = chosen !== null && place.has(chosen) ? nearest(event.key) : data.nodes[0];
    if (next) tell({ type: "select", id: next.id, keep: true });
    return undefined;
  });
  network.on("afterDrawing", follow);
  network.on("click", ({ nodes: hit, edges: strings, pointer }) => {
    host.focus();
    if (hit.length) return tell({ type: "select", id: hit[0] });
    const named = plateAt(pointer.DOM);
    if (named) return tell({ type: "select", id: named.node });
    return tell(strings.length ? { type: "string", id: strings[0] } : { type: "clear" });
  });
  network.on("doubleClick", ({ nodes: hit }) => { if (!hit.length) fit(); });
  network.on("hoverNode", ({ node, pointer }) => show(node, pointer.DOM));
  network.on("blurNode", () => { tip.classList.remove("on"); host.classList.remove("over"); });
  network.on("dragStart", () => tip.classList.remove("on"));
  new ResizeObserver(fit).observe(host);

  const commands = {
    draw: (message) => draw(message.data, message.selected ?? null, message.string ?? null),
    theme: (message) => theme(message.colours),
    string: (message) => { string = message.id; if (data.nodes.length) paint(); },
    select: (message) => { chosen = message.id; string = null; evidence = null; if (data.nodes.length) paint(); },
    evidence: (message) => { evidence = message.ids && message.ids.length ? new Set(message.ids) : null; if (data.nodes.length) paint(); },
    search: (message) => { words = message.text.trim().toLowerCase(); if (data.nodes.length) paint(); },
    fit,
    where: (message) => { // where a node, or the middle of a string, stands in the frame, for tests and for the keyboard
      const edge = message.string === undefined ? null : data.edges.find((one) => one.id === message.string);
      const ends = edge && [place.get(edge.from), place.get(edge.to)];
      const spot = ends ? { x: (ends[0].x + ends[1].x) / 2, y: (ends[0].y + ends[1].y) / 2 } : place.get(message.id);
      tell({ type: "where", id: message.id, at: spot ? network.canvasToDOM(spot) : null });
    },
  };
  window.addEventListener("message", (event) => {
    if (event.source === parent && event.data && commands[event.data.type]) commands[event.data.type](event.data);
  });
  if (window.boardStart.nodes.length) draw({ heads: [], rows: 1, ...window.boardStart }, null, null);
  tell({ type: "ready" });
})();
