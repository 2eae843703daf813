// What is shown, without how: the tree over the nodes, which of it is open, and the edges that the filters let pass.
const data = JSON.parse(document.getElementById("data").textContent);
const isMap = data.mode === "map";
const nodes = data.nodes;
const TYPES = [...new Set(data.edges.map((edge) => edge[2]))].sort();
const PROVENANCES = data.provenances.filter((p) => data.edges.some((edge) => edge[3] === p));
const filter = { types: new Set(TYPES), provenances: new Set(PROVENANCES), tests: true };
let words = [];

const root = branch("", data.repository, null);
const leaves = [];
function branch(key, name, parent) {
  return { key, name, parent, below: [], byName: new Map(), weight: 0, from: 0, to: 0, open: false, leaf: -1 };
}
function trail(node) {
  if (isMap) return node.path.split("/");
  return [node.group, node.path, node.line ? node.name + " :" + node.line : node.name || node.path];
}
nodes.forEach((node, at) => {
  let place = root;
  const steps = trail(node);
  steps.forEach((step, n) => {
    const isLeaf = n === steps.length - 1;
    let next = isLeaf ? undefined : place.byName.get(step);
    if (!next) {
      next = branch(place.key + "/" + step + (isLeaf ? "\u0000" + at : ""), step, place);
      place.below.push(next);
      if (!isLeaf) place.byName.set(step, next);
    }
    place = next;
  });
  place.leaf = at;
  place.weight = 1 + Math.sqrt(node.weight || 1);
  leaves[at] = place;
});
// Each place knows the range of its leaves, so that whether one is below it is a comparison.
const order = [];
(function number(place) {
  place.from = order.length;
  if (place.leaf >= 0) order.push(place.leaf);
  if (isMap) place.below.sort((a, b) => (a.leaf >= 0) - (b.leaf >= 0) || (a.name < b.name ? -1 : 1));
  for (const next of place.below) { number(next); place.weight += next.weight; }
  place.to = order.length;
})(root);
const rank = []; order.forEach((at, n) => { rank[at] = n; });
const isBelow = (at, place) => rank[at] >= place.from && rank[at] < place.to;

const text = nodes.map((node) => [node.path, node.name, ...(node.symbols || []).map((s) => s[0])].join("\n").toLowerCase());
// The picture shows what the filters let pass, the tree of that what is searched for.
const isShown = (at) => filter.tests || !nodes[at].test;
const isFound = (at) => isShown(at) && words.every((word) => text[at].includes(word));
let nFound = 0;
function find() {
  const sums = (holds) => order.reduce((list, at) => (list.push(list[list.length - 1] + (holds(at) ? 1 : 0)), list), [0]);
  const [found, shown] = [sums(isFound), sums(isShown)];
  (function count(place) {
    place.found = found[place.to] - found[place.from];
    place.shown = shown[place.to] - shown[place.from];
    place.below.forEach(count);
  })(root);
  nFound = root.found;
}
const passes = (edge) => filter.types.has(edge[2]) && filter.provenances.has(edge[3])
  && (filter.tests || !(nodes[edge[0]].test || nodes[edge[1]].test));

// The edges that lead into a place and out of it, by the leaf at the other end.
function around(place) {
  const sides = { in: new Map(), out: new Map() };
  for (const edge of data.edges) {
    if (!passes(edge)) continue;
    const [isFrom, isTo] = [isBelow(edge[0], place), isBelow(edge[1], place)];
    if (isFrom === isTo) continue;
    const [side, other] = isTo ? [sides.in, edge[0]] : [sides.out, edge[1]];
    const known = side.get(other) || { at: other, count: 0, types: new Set(), provenances: new Set(), line: 0 };
    known.count += edge[4]; known.types.add(edge[2]); known.provenances.add(edge[3]);
    if (isTo && !known.line) known.line = edge[5];
    side.set(other, known);
  }
  const sorted = (side) => [...side.values()].sort((a, b) => b.count - a.count || rank[a.at] - rank[b.at]);
  return { in: sorted(sides.in), out: sorted(sides.out) };
}
function everywhere(place, open) { (function each(p) { if (p.below.length) p.open = open; p.below.forEach(each); })(place); }
function openTo(place) { for (let up = place.parent; up; up = up.parent) up.open = true; }
// Opens the heaviest places until there is enough to see.
function openSome(wanted) {
  root.open = true;
  const closed = [...root.below];
  let shown = closed.length;
  while (shown < wanted) {
    closed.sort((a, b) => b.weight - a.weight);
    const at = closed.findIndex((place) => place.below.length && shown + place.below.length < wanted * 2);
    if (at < 0) return;
    const [place] = closed.splice(at, 1);
    place.open = true; shown += place.below.length - 1; closed.push(...place.below);
  }
}
// A link that opens a place in the editor. The path is encoded: names of files can't end it or add to it.
function editorLink(path, line) {
  if (!data.editor) return null;
  const full = (data.root + "/" + path).replace(/\\/g, "/");
  const encoded = (full.startsWith("/") ? full : "/" + full).split("/").map(encodeURIComponent).join("/").replace(/^\/([A-Za-z])%3A\//, "/$1:/");
  return data.editor.replace("{path}", () => encoded).replace("{line}", String(line || 1));
}
