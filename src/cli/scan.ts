// Makes File records from a directory tree. Paths stay bytes, because a POSIX file name is bytes and need not be UTF-8;
// only the name in the record is a string.

import { isUtf8 } from "node:buffer";
import { lstat, readdir } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import mime from "mime";
import type { FileInput } from "../index.ts";
import { reportIncomplete, systemReason, UsageError, warn } from "./errors.ts";
import { imageDimensions, NO_DIMENSIONS } from "./image.ts";
import { startProgress } from "./progress.ts";

interface Folder {
  readonly path: Buffer;
  readonly url: string;
  readonly fileNames: Buffer[];
  readonly folders: Folder[];
}

/** A file found in the tree. */
interface Entry {
  readonly folder: Folder;
  readonly folderId: number;
  readonly name: Buffer;
}

/**
 * The regular files below a directory. Each folder's files come first, then its folders, both in byte order; ids count
 * from 1 in this order, with separate counts for Files and Folders. Symbolic links are not followed. Unreadable files
 * and folders are left out, with a warning on stderr and the exit code of a failure.
 *
 * @throws UsageError if the directory itself can't be read
 */
export async function scanDirectory(directory: string): Promise<FileInput[]> {
  const warnings: string[] = [];
  const entries = walk(await readTree(directory, warnings));
  const progress = startProgress("Reading files", { total: entries.length });
  const files = await mapConcurrently(entries, async (entry) => {
    const file = await readFile(entry, warnings);
    progress.advance();
    return file;
  });
  progress.stop();
  // The order of completion varies from run to run.
  warnings.sort().forEach(warn);
  if (warnings.length > 0) {
    reportIncomplete(warnings.length, "file or folder", "files or folders");
  }
  return files
    .filter((file) => file !== undefined)
    .map((file, index) => ({ id: index + 1, ...file }));
}

async function readTree(directory: string, warnings: string[]): Promise<Folder> {
  const path = resolve(directory);
  const url = pathToFileURL(path).href.replace(/\/$/, "");
  const root: Folder = { path: Buffer.from(path), url, fileNames: [], folders: [] };
  for (let level = [root]; level.length > 0; level = level.flatMap((each) => each.folders)) {
    await mapConcurrently(level, async (folder) => {
      try {
        await readFolder(folder);
      } catch (thrown) {
        if (folder === root) throw new UsageError(`${directory}: ${systemReason(thrown)}`);
        warnings.push(skipped(folder.path, thrown));
      }
    });
  }
  return root;
}

async function readFolder({ path, url, fileNames, folders }: Folder): Promise<void> {
  const entries = await readdir(path, { encoding: "buffer", withFileTypes: true });
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  for (const entry of entries) {
    if (entry.isFile()) fileNames.push(entry.name);
    else if (entry.isDirectory()) {
      folders.push({
        path: join(path, entry.name),
        url: joinUrl(url, entry.name),
        fileNames: [],
        folders: [],
      });
    }
  }
}

function walk(root: Folder): Entry[] {
  const entries: Entry[] = [];
  const ahead = [root];
  let folderId = 0;
  for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
    folderId++;
    for (const name of folder.fileNames) entries.push({ folder, folderId, name });
    for (const each of folder.folders.toReversed()) ahead.push(each);
  }
  return entries;
}

/** The record of a file without its id; `undefined` if it can't be read or no longer exists. */
async function readFile({ folder, folderId, name }: Entry, warnings: string[]) {
  const path = join(folder.path, name);
  const text = name.toString();
  const mimeType = mimeTypeOf(text);
  try {
    const stats = await lstat(path);
    const isImage = mimeType.startsWith("image/");
    const { width, height } = isImage ? await imageDimensions(path) : NO_DIMENSIONS;
    return {
      folder_id: folderId,
      size: stats.size,
      creation_time: unixSeconds(stats.birthtimeMs),
      image_width: width,
      image_height: height,
      mime_type: mimeType,
      last_modified_time: unixSeconds(stats.mtimeMs),
      last_modified_user_id: stats.uid,
      name: text,
      url: joinUrl(folder.url, name),
    };
  } catch (thrown) {
    warnings.push(skipped(path, thrown));
    return undefined;
  }
}

function mimeTypeOf(name: string): string {
  // A name without a dot has no extension. Without the slash, mime treats a file `png` as an image.
  return mime.getType(`/${name}`) ?? "application/octet-stream";
}

function unixSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function skipped(path: Buffer, thrown: unknown): string {
  return `skipped ${path.toString()}: ${systemReason(thrown)}`;
}

const separator = Buffer.from(sep);

function join(path: Buffer, name: Buffer): Buffer {
  const isRoot = path.at(-1) === separator[0];
  return Buffer.concat(isRoot ? [path, name] : [path, separator, name]);
}

function joinUrl(url: string, name: Buffer): string {
  return `${url}/${isUtf8(name) ? encodeSegment(name.toString()) : encodeBytes(name)}`;
}

function encodeSegment(name: string): string {
  return encodeURI(name).replace(/[?#]/g, encodeURIComponent);
}

/** Percent-encodes bytes that are not UTF-8, except those that may stand for themselves in a URL. */
function encodeBytes(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replace(
      /[^\w.~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
    );
}

/** A higher number would not help: Node.js runs file system calls on only a few threads. */
const CONCURRENCY = 32;

/** The results of `run` for each item, in order, with bounded concurrency. */
async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  // The workers share one iterator; each takes the next item when it is free.
  const queue = items.entries();
  const work = async () => {
    for (const [index, item] of queue) results[index] = await run(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}
