// Which charts there are. Colours are names of style variables; one thing has one colour everywhere.

import { TimeChart } from "./timechart.js";

export const PANELS = [
  {
    title: "Throughput",
    unit: "bytesPerSecond",
    series: [
      { id: "programs_read", label: "programs read", colour: "arc" },
      { id: "programs_write", label: "programs write", colour: "log" },
      { id: "disks_read", label: "disks read", colour: "disks" },
      { id: "disks_write", label: "disks write", colour: "first" },
    ],
  },
  {
    title: "ARC hits",
    hint: "share of accesses found in memory",
    unit: "share",
    series: [
      { id: "arc_share", label: "all", colour: "arc" },
      { id: "demand_data_share", label: "demand data", colour: "l2arc" },
      { id: "demand_metadata_share", label: "demand metadata", colour: "disks" },
    ],
  },
  {
    title: "ARC misses",
    unit: "perSecond",
    series: [
      { id: "demand_data_misses", label: "demand data", colour: "l2arc" },
      { id: "demand_metadata_misses", label: "demand metadata", colour: "disks" },
      { id: "prefetch_data_misses", label: "prefetch data", colour: "arc" },
      { id: "prefetch_metadata_misses", label: "prefetch metadata", colour: "log" },
    ],
  },
  {
    title: "Memory of the ARC",
    unit: "bytes",
    series: [
      { id: "arc_data", label: "data", colour: "arc", isStacked: true },
      { id: "arc_metadata", label: "metadata", colour: "disks", isStacked: true },
      { id: "arc_dnodes", label: "dnodes, dbufs", colour: "l2arc", isStacked: true },
      { id: "arc_headers", label: "headers", colour: "log", isStacked: true },
      { id: "l2_headers", label: "L2ARC headers", colour: "first", isStacked: true },
      { id: "arc_target", label: "target", colour: "text", isDashed: true },
      { id: "arc_max", label: "limit", colour: "bad", isDashed: true },
    ],
  },
  {
    title: "L2ARC hits",
    hint: "share of the ARC’s misses",
    unit: "share",
    needs: "l2_share",
    absent: "There is no L2ARC, or it was not asked.",
    series: [{ id: "l2_share", label: "hits", colour: "l2arc" }],
  },
  {
    title: "L2ARC throughput",
    unit: "bytesPerSecond",
    needs: "l2_share",
    series: [
      { id: "l2_read", label: "read", colour: "l2arc" },
      { id: "l2_write", label: "written", colour: "log" },
    ],
  },
  {
    title: "Dirty data",
    hint: "in the last transaction group",
    unit: "bytes",
    needs: "dirty",
    series: [{ id: "dirty", label: "all pools", colour: "log" }],
  },
  {
    title: "Transaction groups",
    hint: "the slowest pool",
    unit: "nanos",
    needs: "txg_sync",
    series: [
      { id: "txg_open", label: "open", colour: "first" },
      { id: "txg_sync", label: "syncing", colour: "log" },
    ],
  },
  {
    title: "Waits for stable storage",
    unit: "perSecond",
    series: [
      { id: "commits", label: "ZIL commits", colour: "log" },
      { id: "delays", label: "writes delayed", colour: "disks" },
    ],
  },
];

/** All charts in a place. One that needs what this machine does not have stays away until it does. */
export class Charts {
  #place;
  #options;
  #charts = new Map();

  constructor(place, options) {
    this.#place = place;
    this.#options = options;
  }

  show(columns, from, to) {
    for (const panel of PANELS) {
      const isThere = !panel.needs || columns[panel.needs]?.some((value) => value !== null);
      if (isThere && !this.#charts.has(panel)) {
        this.#charts.set(panel, new TimeChart(panel, this.#options));
        const shown = PANELS.filter((other) => this.#charts.has(other)).map((other) => this.#charts.get(other).element);
        this.#place.replaceChildren(...shown);
      }
      const chart = this.#charts.get(panel);
      if (chart) chart.show(columns, from, to);
    }
  }

  repaint() {
    for (const chart of this.#charts.values()) chart.repaint();
  }
}
