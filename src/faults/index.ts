// The public names of tercet/faults, for testing clients. It depends only on the library.

export {
  faults,
  type FaultKind,
  type FaultOptions,
  type FaultyService,
  type Sender,
} from "./faults.ts";
