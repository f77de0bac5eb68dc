// A collection saved and opened again, with the same codec and settings.

import { openWith } from "../../src/arrow/open.ts";
import { saveCollection, type SaveOptions } from "../../src/arrow/index.ts";
import type { Collection } from "../../src/collection/collection.ts";
import type { Schema } from "../../src/index.ts";

/** How a collection is saved and opened: whether in pieces, as a large file is, and with which orders. */
export interface Reopening extends SaveOptions {
  readonly small?: number;
}

export function reopened<S extends Schema, Input>(
  collection: Collection<S, Input>,
  { small, ...options }: Reopening = {},
): Collection<S, Input> {
  const { codec, options: settings } = collection.state;
  const bytes = saveCollection(collection, options);
  return openWith<S, Input>(bytes, { codec, settings, ...(small === undefined ? {} : { small }) });
}

/** Whole sections or pieces, orders or none. */
export const reopenings: readonly Reopening[] = [
  {},
  { orders: "all" },
  { orders: "none", small: 0 },
  { orders: "all", small: 0 },
];
