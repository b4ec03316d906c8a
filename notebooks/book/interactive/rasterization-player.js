// The order of the CTAs as a film. The map is the kernel's; a test compares it tile by tile.
"use strict";

// Tile `index` of rows × columns: groups of `group` tile rows, walked column by column.
function grouped_tile(index, rows, columns, group) {
  const first = Math.floor(index / (group * columns)) * group;
  const here = Math.min(group, rows - first);
  const inside = index - first * columns;
  return [first + (inside % here), Math.floor(inside / here)];
}

(() => {
  const TILE = 128;
  const box = Object.fromEntries(
    ["size", "group", "card", "play", "wave", "said", "tiles"].map((id) => [id, document.getElementById(id)]));
  const cards = window.tcdTables.profiles;
  cards.forEach((card, index) => box.card.append(element("option", card.name, { value: index })));
  box.card.value = Math.max(0, cards.findIndex((card) => card.name === "rtx4060-laptop"));
  let timer = null;

  function state() {
    const size = Number(box.size.value), group = Number(box.group.value), card = cards[box.card.value];
    const side = size / TILE, resident = card.sms * card.ctas_per_sm;
    return { size, group, card, side, resident, waves: Math.ceil((side * side) / resident) };
  }

  const gigabytes = (bytes) => `${(bytes / 1e9).toFixed(2)} GB`;

  function draw() {
    const { size, group, card, side, resident, waves } = state();
    const wave = Math.min(Number(box.wave.value), waves - 1);
    const style = getComputedStyle(document.documentElement);
    const paint = box.tiles.getContext("2d");
    const step = box.tiles.width / side;
    paint.clearRect(0, 0, box.tiles.width, box.tiles.height);
    const rows = new Set(), columns = new Set();
    for (let index = 0; index < side * side; ++index) {
      const [row, column] = grouped_tile(index, side, side, group);
      const when = Math.floor(index / resident);
      if (when === wave) { rows.add(row); columns.add(column); }
      paint.fillStyle = style.getPropertyValue(when === wave ? "--accent" : when < wave ? "--line" : "--panel");
      paint.fillRect(column * step + 0.5, row * step + 0.5, step - 1, step - 1);
    }
    box.said.textContent =
      `Wave ${wave + 1} of ${waves}: ${resident} CTAs at once, ${rows.size} strips of A and ${columns.size} of B. ` +
      `The whole GEMM reads ${gigabytes(card.dram_read_bytes[size][group])} from DRAM by the model (derived); ` +
      `A and B once are ${gigabytes(2 * size * size * 2)}.`;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    box.play.textContent = "Play";
  }

  function start() {
    const { waves } = state();
    if (Number(box.wave.value) >= waves - 1) box.wave.value = 0;
    box.play.textContent = "Stop";
    timer = setInterval(() => {
      box.wave.value = Number(box.wave.value) + 1;
      draw();
      if (Number(box.wave.value) >= waves - 1) stop();
    }, 250);
  }

  function changed() {
    stop();
    box.wave.max = state().waves - 1;
    box.wave.value = 0;
    draw();
  }

  for (const id of ["size", "group", "card"]) box[id].addEventListener("change", changed);
  box.wave.addEventListener("input", () => { stop(); draw(); });
  box.play.addEventListener("click", () => (timer === null ? start() : stop()));
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  changed();
})();
