// The picture: a map of nested boxes, or columns by distance, with the edges of what is selected.
const canvas = document.getElementById("canvas");
const stage = document.getElementById("stage");
const pen = canvas.getContext("2d");
let boxes = [];
let boxOf = new Map();
let focus = root;
const HEAD = 17;

function layOut() {
  boxes = []; boxOf = new Map();
  const width = Math.max(stage.clientWidth - 2, 200), height = Math.max(stage.clientHeight - 2, 160);
  const size = isMap ? (nest(focus, 2, 2, width - 4, height - 4, 0), { width, height }) : columns(width, height);
  const ratio = window.devicePixelRatio || 1;
  canvas.width = size.width * ratio; canvas.height = size.height * ratio;
  canvas.style.width = size.width + "px"; canvas.style.height = size.height + "px";
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
}
function put(place, x, y, w, h, isOpen) {
  const box = { place, x, y, w, h, isOpen };
  boxes.push(box); boxOf.set(place, box);
  return box;
}
function nest(place, x, y, w, h, depth) {
  const shown = place.below.filter((next) => next.shown);
  const isOpen = (place.open || place === focus) && shown.length > 0 && w > 26 && h > HEAD + 12;
  put(place, x, y, w, h, isOpen);
  if (!isOpen) return;
  squarify([...shown].sort((a, b) => b.weight - a.weight), x + 3, y + HEAD, w - 6, h - HEAD - 3, (next, ...rect) => nest(next, ...rect, depth + 1));
}
// Squarified treemap: rows are filled while their boxes get more like squares.
function squarify(items, x, y, w, h, each) {
  let total = items.reduce((sum, item) => sum + item.weight, 0);
  let at = 0;
  while (at < items.length && w > 0 && h > 0) {
    const side = Math.min(w, h), scale = (w * h) / total;
    let row = [], sum = 0, worst = Infinity;
    while (at + row.length < items.length) {
      const next = items[at + row.length].weight, more = sum + next;
      const ratio = (item) => { const l = (more * scale) / side, b = (item * scale) / l; return Math.max(l / b, b / l); };
      const now = Math.max(ratio(next), ...row.map((item) => ratio(item.weight)));
      if (row.length && now > worst) break;
      row.push(items[at + row.length]); sum = more; worst = now;
    }
    const thick = Math.min((sum * scale) / side, w >= h ? w : h);
    let along = 0;
    for (const item of row) {
      const long = (item.weight / sum) * side;
      if (w >= h) each(item, x, y + along, thick - 1, long - 1); else each(item, x + along, y, long - 1, thick - 1);
      along += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    total -= sum; at += row.length;
  }
}
// One column for each distance, the targets first; the picture grows with the longest.
function columns(width, height) {
  const shown = nodes.map((_, at) => at).filter(isShown);
  const distances = [...new Set(shown.map((at) => nodes[at].hops))].sort((a, b) => a - b);
  const last = Math.max(0, distances.length - 1);
  const step = Math.max(width / (last + 1), 170), line = 26;
  let tallest = 0;
  for (const [column, hops] of distances.entries()) {
    const here = shown.filter((at) => nodes[at].hops === hops).sort((a, b) => rank[a] - rank[b]);
    here.forEach((at, n) => put(leaves[at], 10 + column * step, 10 + n * line, step - 60, line - 6, false));
    tallest = Math.max(tallest, here.length * line + 20);
  }
  return { width: Math.max(width, step * (last + 1)), height: Math.max(height, tallest) };
}
function visible(at) {
  for (let place = leaves[at]; place; place = place.parent) {
    const box = boxOf.get(place);
    if (box && !box.isOpen) return box;
  }
  return null;
}
function draw() {
  const css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue("--" + name).trim();
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.font = "12px system-ui, sans-serif"; pen.textBaseline = "middle";
  const isSearching = words.length > 0;
  for (const box of boxes) {
    const { place, x, y, w, h } = box;
    const node = place.leaf >= 0 ? nodes[place.leaf] : null;
    pen.fillStyle = colour(box.isOpen ? "dir" : isSearching && place.found ? "hit" : node && node.test ? "test" : "box");
    pen.fillRect(x, y, w, h);
    pen.lineWidth = place === selected ? 2.5 : 1;
    pen.strokeStyle = colour(place === selected ? "focus" : "box-line");
    if (w > 3 && h > 3) pen.strokeRect(x + .5, y + .5, w - 1, h - 1);
    if (w < 34 || h < 13) continue;
    pen.save(); pen.beginPath(); pen.rect(x + 2, y, w - 4, h); pen.clip();
    pen.fillStyle = colour(box.isOpen ? "faint" : "text");
    const label = isMap ? place.name + (place.leaf < 0 && !box.isOpen ? "/" : "") : node.name || node.path.split("/").pop();
    pen.fillText(label, x + 5, box.isOpen ? y + HEAD / 2 : y + Math.min(h / 2, 11));
    pen.restore();
  }
  const lines = new Map();
  const add = (from, to, kind, sure, count) => {
    const [a, b] = [visible(from), visible(to)];
    if (!a || !b || a === b) return;
    const key = boxes.indexOf(a) + ">" + boxes.indexOf(b);
    const known = lines.get(key) || { a, b, kind, sure: false, count: 0 };
    known.count += count; known.sure = known.sure || sure;
    lines.set(key, known);
  };
  const isSure = (provenances) => provenances.has("resolved") || provenances.has("member");
  if (selected && selected !== root) {
    const near = around(selected), own = selected.leaf >= 0 ? selected.leaf : order[selected.from];
    const box = boxOf.get(selected);
    const end = box && box.isOpen ? box : null;
    for (const side of ["in", "out"]) for (const edge of near[side]) {
      const other = visible(edge.at), mine = end || visible(own);
      if (!other || !mine || other === mine) continue;
      const key = side + boxes.indexOf(other);
      const known = lines.get(key) || { a: side === "in" ? other : mine, b: side === "in" ? mine : other, kind: side, sure: false, count: 0 };
      known.count += edge.count; known.sure = known.sure || isSure(edge.provenances);
      lines.set(key, known);
    }
  } else if (!isMap) {
    for (const edge of data.edges) if (passes(edge)) add(edge[0], edge[1], "in", edge[3] === "resolved" || edge[3] === "member", edge[4]);
  }
  pen.globalAlpha = lines.size > 400 ? .35 : .8;
  for (const { a, b, kind, sure, count } of lines.values()) {
    const [x1, y1, x2, y2] = isMap
      ? [a.x + a.w / 2, a.y + Math.min(a.h / 2, 20), b.x + b.w / 2, b.y + Math.min(b.h / 2, 20)]
      : [a.x, a.y + a.h / 2, b.x + b.w, b.y + b.h / 2];
    pen.strokeStyle = pen.fillStyle = colour(kind);
    pen.lineWidth = Math.min(1 + Math.log2(count) / 2, 3.5);
    pen.setLineDash(sure ? [] : [5, 4]);
    pen.beginPath(); pen.moveTo(x1, y1);
    if (isMap) { const bend = (x2 - x1) * .12; pen.quadraticCurveTo((x1 + x2) / 2 - (y2 - y1) * .12, (y1 + y2) / 2 + bend, x2, y2); }
    else { const middle = (x1 + x2) / 2; pen.bezierCurveTo(middle, y1, middle, y2, x2, y2); }
    pen.stroke(); pen.setLineDash([]);
    pen.beginPath(); pen.arc(x2, y2, 3.2, 0, 7); pen.fill();
  }
  pen.globalAlpha = 1;
}
function boxAt(event) {
  const edge = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - edge.left, event.clientY - edge.top];
  for (let n = boxes.length - 1; n >= 0; n--) {
    const box = boxes[n];
    if (x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h) return box;
  }
  return null;
}
