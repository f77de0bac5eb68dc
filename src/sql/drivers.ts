// Statements on their way to one driver or several, and their rows on the way back. Drivers of plain
// databases that know nothing of each other are all asked for a page from its beginning; what they
// give is merged by the rule of the order (rules P3 and P4).

import { UNLIMITED, type ParsedQuery, type SortOrder } from "../collection/plan/query.ts";
import { describe, InputError, TercetError } from "../schema/errors.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import { isFunction, oneOrMore } from "../schema/input.ts";
import { compareCodePoints } from "../schema/order.ts";
import type { Writing } from "./condition.ts";
import { nameOf } from "./names.ts";
import { pageStatement, type PageSource } from "./page.ts";
import { inForm, type TextForm } from "./records.ts";
import { readRow, RowError } from "./read-row.ts";
import type { Row, Run, Statement } from "./statement.ts";

/** What a driver failed with is its `cause`. */
export class DriverError extends TercetError {
  override readonly name = "DriverError";

  constructor(cause: unknown) {
    super(`the driver failed: ${cause instanceof Error ? cause.message : describe(cause)}`, {
      cause,
    });
  }
}

type Values = readonly WireValue[];

export class Drivers {
  readonly #runs: readonly Run[];

  /** @throws InputError where a driver is none, or there is none */
  constructor(input: unknown, path: string) {
    const given = oneOrMore(input, path);
    if (given.length === 0) throw new InputError(path, "needs at least one driver");
    this.#runs = given.map(({ value: run, path: place }) => {
      if (isRun(run)) return run;
      throw new InputError(place, `must be a function, not ${describe(run)}`);
    });
  }

  /** The rows of a statement by driver, each with as many values as there are columns. */
  async rows(statement: Statement, columns: number, signal: AbortSignal): Promise<Values[][]> {
    const names = Array.from({ length: columns }, (_, i) => nameOf(i));
    const answers = await this.#askAll(statement, signal);
    return answers.map((rows) => rows.map((row) => readRow(row, names)));
  }

  /** The rows of a page: the values of what is selected. */
  async page(
    source: PageSource,
    query: ParsedQuery,
    writing: Omit<Writing, "parameters"> & { readonly texts: TextForm },
    signal: AbortSignal,
  ): Promise<readonly Values[]> {
    const { sort, offset, limit } = query;
    const columns = source.selected.length;
    if (limit === 0) return [];
    if (this.#runs.length === 1) {
      const [rows] = await this.rows(pageStatement(source, query, writing), columns, signal);
      return rows ?? [];
    }
    // What the order goes by, beside what is selected.
    const sorted = sort && writing.columnsOf(sort.field);
    const type = sorted?.field.type;
    const keys = [
      source.position,
      // A driver that reads texts wrong would have them in another order.
      ...(sorted ? [inForm(sorted.value, sorted.field.type, writing.dialect, writing.texts)] : []),
    ];
    const selected = [
      ...source.selected,
      ...keys.map((key, i) => `${key} AS ${nameOf(columns + i)}`),
    ];
    const asked = { ...query, offset: 0, limit: Math.min(offset + limit, UNLIMITED) };
    const statement = pageStatement({ ...source, selected }, asked, writing);
    const answers = await this.rows(statement, selected.length, signal);
    const compare = comparer(columns, type, sort?.order);
    const merged = answers.flat().sort(compare);
    return merged.slice(offset, Math.min(offset + limit, UNLIMITED));
  }

  /** What all drivers answer; the first that fails fails all, and the others are told to give up. */
  async #askAll(statement: Statement, signal: AbortSignal): Promise<(readonly Row[])[]> {
    const abortion = new AbortController();
    const abort = () => abortion.abort();
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    try {
      const asked = this.#runs.map((run) => ask(run, statement, abortion.signal));
      return await Promise.all(asked);
    } catch (thrown) {
      abort();
      throw thrown;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}

function isRun(value: unknown): value is Run {
  return isFunction(value);
}

async function ask(run: Run, { text, parameters }: Statement, signal: AbortSignal) {
  let rows: unknown;
  try {
    rows = await run(text, parameters, { signal });
  } catch (thrown) {
    throw new DriverError(thrown);
  }
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new RowError("the driver must give an array of rows, each an array or an object");
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null;
}

/** Compares rows by the order of a query; position and sort value stand behind `columns` others. */
function comparer(columns: number, type: FieldType | undefined, order: SortOrder | undefined) {
  const sign = order === "ASC" ? 1 : -1;
  return (a: Values, b: Values): number => {
    if (type !== undefined) {
      const difference = compareValues(a[columns + 1] ?? null, b[columns + 1] ?? null, type);
      if (difference !== 0) return sign * difference;
    }
    return Number(a[columns]) - Number(b[columns]);
  };
}

function compareValues(a: WireValue, b: WireValue, type: FieldType): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return type === "int" ? Number(a) - Number(b) : compareCodePoints(a, b);
}
