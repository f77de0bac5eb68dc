// From files to a service: reads JSON, and names the file in every error.

import { readFile } from "node:fs/promises";
import {
  createService,
  InputError,
  type BatchInput,
  type FileInput,
  type Service,
} from "../index.ts";
import { messageOf, systemReason, UsageError, warn } from "./errors.ts";

/** Records with the place they come from. */
export interface Source<Content> {
  readonly place: string;
  readonly content: Content;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The text without its byte order mark, or `undefined` where the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** What a JSON file holds. */
export async function readJson(path: string): Promise<unknown> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    throw new UsageError(`${path}: ${systemReason(thrown)}`);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new UsageError(`${path}: is not UTF-8, or too large`);
  return parseJson(text, path);
}

/** What a JSON text holds; `place` is what an error calls it. */
export function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (thrown) {
    throw new UsageError(`${place}: is not JSON: ${messageOf(thrown)}`);
  }
}

export interface Sources {
  readonly files?: Source<unknown> | undefined;
  readonly batches?: readonly Source<unknown>[];
}

/**
 * Makes a service of what was read.
 *
 * @throws UsageError that names the file and the place in it of the first bad record
 */
export function openService({ files, batches = [] }: Sources): Service {
  try {
    return createService({
      onInternalError: (thrown) => warn(`internal error: ${messageOf(thrown)}`),
      // The service checks its input whatever its type says.
      files: (files?.content ?? []) as Iterable<FileInput>,
      batches: batches.map(({ content }) => content as BatchInput),
    });
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    const [, root, index = "0", path = ""] =
      /^(?:(files)|batches\[(\d+)\])\.?(.*)$/s.exec(thrown.path) ?? [];
    const source = root === "files" ? files : batches[Number(index)];
    const place = source?.place ?? "input";
    throw new UsageError([place, path, thrown.reason].filter((part) => part !== "").join(": "));
  }
}
