// A change of a service in memory as statements that make the same change in the tables of an engine.

import { readPatches, type PlacedPatch } from "../collection/change/read-patches.ts";
import { InputError } from "../schema/errors.ts";
import { isCount, membersOf, reading } from "../schema/input.ts";
import {
  anything,
  optional,
  positiveCount,
  readOptions,
  type OptionReaders,
} from "../schema/options.ts";
import type { DatabaseChange as ServiceChange } from "../database/changes.ts";
import { targetOf } from "../service/patch-path.ts";
import {
  ChangedRows,
  isSame,
  type Assignments,
  type ChangeStatement,
  type Reach,
  type Target,
} from "./changed-rows.ts";
import { readCluster, type Cluster, type ReadCluster } from "./cluster.ts";
import type { Cell, Dialect, DialectName, TableDefinition } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { PatchSteps, type Step } from "./patch-steps.ts";
import { readShard, THE_ONLY, type Part, type Shard } from "./shard.ts";
import { readTables, type ServiceTables, type Tables } from "./tables.ts";

export interface ApplyPatchesOptions {
  readonly dialect: DialectName;
  readonly tables?: ServiceTables | undefined;
  /** What `createTables` was given, where the tables hold nothing but ask those of other servers. */
  readonly cluster?: Cluster | undefined;
  /** Of several databases, the one that the statements are for; its rows are those that `insertRows` gives it. */
  readonly shard?: Shard | undefined;
  /**
   * The number of the change, from 1 on: one more than that of the one before. On a database that is not of the
   * generation before it the statements do nothing, so that they may be repeated; but in ClickHouse. Needed where there
   * are several shards. Without it the generation is raised by one.
   */
  readonly generation?: number | undefined;
}

/**
 * The statements that make a change of a service in the tables of an engine as well, in their order, and raise the
 * generation there. They belong into one transaction, where the engine has such. The positions of records are the keys of the patches, as
 * {@link insertRows} gives them.
 * Cost: linear in the patches.
 *
 * @param change as `subscribe` of a service tells of it; its inverse patches say which List Fields there were
 * @throws InputError with the path of an option that is not valid; with the number of the patch that leads nowhere
 *   or holds what is no value, when the statement is asked for
 */
export function applyPatchesSql(
  change: ServiceChange,
  options: ApplyPatchesOptions,
): Iterable<ChangeStatement>;
export function applyPatchesSql(change: unknown, options: unknown): Iterable<ChangeStatement> {
  const given = readOptions(options, "options", applyOptions);
  const { dialect, shard, generation } = given;
  const { patches, inversePatches } = reading("change", () => {
    const { patches, inversePatches } = membersOf(change, "change");
    return { patches, inversePatches };
  });
  const tables = readTables(dialect, given.tables);
  const cluster = given.cluster === undefined ? undefined : readCluster(dialect, given.cluster);
  const part = shard ?? THE_ONLY;
  if (cluster !== undefined && shard !== undefined) {
    throw new InputError("options.shard", "is not for the tables of a cluster");
  }
  if (generation === undefined && part.count > 1) {
    const reason = "is missing: the shards must all be of the same one";
    throw new InputError("options.generation", reason);
  }
  const read = [...readPatches(patches)];
  const reaches = reachesOf(dialect, tables, cluster, shard, generation);
  return (function* () {
    for (const reach of reaches) {
      const changed = new ChangedRows(dialect, reach);
      const steps = new PatchSteps(dialect, tables, part, changed);
      const late = givenUpLate(read).filter((position) => part.hasFile(position));
      if (generation === undefined) {
        if (read.length > 0) yield* changed.raise(`${dialect.quote("generation")} + 1`, "1 = 1");
      } else if (reach.guard !== undefined) {
        // Whoever makes a change holds the row first: of two, one waits, and then finds that there is nothing to do.
        yield* changed.raise(String(generation - 1), isOf(generation - 1, dialect));
      }
      if (late.length > 0) yield changed.freeIds(late);
      yield* statementsOf(steps.of(read, inversePatches), changed);
      if (generation !== undefined) {
        yield* changed.raise(String(generation), isOf(generation - 1, dialect));
      }
    }
  })();
}

const applyOptions = {
  dialect: dialectOf,
  tables: anything,
  cluster: anything,
  shard: optional(readShard),
  generation: optional(positiveCount),
} satisfies OptionReaders<Record<keyof ApplyPatchesOptions, unknown>>;

const isOf = (generation: number, { quote }: Dialect) => `${quote("generation")} = ${generation}`;

/** Where the statements of a change go: by shard, where each is to take the change or not by itself. */
function reachesOf(
  dialect: Dialect,
  tables: Tables,
  cluster: ReadCluster | undefined,
  part: Part | undefined,
  generation: number | undefined,
): Reach[] {
  const { quote, hasTransactions, parts } = dialect;
  const guardOf = (shard: string) =>
    generation === undefined || !hasTransactions
      ? undefined
      : `(SELECT ${quote("generation")} FROM ${shard}) = ${generation - 1}`;
  const guarded = (own: Tables) => ({
    tables: own,
    raised: [own.shard.name],
    guard: guardOf(own.shard.name),
  });
  if (cluster === undefined) return [{ ...guarded(tables), onShards: false, shard: part?.place }];
  if (parts === undefined) {
    return [{ ...guarded(cluster.tables), onShards: true, shard: undefined }];
  }
  const { servers, by } = cluster;
  if (generation === undefined) {
    const raised = servers.map((_, i) => parts.nameOf(tables.shard.path, i));
    return [{ tables, raised, guard: undefined, onShards: false, shard: undefined }];
  }
  return servers.map((_, shard) => {
    const part = <Named extends Tables[keyof Tables]>(table: Named): Named => ({
      ...table,
      name: parts.nameOf(table.path, shard),
    });
    const { files, contacts, lists, shard: own } = tables;
    const ofShard = {
      ...{ files: part(files), contacts: part(contacts), lists: part(lists), shard: part(own) },
    };
    const isOwn = ({ name }: TableDefinition) => {
      // The first columns of Contacts are the Batch and the position.
      const column = name === contacts.name && by === "contact" ? 1 : 0;
      return parts.holds(name, servers.length, shard, column);
    };
    return { ...guarded(ofShard), onShards: false, shard, isOwn };
  });
}

/** Rows that are inserted one after the other are one statement, and so is what is set in one record. */
function* statementsOf(
  steps: Iterable<Step>,
  changed: ChangedRows,
): Generator<ChangeStatement, void> {
  let rows: (readonly Cell[])[] = [];
  let into: TableDefinition | undefined;
  let target: Target | undefined;
  let assignments: Assignments = { columns: new Map(), listFields: new Map() };
  const settle = function* (): Generator<ChangeStatement, void> {
    if (into !== undefined) yield* changed.insert(into, rows);
    if (target !== undefined) yield changed.update(target, assignments);
    rows = [];
    into = undefined;
    target = undefined;
    assignments = { columns: new Map(), listFields: new Map() };
  };

  for (const step of steps) {
    const goesOn =
      (step.kind === "insert" && step.into.name === into?.name) ||
      (step.kind === "set" && target !== undefined && isSame(step.target, target));
    if (!goesOn) yield* settle();
    if (step.kind === "insert") {
      into = step.into;
      rows.push(step.cells);
    } else if (step.kind === "set") {
      target = step.target;
      step.set(assignments);
    } else yield* step.statements;
  }
  yield* settle();
}

/**
 * The positions of Files that give up their ids after another File was given one: that may be the same, and
 * ids are unique after each statement.
 */
function givenUpLate(patches: readonly PlacedPatch[]): number[] {
  const late: number[] = [];
  let isGiven = false;
  for (const patch of patches) {
    const target = targetOf(patch);
    if (target.kind !== "file") continue;
    const { op } = patch;
    const [position, name] = target.within;
    const isId = name === "id";
    if (!isCount(position) || !(isId || name === undefined)) continue;
    if (isGiven && (isId || op !== "add")) late.push(position);
    isGiven ||= isId || op !== "remove";
  }
  return late;
}
