// What the page shows, as the part of its address behind "#", so that a link shows the same. A link
// comes from anywhere: what is not valid in it is as if it were not there. It names a file but does not contain it.

import { fromText } from "./criteria-list.ts";
import type { CriteriaList, Kind } from "./messages.ts";

export const TABS = ["answer", "facets", "how", "envelope"] as const;
export type Tab = (typeof TABS)[number];

export interface View {
  /** The name of the file whose records are shown; `""` if they are generated. */
  readonly file: string;
  readonly kind: Kind;
  readonly count: number;
  readonly seed: number;
  readonly criteria: CriteriaList;
  readonly sortBy: string;
  readonly sortOrder: "ASC" | "DESC";
  readonly tab: Tab;
  readonly indexes: "auto" | "none";
}

export const MOST_RECORDS = 1_000_000;

export const FIRST_VIEW: View = {
  file: "",
  kind: "contacts",
  count: 100_000,
  seed: 1,
  criteria: [],
  sortBy: "",
  sortOrder: "DESC",
  tab: "answer",
  indexes: "auto",
};

/** What differs from the first view, as an address has it. */
export function toLink(view: View): string {
  const parts = new URLSearchParams();
  const { file, kind, count, seed, criteria, sortBy, sortOrder, tab, indexes } = view;
  if (file === "") {
    parts.set("data", kind);
    parts.set("count", String(count));
    parts.set("seed", String(seed));
  } else parts.set("file", file);
  if (criteria.length > 0) parts.set("criteria", JSON.stringify(criteria));
  if (sortBy !== "") parts.set("sort", `${sortBy} ${sortOrder}`);
  if (tab !== "answer") parts.set("show", tab);
  if (indexes !== "auto") parts.set("indexes", indexes);
  return `#${parts.toString()}`;
}

export function fromLink(hash: string): View {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const integer = (name: string, most: number, otherwise: number) => {
    const value = Number(parts.get(name) ?? NaN);
    return Number.isInteger(value) && value >= 0 && value <= most ? value : otherwise;
  };
  const [, sortBy = "", order = "DESC"] = /^(.*) (ASC|DESC)$/.exec(parts.get("sort") ?? "") ?? [];
  return {
    file: parts.get("file") ?? "",
    kind: parts.get("data") === "files" ? "files" : "contacts",
    count: Math.max(1, integer("count", MOST_RECORDS, FIRST_VIEW.count)),
    seed: integer("seed", 2 ** 31 - 1, FIRST_VIEW.seed),
    criteria: criteriaIn(parts.get("criteria") ?? ""),
    sortBy,
    sortOrder: order === "ASC" ? "ASC" : "DESC",
    tab: TABS.find((tab) => tab === parts.get("show")) ?? "answer",
    indexes: parts.get("indexes") === "none" ? "none" : "auto",
  };
}

function criteriaIn(text: string): CriteriaList {
  try {
    return fromText(text);
  } catch {
    return [];
  }
}
