// Loading and memory: what each peer costs before its first fast query.

import { frame, type Chart } from "../charts.ts";
import {
  contacts,
  figure,
  measureEach,
  missingNote,
  present,
  rowsOfEach,
  type OfPeers,
  type Plan,
} from "../figure.ts";
import { megabytes, time } from "../format.ts";
import { loadPeer } from "../load.ts";
import { heapInUse, once, residentInUse } from "../measure.ts";
import { PEERS } from "../peers/index.ts";

interface Loading {
  /** Nanoseconds, from objects to the peer's records, and from these to all indexes. */
  readonly load: number;
  readonly index: number;
  /** The growth of the process, in bytes. */
  readonly records: number;
  readonly indexes: number;
  /** What was measured: V8's heap with array buffers, or for native code all resident memory. */
  readonly memory: "heap" | "resident";
}

export const loading = figure<OfPeers<Loading>>({
  name: "loading",
  what: "loading, indexing and memory",
  tasks: {
    async loading({ size }: Plan, name: string): Promise<Loading> {
      const memory = PEERS[name]?.native === true ? "resident" : "heap";
      const inUse = memory === "resident" ? residentInUse : heapInUse;
      const empty = inUse();
      const { peer, time: load } = await loadPeer(name, size);
      const full = inUse();
      const index = await once(() => peer.prepare?.());
      return { load, index, records: full - empty, indexes: inUse() - full, memory };
    },
  },
  measure: (run) => measureEach(run, "loading", Object.keys(PEERS), run.plan.limits.load),
  rows: ({ peers }) =>
    rowsOfEach(peers, [
      ["loading and indexing", ({ load, index }) => load + index],
      ["memory", ({ records, indexes }) => records + indexes, "bytes"],
    ]),
  charts: (result) => [memoryChart(result)],
  sections: ({ size, peers }) => [
    {
      title: `Loading and memory of ${contacts(size)}`,
      note: [
        "Each peer in a process of its own; memory is its growth after garbage collection: of V8's heap with array buffers, or of all resident memory if native code holds the data.",
        missingNote(peers) ?? "",
      ]
        .join(" ")
        .trim(),
      head: ["peer", "load", "index", "records, MB", "indexes, MB", "measured"],
      rows: present(peers).map(([peer, each]) => [
        peer,
        time(each.load),
        time(each.index),
        megabytes(each.records),
        megabytes(each.indexes),
        each.memory,
      ]),
      chart: `memory-${size}`,
    },
  ],
});

function memoryChart({ size, peers }: OfPeers<Loading>): Chart {
  const values = present(peers).flatMap(([peer, { records, indexes }]) => [
    { peer, part: "records", order: 0, megabytes: Math.max(0, records / 1e6) },
    { peer, part: "indexes", order: 1, megabytes: Math.max(0, indexes / 1e6) },
  ]);
  const title = "Memory of records and indexes";
  const subtitle = `MB for ${contacts(size)}, each peer in a process of its own`;
  const spec = {
    ...frame(title, subtitle),
    data: { values },
    width: 560,
    height: { step: 24 },
    mark: "bar",
    encoding: {
      y: {
        field: "peer",
        type: "nominal",
        title: null,
        sort: { field: "megabytes", op: "sum", order: "ascending" },
      },
      x: {
        field: "megabytes",
        type: "quantitative",
        title: "MB",
        axis: { gridColor: "#eeeeee", tickCount: 8 },
      },
      color: {
        field: "part",
        type: "nominal",
        title: null,
        scale: { domain: ["records", "indexes"], range: ["#9ecae1", "#3182bd"] },
      },
      order: { field: "order", type: "quantitative" },
    },
  };
  return { name: `memory-${size}`, title: `${title}, ${contacts(size)}`, spec };
}
