// A schema as tools that take any schema see it: the Standard Schema interface, version 1.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import { initTRPC } from "@trpc/server";
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  Contact,
  createCollection,
  File,
  int,
  string,
  type InputOf,
  type Schema,
  type SearchRecordOf,
} from "../../src/index.ts";
import { hostileValue, inputRecord } from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { wireSchema } from "../wire-schema.ts";

const Ticket = wireSchema({
  id: int({ unique: true }),
  subject: string(),
  state: string({ oneOf: ["open", "closed"], default: "open" }),
  votes: int({ default: 0 }),
  note: string({ nullable: true, stored: false }),
});
type Ticket = typeof Ticket;

const validate = (schema: Schema, value: unknown) => schema["~standard"].validate(value);

test("it says that it is version 1, and of tercet", () => {
  const { version, vendor } = Ticket["~standard"];
  expect({ version, vendor }).toEqual({ version: 1, vendor: "tercet" });
});

test("its types are those of the specification", () => {
  expectTypeOf<Ticket>().toExtend<StandardSchemaV1>();
  expectTypeOf<StandardSchemaV1.InferInput<Ticket>>().toEqualTypeOf<InputOf<Ticket>>();
  expectTypeOf<StandardSchemaV1.InferOutput<Ticket>>().toEqualTypeOf<SearchRecordOf<Ticket>>();
});

describe("validate", () => {
  test("gives the record in wire form, every field in it, frozen", () => {
    const result = Ticket["~standard"].validate({ id: 1, subject: "No heat", votes: 9n });
    const value = { id: "1", subject: "No heat", state: "open", votes: "9", note: null };
    expect(result).toEqual({ value });
    expect(Object.keys(result.issues === undefined ? result.value : {})).toEqual(
      Object.keys(value),
    );
    expect(Object.isFrozen(result.issues === undefined && result.value)).toBe(true);
  });

  test("gives every issue with its path", () => {
    expect(validate(Ticket, { id: 1.5, state: "lost", votes: null, size: 5 })).toEqual({
      issues: [
        { message: "is not a field", path: ["size"] },
        {
          message:
            "must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string, not 1.5",
          path: ["id"],
        },
        { message: "is missing", path: ["subject"] },
        { message: 'must be "open" or "closed", not "lost"', path: ["state"] },
        { message: "must not be null", path: ["votes"] },
      ],
    });
  });

  test.each([5, "a", null, undefined, [], () => 5])("refuses %o, which is no record", (value) => {
    const { issues } = validate(Ticket, value);
    expect(issues).toHaveLength(1);
    expect(issues?.[0]?.path).toEqual([]);
  });

  test("completes a File from its name", () => {
    const result = validate(File, { id: 1, folder_id: 7, name: "logo.png" });
    expect(result).toMatchObject({ value: { basename: "logo", extension: ".png", size: "0" } });
  });

  test("a field called __proto__ is one as any other", () => {
    const Odd = wireSchema({ ["__proto__"]: int(), a: int() });
    const result = validate(Odd, JSON.parse('{ "__proto__": 5, "a": 6 }'));
    expect(JSON.stringify(result)).toBe('{"value":{"__proto__":"5","a":"6"}}');
  });

  test("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(hostileValue(), ({ make }) => {
        for (const schema of [Ticket, File, Contact]) {
          for (const each of [make(), { id: make() }, { name: make() }, { subject: make() }]) {
            expect(validate(schema, each).issues?.length).not.toBe(0);
          }
        }
      }),
      settings(300),
    );
  });

  test("gives what a collection holds", () => {
    fc.assert(
      fc.property(inputRecord(Ticket), (record) => {
        const textForm = createCollection(Ticket, [record]).at(0);
        expect(Ticket["~standard"].validate(record)).toMatchObject({ value: { ...textForm } });
      }),
      settings(200),
    );
  });
});

test("a tRPC procedure takes a schema as the parser of its input", async () => {
  const { router, procedure, createCallerFactory } = initTRPC.create();
  const tickets = router({
    open: procedure.input(Ticket).mutation(({ input }) => {
      expectTypeOf(input).toEqualTypeOf<SearchRecordOf<Ticket>>();
      return createCollection(Ticket, [input]).size + Number(input.votes);
    }),
  });
  const caller = createCallerFactory(tickets)({});
  expect(await caller.open({ id: 1, subject: "No heat", votes: 41 })).toBe(42);
  // @ts-expect-error the subject is missing
  await expect(caller.open({ id: 1 })).rejects.toMatchObject({ code: "BAD_REQUEST" });
});
