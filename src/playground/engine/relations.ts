// What leads from a table to another one: each record then also has the values of the record that it names (rule C20).
// Unlike the references of a database, they may name none: the values are null then.

import { openCollection } from "../../arrow/index.ts";
import { InputError, type Schema } from "../../index.ts";
import { Collection } from "../../collection/collection.ts";
import { Codec } from "../../engine/columns/codec.ts";
import { Join } from "../../engine/relations/join.ts";
import { PathField } from "../../engine/relations/path-field.ts";
import type { FieldInfo, Related } from "../messages.ts";

type Place = Schema["places"][number];

interface Way extends Related {
  readonly other: Collection;
  readonly paths: readonly { readonly path: PathField; readonly info: FieldInfo }[];
}

export class Relations {
  readonly #ways: readonly Way[];
  readonly #join: Join;
  #last: { readonly of: Collection; readonly joined: Collection } | undefined;

  private constructor(own: Collection, ways: readonly Way[]) {
    this.#ways = ways;
    this.#join = new Join(
      own.schema,
      ways.flatMap(({ paths }) => paths.map(({ path }) => path)),
      own.state.options.budget,
    );
  }

  /** @throws InputError if a column can't lead to another one */
  static async of(own: Collection, related: readonly Related[]): Promise<Relations> {
    const ways: Way[] = [];
    for (const each of related) {
      const other = openCollection(new Uint8Array(await each.saved.arrayBuffer()));
      ways.push(wayOf(own, other, each));
    }
    return new Relations(own, ways);
  }

  /** The fields that records have by others. */
  get fields(): readonly FieldInfo[] {
    return this.#ways.flatMap(({ paths }) => paths.map(({ info }) => info));
  }

  /** A collection with these fields. Nothing is copied. */
  joined(own: Collection): Collection {
    if (this.#last?.of !== own) {
      const { state } = own;
      const others = this.#ways.flatMap(({ other, paths }) =>
        paths.map(() => other.state.snapshot),
      );
      const snapshot = this.#join.of(state.snapshot, others);
      const joined = Collection.of({ ...state, codec: Codec.of(this.#join.schema), snapshot });
      this.#last = { of: own, joined };
    }
    return this.#last.joined;
  }

  /** How many records name one that is not there, by the columns that lead there. */
  missing(own: Collection): readonly number[] {
    const known = this.#ways.map(({ by, key, other }) => {
      const keys = other.countBy(key, null).flatMap(({ value }) => value ?? []);
      return own.count([[by, "in", [...keys, null]]]);
    });
    return known.map((count) => own.size - count);
  }
}

function wayOf(own: Collection, other: Collection, related: Related): Way {
  const { by, table, key } = related;
  const from = placeIn(own.schema, by, "This table");
  const to = placeIn(other.schema, key, table);
  const refuse = (reason: string): never => {
    throw new InputError("relation", `${by} can’t lead to ${key} of ${table}: ${reason}`);
  };
  const [one, two] = [from.field, to.field];
  if (one.type !== two.type) {
    refuse(`${by} is ${one.type}, ${key} is ${two.type}; choose the same type for both`);
  }
  if (one.ignoreCase !== two.ignoreCase || one.ignoreAccents !== two.ignoreAccents) {
    refuse("only one of them ignores case or accents; choose the same type for both");
  }
  const repeated = other
    .countBy(key, null)
    .filter(({ value, count }) => value !== null && count > 1).length;
  if (repeated > 0) {
    refuse(
      `${repeated} of the values there are in several records; choose a column without equals`,
    );
  }
  const constraint = { name: key, places: [to] as const };
  const paths = related.fields.flatMap((info) => {
    const place = other.schema.places.find(({ name }) => name === info.name);
    const name = `${by}.${info.name}`;
    const isTaken = own.schema.places.some((each) => each.name === name);
    if (place === undefined || info.name === key || isTaken) return [];
    const described = { ...place.field, nullable: true };
    const path = new PathField(name, { by, key: constraint, field: info.name }, described);
    return [{ path, info: { ...info, name, nullable: true, from: table } }];
  });
  return { ...related, other, paths };
}

function placeIn({ places }: Schema, wanted: string, table: string): Place {
  const place = places.find(({ name }) => name === wanted);
  if (place === undefined) throw new InputError("relation", `${table} has no column ${wanted}`);
  return place;
}
