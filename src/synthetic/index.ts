// The public names of tercet/synthetic: deterministic Files and Batches of any size, for tests, demos
// and benchmarks.

export {
  generateBatch,
  generateLazyBatch,
  type BatchOptions,
  type SyntheticBatch,
  type SyntheticList,
} from "./batch.ts";
export { generateContacts, type ContactOptions, type SyntheticContact } from "./contacts.ts";
export { generateFiles, type FileOptions } from "./files.ts";
