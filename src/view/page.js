// The page: tree, details, filters, indexes and keys. Text from the repository goes in as text alone.
const $ = (id) => document.getElementById(id);
const make = (tag, said, className) => { const e = document.createElement(tag); if (said !== undefined) e.textContent = said; if (className) e.className = className; return e; };
const number = (n) => n.toLocaleString("en");
const ROW = 24;
let selected = null;
let rows = [];
let cursor = 0;

function listRows() {
  rows = [];
  (function list(place, depth) {
    for (const next of place.below) {
      if (!next.found) continue;
      rows.push({ place: next, depth });
      if (next.below.length && (next.open || words.length)) list(next, depth + 1);
    }
  })(root, 0);
  cursor = Math.max(0, rows.findIndex((row) => row.place === selected));
}
function showRows() {
  const tree = $("tree"), list = $("rows");
  list.style.height = rows.length * ROW + "px";
  const first = Math.max(0, Math.floor(tree.scrollTop / ROW) - 5);
  const last = Math.min(rows.length, first + Math.ceil(tree.clientHeight / ROW) + 10);
  list.replaceChildren(...rows.slice(first, last).map((row, n) => {
    const { place, depth } = row, at = first + n;
    const line = make("div", undefined, "row");
    line.id = "row-" + at; line.setAttribute("role", "treeitem");
    line.setAttribute("aria-level", depth + 1); line.setAttribute("aria-selected", place === selected);
    line.style.top = at * ROW + "px"; line.style.paddingLeft = 4 + depth * 14 + "px";
    const isOpen = place.open || words.length > 0;
    if (place.below.length) line.setAttribute("aria-expanded", isOpen);
    line.append(make("span", place.below.length ? (isOpen ? "▾" : "▸") : "", "sign"), place.name);
    if (place.below.length) line.append(" ", make("span", number(place.found), "faint"));
    line.title = place.leaf >= 0 ? nodes[place.leaf].path : place.name;
    line.onclick = (event) => { if (place.below.length && (place === selected || event.target.className === "sign")) place.open = !isOpen; select(place); };
    line.ondblclick = () => enter(place);
    return line;
  }));
  tree.setAttribute("aria-activedescendant", selected ? "row-" + cursor : "");
  $("count").textContent = words.length || nFound < nodes.length ? `${number(nFound)} of ${number(nodes.length)}` : `${number(nodes.length)} ${isMap ? "files" : "places"}, ${number(data.edges.length)} ${isMap ? "relations between files" : "edges"}`;
}
function reveal() {
  const tree = $("tree"), top = cursor * ROW;
  if (top < tree.scrollTop) tree.scrollTop = top;
  if (top + ROW > tree.scrollTop + tree.clientHeight) tree.scrollTop = top + ROW - tree.clientHeight;
}
function refresh() { find(); listRows(); layOut(); update(); }
function update() { reveal(); showRows(); draw(); crumbs(); details(); }
function select(place) {
  selected = place;
  if (place) { openTo(place); if (isMap && !(place.from >= focus.from && place.to <= focus.to)) focus = root; }
  refresh();
}
function enter(place) {
  if (place.below.length && isMap) { focus = place; place.open = true; select(place); }
  else if (place.leaf >= 0) openEditor(place);
}
function openEditor(place) {
  const node = nodes[place.leaf], link = node && editorLink(node.path, node.line);
  if (link) location.href = link;
}
function crumbs() {
  const ways = [];
  for (let place = focus; place; place = place.parent) ways.unshift(place);
  $("crumbs").replaceChildren(...(isMap ? ways : []).flatMap((place, n) => {
    const button = make("button", place.name);
    button.onclick = () => { focus = place; refresh(); };
    return n ? ["/", button] : [button];
  }));
}
function placeLink(at, line) {
  const node = nodes[at], link = make("button", node.name ? `${node.path}:${node.line} ${node.name}` : node.path, "link");
  link.onclick = () => { select(leaves[at]); };
  return link;
}
function editorAnchor(path, line, said) {
  const href = editorLink(path, line);
  if (!href) return make("span", said);
  const anchor = make("a", said);
  anchor.href = href; anchor.title = "open in the editor";
  return anchor;
}
function details() {
  const out = $("details");
  const place = selected || root;
  out.replaceChildren();
  if (place === root) {
    out.append(make("h3", data.repository), make("p", data.note, "faint"), make("p", "Select a box or a line of the tree to see what uses it and what it uses."));
    return;
  }
  const node = place.leaf >= 0 ? nodes[place.leaf] : null;
  out.append(make("h3", node ? node.name || place.name : place.name));
  if (node) {
    const way = make("p"); way.append(editorAnchor(node.path, node.line, node.line ? node.path + ":" + node.line : node.path));
    if (node.kind) way.append(make("span", node.kind, "badge"));
    if (node.test) way.append(make("span", "test", "badge"));
    out.append(way);
  } else out.append(make("p", `${number(place.to - place.from)} ${isMap ? "files" : "places"}`, "faint"));
  const near = around(place);
  for (const [side, heading] of [["in", "Used by"], ["out", "Uses"]]) {
    out.append(make("h2", `${heading} (${number(near[side].length)})`));
    const list = make("ul");
    const show = (from, to) => near[side].slice(from, to).forEach((edge) => {
      const item = make("li");
      item.append(placeLink(edge.at, edge.line), make("span", [...edge.types].sort().join(", ") + (edge.count > 1 ? " ×" + number(edge.count) : ""), "badge"));
      const weak = [...edge.provenances].filter((p) => p !== "resolved");
      if (weak.length && !edge.provenances.has("resolved")) item.append(make("span", weak.sort().join(", "), "badge"));
      list.append(item);
    });
    show(0, 100);
    out.append(list);
    if (near[side].length > 100) {
      const more = make("button", `${number(near[side].length - 100)} more`);
      more.onclick = () => { more.remove(); show(100, near[side].length); };
      out.append(more);
    }
  }
  if (node && node.symbols && node.symbols.length) {
    out.append(make("h2", `Definitions (${number(node.symbols.length)})`));
    const list = make("ul");
    for (const [name, kind, line] of node.symbols) {
      const item = make("li");
      item.append(editorAnchor(node.path, line, name), make("span", `${kind} :${line}`, "badge"));
      list.append(item);
    }
    out.append(list);
  }
}
function filters() {
  const box = (said, isOn, change) => {
    const label = make("label"), input = make("input");
    input.type = "checkbox"; input.checked = isOn;
    input.onchange = () => { change(input.checked); refresh(); };
    label.append(input, said);
    return label;
  };
  const toggle = (set, name) => (isOn) => { if (isOn) set.add(name); else set.delete(name); };
  $("filters").append(
    ...TYPES.map((name) => box(name, true, toggle(filter.types, name))),
    ...PROVENANCES.map((name) => box(name, true, toggle(filter.provenances, name))),
    box("test files", true, (isOn) => { filter.tests = isOn; }),
  );
  $("filters").onsubmit = (event) => event.preventDefault();
}
function indexes() {
  const table = make("table"), head = make("tr");
  for (const name of ["Branch", "Commit", "State", "Size", "Last used", "Work tree", "Index"]) head.append(make("th", name));
  table.append(head);
  for (const index of data.indexes) {
    const row = make("tr");
    const state = [index.active ? "checked out" : "", index.pinned ? "pinned" : ""].filter(Boolean).join(", ");
    row.append(make("td", index.branch || "(detached)"), make("td", (index.headSha || "").slice(0, 10)), make("td", state));
    row.append(make("td", (index.bytes / 2 ** 20).toFixed(1) + " MiB", "number"), make("td", index.lastUsedAt || ""), make("td", index.worktree || ""), make("td", index.indexId, "faint"));
    table.append(row);
  }
  $("indexes").append(make("h2", `${number(data.indexes.length)} indexes of ${data.repository}`), table);
}
function tab(isIndexes) {
  $("graph").hidden = isIndexes; $("indexes").hidden = !isIndexes;
  $("tab-graph").setAttribute("aria-pressed", !isIndexes); $("tab-indexes").setAttribute("aria-pressed", isIndexes);
  if (!isIndexes) { layOut(); update(); }
}
const THEMES = ["system", "light", "dark"];
let theme = 0;
function nextTheme() {
  theme = (theme + 1) % THEMES.length;
  if (theme) document.documentElement.dataset.theme = THEMES[theme]; else delete document.documentElement.dataset.theme;
  $("theme").textContent = "Theme: " + THEMES[theme];
  draw();
}
function help() { $("help").hidden = !$("help").hidden; $("help-button").setAttribute("aria-expanded", !$("help").hidden); layOut(); draw(); }
function move(step) {
  if (!rows.length) return;
  const at = selected && rows[cursor] && rows[cursor].place === selected ? cursor + step : 0;
  select(rows[Math.max(0, Math.min(rows.length - 1, at))].place);
}
function up() { if (focus.parent) { focus = focus.parent; refresh(); } }
const KEYS = {
  ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(20), PageUp: () => move(-20),
  Home: () => move(-rows.length), End: () => move(rows.length),
  ArrowRight: () => { if (!selected) move(0); else if (selected.below.length && !selected.open) { selected.open = true; refresh(); } else if (selected.below.length) move(1); },
  ArrowLeft: () => { if (selected && selected.open && selected.below.length) { selected.open = false; refresh(); } else if (selected && selected.parent && selected.parent !== root) select(selected.parent); },
  Enter: () => { if (selected) enter(selected); }, Backspace: up,
  o: () => { if (selected) openEditor(selected); }, e: () => { everywhere(root, true); refresh(); }, c: () => { everywhere(root, false); refresh(); },
  i: () => tab($("indexes").hidden), t: nextTheme, "?": help, "/": () => { $("search").focus(); $("search").select(); },
  Escape: () => { $("search").value = ""; words = []; focus = root; select(null); $("tree").focus(); },
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target === $("search");
  if (isTyping && !["Escape", "ArrowDown", "Enter"].includes(event.key)) return;
  const isButton = /^(BUTTON|A|INPUT)$/.test(event.target.tagName) && !isTyping;
  if (isButton && ["Enter", "Backspace"].includes(event.key)) return;
  if (isTyping && event.key !== "Escape") {
    const first = rows.find((row) => row.place.leaf >= 0);
    $("tree").focus(); if (first) select(first.place);
    event.preventDefault(); return;
  }
  const act = KEYS[event.key];
  if (act) { event.preventDefault(); act(); }
});
$("search").oninput = () => { words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean); $("tree").scrollTop = 0; refresh(); };
$("tree").onscroll = showRows;
canvas.onclick = (event) => { const box = boxAt(event); select(box && box.place !== root ? box.place : null); };
canvas.ondblclick = (event) => { const box = boxAt(event); if (box) enter(box.place); };
canvas.onmousemove = (event) => {
  const box = boxAt(event), tip = $("tip");
  tip.hidden = !box || box.place === root;
  if (tip.hidden) return;
  const { place } = box, node = nodes[place.leaf];
  tip.textContent = node ? (node.name ? `${node.path}:${node.line} ${node.name}` : node.path) : place.key.slice(1);
  const edge = stage.getBoundingClientRect();
  tip.style.left = Math.min(event.clientX - edge.left + stage.scrollLeft + 12, stage.scrollLeft + stage.clientWidth - 200) + "px";
  tip.style.top = event.clientY - edge.top + stage.scrollTop + 14 + "px";
};
canvas.onmouseleave = () => { $("tip").hidden = true; };
$("tab-graph").onclick = () => tab(false); $("tab-indexes").onclick = () => tab(true);
$("theme").onclick = nextTheme; $("help-button").onclick = help;
new ResizeObserver(() => { layOut(); showRows(); draw(); }).observe(stage);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
$("title").textContent = data.title;
$("state").textContent = data.state;
filters(); indexes(); find();
if (isMap) openSome(90); else everywhere(root, true);
refresh();
$("tree").focus();
