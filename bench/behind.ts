// Where a peer is faster than tercet: every measured row, compared by its median, or by its only number.
// Each such row needs a reason, unless tercet gets faster.

import type { Row, Section } from "./figure.ts";
import { FIGURES, type Results } from "./figures/index.ts";
import { count, digits, megabytes, time } from "./format.ts";

interface Behind {
  readonly row: Row;
  readonly peer: string;
  readonly tercet: number;
  readonly other: number;
  /** The reason, if there is one. */
  readonly because: string | undefined;
}

export const rowsOf = (results: Results): Row[] => FIGURES.flatMap(({ rows }) => rows(results));

export function behind(results: Results): Behind[] {
  return rowsOf(results).flatMap((row) => {
    const { tercet, ...others } = row.values;
    if (tercet === undefined) return [];
    return Object.entries(others)
      .filter(([, other]) => other < tercet)
      .map(([peer, other]) => ({ row, peer, tercet, other, because: reasonFor(row.name, peer) }));
  });
}

function reasonFor(row: string, peer: string): string | undefined {
  const all = FIGURES.flatMap(({ reasons = {} }) => Object.entries(reasons));
  return all.find(([, rows]) => rows[row]?.includes(peer))?.[0];
}

/** Always present: an empty list is an answer too. */
export function behindSection(results: Results): Section {
  const found = behind(results);
  const wrong = FIGURES.flatMap((figure) => figure.unanswered(results))
    .filter(([peer]) => peer === "tercet")
    .map(([, what, why]) => [what, "–", why, "", "", "tercet has no number here"]);
  const remarks = [...new Set(found.flatMap(({ because }) => because ?? []))];
  const rows = found.map(({ row, peer, tercet, other, because = "" }) => {
    const value = row.unit === "time" ? time : (bytes: number) => `${megabytes(bytes)} MB`;
    return [
      `${row.name}, ${count(row.size)}`,
      peer,
      value(tercet),
      value(other),
      digits(tercet / other),
      String(remarks.indexOf(because) + 1 || "–"),
    ];
  });
  const nowhere = rowsOf(results).length > 0 ? "In no measured row." : "Nothing was compared.";
  return {
    title: "Where tercet is behind",
    note: found.length + wrong.length === 0 ? nowhere : "Ratio: tercet's to the peer's.",
    head: ["row", "peer ahead", "tercet", "peer", "ratio", "why"],
    rows: [...wrong, ...rows],
    remarks,
  };
}
