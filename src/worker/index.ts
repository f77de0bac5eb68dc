// The public names of tercet/worker.

export { connect, type ConnectOptions } from "./connect.ts";
export type { WorkerPort } from "./port.ts";
export type { RemoteLive } from "./remote-live.ts";
export { serve, type ServeLimits, type ServeOptions, type Serving } from "./serve.ts";
export type {
  BulkOptions,
  CallOptions,
  CallSignal,
  ChangeOptions,
  CollectionsIn,
  RemoteCollection,
  RemoteDatabase,
  RemoteDraft,
  RemoteMethods,
} from "./types.ts";
export { WorkerError } from "./worker-error.ts";
