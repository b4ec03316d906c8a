// Who holds what: every cell of the operands, lit by lane. The tables come from the course's headers.
"use strict";

(() => {
  const shapes = window.tcdTables.shapes;
  const select = document.getElementById("shape");
  const lane_box = document.getElementById("lane");
  const said = document.getElementById("said");
  const tiles = document.getElementById("tiles");

  const letter = (operand) => (operand.name === "C and D" ? "c" : operand.name.toLowerCase());

  function tile(operand, index) {
    const table = element("table", undefined, { class: "grid", "aria-label": `${operand.name}, ${operand.type}` });
    table.append(element("caption", `${operand.name} (${operand.type}), ${operand.rows}×${operand.columns}`));
    const head = element("tr");
    head.append(element("th"));
    for (let column = 0; column < operand.columns; ++column) head.append(element("th", column, { scope: "col" }));
    table.append(head);
    operand.owners.forEach((line, row) => {
      const made = element("tr");
      made.append(element("th", row, { scope: "row" }));
      line.forEach(([lane], column) => {
        made.append(element("td", lane, {
          tabindex: row + column + index === 0 ? 0 : -1,
          "data-operand": index, "data-row": row, "data-column": column, "data-lane": lane,
        }));
      });
      table.append(made);
    });
    const frame = element("div");
    frame.append(table);
    return frame;
  }

  const shape = () => shapes[select.value];

  function light(lane) {
    for (const cell of tiles.querySelectorAll("td")) {
      cell.classList.toggle("lit", Number(cell.dataset.lane) === lane);
      cell.classList.remove("chosen");
    }
    lane_box.value = lane;
  }

  function say_lane(lane) {
    light(lane);
    const parts = shape().operands.map((operand) => {
      const held = operand.lanes[lane].map(([row, column], i) => `${letter(operand)}${i} (${row},${column})`);
      return `${operand.name} ${operand.type}: ${held.join(" ")}`;
    });
    said.textContent = `Lane ${lane} holds ${parts.join("; ")}.`;
  }

  function say_element(cell) {
    const { operand: index, row, column } = cell.dataset;
    const operand = shape().operands[index];
    const [lane, i, register, half] = operand.owners[row][column];
    light(lane);
    cell.classList.add("chosen");
    const where = operand.type === "f16" ? `, ${half ? "high" : "low"} half` : "";
    said.textContent = `${operand.name} (${row},${column}): lane ${lane}, element ${letter(operand)}${i}, ` +
      `register ${register}${where}.`;
  }

  function draw() {
    tiles.replaceChildren(...shape().operands.map(tile));
    say_lane(Number(lane_box.value));
  }

  for (const name of ["mouseover", "click", "focusin"]) {
    tiles.addEventListener(name, (event) => {
      const cell = event.target.closest("td");
      if (cell) say_element(cell);
    });
  }
  const STEP = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  tiles.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    const step = STEP[event.key];
    if (!cell || !step) return;
    event.preventDefault();
    const row = Number(cell.dataset.row) + step[0], column = Number(cell.dataset.column) + step[1];
    const next = tiles.querySelector(
      `td[data-operand="${cell.dataset.operand}"][data-row="${row}"][data-column="${column}"]`);
    if (!next) return;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  shapes.forEach((one, index) => select.append(element("option", one.name, { value: index })));
  select.addEventListener("change", draw);
  lane_box.addEventListener("input", () => {
    const lane = Number(lane_box.value);
    if (Number.isInteger(lane) && lane >= 0 && lane < 32) say_lane(lane);
  });
  draw();
})();
