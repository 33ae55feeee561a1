// The program behind the tabs that the browser page has as well: here the server answers what there workers do.

import { lines } from "./server.js";

/** Says that a call was given up because a newer one replaced it. */
export const STALE = { message: "stale" };

/** One call at a time; a connection that is given up ends what the server computes for it. */
export class Program {
  #running = null;

  /** Asks for something; rejects with {message, hint, line, column}. */
  async call(what, given, progress = () => {}) {
    const mine = new AbortController();
    this.#running = mine;
    let last = null;
    const hear = (line) => {
      if (line.progress === undefined) last = line;
      else progress(line.progress);
    };
    try {
      await lines(`/api/page/${what}`, what === "diagnoseFiles" ? framed(given.files) : given, hear, mine.signal);
    } catch (error) {
      throw mine.signal.aborted ? STALE : error;
    } finally {
      if (this.#running === mine) this.#running = null;
    }
    if (mine.signal.aborted) throw STALE;
    if (!last) throw { message: "The server broke off.", hint: "Try again." };
    if (last.error) throw last.error;
    return last.answer;
  }

  /** Ends whatever is under way. */
  stop() {
    this.#running?.abort();
    this.#running = null;
  }
}

/** What runs the arms of an experiment. */
export class Crew {
  #program = new Program();

  /** Asks for something short. */
  call(what, given) {
    return this.#program.call(what, given);
  }

  /** Runs a scenario file, coarse or in full; `progress` hears of a share from 0 to 1. */
  run(file, isCoarse, progress) {
    return this.#program.call("run", { file, isCoarse }, progress);
  }

  /** Ends whatever is under way. */
  stop() {
    this.#program.stop();
  }

  /** The server is warm. */
  async warm() {}
}

/** Returns files as one body: a line with their names and sizes, then their bytes. */
function framed(files) {
  const list = files.map(({ name, bytes }) => ({ name, size: bytes.byteLength }));
  return new Blob([JSON.stringify(list), "\n", ...files.map(({ bytes }) => bytes)]);
}
