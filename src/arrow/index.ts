// The public names of tercet/arrow, and nothing else.

export type { ByteSource } from "./byte-source.ts";
export type { ColumnType } from "./column-types.ts";
export { FileError } from "./file-error.ts";
export {
  isSavedCollection,
  openCollection,
  type FileBytes,
  type OpenOptions,
} from "./read/open.ts";
export { sharedMemoryOf } from "./read/shared.ts";
export { collectionPieces, saveCollection, type SaveOptions } from "./write/save.ts";
