// Bars: how fast each arm is, and where its bytes came from. Drawn to the width there is, texts beside the bars.

import { draw, make } from "./dom.js";

const BAR = 16;
const GAP = 10;
const LINE = 18;
/** Below this width names stand above their bars. */
const NARROW = 520;

/**
 * Draws one bar for each row {name, parts: [{value, kind, title}], text, range, mark} and keeps it as wide as its place.
 * A screen reader gets the title and, from the table beside, every figure.
 */
export function bars(title, unit, rows) {
  const figure = make("figure", { class: "chart" }, [
    make("figcaption", {}, [make("strong", { text: title }), make("span", { class: "hint", text: unit })]),
  ]);
  const place = make("div", { class: "place" });
  figure.append(place);
  let width = 0;
  const observer = new ResizeObserver(([{ contentRect }]) => {
    if (Math.abs(contentRect.width - width) < 1) return;
    width = contentRect.width;
    place.replaceChildren(picture(title, rows, Math.max(width, 200)));
  });
  observer.observe(place);
  return figure;
}

/** Explains the colours of parts. */
export function legend(entries) {
  const item = ([kind, text]) => make("li", {}, [make("span", { class: `swatch ${kind}` }), make("span", { text })]);
  return make("ul", { class: "legend" }, entries.map(item));
}

function picture(title, rows, width) {
  const isNarrow = width < NARROW;
  const left = isNarrow ? 0 : Math.min(190, width / 3);
  const right = 96;
  const room = width - left - right;
  const most = Math.max(...rows.map(extent), Number.MIN_VALUE);
  const scale = (value) => (value / most) * room;
  const height = (isNarrow ? LINE : 0) + BAR + GAP;
  const label = `${title}: ${rows.map((row) => `${row.name} ${row.text}`).join("; ")}`;
  const svg = draw("svg", {
    width,
    height: rows.length * height + 2,
    viewBox: `0 0 ${width} ${rows.length * height + 2}`,
    role: "img",
    "aria-label": label,
  });
  rows.forEach((row, index) => svg.append(...rowOf(row, { top: index * height, left, scale, isNarrow })));
  return svg;
}

function extent(row) {
  const whole = row.parts.reduce((sum, part) => sum + part.value, 0);
  return Math.max(whole, row.range ? row.range[1] : 0, row.mark ?? 0);
}

function rowOf(row, { top, left, scale, isNarrow }) {
  const y = top + (isNarrow ? LINE : 0);
  const middle = y + BAR / 2;
  const name = isNarrow
    ? draw("text", { x: 0, y: top + 13, class: "name", text: row.name })
    : draw("text", { x: left - 8, y: middle + 4, class: "name", "text-anchor": "end", text: cut(row.name, 27) });
  name.append(draw("title", { text: row.name }));
  const pieces = [name];
  let x = left;
  for (const { value, kind, title } of row.parts) {
    const width = scale(value);
    if (width > 0) {
      const bar = draw("rect", { x, y, width: Math.max(width, 1), height: BAR, class: kind });
      bar.append(draw("title", { text: title }));
      pieces.push(bar);
    }
    x += width;
  }
  let end = x;
  if (row.range) {
    const [low, high] = row.range.map((value) => left + scale(value));
    pieces.push(draw("path", { class: "range", d: `M${low} ${middle}H${high}M${low} ${y + 3}v${BAR - 6}M${high} ${y + 3}v${BAR - 6}` }));
    end = Math.max(end, high);
  }
  if (row.mark) {
    const at = left + scale(row.mark);
    pieces.push(draw("path", { class: "mark", d: `M${at} ${y - 2}v${BAR + 4}` }));
    end = Math.max(end, at);
  }
  pieces.push(draw("text", { x: end + 6, y: middle + 4, class: "value", text: row.text }));
  return pieces;
}

function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
