// Cursors: positions in the order of a query, as short strings that are safe in URLs (P10).

import { textOf } from "../criteria/distinct.ts";
import type { Field, TextValue } from "../schema/field.ts";
import { kinds } from "../schema/kinds.ts";
import { fieldOf } from "../schema/names.ts";
import type { Schema } from "../schema/schema.ts";
import { hash } from "./algorithms/hash.ts";
import { QueryError } from "./query-error.ts";
import { sortsOf, type Page, type PageRequest, type ParsedQuery } from "./query.ts";

/** A position in the order of a query. */
export interface Position {
  /** The values of the sort fields, in the form in which they are compared. */
  readonly values: readonly TextValue[];
  /** The tie-breaker: an insertion number, or the position of a row in a table. */
  readonly key: number;
}

/** The version of the format, which every cursor begins with. */
const VERSION = "1";
/** How many digits of a cursor are its checksum. */
const CHECKED = 5;

/** The cursor of a position in the order of a query. */
export function cursorOf(schema: Schema, query: ParsedQuery, { values, key }: Position): string {
  const content = encoded(JSON.stringify([key, ...values]));
  return VERSION + checksum(schema, query, content) + content;
}

/** A page asked for, and the position of its cursor. */
export interface PageAt extends Omit<PageRequest, "cursor"> {
  /** `undefined`: the page is at an end of the order. */
  readonly position: Position | undefined;
}

/** Reads the cursor of a page, if it has one. @throws QueryError like {@link positionOf} */
export function pageAtOf(
  schema: Schema,
  query: ParsedQuery,
  { cursor, isBackwards, hasCursors }: PageRequest,
): PageAt {
  const parameter = isBackwards ? "before" : "after";
  const position = cursor === undefined ? undefined : positionOf(schema, query, cursor, parameter);
  return { isBackwards, hasCursors, position };
}

/**
 * A page of records that were found.
 *
 * @param hasMore whether there are more records in the direction of the page
 * @param positionAt the position of a record
 */
export function pageWith<Row>(
  schema: Schema,
  query: ParsedQuery,
  { isBackwards, hasCursors, position }: PageAt,
  records: Row[],
  hasMore: boolean,
  positionAt: (index: number) => Position,
): Page<Row> {
  const cursorAt = (index: number) => cursorOf(schema, query, positionAt(index));
  const isEnd = records.length === 0;
  const isCut = position !== undefined;
  const hasPrevious = !isEnd && (isBackwards ? hasMore : isCut);
  const hasNext = !isEnd && (isBackwards ? isCut : hasMore);
  return {
    records,
    previous: hasPrevious ? cursorAt(0) : null,
    next: hasNext ? cursorAt(records.length - 1) : null,
    ...(hasCursors && { cursors: records.map((_, i) => cursorAt(i)) }),
  };
}

/**
 * The position encoded in a cursor.
 *
 * @throws QueryError with the code `cursor` if the cursor is not one of this query
 */
function positionOf(
  schema: Schema,
  query: ParsedQuery,
  cursor: unknown,
  parameter: "after" | "before",
): Position {
  const noCursor = (reason: string) => new QueryError(parameter, reason, { code: "cursor" });
  const source =
    parameter === "after" ? "the next of an earlier page" : "the previous of a later page";
  const notCursor = () => noCursor(`is not a cursor; use ${source}`);
  if (typeof cursor !== "string") throw noCursor(`must be a cursor, ${source}`);
  if (!/^[\w-]{6,}$/.test(cursor)) throw notCursor();
  if (!cursor.startsWith(VERSION)) {
    throw noCursor("is from another version of tercet; start again with the first page");
  }
  const content = cursor.slice(1 + CHECKED);
  if (cursor.slice(1, 1 + CHECKED) !== checksum(schema, query, content)) {
    throw noCursor(
      "belongs to another query, or is damaged; use the criteria and the sort of its page",
    );
  }
  const fields = sortsOf(query.sort).map(({ field }) => fieldOf(schema, field));
  const [key, ...values] = parsed(content);
  if (!isKey(key) || values.length !== fields.length || !areValues(values, fields)) {
    throw notCursor();
  }
  return { values, key };
}

/** A checksum of the content, the query, and how the sort fields are compared. */
function checksum(schema: Schema, { criteria, sort }: ParsedQuery, content: string): string {
  const order = sortsOf(sort).map(({ field, order }) => {
    const { type, ignoreCase, ignoreAccents } = fieldOf(schema, field)!;
    return [field, order, type, ignoreCase, ignoreAccents];
  });
  const sum = hash(`${content} ${textOf(criteria)} ${JSON.stringify(order)}`) >>> 0;
  return (sum % 36 ** CHECKED).toString(36).padStart(CHECKED, "0");
}

const isKey = (key: unknown): key is number => Number.isSafeInteger(key);

/** Whether each is a text form in its field. */
function areValues(
  values: readonly unknown[],
  fields: readonly (Field | undefined)[],
): values is readonly TextValue[] {
  return values.every((value, i) => {
    const field = fields[i];
    if (value === null || field === undefined) return value === null;
    return kinds[field.type].toTextForm(value, field) === value;
  });
}

/** Base64 for URLs, of UTF-8 (RFC 4648, section 5), without padding. */
function encoded(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The encoded array; an empty one if there is none. */
function parsed(digits: string): readonly unknown[] {
  try {
    const bytes = atob(digits.replaceAll("-", "+").replaceAll("_", "/"));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    );
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
