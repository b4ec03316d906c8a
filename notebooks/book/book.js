// Theme, contents and search, of every page. No library, and nothing is fetched from anywhere.
"use strict";

const store = {
  get(key) {
    try { return localStorage.getItem(key); } catch { return null; }  // a file may have no storage
  },
  set(key, value) {
    try { localStorage.setItem(key, value); } catch { /* then it lasts for this page */ }
  },
};

const dark = matchMedia("(prefers-color-scheme: dark)");
function apply_theme() {
  document.documentElement.dataset.theme = store.get("theme") ?? (dark.matches ? "dark" : "light");
}
apply_theme();
dark.addEventListener("change", apply_theme);

// Pages in which every word stands, those with it in a heading first. Case does not matter.
function find(index, query, most = 12) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = [];
  for (const section of index) {
    const head = `${section.title} ${section.head}`.toLowerCase();
    const text = section.text.toLowerCase();
    if (!words.every((word) => head.includes(word) || text.includes(word))) continue;
    const in_head = words.filter((word) => head.includes(word)).length;
    const often = Math.min(9, text.split(words[0]).length - 1);
    found.push({ section, score: in_head * 10 + often, at: text.indexOf(words[0]) });
  }
  return found.sort((x, y) => y.score - x.score).slice(0, most);
}

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function load_index() {  // a megabyte that only a search needs
  if (window.tcdIndex) return Promise.resolve(window.tcdIndex);
  return new Promise((resolve, reject) => {
    const script = element("script", undefined, { src: "search-index.js" });
    script.onload = () => resolve(window.tcdIndex);
    script.onerror = reject;
    document.head.append(script);
  });
}

async function show_found(box, list) {
  const index = await load_index();
  const found = find(index, box.value);
  list.replaceChildren();
  for (const { section, at } of found) {
    const link = element("a", section.head === section.title ? section.title : `${section.title}: ${section.head}`,
      { href: `${section.page}#${section.anchor}` });
    if (at >= 0) link.append(element("small", section.text.slice(Math.max(0, at - 40), at + 90)));
    const item = element("li");
    item.append(link);
    list.append(item);
  }
  if (box.value.trim() && found.length === 0) list.append(element("li", "Nothing found."));
  list.hidden = !box.value.trim();
}

addEventListener("DOMContentLoaded", () => {
  document.getElementById("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    store.set("theme", next);
  });

  const contents = document.getElementById("contents");
  const wide = matchMedia("(min-width: 56rem)");
  const open = () => { contents.open = wide.matches; };
  open();
  wide.addEventListener("change", open);
  if (wide.matches) contents.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });

  for (const table of document.querySelectorAll("main table:not(.grid)")) {
    if (table.parentElement.classList.contains("wide")) continue;
    const frame = element("div", undefined, { class: "wide" });
    table.replaceWith(frame);
    frame.append(table);
  }
  // What scrolls sideways can be reached with the keyboard.
  for (const part of document.querySelectorAll("pre, .wide")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  }

  const box = document.getElementById("search");
  const list = document.getElementById("found");
  box.addEventListener("input", () => show_found(box, list));
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") { list.hidden = true; box.blur(); }
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      box.focus();
    }
  });
  addEventListener("click", (event) => { if (!event.target.closest(".search")) list.hidden = true; });
});
