// The open tables, each with its view. The address holds the view of the visible one.

import { useEffect, useState } from "preact/hooks";
import { FIRST_VIEW, fromLink, nameOf, toLink, type View } from "../link.ts";
import type { Source } from "../messages.ts";

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
}

export type Change = (part: Partial<View> | ((before: View) => Partial<View>)) => void;

const NO_TABLES: Tables = { all: [], shown: undefined };

let keys = 0;

const LOSES = "This drops the changes that you made to the table. Go on?";

/** Asks before changes are lost. */
export const mayLose = ({ isChanged }: Pick<OpenTable, "isChanged">): boolean =>
  !isChanged || confirm(LOSES);

/** With a table in the place of the one of its name, or as one more. It is shown. */
function withTable({ all }: Tables, table: Omit<OpenTable, "key" | "isChanged">): Tables {
  const same = all.find(({ view }) => nameOf(view) === nameOf(table.view));
  const shown = { ...table, key: same?.key ?? ++keys, isChanged: same?.isChanged ?? false };
  return {
    all: same === undefined ? [...all, shown] : all.map((each) => (each === same ? shown : each)),
    shown,
  };
}

/** The same question is put to what is opened next. */
function withSource(tables: Tables, source: Source): Tables {
  const part = "file" in source ? { file: source.name } : { ...source, file: "" };
  const same = tables.all.find(({ view }) => nameOf(view) === nameOf({ ...view, ...part }));
  if (same !== undefined && !mayLose(same)) return tables;
  const before = same ?? tables.shown;
  const { columns, isFrozen, readAs } = same?.view ?? FIRST_VIEW;
  const view = { ...(before?.view ?? FIRST_VIEW), ...part, columns, isFrozen, readAs };
  return withTable(tables, { source, view, isBorrowed: same === undefined });
}

/** What a link shows: nothing, a table that is open already, generated data, or a file that is still to be opened. */
function withLink(tables: Tables, view: View): Tables {
  if (nameOf(view) === "") return tables;
  const { file, kind, count, seed } = view;
  const same = tables.all.find((each) => nameOf(each.view) === nameOf(view));
  const isSame = file !== "" || (same?.view.count === count && same.view.seed === seed);
  const generated = file === "" && kind !== "" ? { kind, count, seed } : undefined;
  const source = isSame ? same?.source : generated;
  return withTable(tables, { source, view, isBorrowed: false });
}

function without({ all, shown }: Tables, key: number): Tables {
  const rest = all.filter((each) => each.key !== key);
  return { all: rest, shown: shown?.key === key ? rest.at(-1) : shown };
}

function changed({ all, shown }: Tables, key: number, change: Parameters<Change>[0]): Tables {
  const next = all.map((each) => {
    if (each.key !== key) return each;
    const part = typeof change === "function" ? change(each.view) : change;
    return { ...each, view: { ...each.view, ...part }, isBorrowed: false };
  });
  return { all: next, shown: next.find((each) => each.key === shown?.key) };
}

function marked(tables: Tables, key: number, isChanged: boolean): Tables {
  const all = tables.all.map((each) => (each.key === key ? { ...each, isChanged } : each));
  return { all, shown: all.find((each) => each.key === tables.shown?.key) };
}

export function useTables() {
  const [tables, setTables] = useState(() => withLink(NO_TABLES, fromLink(location.hash)));
  const view = tables.shown?.view;
  // Browsers refuse an address that changes as often as a brush moves.
  useEffect(() => {
    const pause = setTimeout(() => writeLink(view), LINK_PAUSE);
    return () => clearTimeout(pause);
  }, [view]);
  useEffect(() => {
    // By the event's own address: an earlier view may have been written to the page's meanwhile.
    const follow = ({ newURL }: HashChangeEvent) =>
      setTables((before) => withLink(before, fromLink(new URL(newURL).hash)));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return {
    ...tables,
    open: (sources: readonly Source[]) => setTables(sources.reduce(withSource, tables)),
    show: (shown: OpenTable) => setTables((before) => ({ ...before, shown })),
    close: (table: OpenTable) => {
      if (mayLose(table)) setTables((before) => without(before, table.key));
    },
    mark: (key: number, isChanged: boolean) =>
      setTables((before) => marked(before, key, isChanged)),
    change: (key: number, part: Parameters<Change>[0]) =>
      setTables((before) => changed(before, key, part)),
  };
}

export function writeLink(view: View | undefined): void {
  const link = view === undefined ? "#" : toLink(view);
  if (link !== location.hash && link !== `${location.hash}#`) history.replaceState(null, "", link);
}
