// The program behind the page: WebAssembly in workers, a few of them, so that arms run side by side.
//
// Module and sources are fetched once, while the page loads. Workers are made from what is in memory then,
// so that no request follows, whatever the user does.

const sources = Promise.all(["arcwright_web.js", "worker.js"].map(fetchText));
const wasm = WebAssembly.compileStreaming(fetch("arcwright_web_bg.wasm"));
let workerUrl = "";

async function fetchText(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`failed to load ${path}`);
  return response.text();
}

/** Waits until everything is there. */
export async function load() {
  const [[glue, worker]] = await Promise.all([sources, wasm]);
  workerUrl = URL.createObjectURL(new Blob([glue, "\n", worker], { type: "text/javascript" }));
}

/** Says that a call was given up because a newer one replaced it. */
export const STALE = { message: "stale" };

/** A worker with the program in it; one call at a time. */
export class Program {
  #worker = null;
  #call = null;
  #number = 0;

  /** Asks for something; resolves to what the worker says, rejects with {message, hint, line, column}. */
  async call(what, given, progress = () => {}) {
    const worker = this.#worker ?? (await this.#start());
    this.#number += 1;
    return new Promise((resolve, reject) => {
      this.#call = { number: this.#number, resolve, reject, progress };
      worker.postMessage({ number: this.#number, what, given });
    });
  }

  /** Ends whatever is under way. */
  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#call?.reject(STALE);
    this.#call = null;
  }

  /** Starts ahead of the first call, so that it need not wait. */
  async warm() {
    if (!this.#worker) await this.#start();
  }

  async #start() {
    const module = await wasm;
    const worker = new Worker(workerUrl);
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = () => this.#broken();
    worker.postMessage({ module });
    this.#worker = worker;
    return worker;
  }

  #hear(data) {
    const call = this.#call;
    if (!call || data.number !== call.number) return;
    if (data.progress !== undefined) return call.progress(data.progress);
    if (data.broken) return this.#broken();
    this.#call = null;
    if (data.error) call.reject(data.error);
    else call.resolve(data.answer);
  }

  /** A panic leaves an instance unusable: the next call gets a new one. */
  #broken() {
    const call = this.#call;
    this.#worker?.terminate();
    this.#worker = null;
    this.#call = null;
    call?.reject({
      message: "The program inside this page stopped unexpectedly. That is a bug.",
      hint: "Please report it with the text or the link that you used; the browser's console has the details.",
    });
  }
}

/** More workers at once do not help a page that people read beside others. */
const WORKERS_MAX = 4;

/** Workers that run the arms of an experiment side by side. */
export class Crew {
  #programs = Array.from({ length: Math.min(navigator.hardwareConcurrency || 1, WORKERS_MAX) }, () => new Program());

  /** Asks one of them for something short. */
  call(what, given) {
    return this.#programs[0].call(what, given);
  }

  /** Runs a scenario file, coarse or in full; `progress` hears of a share from 0 to 1. */
  async run(file, isCoarse, progress = () => {}) {
    const begun = performance.now();
    const { arms, sizing } = await this.call("plan", { file, isCoarse });
    const parts = new Array(arms);
    const shares = new Array(arms).fill(0);
    let next = 0;
    const work = async (program) => {
      while (next < arms) {
        const number = next;
        next += 1;
        parts[number] = await program.call("runArm", { file, sizing, number }, (share) => {
          shares[number] = share;
          progress(shares.reduce((sum, share) => sum + share, 0) / arms);
        });
        shares[number] = 1;
      }
    };
    try {
      await Promise.all(this.#programs.slice(0, arms).map(work));
    } catch (error) {
      // What other arms find is of no use then.
      this.stop();
      throw error;
    }
    return this.call("together", { file, sizing, parts, took: performance.now() - begun });
  }

  /** Ends whatever is under way. */
  stop() {
    for (const program of this.#programs) program.stop();
  }

  /** Starts ahead of the first run. */
  async warm() {
    await Promise.all(this.#programs.map((program) => program.warm()));
  }
}
