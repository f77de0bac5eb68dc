// What both sides talk through: a Worker, the scope of one, or a MessagePort, of browsers and of Node.js.

import { describe, InputError } from "../schema/errors.ts";
import { isFunction } from "../schema/input.ts";

/** A `Worker`, the global scope of one (`self`), or a `MessagePort`; of a browser, or of `node:worker_threads`. */
export interface WorkerPort {
  postMessage(message: unknown): void;
}

/** What happens to a port. */
export interface PortEvents {
  readonly message: (data: unknown) => void;
  /** A message came that can't be read. */
  readonly unreadable: () => void;
  /** An error that nothing caught in the worker, which may go on. */
  readonly failed: (message: string) => void;
  /** The other side is gone. Browsers tell that of few ports: see `src/locks.ts`. */
  readonly ended: (reason: string) => void;
}

/** The members that ports have in one environment or the other. */
interface Parts {
  readonly on: unknown;
  readonly off: unknown;
  readonly addEventListener: unknown;
  readonly removeEventListener: unknown;
  readonly start: unknown;
}

/** Whether only Node.js has such a port: it says when the other side ends. */
export const isOfNode = (port: WorkerPort): boolean => isFunction(partsOf(port).on);

const partsOf = (port: WorkerPort & Partial<Parts>): Partial<Parts> => port;

/** @throws InputError if it is no port */
export function requirePort(port: unknown): WorkerPort {
  if (typeof port === "object" && port !== null) {
    const { postMessage, on, addEventListener } = port as Partial<Parts & WorkerPort>;
    if (isFunction(postMessage) && (isFunction(on) || isFunction(addEventListener))) {
      return port as WorkerPort;
    }
  }
  throw new InputError("port", `must be a Worker or a MessagePort, not ${describe(port)}`);
}

/** Calls functions with what happens. @returns a function that ends it */
export function listen(port: WorkerPort, events: PortEvents): () => void {
  const { on, off, addEventListener, removeEventListener, start } = partsOf(port);
  const [add, remove] = isFunction(on) ? [on, off] : [addEventListener, removeEventListener];
  const textOf = (event: unknown) => String((event as { readonly message?: unknown }).message);
  const listeners: Readonly<Record<string, (event: never) => void>> = isFunction(on)
    ? {
        message: events.message,
        messageerror: events.unreadable,
        error: (error: unknown) => events.ended(`failed: ${textOf(error)}`),
        exit: () => events.ended("has ended"),
        close: () => events.ended("has ended"),
      }
    : {
        message: ({ data }: { readonly data: unknown }) => events.message(data),
        messageerror: events.unreadable,
        error: (event: unknown) => events.failed(textOf(event)),
        close: () => events.ended("has ended"),
      };
  const each = (call: unknown) => {
    if (!isFunction(call)) return;
    for (const [name, listener] of Object.entries(listeners)) {
      Reflect.apply(call, port, [name, listener]);
    }
  };
  each(add);
  if (isFunction(start)) Reflect.apply(start, port, []);
  return () => each(remove);
}
