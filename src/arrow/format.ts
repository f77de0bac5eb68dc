// What all Arrow files have in common: the numbers of types and messages, and the framing of messages.  Source:
// Schema.fbs, Message.fbs and File.fbs of the Apache Arrow columnar format, version 1.5.

import type { Storage } from "../schema/field.ts";

/** The numbers of types in the union `Type`. */
export const arrowTypes = { int: 2, float: 3, string: 5 } satisfies Readonly<
  Record<Storage, number>
>;

/** The number of the type of strings with offsets of 64 bits. */
export const LARGE_STRING = 20;

/** The numbers of the types that are written instead of strings. */
export const writtenTypes = { decimal: 7, date: 8, timestamp: 10 };

/** The number of the list type. */
export const LIST = 12;

/** The number of the boolean type. Booleans are read, but written as strings. */
export const BOOLEAN = 6;

/** The numbers of messages in the union `MessageHeader`. */
export const headers = { schema: 1, dictionary: 2, records: 3 };

/** The first bytes of a message, before its length; with length 0, the end of all messages. */
export const CONTINUATION = 0xffffffff;

export const MAGIC = "ARROW1";

/** A range of a message's body. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** How many values an array has, and how many of them are null. */
export interface ArrayNode {
  readonly length: number;
  readonly nulls: number;
}

/** The position of a message in the file. */
export interface Block {
  readonly offset: number;
  readonly metadataLength: number;
  readonly bodyLength: number;
}

export type Metadata = Readonly<Record<string, string>>;

/** The next multiple of 8. */
export function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}
