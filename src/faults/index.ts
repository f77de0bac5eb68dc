// The public names of tercet/faults: faults to test clients with. It needs nothing but the library.

export {
  faults,
  type FaultKind,
  type FaultOptions,
  type FaultyService,
  type Sender,
} from "./faults.ts";
