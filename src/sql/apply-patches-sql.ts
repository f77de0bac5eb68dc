// A change of a service in memory as statements that make the same change in the tables of an engine.

import { readPatches, type PlacedPatch } from "../collection/change/read-patches.ts";
import { isCount, membersOf, reading, readMembers } from "../schema/input.ts";
import type { ServiceChange } from "../service/changes.ts";
import {
  ChangedRows,
  inserting,
  isSame,
  type Assignments,
  type ChangeStatement,
  type Target,
} from "./changed-rows.ts";
import { readCluster, type Cluster } from "./cluster.ts";
import type { Cell, Dialect, DialectName, TableDefinition } from "./dialect.ts";
import { dialectOf } from "./dialects/index.ts";
import { PatchSteps } from "./patch-steps.ts";
import { insertStatements } from "./rows.ts";
import { readTables, type ServiceTables } from "./tables.ts";

export interface ApplyPatchesOptions {
  readonly dialect: DialectName;
  readonly tables?: ServiceTables | undefined;
  /** What `createTables` was given, where the tables hold nothing but ask those of other servers. */
  readonly cluster?: Cluster | undefined;
}

/**
 * The statements that make a change of a service in the tables of an engine as well, in their order. Whoever can
 * runs them in one transaction. The positions of records are the keys of the patches, as
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
  const given = readMembers(options, "options", ["dialect", "tables", "cluster"]);
  const dialect = dialectOf(given.dialect);
  const { patches, inversePatches } = reading("change", () => {
    const { patches, inversePatches } = membersOf(change, "change");
    return { patches, inversePatches };
  });
  const tables = readTables(dialect, given.tables);
  const cluster = given.cluster === undefined ? undefined : readCluster(dialect, given.cluster);
  const onShards = cluster !== undefined && dialect.changesOnShards;
  const changed = new ChangedRows(dialect, onShards ? cluster.tables : tables, onShards);
  const steps = new PatchSteps(dialect, tables, changed);
  return statementsOf([...readPatches(patches)], inversePatches, steps, dialect, changed);
}

/** Rows that are inserted one after the other are one statement, and so is what is set in one record. */
function* statementsOf(
  patches: readonly PlacedPatch[],
  inversePatches: unknown,
  steps: PatchSteps,
  dialect: Dialect,
  changed: ChangedRows,
): Generator<ChangeStatement, void> {
  let rows: (readonly Cell[])[] = [];
  let into: TableDefinition | undefined;
  let target: Target | undefined;
  let assignments: Assignments = { columns: new Map(), listFields: new Map() };
  const settle = function* (): Generator<ChangeStatement, void> {
    if (into !== undefined) yield* inserting(insertStatements(dialect, into, rows));
    if (target !== undefined) yield changed.update(target, assignments);
    rows = [];
    into = undefined;
    target = undefined;
    assignments = { columns: new Map(), listFields: new Map() };
  };

  const late = givenUpLate(patches);
  if (late.length > 0) yield changed.freeIds(late);
  for (const step of steps.of(patches, inversePatches)) {
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
  for (const { op, path } of patches) {
    const [part, position, name] = path;
    const isWhole = path.length === 2;
    const isId = path.length === 3 && name === "id";
    if (part !== "files" || !isCount(position) || !(isWhole || isId)) continue;
    if (isGiven && (isId || op !== "add")) late.push(position);
    isGiven ||= isId || op !== "remove";
  }
  return late;
}
