// tercet's prepared queries, and its lookup by a key.

import {
  createCollection,
  defineSchema,
  parameter,
  string,
  Contact,
  type Collection,
  type InputOf,
} from "../../src/index.ts";
import type { BenchQuery } from "../queries.ts";
import type { Run } from "./peer.ts";

const NAMES = ["a", "b", "c"] as const;

/** The query prepared, its criteria with a parameter each. */
export function preparedRun(collection: Collection, query: BenchQuery): Run {
  const { criteria, sort, offset } = query;
  if (criteria.length > NAMES.length) throw new Error("there are too many criteria");
  const prepared = collection.prepareQuery({
    criteria: criteria.map(
      ({ field, operator }, i) => [field, operator, parameter(NAMES[i] ?? "")] as const,
    ),
    sortBy: sort?.field,
    sortOrder: sort?.order,
    offset,
    limit: query.limit === Infinity ? undefined : query.limit,
  } as never) as unknown as {
    run: (of: Collection, values?: Readonly<Record<string, unknown>>) => ReturnType<Run>;
  };
  // Written out, as a user would.
  switch (criteria.length) {
    case 0:
      return () => prepared.run(collection);
    case 1:
      return ([a]) => prepared.run(collection, { a });
    case 2:
      return ([a, b]) => prepared.run(collection, { a, b });
    default:
      return ([a, b, c]) => prepared.run(collection, { a, b, c });
  }
}

/** A sorted page of all contacts, prepared, by its offset. */
export function preparedPages(
  collection: Collection,
  { sort, limit }: BenchQuery,
): (offset: number) => unknown {
  const prepared = collection.prepareQuery({
    sortBy: sort?.field,
    sortOrder: sort?.order,
    offset: parameter("offset"),
    limit,
  } as never) as unknown as {
    run: (of: Collection, values: { readonly offset: number }) => unknown;
  };
  return (offset) => prepared.run(collection, { offset });
}

const Keyed = defineSchema(
  { ...Contact.fields, contact_email: string({ unique: true }) },
  { form: "wire" },
);

/**
 * `get` by the email address, from a collection in which it is unique: in a Batch it is not, since a
 * Contact may be in several Lists.
 */
export function keyedRun(contacts: Collection): Run {
  const keyed = createCollection(Keyed, contacts as unknown as Iterable<InputOf<typeof Keyed>>);
  keyed.prepare({ match: ["contact_email"] });
  return ([email = ""]) => {
    const found = keyed.get("contact_email", email);
    return found === undefined ? [] : [found];
  };
}
