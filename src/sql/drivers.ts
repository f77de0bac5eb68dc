// Sends statements to one driver or several, and collects their rows. Drivers of independent databases
// are each asked for a page from its beginning; their rows are merged in the order of rules P3 and P4.
// The rows of a single driver are sorted as well, because an engine may return the rows of a statement
// with two parts in any order.

import { compareValues } from "../collection/execute/count-by.ts";
import { UNLIMITED, type ParsedQuery, type SortOrder } from "../collection/plan/query.ts";
import { describe, InputError, TercetError, type TercetErrorCode } from "../schema/errors.ts";
import { tuning } from "../collection/tuning.ts";
import type { FieldType, WireValue } from "../schema/field.ts";
import { isFunction, oneOrMore } from "../schema/input.ts";
import { must } from "../schema/options.ts";
import { restFrom } from "./deep-page.ts";
import type { Row, Run, Statement } from "./dialect.ts";
import type { Table } from "./names.ts";
import { rankedBy } from "./ranked.ts";
import { readRow, RowError, type Source } from "./records.ts";
import { ConsistencyError, SHARD_COLUMNS } from "./shard.ts";
import { selectStatedPage, statedStatement, type Asides, type Selection } from "./select.ts";

/** Its `cause` is the error of the driver. */
export class DriverError extends TercetError {
  protected static override readonly code = "driver";
  override readonly name = "DriverError";
  declare readonly code: TercetErrorCode;
  /** The place of the driver in `run`. */
  readonly driver: number;

  constructor(cause: unknown, driver: number, hint = "") {
    const reason = cause instanceof Error ? cause.message : describe(cause);
    super(`the driver failed: ${reason}${hint}`, { cause });
    this.driver = driver;
  }
}

type Values = readonly WireValue[];

interface Answer {
  /** By driver; the values of each row begin with those of the selection. */
  readonly rows: readonly (readonly Values[])[];
  readonly versions: readonly WireValue[];
  readonly generation: WireValue;
}

type Ask = (selectionOf: (driver: number) => Selection) => Promise<Answer>;

export class Drivers {
  readonly #runs: readonly Run[];

  /** @throws InputError where a driver is none, or there is none */
  constructor(input: unknown, path: string) {
    const given = oneOrMore(input, path);
    if (given.length === 0) throw new InputError(path, "needs at least one driver");
    this.#runs = given.map(({ value, path: place }) => must("a function", isRun)(value, place));
  }

  get count(): number {
    return this.#runs.length;
  }

  /** The rows of a statement by driver, each with as many values as there are columns. */
  async rows(statement: Statement, columns: number, signal: AbortSignal): Promise<Values[][]> {
    const answers = await this.#askAll(() => statement, signal);
    return answers.map((rows) => rows.map((row) => readRow(row, columns)));
  }

  /**
   * A page, each row with the values that are selected before others; and by driver the version that was asked for.
   *
   * @throws ConsistencyError where the databases are not the shards that their drivers stand for, or not of one
   *   generation
   */
  async page(source: Source, query: ParsedQuery, asides: Asides, signal: AbortSignal) {
    const { count } = this;
    let generation: WireValue | undefined;
    const ask: Ask = async (selectionOf) => {
      const answer = await this.ask(selectionOf, asides, signal);
      generation ??= answer.generation;
      if (answer.generation === generation) return answer;
      throw new ConsistencyError("the shards changed while a page was looked for", true);
    };
    const isSearched = count > 1 || rankedBy(source, query) !== undefined;
    const rest =
      isSearched && query.offset > tuning.fewBefore
        ? await restFrom(source, query, count, async (each) => (await ask(each)).rows)
        : { sources: [source], offset: query.offset };
    let { offset } = rest;
    let rows: readonly Values[] = [];
    let versions: readonly WireValue[] = [];
    for (const each of rest.sources) {
      const limit = query.limit - rows.length;
      if (limit === 0) break;
      const page = await this.#merged(each, { ...query, offset, limit }, ask);
      rows = rows.length === 0 ? page.rows : [...rows, ...page.rows];
      versions = [...versions, ...page.versions];
      offset = 0;
    }
    return { rows, versions };
  }

  /** A page of what the databases have from its start on: each may have all that comes before the page, and all of it. */
  async #merged(source: Source, query: ParsedQuery, ask: Ask) {
    const { offset, limit, sort } = query;
    const end = Math.min(offset + limit, UNLIMITED);
    const isMerged = this.count > 1;
    const asked = isMerged ? { ...query, offset: 0, limit: end } : query;
    const selection = selectStatedPage(source, asked);
    const answer = await ask(() => selection);
    const type = sort && source.columnsOf(sort.field).field.type;
    // What came in order takes one comparison a row.
    const rows = answer.rows.flat().sort(comparer(selection, type, sort?.order));
    checkPositions(rows, selection);
    return { rows: isMerged ? rows.slice(offset, end) : rows, versions: answer.versions };
  }

  /** What each driver answers to a selection. */
  async ask(selectionOf: (driver: number) => Selection, asides: Asides, signal: AbortSignal) {
    const statementOf = (driver: number) => statedStatement(selectionOf(driver), asides);
    const all = await this.#askAll(statementOf, signal).catch((thrown: unknown) => {
      throw this.#withHint(thrown, asides.shard);
    });
    const answers = all.map((given, i) => {
      const { columns, marker } = selectionOf(i);
      const version = columns + SHARD_COLUMNS.length;
      const rows = given.map((row) => readRow(row, version + 1));
      const stated = rows.find((values) => values[columns] !== null);
      // A server without a shard may have Lists of earlier.
      const isEmpty = stated?.[columns] === "";
      return {
        rows: isEmpty ? [] : rows.filter((values) => values[marker] !== null),
        state: stated?.slice(columns, version),
        version: isEmpty ? null : (stated?.[version] ?? null),
      };
    });
    return {
      rows: answers.map(({ rows }) => rows),
      versions: answers.map(({ version }) => version),
      generation: generationOf(
        answers.map(({ state }) => state),
        asides.shard,
      ),
    };
  }

  /** Tables that an older version made lack the one of the shard. Engines name the table that they don't find. */
  #withHint(thrown: unknown, { path }: Table): unknown {
    const name = path.at(-1) ?? "";
    if (!(thrown instanceof DriverError) || !thrown.message.includes(name)) return thrown;
    const hint = `; if the tables are older than ${name}, migrateTables has the statements that make it, with the option from: 1`;
    return new DriverError(thrown.cause, thrown.driver, hint);
  }

  /** What each driver answers; the first failure fails all, and the others are aborted. */
  async #askAll(statementOf: (driver: number) => Statement, signal: AbortSignal) {
    const abortion = new AbortController();
    const abort = () => abortion.abort();
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    try {
      const asked = this.#runs.map((run, i) => ask(run, i, statementOf(i), abortion.signal));
      return await Promise.all(asked);
    } catch (thrown) {
      abort();
      throw thrown;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}

const isRun = (value: unknown): value is Run => isFunction(value);

async function ask(run: Run, driver: number, { text, parameters }: Statement, signal: AbortSignal) {
  let rows: unknown;
  try {
    rows = await run(text, parameters, { signal });
  } catch (thrown) {
    throw new DriverError(thrown, driver);
  }
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new RowError("the driver must give an array of rows, each an array or an object");
}

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null;

/**
 * The generation of databases by what they say of themselves.
 *
 * @throws ConsistencyError if they do not have each shard once, or are not of one generation
 */
function generationOf(states: readonly (Values | undefined)[], { path }: Table): WireValue {
  const drivers = new Map<string, number>();
  const counts = new Set<WireValue>();
  const generations: WireValue[] = [];
  for (const [driver, state] of states.entries()) {
    if (state === undefined) {
      throw new ConsistencyError(`driver ${driver}: the table ${path.join(".")} has no row`, false);
    }
    const [places, shards = null, generation = null] = state;
    // A server that has no shard yet, or no more.
    if (places === "") continue;
    for (const place of String(places).split(",")) {
      const other = drivers.get(place);
      if (other !== undefined) {
        throw new ConsistencyError(`drivers ${other} and ${driver} both ask shard ${place}`, true);
      }
      drivers.set(place, driver);
    }
    counts.add(shards);
    generations.push(generation);
  }
  const [count = null, ...others] = counts;
  if (others.length > 0 || String(drivers.size) !== count) {
    const asked = [...drivers.keys()].sort((a, b) => Number(a) - Number(b)).join(", ");
    const all = [...counts].join(" or ");
    throw new ConsistencyError(`the drivers ask shards ${asked || "of none"} of ${all || 0}`, true);
  }
  const [generation] = generations;
  if (generation === null) {
    const reason = "are not all its shards, each in its place, loaded, and of one generation";
    throw new ConsistencyError(`the servers of the cluster ${reason}`, true);
  }
  if (generations.some((each) => each !== generation)) {
    throw new ConsistencyError(`the shards are of generations ${generations.join(", ")}`, true);
  }
  if (generations.length > 1 && generation === "0") {
    const reason = "are of generation 0: nothing says that their records are there";
    throw new ConsistencyError(`the shards ${reason}`, false);
  }
  return generation ?? null;
}

/** @throws ConsistencyError where a row is there twice: on two shards, or beside each of two rows of a shard's table */
function checkPositions(rows: readonly Values[], { marker }: Selection): void {
  for (let i = 1; i < rows.length; i++) {
    const place = rows[i]?.[marker];
    if (place === rows[i - 1]?.[marker]) {
      throw new ConsistencyError(`the record of position ${place} is there twice`, false);
    }
  }
}

function comparer(
  { marker }: Selection,
  type: FieldType | undefined,
  order: SortOrder | undefined,
) {
  const sign = order === "ASC" ? 1 : -1;
  return (a: Values, b: Values): number => {
    if (type !== undefined) {
      const [x = null, y = null] = [a[marker + 1], b[marker + 1]];
      const difference = x === y ? 0 : compareValues(type, x, y);
      if (difference !== 0) return sign * difference;
    }
    return Number(a[marker]) - Number(b[marker]);
  };
}

/** How long to wait, in milliseconds, before it is asked again. */
const PAUSES = [0, 20, 200];

/** Asks again where a change that is being made may explain that answers do not belong together. */
export async function patiently<Result>(signal: AbortSignal, ask: () => Promise<Result>) {
  for (const pause of PAUSES) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof ConsistencyError) || !thrown.isTransient || signal.aborted) {
        throw thrown;
      }
    }
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return await ask();
}
