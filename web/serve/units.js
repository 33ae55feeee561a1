// Numbers for people: three digits and a unit. What is not known is a dash.

const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const DECIMAL = ["", "k", "M", "G", "T"];
export const UNKNOWN = "–";

function digits(value) {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 || Number.isInteger(value) ? 0 : size >= 9.995 ? 1 : 2);
}

function scaled(value, step, names) {
  let power = 0;
  while (Math.abs(value) >= step * 0.9995 && power < names.length - 1) {
    value /= step;
    power += 1;
  }
  return [digits(value), names[power]];
}

const known = (format) => (value) => (value === null || value === undefined || Number.isNaN(value) ? UNKNOWN : format(value));

export const bytes = known((value) => scaled(value, 1024, BINARY).join(" "));
export const bytesPerSecond = known((value) => `${scaled(value, 1024, BINARY).join(" ")}/s`);
export const perSecond = known((value) => `${scaled(value, 1000, DECIMAL).join(" ").trim()}/s`);

/** A share from 0 to 1; less than a tenth of a percent is not zero. */
export const share = known((value) => {
  if (value > 0 && value < 0.001) return "< 0.1 %";
  if (value < 1 && value > 0.999) return "> 99.9 %";
  return `${(value * 100).toFixed(value === 0 || value === 1 ? 0 : 1)} %`;
});

/** The same for an axis, whose marks are round. */
export const roundShare = (value) => `${Math.round(value * 100)} %`;

export const nanos = known((value) => {
  if (value >= 1e9) return `${digits(value / 1e9)} s`;
  if (value >= 1e6) return `${digits(value / 1e6)} ms`;
  return value === 0 ? "0 s" : `${digits(value / 1e3)} µs`;
});

const two = (number) => String(number).padStart(2, "0");

/** The time of day. */
export function clock(date, isExact = true) {
  return `${two(date.getHours())}:${two(date.getMinutes())}${isExact ? `:${two(date.getSeconds())}` : ""}`;
}

export const day = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** Steps between marks of an axis of bytes: round in powers of two. */
export const BINARY_STEPS = Array.from({ length: 60 }, (_, power) => 2 ** power);
