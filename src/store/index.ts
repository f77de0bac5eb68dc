// The public names of tercet/store.

export type { Backup } from "./backup.ts";
export { checkStore, type StoreProblem, type StoreReport } from "./check.ts";
export { StoreError } from "./errors.ts";
export { closeFile, openFile, saveFile } from "./files.ts";
export { importCollection, importStore, type ImportOptions } from "./import.ts";
export type { CutOff } from "./journal.ts";
export type { Migration, Migrations } from "./migrations.ts";
export type {
  DatabaseOpenOptions,
  DatabaseStoreOptions,
  MigrateOption,
  OpenOptions,
  StoreOptions,
} from "./options.ts";
export { openPrivateFiles, type PrivateFiles, type PrivateFilesOptions } from "./private-files.ts";
export type { PrivatePath } from "./private-path.ts";
export type { Reading, StoreReader } from "./reader.ts";
export { repairStore, type Repair, type RepairedCollection } from "./repair.ts";
export type { SpillOptions, Spills } from "./spills.ts";
export {
  openSharedStore,
  type Shared,
  type SharedDatabase,
  type SharedStoreOptions,
} from "./shared.ts";
export {
  createStore,
  isStore,
  openStore,
  schemasOf,
  type CollectionsOf,
  type DatabaseReader,
  type Found,
  type Stored,
  type StoredDatabase,
  type StoredService,
} from "./store.ts";
