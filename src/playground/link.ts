// What the page shows, as the part of its address after "#", so that a link shows the same. A link may
// come from anywhere, so its invalid parts are ignored. It names a file but does not contain it.

import { columnsAsJson, columnsFromJson, type Column } from "./columns.ts";
import { fromText } from "./criteria-list.ts";
import { groupsAsJson, groupsFromJson, type GroupBy } from "./groups.ts";
import { COLUMN_TYPES, LONGEST_EXPRESSION, MOST_COMPUTED, TEXT_OPTIONS } from "./messages.ts";
import { isZone } from "./times.ts";
import type {
  TextOptions,
  ColumnType,
  Computed,
  CriteriaList,
  Generated,
  ReadAs,
  Relation,
  SortField,
} from "./messages.ts";

export const TABS = ["answer", "facets", "groups", "profile", "how", "envelope"] as const;
export type Tab = (typeof TABS)[number];

/**
 * How charts are drawn: whether the selection has the scale of the whole and whether heights are logarithmic, then
 * the fields of the scatter plot, and whether each has a logarithmic scale. `""` if not.
 */
const CHARTS = ["one", "log", "x", "y", "logx", "logy"] as const;
export type Charts = Readonly<Record<(typeof CHARTS)[number], string>>;
const NO_CHARTS: Charts = { one: "", log: "", x: "", y: "", logx: "", logy: "" };

export interface View {
  /** The name of the file whose records are shown; `""` if they are generated. */
  readonly file: string;
  /** Which one of several files of that name: 1, 2 and so on. */
  readonly copy: number;
  /** What is generated; `""` if nothing is. */
  readonly kind: Generated | "";
  readonly count: number;
  readonly seed: number;
  /** What somebody called it; `""` if nobody did. */
  readonly title: string;
  readonly criteria: CriteriaList;
  readonly sort: readonly SortField[];
  /** The columns that the reader chose, if any. */
  readonly columns: readonly Column[];
  /** Whether the first column stays in sight. */
  readonly isFrozen: boolean;
  readonly readAs: ReadAs;
  /** The zone in which times are shown and typed; `""` for UTC. */
  readonly zone: string;
  /** Which columns lead to other tables. */
  readonly relations: readonly Relation[];
  /** The columns that are computed from others. */
  readonly computed: readonly Computed[];
  /** What records are grouped by, if somebody asked for that. */
  readonly group: GroupBy | undefined;
  readonly charts: Charts;
  readonly tab: Tab;
  /** Whether Contacts are shown by List. */
  readonly byList: boolean;
  readonly indexes: "auto" | "none";
}

/** What the data of a view are called: no two open tables have one name. `""` if there are none. */
export const nameOf = ({ file, copy, kind }: Pick<View, "file" | "copy" | "kind">): string =>
  `${file === "" ? kind : file}${copy === 1 ? "" : ` (${copy})`}`;

/** The name of a file without the endings that say its format. */
export const stemOf = (file: string): string =>
  file.replace(/\.[a-z]+(?:\.(?:gz|zst))?$/i, "") || "records";

const GENERATED = ["orders", "contacts", "files"] as const satisfies readonly Generated[];

const MOST_COPIES = 1000;

export const MOST_RECORDS = 1_000_000;

export const FIRST_VIEW: View = {
  file: "",
  copy: 1,
  kind: "",
  count: 100_000,
  seed: 1,
  title: "",
  criteria: [],
  sort: [],
  columns: [],
  isFrozen: false,
  readAs: { types: [], text: {} },
  zone: "",
  relations: [],
  computed: [],
  group: undefined,
  charts: NO_CHARTS,
  tab: "answer",
  byList: false,
  indexes: "auto",
};

/** What differs from the first view, as an address has it. */
export function toLink(view: View): string {
  const parts = new URLSearchParams();
  const { file, copy, kind, count, seed, criteria, sort, tab, indexes, byList } = view;
  const { columns, isFrozen, readAs, relations, computed } = view;
  const { group, charts, zone } = view;
  if (file !== "") parts.set("file", file);
  if (copy > 1) parts.set("copy", String(copy));
  if (file === "" && kind !== "") {
    parts.set("data", kind);
    parts.set("count", String(count));
    parts.set("seed", String(seed));
  }
  if (view.title !== "") parts.set("view", view.title);
  if (criteria.length > 0) parts.set("criteria", JSON.stringify(criteria));
  for (const pair of sort) parts.append("sort", pair.join(" "));
  if (columns.length > 0) parts.set("columns", columnsAsJson(columns));
  if (isFrozen) parts.set("freeze", "first");
  if (readAs.types.length > 0) parts.set("types", JSON.stringify(readAs.types));
  if (Object.keys(readAs.text).length > 0) parts.set("read", JSON.stringify(readAs.text));
  if (zone !== "") parts.set("zone", zone);
  if (relations.length > 0) {
    parts.set("leads", JSON.stringify(relations.map(({ by, table, key }) => [by, table, key])));
  }
  if (computed.length > 0) {
    parts.set(
      "compute",
      JSON.stringify(computed.map(({ name, expression }) => [name, expression])),
    );
  }
  if (group !== undefined) parts.set("group", groupsAsJson(group));
  for (const name of CHARTS) if (charts[name] !== "") parts.set(name, charts[name]);
  if (tab !== "answer") parts.set("show", tab);
  if (byList) parts.set("by", "list");
  if (indexes !== "auto") parts.set("indexes", indexes);
  return `#${parts.toString()}`;
}

export function fromLink(hash: string): View {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const integer = (name: string, most: number, otherwise: number) => {
    const value = Number(parts.get(name) ?? NaN);
    return Number.isInteger(value) && value >= 0 && value <= most ? value : otherwise;
  };
  return {
    file: parts.get("file") ?? "",
    copy: Math.max(1, integer("copy", MOST_COPIES, 1)),
    kind: GENERATED.find((kind) => kind === parts.get("data")) ?? "",
    count: Math.max(1, integer("count", MOST_RECORDS, FIRST_VIEW.count)),
    seed: integer("seed", 2 ** 31 - 1, FIRST_VIEW.seed),
    title: (parts.get("view") ?? "").slice(0, MOST_CHARACTERS),
    criteria: listIn(parts.get("criteria") ?? ""),
    sort: sortIn(parts.getAll("sort")),
    columns: columnsFromJson(parts.get("columns") ?? ""),
    isFrozen: parts.get("freeze") === "first",
    readAs: { types: typesIn(parts.get("types") ?? ""), text: textIn(parts.get("read") ?? "") },
    zone: zoneIn(parts.get("zone") ?? ""),
    relations: relationsIn(parts.get("leads") ?? ""),
    computed: computedIn(parts.get("compute") ?? ""),
    group: groupsFromJson(parts.get("group") ?? ""),
    charts: {
      ...NO_CHARTS,
      ...Object.fromEntries(CHARTS.map((name) => [name, parts.get(name) ?? ""])),
    },
    tab: TABS.find((tab) => tab === parts.get("show")) ?? "answer",
    byList: parts.get("by") === "list",
    indexes: parts.get("indexes") === "none" ? "none" : "auto",
  };
}

const zoneIn = (name: string): string => (name !== "UTC" && isZone(name) ? name : "");

/** How a text is read: the reader checks the values. */
function textIn(text: string): TextOptions {
  const given = new Map<string, unknown>(Object.entries(objectIn(text)));
  return Object.fromEntries(
    TEXT_OPTIONS.flatMap((name) => {
      const value = given.get(name);
      return isShort(value) ? [[name, value] as const] : [];
    }),
  );
}

const MOST_CHARACTERS = 100;

function isShort(value: unknown): value is string | number | boolean | readonly string[] {
  if (typeof value === "string") return value.length <= MOST_CHARACTERS;
  if (Array.isArray(value)) {
    return value.length <= MOST_CHARACTERS && value.every((each) => typeof each === "string");
  }
  return typeof value === "number" || typeof value === "boolean";
}

/** What is none is empty. */
function objectIn(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/** Each column once. */
function typesIn(text: string): ReadAs["types"] {
  const found = new Map<string, ColumnType>();
  for (const pair of listIn(text)) {
    const [name, wanted] = Array.isArray(pair) ? (pair as unknown[]) : [];
    const type = COLUMN_TYPES.find((each) => each === wanted);
    if (typeof name === "string" && type !== undefined) found.set(name, type);
  }
  return [...found];
}

/** Each column leads to one table. */
function relationsIn(text: string): Relation[] {
  const found = new Map<string, Relation>();
  for (const each of listIn(text)) {
    const [by, table, key] = Array.isArray(each) ? (each as unknown[]) : [];
    if (typeof by !== "string" || typeof table !== "string" || typeof key !== "string") continue;
    found.set(by, { by, table, key });
  }
  return [...found.values()];
}

/** Each name once. The worker reads the expressions. */
function computedIn(text: string): Computed[] {
  const found = new Map<string, Computed>();
  for (const each of listIn(text)) {
    const [name, expression] = Array.isArray(each) ? (each as unknown[]) : [];
    if (typeof name !== "string" || typeof expression !== "string") continue;
    const isShortEnough = name.length <= MOST_CHARACTERS && expression.length <= LONGEST_EXPRESSION;
    if (name !== "" && isShortEnough && found.size < MOST_COMPUTED) {
      found.set(name, { name, expression });
    }
  }
  return [...found.values()];
}

/** Each field once. */
function sortIn(texts: readonly string[]): SortField[] {
  const found = new Map<string, SortField>();
  for (const text of texts) {
    const [, field = "", order] = /^(.+) (ASC|DESC)$/s.exec(text) ?? [];
    if (field !== "") found.set(field, [field, order === "ASC" ? "ASC" : "DESC"]);
  }
  return [...found.values()];
}

/** What is none is empty. */
function listIn(text: string): CriteriaList {
  try {
    return fromText(text);
  } catch {
    return [];
  }
}
