// A Batch in JSON whose Contacts are made while they are loaded, so that the JSON may be much larger than memory; or
// loaded into columns, without making records for valid ones. It is read twice, because the List Fields may come after
// the Contacts: first for everything but the records, and for their positions, then for the records.

import { collectionOf } from "../collection/create.ts";
import { RowsBuilder } from "../engine/columns/columns/rows-builder.ts";
import { Loader } from "../engine/columns/loader.ts";
import { readSettings, type CollectionOptions } from "../engine/settings.ts";
import { InputError } from "../schema/errors.ts";
import { constantDefault } from "../schema/field.ts";
import { Batch, declareBatch, type BatchInput } from "../service/batch.ts";
import { LIST_FIELDS_MEMBER } from "../service/contact.ts";
import { fed } from "./feed.ts";
import { BATCH, arrayInto } from "./json.ts";
import { parseElements } from "./json-parse.ts";
import { JsonRows, type JsonColumn, type Stretch } from "./json-rows.ts";
import { JsonScanner, type RecordArray } from "./json-scanner.ts";
import { readMaxBytes } from "./reading.ts";
import { piecesOf, type SyncBytes } from "./source.ts";
import type { Fzstd } from "./unzstd.ts";
import { concat } from "./utf8.ts";

/** How many bytes of short records share one entry, because an entry takes more memory than `0,`. */
const STRETCH = 64 * 1024;

/**
 * Opens the JSON of a Batch, gzipped or not. Iterate over its Contacts List by List, as
 * `createService` and `createBatch` do. A Contact may have 16 MiB, the rest of the text 64 MiB.
 *
 * @param read returns the bytes from the start on each call
 * @param options `name` is the start of paths, by default `batch`; `maxBytes`, how many bytes the text may have,
 *   decompressed if it is gzipped
 * @throws InputError with the path, such as `batch.lists[0]`, and the byte where it is not JSON; for
 *   faults within a Contact, only when it is iterated over. The consumer checks whether it is a
 *   Batch.
 */
export function openBatch(
  read: (pass: "check" | "load") => SyncBytes,
  options: Pick<LoadBatchOptions, "name" | "maxBytes" | "zstd"> = {},
): BatchInput {
  const { name = "batch", zstd } = options;
  // The second pass decodes the bytes without checking them again.
  const given = { encoding: "utf-8", maxBytes: readMaxBytes(options), zstd };
  const second = secondPass(() => piecesOf(read("load"), { zstd }));
  const scan = (open: (path: string) => RecordArray): unknown => {
    let scanner = new JsonScanner({ shape: BATCH, root: name, open });
    for (scanner of fed(scanner, read("check"), scanner, given));
    return scanner.result;
  };
  try {
    // A Batch is checked by its consumer.
    return scan((path) => noted(path, second)) as BatchInput;
  } catch (thrown) {
    // The real fault may be within an earlier record.
    if (thrown instanceof InputError)
      scan((path) => arrayInto({ take: () => undefined }, path, undefined));
    throw thrown;
  }
}

/** The records of an array, made while they are iterated over. */
class NotedRecords implements Iterable<unknown> {
  readonly path: string;
  readonly #take: Take;
  /** For each run of records: its start, its end, and how many records it has. */
  readonly #bounds: readonly number[];

  constructor(path: string, take: Take, bounds: readonly number[]) {
    this.path = path;
    this.#take = take;
    this.#bounds = bounds;
  }

  *[Symbol.iterator](): Generator<unknown, void> {
    for (const { bytes, offset, first } of this.stretches()) {
      yield* parseElements(bytes, offset, (index) => `${this.path}[${first + index}]`);
    }
  }

  /** Each is valid until the next one is requested. */
  *stretches(): Generator<Stretch, void> {
    const bounds = this.#bounds;
    let first = 0;
    for (let i = 0; i < bounds.length; i += 3) {
      const offset = bounds[i] ?? 0;
      const end = bounds[i + 1] ?? 0;
      yield { bytes: this.#take(offset, end, `${this.path}[${first}]`), offset, first };
      first += bounds[i + 2] ?? 0;
    }
  }
}

function noted(path: string, take: Take): RecordArray {
  const bounds: number[] = [];
  return {
    value: new NotedRecords(path, take, bounds),
    add(start, end, count) {
      const open = bounds.at(-3);
      if (open !== undefined && end - open <= STRETCH) {
        bounds.splice(-2, 2, end, (bounds.at(-1) ?? 0) + count);
      } else bounds.push(start, end, count);
    },
  };
}

/** The bytes from one position up to another. @param path for errors */
type Take = (start: number, end: number, path: string) => Uint8Array;

/** Reads stretches of the bytes, starting over if one is not after the last. */
function secondPass(read: () => Iterator<Uint8Array, void>): Take {
  let pieces: ReturnType<typeof read> | undefined;
  let piece: Uint8Array = new Uint8Array(0);
  /** The offset of the piece. */
  let before = 0;

  function next(path: string): void {
    before += piece.length;
    pieces ??= read();
    const { done, value } = pieces.next();
    if (done) throw new InputError(path, "changed while it was being read");
    piece = value;
  }

  return (start, end, path) => {
    if (start < before) {
      pieces = undefined;
      piece = new Uint8Array(0);
      before = 0;
    }
    while (before + piece.length <= start) next(path);
    const parts: Uint8Array[] = [];
    for (let from = start - before; before + piece.length < end; from = 0) {
      parts.push(piece.slice(from));
      next(path);
    }
    const last = piece.subarray(Math.max(0, start - before), end - before);
    return parts.length === 0 ? last : concat([...parts, last]);
  };
}

/** The options of {@link loadBatch}. */
export interface LoadBatchOptions extends CollectionOptions {
  /** The start of paths, by default `batch`. */
  readonly name?: string | undefined;
  /** How many bytes the text may have, decompressed if it is gzipped. Default: any number. */
  readonly maxBytes?: number | undefined;
  /** Decompresses Zstandard: the package fzstd. */
  readonly zstd?: Fzstd | undefined;
}

/**
 * Loads the JSON of a Batch of any size, gzipped or not, for `createService`. It is stored as columns, at a fraction
 * of the memory; Contacts are made when returned. The limits are those of {@link openBatch}.
 *
 * @param read returns the bytes from the start on each call
 * @throws InputError with the path of the first offending member, such as `batch.lists[0].contacts[3].send_id`, and
 *   the byte where it is not JSON
 */
export function loadBatch(
  read: (pass: "check" | "load") => SyncBytes,
  { name = "batch", maxBytes, zstd, ...options }: LoadBatchOptions = {},
): Batch {
  const settings = readSettings(options);
  const { id, lists, sources } = declareBatch(openBatch(read, { name, maxBytes, zstd }), name);
  const { codec, layout } = lists;
  const builder = new RowsBuilder(codec);
  const loader = new Loader(codec, builder);
  for (const { contacts, path, ...list } of sources) {
    const source = `${path}.contacts`;
    const within = layout.within(list.id);
    if (!(contacts instanceof NotedRecords)) {
      loader.add(contacts, source, within);
      continue;
    }
    const columns = codec.schema.places.flatMap(({ name, position, field }): JsonColumn[] => {
      if (field.stored) return [{ path: [name], position, field }];
      return list.fields.has(name) ? [{ path: [LIST_FIELDS_MEMBER, name], position, field }] : [];
    });
    const defaults = [...codec.fields.map(constantDefault), list.id];
    const rows = new JsonRows(builder, columns, defaults);
    const placeOf = (number: number) => `${contacts.path}[${number}]`;
    for (const stretch of contacts.stretches()) {
      rows.readAll(stretch, placeOf, (contact, number) =>
        loader.addOne(contact, source, number, undefined, within),
      );
    }
  }
  return new Batch(id, lists, collectionOf(codec, settings, builder.finish()));
}
