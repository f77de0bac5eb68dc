// What a service answers from: the Files and the Batches of a database.

import { CollectionGroup } from "../database/collection-group.ts";
import type { Data } from "../database/data.ts";
import type { Batch } from "./batch.ts";
import type { BatchesGroup } from "./batches-group.ts";
import type { File, FileInput } from "./file.ts";
import type { Files } from "./load.ts";

export interface ServiceState {
  readonly files: Files;
  /** By id. */
  readonly batches: ReadonlyMap<string, Batch>;
}

/** The Files as a group of a database. */
export class FilesGroup extends CollectionGroup<typeof File, FileInput> {
  constructor(files: Files) {
    super("files", files, "Files of this service");
  }
}

/** The state of the moment. */
export class ServiceData implements ServiceState {
  readonly data: Data;
  readonly #files: FilesGroup;
  readonly #batches: BatchesGroup;

  constructor(data: Data, files: FilesGroup, batches: BatchesGroup) {
    this.data = data;
    this.#files = files;
    this.#batches = batches;
  }

  get files(): Files {
    return this.#files.collection;
  }

  get batches(): ReadonlyMap<string, Batch> {
    return this.#batches.batches;
  }

  get batchesById(): Readonly<Record<string, Batch>> {
    return this.#batches.byId;
  }

  /** The state as it is now, whatever becomes of this one. Cost: linear in the Batches. */
  capture(): ServiceState {
    return { files: this.files, batches: new Map(this.batches) };
  }
}
