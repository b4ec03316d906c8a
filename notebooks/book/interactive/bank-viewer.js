// What a layout costs: passes of ldmatrix by banks, passes of cp.async by the rule of
// common/emulator/counters/async_copy.h. A test holds both against the emulated device's own code.
"use strict";

const bank_rules = (() => {
  // The most different units of `unit` bytes that share a group of banks.
  function conflict_degree(addresses, unit) {
    const groups = 128 / unit;
    const seen = new Map();
    for (const address of addresses) {
      const place = Math.floor(address / unit);
      const group = place % groups;
      if (!seen.has(group)) seen.set(group, new Set());
      seen.get(group).add(place);
    }
    return Math.max(0, ...[...seen.values()].map((places) => places.size));
  }

  // ldmatrix: eight row addresses for each matrix.
  function matrix_passes(rows) {
    let passes = 0;
    for (let first = 0; first < rows.length; first += 8) passes += conflict_degree(rows.slice(first, first + 8), 16);
    return passes;
  }

  // cp.async.cg, 16 bytes a lane: sectors move from line to line, one setting of the network a pass.
  function copy_passes(shared, global) {
    const moves = new Map();
    shared.forEach((to_byte, lane) => {
      const from = Math.floor(global[lane] / 32), to = Math.floor(to_byte / 32);
      const bit = 1 << (2 * (Math.floor(global[lane] / 16) % 2) + Math.floor(to_byte / 16) % 2);
      const key = `${from}>${to}`;
      const move = moves.get(key) ?? { from, to, halves: 0 };
      move.halves |= bit;
      moves.set(key, move);
    });
    const settings = new Map();
    const add = (move, halves) => {
      const parity = (move.from ^ move.to) & 1;
      const key = [Math.floor(move.from / 4), Math.floor(move.to / 4), halves, parity].join();
      if (!settings.has(key)) settings.set(key, [0, 0, 0, 0]);
      ++settings.get(key)[move.from % 4];
    };
    for (const move of moves.values()) {
      const doubled = (move.halves & 3) === 3 || (move.halves & 12) === 12;
      if (!doubled) add(move, move.halves);
      else for (const bit of [1, 2, 4, 8]) if (move.halves & bit) add(move, bit);
    }
    return [...settings.values()].reduce((sum, uses) => sum + Math.max(...uses), 0);
  }

  const BINARY = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]];  // weakest first
  const APPLY = {
    "|": (x, y) => x | y, "^": (x, y) => x ^ y, "&": (x, y) => x & y, "<<": (x, y) => x << y,
    ">>": (x, y) => x >> y, "+": (x, y) => x + y, "-": (x, y) => x - y, "*": (x, y) => x * y,
    "/": (x, y) => { if (y === 0) throw new Error("division by zero"); return Math.trunc(x / y); },
    "%": (x, y) => { if (y === 0) throw new Error("division by zero"); return x % y; },
  };

  // (row, chunk) → number, for an expression in C's precedence. Throws with what was not understood.
  function compile(text) {
    const words = text.match(/\s+|\d+|[a-z]+|<<|>>|./gi)?.filter((word) => word.trim()) ?? [];
    let at = 0;
    const fail = (wanted) => {
      throw new Error(`${wanted} wanted ${at < words.length ? `before “${words.slice(at).join(" ")}”` : "at the end"}`);
    };
    function atom() {
      const word = words[at];
      if (word === "(") {
        ++at;
        const inner = level(0);
        if (words[at] !== ")") fail("“)”");
        ++at;
        return inner;
      }
      if (word === "~" || word === "-") {
        ++at;
        const inner = atom();
        return word === "~" ? (r, c) => ~inner(r, c) : (r, c) => -inner(r, c);
      }
      if (/^\d+$/.test(word ?? "")) { ++at; return () => Number(word); }
      if (word === "row") { ++at; return (row) => row; }
      if (word === "chunk") { ++at; return (_, chunk) => chunk; }
      return fail("row, chunk or a number");
    }
    function level(depth) {
      if (depth === BINARY.length) return atom();
      let left = level(depth + 1);
      while (BINARY[depth].includes(words[at])) {
        const apply = APPLY[words[at++]], before = left, right = level(depth + 1);
        left = (r, c) => apply(before(r, c), right(r, c));
      }
      return left;
    }
    const made = level(0);
    if (at < words.length) fail("an operator");
    return made;
  }

  const ROWS = 128, CHUNKS = 4, GLOBAL_ROW = 8192;  // a k-tile of a matrix with K = 4096

  // Means over the whole tile: extra passes an ldmatrix.x4, passes a cp.async of a warp.
  function cost(pitch, place) {
    const address = (row, chunk) => row * pitch + place(row, chunk) * 16;
    let phases = 0, extra = 0, copies = 0, passes = 0;
    for (let row = 0; row < ROWS; row += 8) {
      for (let chunk = 0; chunk < CHUNKS; ++chunk, ++phases) {
        extra += matrix_passes([...Array(8).keys()].map((i) => address(row + i, chunk))) - 1;
      }
      for (const k_byte of [0, 64]) {
        const lanes = [...Array(32).keys()];
        const shared = lanes.map((lane) => address(row + (lane >> 2), lane & 3));
        const global = lanes.map((lane) => (row + (lane >> 2)) * GLOBAL_ROW + k_byte + (lane & 3) * 16);
        passes += copy_passes(shared, global);
        ++copies;
      }
    }
    const conflicts = (4 * extra) / phases, writes = passes / copies;
    // A k-tile of Day 05's CTA: 96 ldmatrix.x4 of 4 passes at least, 32 cp.async.
    return { conflicts, writes, tile: 96 * (4 + conflicts) + 32 * writes };
  }

  // The first thing that makes this no layout at all, or null.
  function mistake(pitch, place) {
    const taken = new Map();
    for (let row = 0; row < ROWS; ++row) {
      for (let chunk = 0; chunk < CHUNKS; ++chunk) {
        const to = place(row, chunk);
        if (to < 0 || (to + 1) * 16 > pitch) {
          return `chunk ${chunk} of row ${row} would stand at place ${to}, outside its row of ${pitch} bytes`;
        }
        const key = row * pitch + to * 16;
        if (taken.has(key)) return `chunks ${taken.get(key)} and ${chunk} of row ${row} would share place ${to}`;
        taken.set(key, chunk);
      }
    }
    return null;
  }

  return { matrix_passes, copy_passes, compile, cost, mistake };
})();

(() => {
  const PRESETS = [
    ["row-major", 64, "chunk"],
    ["padded", 80, "chunk"],
    ["xor row & 3", 64, "chunk ^ (row & 3)"],
    ["xor row >> 1 & 3", 64, "chunk ^ (row >> 1 & 3)"],
    ["your own", null, null],
  ];
  const box = Object.fromEntries(
    ["preset", "pitch", "place", "first", "chunk", "said", "banks"].map((id) => [id, document.getElementById(id)]));

  function draw(pitch, place) {
    const first = Number(box.first.value), chunk = Number(box.chunk.value);
    const where = new Map();
    for (let row = first; row < first + 8; ++row) {
      for (let c = 0; c < 4; ++c) where.set((row * pitch + place(row, c) * 16) / 16, [row, c]);
    }
    const units = [...where.keys()];
    const from = Math.floor(Math.min(...units) / 8), to = Math.floor(Math.max(...units) / 8);
    const head = element("tr");
    head.append(element("th", "banks"));
    for (let group = 0; group < 8; ++group) head.append(element("th", `${group * 4}–${group * 4 + 3}`, { scope: "col" }));
    const lines = [head];
    for (let line = from; line <= to; ++line) {
      const made = element("tr");
      made.append(element("th", `+${line * 128}`, { scope: "row" }));
      for (let group = 0; group < 8; ++group) {
        const [row, c] = where.get(line * 8 + group) ?? [];
        const cell = element("td", row === undefined ? "" : `${row}.${c}`);
        if (row !== undefined && c === chunk) cell.className = "lit";
        made.append(cell);
      }
      lines.push(made);
    }
    box.banks.replaceChildren(...lines);
  }

  function say(text, bad) {
    box.said.textContent = text;
    box.said.classList.toggle("bad", bad);
  }

  function update() {
    try {
      const pitch = Number(box.pitch.value);
      if (pitch % 16 !== 0 || pitch < 64 || pitch > 256) throw new Error("a row is 64 to 256 bytes, a multiple of 16");
      const place = bank_rules.compile(box.place.value);
      const wrong = bank_rules.mistake(pitch, place);
      if (wrong) throw new Error(wrong);
      draw(pitch, place);
      const { conflicts, writes, tile } = bank_rules.cost(pitch, place);
      const number = (x) => String(Math.round(x * 100) / 100);
      say(`Reading: ${number(conflicts)} extra passes an ldmatrix.x4. Writing: ${number(writes)} passes a cp.async. ` +
        `A CTA's k-tile: ${number(tile)} passes. (derived)`, false);
    } catch (error) {
      box.banks.replaceChildren();
      say(`Not a layout: ${error.message}.`, true);
    }
  }

  PRESETS.forEach(([name], index) => box.preset.append(element("option", name, { value: index })));
  for (let row = 0; row < 128; row += 8) box.first.append(element("option", row));
  function choose() {
    const [, pitch, place] = PRESETS[box.preset.value];
    if (place !== null) { box.pitch.value = pitch; box.place.value = place; }
    update();
  }
  box.preset.addEventListener("change", choose);
  for (const id of ["pitch", "place"]) {
    box[id].addEventListener("input", () => { box.preset.value = PRESETS.length - 1; update(); });
  }
  for (const id of ["first", "chunk"]) box[id].addEventListener("change", update);
  box.preset.value = 0;
  choose();
})();
