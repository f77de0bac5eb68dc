// Questions that cross collections (rule C20): a path such as `customer.country` is a field that each record of the
// asked collection has, with the value of the record to which it refers.

import { Collection, type AnyCollection } from "../../collection/collection.ts";
import { Codec } from "../../engine/columns/codec.ts";
import { Join, type JoinedField } from "../../engine/relations/join.ts";
import type { Snapshot } from "../../engine/versions/snapshot.ts";
import { fieldOf } from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import type { Reference } from "./references.ts";

/** How many steps a path may have. */
const MOST_STEPS = 8;

/** How many combinations of paths are kept ready. */
const MOST_JOINS = 64;

/** A field of another record. */
interface Path extends JoinedField {
  /** The collection of the other record. */
  readonly to: string;
}

export class Relations {
  readonly #references: readonly Reference[];
  readonly #collectionOf: (name: string) => AnyCollection;
  /** Most recently used last. */
  readonly #joins = new Map<string, Join>();

  /** @param collectionOf the current version of a collection */
  constructor(references: readonly Reference[], collectionOf: (name: string) => AnyCollection) {
    this.#references = references;
    this.#collectionOf = collectionOf;
  }

  /** The collection with the paths among some names as fields. */
  collection(name: string, names: Iterable<string>): Collection {
    const { state } = this.#collectionOf(name);
    const paths = this.#pathsOf(name, names);
    if (paths.length === 0) return Collection.of(state);
    const { schema, snapshot } = this.#joined(name, paths);
    return Collection.of({ ...state, codec: Codec.of(schema), snapshot });
  }

  /** Whether some names are paths. */
  hasPaths(name: string, names: Iterable<string>): boolean {
    return this.#pathsOf(name, names).length > 0;
  }

  /** The collections that paths among some names lead to, and the asked one. */
  collectionsOf(name: string, names: Iterable<string>): ReadonlySet<string> {
    const all = new Set([name]);
    for (const { to, field } of this.#pathsOf(name, names)) {
      for (const each of this.collectionsOf(to, [field])) all.add(each);
    }
    return all;
  }

  #schemaOf(name: string): Schema {
    return this.#collectionOf(name).schema;
  }

  #pathsOf(name: string, names: Iterable<string>): readonly Path[] {
    return Array.from(new Set(names)).flatMap((each) => this.#path(name, each, MOST_STEPS) ?? []);
  }

  /** The path with a name; `undefined` if it is none, or too long. A field may have any name, dots included. */
  #path(name: string, path: string, steps: number): Path | undefined {
    const schema = this.#schemaOf(name);
    if (steps === 0 || fieldOf(schema, path) !== undefined) return undefined;
    for (const { from, field: by, to, key } of this.#references) {
      if (from !== name || !path.startsWith(`${by}.`)) continue;
      const field = path.slice(by.length + 1);
      const described =
        fieldOf(this.#schemaOf(to), field) ?? this.#path(to, field, steps - 1)?.described;
      if (described !== undefined) return { name: path, by, to, key, field, described };
    }
    return undefined;
  }

  /** The current version of a collection, with the paths as fields. */
  #joined(name: string, paths: readonly Path[]): { schema: Schema; snapshot: Snapshot } {
    const key = JSON.stringify([name, ...paths.map((path) => path.name)]);
    const join = this.#joins.get(key) ?? new Join(this.#schemaOf(name), paths);
    this.#joins.delete(key);
    this.#joins.set(key, join);
    const [oldest = key] = this.#joins.keys();
    if (this.#joins.size > MOST_JOINS) this.#joins.delete(oldest);
    const others = paths.map(({ to, field }) => this.collection(to, [field]).state.snapshot);
    return {
      schema: join.schema,
      snapshot: join.of(this.#collectionOf(name).state.snapshot, others),
    };
  }
}
