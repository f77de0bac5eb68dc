// Changes as data: what the recipe of a page does to its draft.

import { refusePromise, unmakable } from "../engine/changes/recipe-result.ts";
import { describe, InputError, member } from "../schema/errors.ts";
import { isFunction, isIterable } from "../schema/input.ts";
import type { Method, Operation } from "./operations.ts";

/**
 * What a recipe does.
 *
 * @param recipe gets a draft whose collections record the calls of their methods
 * @throws InputError if it makes a collection without assigning it, or leaves anything else; whatever it throws
 */
export function recorded(recipe: (draft: unknown) => unknown): readonly Operation[] {
  const recorder = new Recorder();
  const draft = new Proxy(
    {},
    {
      get: (_, name) => (typeof name === "string" ? recorder.get(name) : undefined),
      set(_, name, value) {
        recorder.set(String(name), value);
        return true;
      },
    },
  );
  const returned = refusePromise(recipe(draft), "draft");
  if (returned !== undefined && returned !== draft) throw unmakable("draft");
  return recorder.finish();
}

class Recorder {
  readonly #operations: Operation[] = [];
  /** The collections that were read or assigned since the last patches. */
  readonly #drafts = new Map<string, Recorded>();
  /** Those that were made. */
  readonly #made: Recorded[] = [];

  get(name: string): unknown {
    if (name === "applyPatches") {
      return (patches: unknown) => {
        this.#flush();
        this.#operations.push(["applyPatches", listed(patches, "patches")]);
      };
    }
    let draft = this.#drafts.get(name);
    if (draft === undefined) this.#drafts.set(name, (draft = new Recorded(name, this.#made)));
    return draft;
  }

  set(name: string, value: unknown): void {
    const path = member("draft", name);
    if (!(value instanceof Recorded)) {
      throw new InputError(
        path,
        `must be made from ${path} by its methods, not ${describe(value)}`,
      );
    }
    const current = this.#drafts.get(name);
    if (current === undefined || value.root !== current.root) {
      throw new InputError(path, `must be made from the ${path} of this recipe, read anew`);
    }
    this.#drafts.set(name, value);
    let each: Recorded | undefined = value;
    for (; each !== undefined && !each.isPlaced; each = each.before) each.isPlaced = true;
  }

  #flush(): void {
    for (const draft of this.#drafts.values()) {
      for (const each of Recorded.operationsOf(draft)) this.#operations.push(each);
    }
    this.#drafts.clear();
  }

  finish(): readonly Operation[] {
    const dropped = this.#made.find(({ isPlaced }) => !isPlaced);
    if (dropped !== undefined) {
      const path = member("draft", dropped.name);
      const method = `${dropped.method}(…)`;
      throw new InputError(
        path,
        `${dropped.method}() does not change the collection, but returns a new one; write ${path} = ${path}.${method}`,
      );
    }
    this.#flush();
    return this.#operations;
  }
}

/** A collection in a recipe, after some calls. */
class Recorded {
  readonly name: string;
  readonly before: Recorded | undefined;
  /** The collection before the first call. */
  readonly root: Recorded;
  readonly method: Method | undefined;
  /** Whether it was assigned, or one made from it. */
  isPlaced = false;
  readonly #made: Recorded[];
  readonly #given: readonly unknown[];

  constructor(
    name: string,
    made: Recorded[],
    before?: Recorded,
    method?: Method,
    given: readonly unknown[] = [],
  ) {
    this.name = name;
    this.before = before;
    this.root = before?.root ?? this;
    this.method = method;
    this.#made = made;
    this.#given = given;
  }

  /** The calls that led to a collection. */
  static operationsOf(last: Recorded): Operation[] {
    const calls: Operation[] = [];
    for (let each = last; each.before !== undefined; each = each.before) {
      calls.push([each.name, String(each.method), ...each.#given]);
    }
    return calls.reverse();
  }

  #after(method: Method, given: readonly unknown[]): Recorded {
    const made = new Recorded(this.name, this.#made, this, method, given);
    this.#made.push(made);
    return made;
  }

  insert(records: unknown): Recorded {
    return this.#after("insert", [oneOrListed(records)]);
  }

  upsert(records: unknown, field: unknown, options?: unknown): Recorded {
    const given = [oneOrListed(records), field];
    return this.#after("upsert", options === undefined ? given : [...given, options]);
  }

  update(criteria: unknown, changes: unknown): Recorded {
    if (isFunction(changes)) {
      throw new InputError(
        "changes",
        "must be an object of values: a function can't be sent to a worker",
      );
    }
    return this.#after("update", [criteria, changes]);
  }

  remove(criteria: unknown): Recorded {
    return this.#after("remove", [criteria]);
  }
}

/** Iterators can't be sent. */
const oneOrListed = (records: unknown) =>
  isIterable(records) ? listed(records, "records") : records;

function listed(given: unknown, path: string): readonly unknown[] {
  if (!isIterable(given)) throw new InputError(path, `must be iterable, not ${describe(given)}`);
  return Array.isArray(given) ? given : [...given];
}
