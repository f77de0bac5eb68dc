// The public names of tercet/arrow, and nothing else.

export type { ByteSource } from "./byte-source.ts";
export { FileError } from "./file-error.ts";
export { openCollection, type FileBytes, type OpenOptions } from "./open.ts";
export { sharedMemoryOf } from "./shared.ts";
export { collectionPieces, saveCollection, type SaveOptions } from "./save.ts";
