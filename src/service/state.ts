// The data of a service, Files and Batches, and how they are loaded from input (rule V8).

import { collect } from "../collection/create.ts";
import type { Collection } from "../collection/collection.ts";
import { Codec } from "../engine/columns/codec.ts";
import type { CollectionSettings } from "../engine/settings.ts";
import { CollectionMember } from "../database/collection-member.ts";
import { iterate } from "../schema/input.ts";
import { Batch, loadBatch } from "./batch.ts";
import { completeNames, File, reviseNames, type FileInput } from "./file.ts";
import { duplicate } from "./lists.ts";

/** The Files of a service. */
export type Files = Collection<typeof File, FileInput>;

export interface ServiceState {
  readonly files: Files;
  /** By id. */
  readonly batches: ReadonlyMap<string, Batch>;
}

export class FilesMember extends CollectionMember<typeof File, FileInput> {
  constructor(files: Files) {
    super("files", files, "Files of this service");
  }
}

export function loadFiles(input: unknown, options: CollectionSettings): Files {
  const codec = new Codec(File, { deriveFields: completeNames, invalidateDerived: reviseNames });
  return collect(codec, options, (loader) => loader.add(input, "files"));
}

export function loadBatches(input: unknown, options: CollectionSettings): Map<string, Batch> {
  const batches = new Map<string, Batch>();
  let index = 0;
  for (const each of iterate(input, "batches")) {
    const path = `batches[${index++}]`;
    const batch = Batch.is(each) ? each.adopted(options) : loadBatch(each, path, options);
    if (batches.has(batch.id)) throw duplicate(path, "Batch", batch.id);
    batches.set(batch.id, batch);
  }
  return batches;
}
