// Makes a service from the input. Errors name the file and the place in it.

import {
  createService,
  InputError,
  type BatchInput,
  type FileInput,
  type Service,
} from "../index.ts";
import { readJson } from "../import/index.ts";
import { closeSources } from "./closing.ts";
import { messageOf, UsageError, warn } from "./errors.ts";
import { refused, type Source } from "./records.ts";

/** Parses JSON; `place` is its name in errors. */
export function parseJson(text: string, place: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    // Our own reader rejects integers that JSON.parse rounds.
    if (Array.isArray(value)) Array.from(readJson(text));
    return value;
  } catch (thrown) {
    if (thrown instanceof InputError) throw new UsageError(`${place}: ${thrown.reason}`);
    throw new UsageError(`${place}: is not JSON: ${messageOf(thrown)}`);
  }
}

interface Sources {
  readonly files?: Source | undefined;
  readonly batches?: readonly Source[];
}

/**
 * Makes a service from the opened sources, and closes all.
 *
 * @throws UsageError with the file and position of the first invalid record
 */
export function openService({ files, batches = [] }: Sources): Service {
  try {
    return createService({
      onInternalError: (thrown) => warn(`internal error: ${messageOf(thrown)}`),
      // The service checks its input, whatever its static type.
      files: (files?.content ?? []) as Iterable<FileInput>,
      batches: batches.map(({ content }) => content as BatchInput),
    });
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const index = /^batches\[(\d+)\]/.exec(thrown.path)?.[1];
    const source = index === undefined ? files : batches[Number(index)];
    throw refused(source ?? { place: "input" }, thrown);
  } finally {
    closeSources();
  }
}
