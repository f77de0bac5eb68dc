// The state that a service answers from, how it is changed, and who is told. A change is made as a
// whole or not at all.

import { readPatches, type Patch, type Patches, type PlacedPatch } from "../collection/patch.ts";
import { runRecipe } from "../collection/recipe.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import { isFunction, readMembers, type AnyFunction } from "../schema/input.ts";
import { toWireInteger } from "../schema/integer.ts";
import type { Batch, BatchContactCollection, Files } from "./load.ts";

/** What a service answers from. Frozen. */
export interface ServiceState {
  readonly files: Files;
  /** By id. Without a prototype: `constructor` is not the id of a Batch. */
  readonly batches: Readonly<Record<string, Batch>>;
}

/** What a recipe of a service changes: it puts changed collections in the place of the old ones. */
export interface ServiceDraft {
  files: Files;
  readonly batches: Readonly<
    Record<
      string,
      { readonly id: string; readonly lists: readonly string[]; contacts: BatchContactCollection }
    >
  >;
}

/**
 * What a change of a service did. The paths of patches start with `"files"`, or with `"batches"`,
 * the id of the Batch and `"contacts"`; then the path within the collection follows.
 */
export type ServiceChange = Patches;

export type Subscriber = (change: ServiceChange) => void;

interface Subscription {
  readonly subscriber: AnyFunction;
}

/** A change, and who was subscribed when it was made. */
interface Untold {
  readonly change: ServiceChange;
  readonly subscriptions: readonly Subscription[];
}

export class Store {
  #state: ServiceState;
  #isChanging = false;
  readonly #report: (thrown: unknown) => void;
  readonly #subscriptions = new Set<Subscription>();
  /** The changes that not all subscribers were told of yet; undefined while none are being told. */
  #untold: Untold[] | undefined;

  /** @param report receives what a subscriber throws */
  constructor(state: ServiceState, report: (thrown: unknown) => void) {
    this.#state = state;
    this.#report = report;
  }

  get state(): ServiceState {
    return this.#state;
  }

  /** @throws InputError, or whatever the recipe throws; the state is then as it was */
  update(recipe: unknown): ServiceChange {
    if (!isFunction(recipe)) {
      throw new InputError("recipe", `must be a function, not ${describe(recipe)}`);
    }
    return this.#change((state) => {
      const next = runRecipe(state, recipe, "draft");
      return next === state ? state : checkState(next, state);
    });
  }

  /** @throws InputError; the state is then as it was */
  applyPatches(patches: unknown): ServiceChange {
    return this.#change((state) => patchState(state, patches));
  }

  subscribe(subscriber: unknown): () => void {
    if (!isFunction(subscriber)) {
      throw new InputError("subscriber", `must be a function, not ${describe(subscriber)}`);
    }
    const subscription = { subscriber };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  #change(make: (state: ServiceState) => ServiceState): ServiceChange {
    if (this.#isChanging) {
      throw new InputError("service", "may not be changed while it is being changed");
    }
    let change: ServiceChange;
    this.#isChanging = true;
    try {
      const next = make(this.#state);
      change = changeBetween(this.#state, next);
      this.#state = next;
    } finally {
      this.#isChanging = false;
    }
    if (change.patches.length > 0) this.#tell(change);
    return change;
  }

  /** Tells all subscribers of a change; one that is made by a subscriber waits until all know this. */
  #tell(change: ServiceChange): void {
    const untold = { change, subscriptions: [...this.#subscriptions] };
    if (this.#untold !== undefined) {
      this.#untold.push(untold);
      return;
    }
    this.#untold = [untold];
    // What is pushed while the loop runs is still in it.
    for (const each of this.#untold) {
      for (const subscription of each.subscriptions) {
        if (this.#subscriptions.has(subscription)) this.#call(subscription.subscriber, each.change);
      }
    }
    this.#untold = undefined;
  }

  #call(subscriber: AnyFunction, change: ServiceChange): void {
    try {
      const result = subscriber(change);
      // What an asynchronous subscriber throws later must not take the process down either.
      Promise.resolve(result).catch(this.#report);
    } catch (thrown) {
      this.#report(thrown);
    }
  }
}

const MEMBERS = ["files", "batches"] as const;
const BATCH_MEMBERS = ["id", "contacts", "lists"] as const;

/** The state that a recipe made, if it is one that the state before could have become. */
function checkState(next: unknown, before: ServiceState): ServiceState {
  const { files, batches } = readMembers(next, "draft", MEMBERS);
  if (!before.files.isRelated(files)) {
    throw new InputError("draft.files", "must be made from the Files of this service");
  }
  const given = readMembers(batches, "draft.batches", Object.keys(before.batches));
  const checked = Object.entries(before.batches).map(([id, batch]) =>
    given[id] === batch ? batch : checkBatch(given[id], batch, member("draft.batches", id)),
  );
  return stateOf(files, checked);
}

function checkBatch(next: unknown, before: Batch, path: string): Batch {
  if (next === undefined) throw new InputError(path, "may not be removed");
  const { id, lists, contacts } = readMembers(next, path, BATCH_MEMBERS);
  if (id !== before.id) throw new InputError(`${path}.id`, "may not be changed");
  if (lists !== before.lists) throw new InputError(`${path}.lists`, "may not be changed");
  if (!before.contacts.isRelated(contacts)) {
    throw new InputError(`${path}.contacts`, "must be made from the Contacts of this Batch");
  }
  return Object.freeze({ ...before, contacts });
}

/** @internal */
export function stateOf(files: Files, batches: readonly Batch[]): ServiceState {
  const byId = Object.create(null) as Record<string, Batch>;
  for (const batch of batches) byId[batch.id] = batch;
  return Object.freeze({ files, batches: Object.freeze(byId) });
}

/** The patches between two states. */
function changeBetween(before: ServiceState, after: ServiceState): ServiceChange {
  const patches: Patch[] = [];
  const inversePatches: Patch[] = [];
  const add = (path: readonly string[], between: Patches) => {
    for (const patch of between.patches) patches.push(under(path, patch));
    for (const patch of between.inversePatches) inversePatches.push(under(path, patch));
  };
  add(["files"], after.files.patchesFrom(before.files));
  for (const [id, { contacts }] of Object.entries(after.batches)) {
    const earlier = before.batches[id]?.contacts ?? contacts;
    if (contacts !== earlier) add(["batches", id, "contacts"], contacts.patchesFrom(earlier));
  }
  return Object.freeze({
    patches: Object.freeze(patches),
    inversePatches: Object.freeze(inversePatches),
  });
}

function under(path: readonly string[], patch: Patch): Patch {
  return Object.freeze({ ...patch, path: Object.freeze([...path, ...patch.path]) });
}

/** The state that patches make. */
function patchState(state: ServiceState, input: unknown): ServiceState {
  const ofFiles: PlacedPatch[] = [];
  const ofBatch = new Map<string, PlacedPatch[]>();
  for (const patch of readPatches(input)) {
    const [part, ...path] = patch.path;
    if (part === "files") ofFiles.push({ ...patch, path });
    else if (part === "batches") {
      const [batchId, contacts, ...rest] = path;
      const id = toWireInteger(batchId);
      if (id === undefined || !(id in state.batches) || contacts !== "contacts") {
        throw new InputError(`${patch.place}.path`, "does not lead to the Contacts of a Batch");
      }
      const patches = ofBatch.get(id);
      if (patches === undefined) ofBatch.set(id, [{ ...patch, path: rest }]);
      else patches.push({ ...patch, path: rest });
    } else {
      throw new InputError(`${patch.place}.path`, `must start with "files" or "batches"`);
    }
  }
  const batches = Object.values(state.batches).map((batch) => {
    const patches = ofBatch.get(batch.id);
    if (patches === undefined) return batch;
    return Object.freeze({ ...batch, contacts: batch.contacts.applyPlaced(patches) });
  });
  return stateOf(state.files.applyPlaced(ofFiles), batches);
}
