// The open tables, each with its view. The address holds the view of the visible one, and the history of the browser
// has a step for each that somebody made.

import { useEffect, useRef, useState } from "preact/hooks";
import { FIRST_VIEW, fromLink, nameOf, toLink, type View } from "../link.ts";
import type { Source } from "../messages.ts";
import { Steps } from "./history.ts";

/** How long after the last change the address is updated, in milliseconds. */
const LINK_PAUSE = 150;

export interface OpenTable {
  readonly key: number;
  /** `undefined` if it is in a file that a link names and nobody has opened yet. */
  readonly source: Source | undefined;
  readonly view: View;
  /** Whether its question was put to another table. It is kept only if this one has its fields. */
  readonly isBorrowed: boolean;
  /** Whether somebody changed its records, which only the page holds. */
  readonly isChanged: boolean;
}

export interface Tables {
  readonly all: readonly OpenTable[];
  readonly shown: OpenTable | undefined;
  /** How many steps somebody has made: other changes of a view follow from them. */
  readonly steps: number;
}

export type Change = (
  part: Partial<View> | ((before: View) => Partial<View>),
  isStep?: boolean,
) => void;

const NO_TABLES: Tables = { all: [], shown: undefined, steps: 0 };

let keys = 0;

const LOSES = "This discards the changes that you made to the table. Continue?";
const LOSES_PASTED = "This discards the table that you pasted. Continue?";

export const isPasted = (source: Source | undefined): boolean =>
  source !== undefined && "file" in source && source.isPasted === true;

/** Asks before changes are lost. */
export const mayLose = ({ isChanged }: Pick<OpenTable, "isChanged">): boolean =>
  !isChanged || confirm(LOSES);

/** Asks before a table is closed that is nowhere else. */
const mayClose = (table: OpenTable): boolean =>
  mayLose(table) && (table.isChanged || !isPasted(table.source) || confirm(LOSES_PASTED));

/** With a table in the place of the one of its name, or as one more. It is shown. */
function withTable(tables: Tables, table: Omit<OpenTable, "key" | "isChanged">): Tables {
  const { all, steps } = tables;
  const same = all.find(({ view }) => nameOf(view) === nameOf(table.view));
  const shown = { ...table, key: same?.key ?? ++keys, isChanged: same?.isChanged ?? false };
  return {
    all: same === undefined ? [...all, shown] : all.map((each) => (each === same ? shown : each)),
    shown,
    steps,
  };
}

const isSameFile = (a: Source | undefined, b: Source): boolean =>
  a !== undefined &&
  "file" in a &&
  "file" in b &&
  a.file instanceof File &&
  b.file instanceof File &&
  a.file.size === b.file.size &&
  a.file.lastModified === b.file.lastModified;

/** The view of what is opened: the same question is put to it. Files of one name are numbered. */
function viewOf({ all, shown }: Tables, source: Source): View {
  if (!("file" in source)) {
    const same = all.find(({ view }) => view.file === "" && view.kind === source.kind);
    return { ...viewIn(same ?? shown), ...ownOf(same), ...source, file: "", copy: 1 };
  }
  const alike = all.filter(({ view }) => view.file === source.name);
  const same =
    alike.find((each) => each.source === undefined) ??
    alike.find((each) => isSameFile(each.source, source));
  const copies = alike.map(({ view }) => view.copy);
  const copy = same?.view.copy ?? Math.max(0, ...copies) + 1;
  const like = same ?? alike[0];
  return { ...viewIn(like ?? shown), ...ownOf(like), file: source.name, copy };
}

const viewIn = (table: OpenTable | undefined): View => table?.view ?? FIRST_VIEW;

/** What belongs to one table; all else of its view is the question. */
function ownOf(
  table: OpenTable | undefined,
): Pick<View, "columns" | "isFrozen" | "readAs" | "relations" | "title"> {
  const { columns, isFrozen, readAs, relations, title } = table?.view ?? FIRST_VIEW;
  return { columns, isFrozen, readAs, relations, title };
}

function withSource(tables: Tables, source: Source): Tables {
  const view = viewOf(tables, source);
  const same = tables.all.find((each) => nameOf(each.view) === nameOf(view));
  if (same !== undefined && !mayLose(same)) return tables;
  const next = withTable(tables, { source, view, isBorrowed: same === undefined });
  return { ...next, steps: tables.steps + 1 };
}

/** What a link shows: nothing, a table that is open already, generated data, or a file that is still to be opened. */
function withLink(tables: Tables, view: View): Tables {
  if (nameOf(view) === "") return { ...tables, shown: undefined };
  const { file, kind, count, seed } = view;
  const same = tables.all.find((each) => nameOf(each.view) === nameOf(view));
  const isSame = file !== "" || (same?.view.count === count && same.view.seed === seed);
  const generated = file === "" && kind !== "" ? { kind, count, seed } : undefined;
  const source = isSame ? same?.source : generated;
  const next = withTable(tables, { source, view, isBorrowed: false });
  const isRead = same !== undefined && isSame && isReadAlike(same.view, view);
  return same === undefined || isRead || mayLose(same) ? next : tables;
}

const isReadAlike = (a: View, b: View): boolean =>
  JSON.stringify([a.readAs, a.indexes]) === JSON.stringify([b.readAs, b.indexes]);

function without({ all, shown, steps }: Tables, key: number): Tables {
  const rest = all.filter((each) => each.key !== key);
  return { all: rest, shown: shown?.key === key ? rest.at(-1) : shown, steps: steps + 1 };
}

function changed(
  { all, shown, steps }: Tables,
  key: number,
  change: Parameters<Change>[0],
  isStep: boolean,
): Tables {
  const next = all.map((each) => {
    if (each.key !== key) return each;
    const part = typeof change === "function" ? change(each.view) : change;
    return { ...each, view: { ...each.view, ...part }, isBorrowed: false };
  });
  return {
    all: next,
    shown: next.find((each) => each.key === shown?.key),
    steps: isStep ? steps + 1 : steps,
  };
}

/** The same table once more, with the same view. */
function again(tables: Tables): Tables {
  const { all, shown } = tables;
  if (shown?.source === undefined) return tables;
  const alike = all.filter(
    ({ view: { file, kind } }) => file === shown.view.file && kind === shown.view.kind,
  );
  const copy = Math.max(...alike.map(({ view }) => view.copy)) + 1;
  const { source, view } = shown;
  const next = withTable(tables, { source, view: { ...view, copy }, isBorrowed: false });
  return { ...next, steps: tables.steps + 1 };
}

function marked(tables: Tables, key: number, isChanged: boolean): Tables {
  const all = tables.all.map((each) => (each.key === key ? { ...each, isChanged } : each));
  return { ...tables, all, shown: all.find((each) => each.key === tables.shown?.key) };
}

export function useTables() {
  const [tables, setTables] = useState(() => withLink(NO_TABLES, fromLink(location.hash)));
  const newest = useRef(tables);
  newest.current = tables;
  const { all, shown, steps: made } = tables;
  /** The table beside the shown one, if two are. */
  const [besideKey, setBeside] = useState<number>();
  const beside = all.find(({ key }) => key === besideKey && key !== shown?.key);
  const view = shown?.view;
  const [address] = useState(() => new Steps(view));
  // Browsers refuse an address that changes as often as a brush moves.
  useEffect(() => {
    const pause = setTimeout(() => address.write(view, made), LINK_PAUSE);
    return () => clearTimeout(pause);
  }, [view, made]);
  useEffect(() => {
    // By the event's own address: an earlier view may have been written to the page's meanwhile.
    const follow = ({ newURL }: HashChangeEvent) => {
      const before = newest.current;
      const next = withLink(before, fromLink(new URL(newURL).hash));
      // Who keeps the changes stays where they were made.
      if (next === before && before.shown !== undefined) {
        history.pushState(null, "", toLink(before.shown.view));
      }
      setTables(next);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return {
    ...tables,
    beside,
    /** Shows two tables, or one again. */
    setBeside: (isBeside: boolean) =>
      setBeside(isBeside ? all.findLast(({ key }) => key !== shown?.key)?.key : undefined),
    /** Opens the table once more, and shows both. */
    again: () => {
      setBeside(shown?.key);
      setTables(again);
    },
    openView: (to: View) =>
      setTables((before) => ({ ...withLink(before, to), steps: before.steps + 1 })),
    open: (sources: readonly Source[]) => setTables(sources.reduce(withSource, tables)),
    show: (table: OpenTable) => {
      if (table.key === besideKey) setBeside(shown?.key);
      setTables((before) => ({ ...before, shown: table, steps: before.steps + 1 }));
    },
    close: (table: OpenTable) => {
      if (mayClose(table)) setTables((before) => without(before, table.key));
    },
    mark: (key: number, isChanged: boolean) =>
      setTables((before) => marked(before, key, isChanged)),
    change: (key: number, part: Parameters<Change>[0], isStep = true) =>
      setTables((before) => changed(before, key, part, isStep)),
  };
}
