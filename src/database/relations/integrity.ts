// Keeps references valid (rule C21): after a change, each names a record that is there. A change that removes a record,
// or the value by which others refer to it, is refused, or also changes those that refer to it.

import { Collection } from "../../collection/collection.ts";
import type { CollectionState } from "../../collection/types.ts";
import { locationOf } from "../../engine/changes/unique.ts";
import { selectedRows } from "../../engine/execution/selected-rows.ts";
import { parseSelection } from "../../engine/query.ts";
import type { Delta, Version } from "../../engine/columns/record-change.ts";
import type { Location, Snapshot } from "../../engine/versions/snapshot.ts";
import { InputError, quote } from "../../schema/errors.ts";
import type { TextValue } from "../../schema/field.ts";
import type { OnRemove } from "../../schema/references.ts";
import type { Schema } from "../../schema/schema.ts";
import { CollectionMember } from "../collection-member.ts";
import type { Member, MemberChange } from "../member.ts";
import { sourceOf } from "../member.ts";
import { referencesBetween, type Reference } from "./references.ts";

/** How many records an error names. */
const MOST_NAMED = 3;

/** The records that refer to removed ones, by the reference. */
type Gone = Map<Reference, Set<string>>;

export class Integrity {
  readonly references: readonly Reference[];
  readonly #members: ReadonlyMap<string, Member>;

  private constructor(references: readonly Reference[], members: ReadonlyMap<string, Member>) {
    this.references = references;
    this.#members = members;
  }

  /**
   * That of the collections among some members; `undefined` if they have no references.
   *
   * @throws InputError if a field refers to no unique field of its kind
   */
  static of(members: ReadonlyMap<string, Member>): Integrity | undefined {
    const references = referencesBetween(schemasOf(members));
    return references.length === 0 ? undefined : new Integrity(references, members);
  }

  /**
   * Checks every reference. Linear in the records that refer to others.
   *
   * @throws InputError that names a record whose reference names none
   */
  check(): void {
    const outcome = new Outcome(this.#members);
    for (const reference of this.references) {
      for (const { version, key, value } of valuesOf(reference, outcome)) {
        outcome.requireRecord(reference, value, version, key);
      }
    }
  }

  /**
   * The changes after which every reference names a record that is there, if some were lost: where it does not, it is
   * set to null if its `onRemove` says so, and the record is removed otherwise. Linear in the records that refer to
   * others.
   */
  repaired(): readonly MemberChange[] {
    const outcome = new Outcome(this.#members);
    const lost: Gone = new Map();
    for (const reference of this.references) {
      const values = Array.from(valuesOf(reference, outcome), ({ value }) => value);
      const named = new Set(values.filter((value) => value !== null));
      addAll(lost, reference, outcome.missing(reference, named));
    }
    this.#follow(outcome, lost, (onRemove) => (onRemove === "refuse" ? "remove" : onRemove));
    return outcome.changes();
  }

  /**
   * The changes with those of the records that refer to removed ones. Cost: a lookup for each changed reference and each
   * removed record that is referred to.
   *
   * @throws InputError if a reference would name no record
   */
  enforced(changes: readonly MemberChange[]): readonly MemberChange[] {
    const outcome = new Outcome(this.#members, changes);
    const gone: Gone = new Map();
    for (const reference of this.references) addAll(gone, reference, outcome.goneOf(reference));
    const refused = this.#follow(outcome, gone, (onRemove) => onRemove);
    const all = outcome.changes();
    for (const reference of this.references) {
      for (const { key, before, after } of outcome.deltaOf(reference.from)) {
        const value = after && textOf(after, reference.field);
        if (after === undefined || value == null) continue;
        if (before !== undefined && textOf(before, reference.field) === value) continue;
        outcome.requireRecord(reference, value, after, key);
      }
    }
    for (const [reference, gone] of refused) outcome.refuseHolders(reference, gone);
    return all;
  }

  /**
   * Changes or removes the records that refer to removed ones, and those that refer to these.
   *
   * @param gone the values of the removed ones
   * @param effectOf what happens to the holders of a reference
   * @returns the removed values whose holders, if there are any left, forbid the change
   */
  #follow(outcome: Outcome, gone: Gone, effectOf: (onRemove: OnRemove) => OnRemove): Gone {
    const refused: Gone = new Map();
    let due = gone;
    while (due.size > 0) {
      const later: Gone = new Map();
      for (const [reference, values] of due) {
        const gone = outcome.missing(reference, values);
        if (gone.size === 0) continue;
        const { from, field } = reference;
        const onRemove = effectOf(reference.onRemove);
        if (onRemove === "refuse") {
          addAll(refused, reference, gone);
          continue;
        }
        const holders = outcome.holders(reference, gone);
        if (holders.length === 0) continue;
        if (onRemove === "null") outcome.clear(reference, gone);
        else outcome.removeHolders(reference, gone);
        // Others may refer to the holders, by a reference too if it is unique.
        for (const other of this.references) {
          if (other.to !== from || (onRemove === "null" && other.key.name !== field)) continue;
          const lost = holders.flatMap(
            ({ segment, row }) => segment.rows.readerOf(other.key.name)(row) ?? [],
          );
          if (lost.length > 0) addAll(later, other, lost);
        }
      }
      due = later;
    }
    return refused;
  }
}

/** The values of a reference, each once, with the first of its records. */
function* valuesOf({ from, field, key }: Reference, outcome: Outcome) {
  const seen = new Set<TextValue | number>();
  for (const segment of outcome.stateOf(from).snapshot.segments) {
    const { rows, size, dead } = segment;
    // Without the detour through strings, it takes a third of the time.
    const isNumber = key.places[0].field.type === "int";
    const read = isNumber ? rows.numberReaderOf(field) : rows.readerOf(field);
    for (let row = 0; row < size; row++) {
      const value = read(row);
      if (seen.has(value) || dead.has(row)) continue;
      seen.add(value);
      const version = { rows, row };
      yield { version, key: segment.keyOf(row), value: textOf(version, field) };
    }
  }
}

/** The schemas of collections, by their names. */
export function schemasOf(members: ReadonlyMap<string, Member>): ReadonlyMap<string, Schema> {
  const schemas = new Map<string, Schema>();
  for (const [name, member] of members) {
    if (!(member instanceof CollectionMember)) continue;
    // The class is generic, and its instance of any schema.
    const { schema } = (member as CollectionMember).collection;
    schemas.set(name, schema);
  }
  return schemas;
}

function addAll(gone: Gone, reference: Reference, values: Iterable<string>): void {
  const all = gone.get(reference) ?? new Set();
  for (const value of values) all.add(value);
  gone.set(reference, all);
}

const textOf = ({ rows, row }: Version, field: string): TextValue => rows.readerOf(field)(row);

/** The collections after a change. */
class Outcome {
  readonly #members: ReadonlyMap<string, Member>;
  readonly #changes: readonly MemberChange[];
  /** The changes of collections, by their names. */
  readonly #bySource = new Map<string, MemberChange>();
  /** The collections that were changed further. */
  readonly #further = new Map<CollectionMember, MemberChange>();

  constructor(members: ReadonlyMap<string, Member>, changes: readonly MemberChange[] = []) {
    this.#members = members;
    this.#changes = changes;
    for (const change of changes) {
      for (const { source } of change.replaced) this.#bySource.set(source, change);
    }
  }

  #member(name: string): CollectionMember {
    const member = this.#members.get(name);
    if (member instanceof CollectionMember) return member as CollectionMember;
    throw new RangeError(`there is no collection ${name}`);
  }

  #transition(name: string) {
    const source = sourceOf(name);
    const change = this.#further.get(this.#member(name)) ?? this.#bySource.get(source);
    return change?.replaced.find((each) => each.source === source)?.transition;
  }

  /** The collection without limits on what is asked of it. */
  stateOf(name: string): CollectionState {
    const { state } = this.#member(name).collection;
    const snapshot = this.#transition(name)?.after.snapshot ?? state.snapshot;
    // The limits are those of callers; as many records as refer to a removed one change with it.
    const { MAX_SAFE_INTEGER: most } = Number;
    const unlimited = { maxCriteria: most, maxValues: most, milliseconds: undefined };
    const options = { ...state.options, ...unlimited };
    return { ...state, snapshot, options };
  }

  deltaOf(name: string): Delta {
    return this.#transition(name)?.delta ?? [];
  }

  /** The values to which records may refer that a change has removed, or moved to another record. */
  goneOf({ to, key }: Reference): Set<string> {
    const gone = new Set<string>();
    for (const { before, after } of this.deltaOf(to)) {
      const old = before && textOf(before, key.name);
      if (old != null && (after === undefined || textOf(after, key.name) !== old)) gone.add(old);
    }
    return gone;
  }

  /** Those that no record has now. */
  missing({ to, key }: Reference, values: ReadonlySet<string>): Set<string> {
    const { snapshot } = this.stateOf(to);
    return new Set([...values].filter((value) => locationOf(snapshot, key, value) === undefined));
  }

  /** The records that refer to one of some values. Builds the index of the reference. */
  holders({ from, field }: Reference, values: ReadonlySet<string>): readonly Location[] {
    const { snapshot, codec, options } = this.stateOf(from);
    requireIndex(snapshot, field);
    const criteria = [[field, "in", [...values]]];
    return selectedRows(snapshot, parseSelection(codec.schema, criteria, options));
  }

  /** Sets the references to null. */
  clear({ from, field }: Reference, values: ReadonlySet<string>): void {
    this.#change(from, (collection) =>
      collection.update([[field, "in", [...values]]], { [field]: null }),
    );
  }

  /** Removes the records that refer to one of some values. */
  removeHolders({ from, field }: Reference, values: ReadonlySet<string>): void {
    this.#change(from, (collection) => collection.remove([[field, "in", [...values]]]));
  }

  #change(name: string, change: (collection: Loose) => Loose): void {
    const member = this.#member(name);
    const collection = Collection.of(this.stateOf(name)) as unknown as Loose;
    const { state } = change(collection);
    const { state: before } = member.collection;
    const after = Collection.of({ ...before, snapshot: state.snapshot });
    this.#further.set(member, member.to(after));
  }

  /** The changes, and those of collections that were changed further. */
  changes(): readonly MemberChange[] {
    if (this.#further.size === 0) return this.#changes;
    const replaced = new Set(
      Array.from(this.#further.keys(), ({ name }) => this.#bySource.get(sourceOf(name))),
    );
    const others = this.#changes.filter((change) => !replaced.has(change));
    return [...others, ...this.#further.values()];
  }

  /** @throws InputError unless a record has the value to which another one refers */
  requireRecord(reference: Reference, value: TextValue, version: Version, key: number): void {
    if (value === null) return;
    const { from, field, to, key: target } = reference;
    if (locationOf(this.stateOf(to).snapshot, target, value) !== undefined) return;
    const record = this.#nameOf(from, version, key);
    throw new InputError(
      from,
      `${record} refers by ${quote(field)} to ${quote(value)}, but no record of ${quote(to)} has this ${quote(target.name)}`,
      { code: "conflict" },
    );
  }

  /** @throws InputError if a record refers to one of the values */
  refuseHolders(reference: Reference, values: ReadonlySet<string>): void {
    const gone = this.missing(reference, values);
    const holders = gone.size === 0 ? [] : this.holders(reference, gone);
    const [first] = holders;
    if (first === undefined) return;
    const { from, field, to, key } = reference;
    const value = first.segment.rows.readerOf(field)(first.row);
    const same = holders.filter(({ segment, row }) => segment.rows.readerOf(field)(row) === value);
    const names = same
      .slice(0, MOST_NAMED)
      .map(({ segment, row }) =>
        this.#nameOf(from, { rows: segment.rows, row }, segment.keyOf(row)),
      );
    if (same.length > MOST_NAMED) names.push(`${same.length - MOST_NAMED} more`);
    const are = same.length === 1 ? "refers" : "refer";
    throw new InputError(
      to,
      `the record with ${quote(key.name)} ${quote(value ?? "")} can't go: ${names.join(", ")} of ${quote(from)} ${are} to it by ${quote(field)}`,
      { code: "conflict" },
    );
  }

  /** A record in errors: by its identity, or its key. */
  #nameOf(name: string, { rows, row }: Version, key: number): string {
    const { identity } = this.stateOf(name).codec;
    if (identity === undefined) return `the record with key ${key}`;
    const texts = identity.places.map((place) => rows.readerOf(place.name)(row) ?? "");
    return `record ${texts.map(quote).join(", ")}`;
  }
}

/** A collection of any schema, whose criteria and changes are not checked by the compiler. */
interface Loose {
  readonly state: CollectionState;
  update(criteria: unknown, changes: unknown): Loose;
  remove(criteria: unknown): Loose;
}

/** Has an index of references, as the check of a unique field has one, so that removing a record costs a lookup. */
function requireIndex({ segments }: Snapshot, field: string): void {
  for (const segment of segments) if (!segment.isTiny) segment.indexes.requireOrdered(field);
}
