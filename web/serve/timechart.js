// A chart of time: uPlot with axes that say their unit, a legend that says values, colours of the page.

/* global uPlot */
import { make } from "./dom.js";
import { BINARY_STEPS, bytes, bytesPerSecond, clock, day, nanos, perSecond, roundShare, share } from "./units.js";

const UNITS = {
  bytes: { format: bytes, steps: BINARY_STEPS },
  bytesPerSecond: { format: bytesPerSecond, steps: BINARY_STEPS },
  perSecond: { format: perSecond },
  share: { format: share, mark: roundShare, range: [0, 1] },
  nanos: { format: nanos },
};
const HEIGHT = 190;
const DASH = [6, 4];
/** A range longer than this says days. */
const DAYS_BEYOND_S = 43_200;

/**
 * A chart of {title, hint, unit, series: [{id, label, colour, isStacked, isDashed}]}. `zoomed` hears of a range that somebody
 * chose with the mouse, in seconds; `group` lets cursors of several charts move together.
 */
export class TimeChart {
  #panel;
  #place = make("div", { class: "plot" });
  #values = [];
  #plot = null;
  #columns = null;
  #range = null;
  #group;
  #zoomed;

  constructor(panel, { group, zoomed } = {}) {
    this.#panel = panel;
    this.#group = group;
    this.#zoomed = zoomed;
    const entries = panel.series.map(({ label, colour, isDashed }) => {
      const value = make("span", { class: "value", text: "–" });
      this.#values.push(value);
      return make("li", {}, [
        make("span", { class: `swatch c-${colour}${isDashed ? " dashed" : ""}` }),
        make("span", { text: label }),
        value,
      ]);
    });
    this.element = make("figure", { class: "card chart time" }, [
      make("figcaption", {}, [
        make("h2", { text: panel.title }),
        panel.hint ? make("span", { class: "hint", text: panel.hint }) : null,
      ]),
      this.#place,
      make("ul", { class: "legend" }, entries),
    ]);
    this.#place.setAttribute("role", "img");
    this.#place.setAttribute("aria-label", panel.title);
    let width = 0;
    new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width === 0 || Math.abs(contentRect.width - width) < 1) return;
      width = contentRect.width;
      if (this.#plot) this.#plot.setSize({ width, height: HEIGHT });
      else this.#draw();
    }).observe(this.#place);
  }

  /** Shows columns {at: seconds, NAME: values} from one moment to another. */
  show(columns, from, to) {
    this.#columns = columns;
    this.#range = [from, to];
    if (this.#plot) {
      this.#plot.setData(this.#data(), false);
      this.#plot.setScale("x", { min: from, max: to });
    } else {
      this.#draw();
    }
    this.#tell(null);
  }

  /** Draws anew, in other colours. */
  repaint() {
    this.#plot?.destroy();
    this.#plot = null;
    this.#draw();
  }

  /** Returns whether there is any value to show. */
  static hasValues(panel, columns) {
    return panel.series.some(({ id, isDashed }) => !isDashed && columns[id]?.some((value) => value !== null));
  }

  #data() {
    const { series } = this.#panel;
    const count = this.#columns.at.length;
    const raw = (id) => this.#columns[id] ?? new Array(count).fill(null);
    // What is stacked is drawn from the top of the stack down, each over the one before.
    const stacked = series.filter(({ isStacked }) => isStacked);
    let sum = null;
    const sums = new Map();
    for (const { id } of stacked) {
      const values = raw(id);
      sum = values.map((value, at) => (value === null ? (sum?.[at] ?? null) : value + (sum?.[at] ?? 0)));
      sums.set(id, sum);
    }
    return [this.#columns.at, ...this.#order().map(({ id }) => sums.get(id) ?? raw(id))];
  }

  #order() {
    const { series } = this.#panel;
    return [...series.filter(({ isStacked }) => isStacked).reverse(), ...series.filter(({ isStacked }) => !isStacked)];
  }

  #draw() {
    const width = this.#place.clientWidth;
    if (!this.#columns || width === 0) return;
    const css = getComputedStyle(document.documentElement);
    const colour = (name) => css.getPropertyValue(`--${name}`).trim();
    const { format, mark: marked = format, steps, range } = UNITS[this.#panel.unit];
    const axis = { stroke: colour("faint"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const top = (plot, low, high) => [0, high > 0 ? high * 1.08 : 1];
    const options = {
      width,
      height: HEIGHT,
      padding: [8, 8, 0, 0],
      legend: { show: false },
      cursor: {
        sync: this.#group ? { key: this.#group } : undefined,
        drag: { x: Boolean(this.#zoomed), y: false, setScale: false },
        points: { size: 6 },
        y: false,
      },
      select: { show: Boolean(this.#zoomed) },
      scales: {
        x: { time: true, auto: false, min: this.#range[0], max: this.#range[1] },
        y: { auto: !range, range: range ?? top },
      },
      axes: [
        { ...axis, values: times, space: 78, size: this.#isLong() ? 42 : 28 },
        { ...axis, values: (_, marks) => marks.map((mark) => marked(mark)), incrs: steps, size: 76, space: 32 },
      ],
      series: [
        {},
        ...this.#order().map(({ label, colour: name, isStacked, isDashed }) => ({
          label,
          stroke: colour(name),
          width: isStacked ? 0 : 1.75,
          fill: isStacked ? colour(name) : undefined,
          dash: isDashed ? DASH : undefined,
          points: { show: false },
          spanGaps: false,
        })),
      ],
      hooks: {
        setCursor: [(plot) => this.#tell(plot.cursor.idx ?? null)],
        setSelect: [(plot) => this.#select(plot)],
      },
    };
    this.#plot = new uPlot(options, this.#data(), this.#place);
    this.#tell(null);
  }

  /** Says whether times need a line for the day. */
  #isLong() {
    return this.#range[1] - this.#range[0] > DAYS_BEYOND_S;
  }

  #select(plot) {
    if (!this.#zoomed || plot.select.width < 4) return;
    const at = (pixel) => plot.posToVal(pixel, "x");
    const { left, width } = plot.select;
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.#zoomed(at(left), at(left + width));
  }

  /** Shows the values under the cursor, or the last ones. */
  #tell(index) {
    if (!this.#columns) return;
    const { format } = UNITS[this.#panel.unit];
    const at = index ?? this.#columns.at.length - 1;
    this.#panel.series.forEach(({ id }, number) => {
      const text = format(this.#columns[id]?.[at] ?? null);
      if (this.#values[number].textContent !== text) this.#values[number].textContent = text;
    });
    const told = this.#panel.series.map(({ label }, number) => `${label} ${this.#values[number].textContent}`);
    this.#place.setAttribute("aria-label", `${this.#panel.title}: ${told.join(", ")}`);
  }
}

/** Times below the axis, as exact as their steps; the day where it changes. */
function times(_, marks, __, ___, step) {
  let before = null;
  return marks.map((mark) => {
    const date = new Date(mark * 1000);
    const isNew = before === null || before !== date.toDateString();
    before = date.toDateString();
    if (step >= 86_400) return day(date).slice(5);
    const text = clock(date, step < 60);
    const span = marks.at(-1) - marks[0];
    return isNew && span > DAYS_BEYOND_S / 2 ? `${text}\n${day(date).slice(5)}` : text;
  });
}
