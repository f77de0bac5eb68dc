// What the rule tests share: the contract's field tables, small records, and helpers for input that
// only callers without types can pass.

import { expect } from "vitest";
import {
  createService,
  int,
  string,
  type ContactInput,
  type FileInput,
  type Response,
  type Service,
  type ServiceOptions,
} from "../../src/index.ts";
import { wireSchema } from "../wire-schema.ts";

/** Section 2.3 of the contract with the types of rule V4, in the contract's order. */
export const FILE_FIELDS = [
  ["id", "int"],
  ["folder_id", "int"],
  ["basename", "string"],
  ["extension", "string"],
  ["size", "int"],
  ["creation_time", "int"],
  ["image_width", "int"],
  ["image_height", "int"],
  ["mime_type", "string"],
  ["last_modified_time", "int"],
  ["last_modified_user_id", "int"],
  ["name", "string"],
  ["url", "string"],
] as const;

/** Section 2.4 of the contract: name, type, searchable; and whether V5 lets it be null. */
export const CONTACT_FIELDS = [
  ["send_id", "int", true, false],
  ["contact_id", "int", true, false],
  ["contact_email", "string", true, false],
  ["unsubscribe_email", "string", true, true],
  ["unsubscribe_time", "int", true, true],
  ["unsubscribe_id", "int", true, true],
  ["unsubscribe_count", "int", true, true],
  ["updated_profile_count", "int", true, false],
  ["send_status", "string", true, false],
  ["send_time", "int", true, false],
  ["open_type", "string", true, false],
  ["open_count", "int", true, false],
  ["open_country", "string", true, true],
  ["bounce_smtp_error_code", "string", true, true],
  ["bounce_description", "string", false, true],
  ["is_temporary_bounce", "int", true, false],
  ["first_open_time", "int", true, false],
  ["last_open_time", "int", true, false],
  ["first_updated_profile_time", "int", true, false],
  ["first_unsubscribe_time", "int", true, false],
  ["first_permanent_bounce_time", "int", true, false],
  ["first_temporary_bounce_time", "int", true, false],
  ["first_bounce_time", "int", true, false],
  ["links_clicked", "int", false, false],
] as const;

/** The fixed names of the error codes (rule E5). */
export const ERROR_NAMES = {
  100: "Internal Server Error",
  104: "Method Not Found",
  107: "Invalid Method Name",
  300: "Authorisation Failed - Invalid Login",
  308: "Unable to Load Batch",
  310: "Invalid Method Parameters",
  311: "Invalid Search Parameter Format",
} as const;

/** A schema that has a field of each kind. */
export const Thing = wireSchema({
  id: int(),
  text: string({ nullable: true }),
  count: int({ nullable: true }),
  hidden: string({ searchable: false, nullable: true }),
});

/** Names that every object inherits: the ones that a careless lookup finds (rule E11). */
export const INHERITED_NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty"] as const;

/** A value as a caller without types passes it. */
export const untyped = (value: unknown): never => value as never;

type NamedFile = Extract<FileInput, { readonly name: string }>;

export function aFile(id: number, more: Partial<NamedFile> = {}): NamedFile {
  return { id, folder_id: 1, name: `file${id}.txt`, ...more };
}

export function aContact(id: number, more: Partial<ContactInput> = {}): ContactInput {
  return { send_id: id, contact_id: id, contact_email: `c${id}@example.com`, ...more };
}

/** An object with an own member of that name, `"__proto__"` included. */
export function withOwn(name: string, value: unknown): Record<string, unknown> {
  return Object.fromEntries([[name, value]]);
}

/** What `run` throws; it must throw an instance of the class. */
export function thrownBy<E>(type: new (...given: never[]) => E, run: () => unknown): E {
  let thrown: unknown = "nothing";
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(type);
  return thrown as E;
}

/** The answer to a request with a good id and api key. */
export function ask(service: Service, method: unknown, ...params: unknown[]): Response {
  return service.dispatch({ id: 1, method, params: ["key", ...params] });
}

/** The error code of an answer, or `null` for a success. */
export function codeOf({ error }: Response): number | null {
  return error === null ? null : error.code;
}

/** The File ids of an answer of `searchFiles`. */
export function idsOf({ result, error }: Response): string[] {
  expect(error).toBeNull();
  return (result as { id: string }[]).map(({ id }) => id);
}

/** Three Files and one Batch of two Lists with differing List Fields. */
export function aService(more: ServiceOptions = {}): Service {
  return createService({
    files: [aFile(1, { size: 30 }), aFile(2, { size: 4 }), aFile(3, { size: 200 })],
    batches: [
      {
        id: 7,
        lists: [
          {
            id: 20,
            fields: { Email: "string", Age: "int" },
            contacts: [
              aContact(1, { fields: { Email: "b@example.com", Age: 9 } }),
              aContact(2, { fields: { Email: "a@example.com", Age: 10 } }),
            ],
          },
          {
            id: 10,
            fields: ["Email", "First Name"],
            contacts: [aContact(3, { fields: { Email: "c@example.com", "First Name": "Zoë" } })],
          },
        ],
      },
    ],
    ...more,
  });
}

type Grouped<Given> = Readonly<Record<string, Readonly<Record<string, Given>>>>;

/** The rows of a table whose cases stand below what becomes of them. */
export const grouped = <Given>(
  table: Grouped<Given>,
): [what: string, given: Given, becomes: string][] =>
  Object.entries(table).flatMap(([becomes, cases]) =>
    Object.entries(cases).map(([what, given]): [string, Given, string] => [what, given, becomes]),
  );

/** Those of a table of what is refused: below each message, what gets it. */
export const refusals = <Given>(
  table: Grouped<Given>,
): [what: string, given: Given, path: string, reason: string][] =>
  grouped(table).map(([what, given, message]) => {
    const [path = "", ...reason] = message.split(": ");
    return [what, given, path, reason.join(": ")];
  });
