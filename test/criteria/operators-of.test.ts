// operatorsOf lists exactly what the parser accepts.

import { describe, expect, test } from "vitest";
import {
  boolean,
  Contact,
  defineSchema,
  float,
  int,
  InputError,
  json,
  operatorsOf,
  parseCriteria,
  SchemaError,
  string,
  strings,
  type Taken,
} from "../../src/index.ts";
import { operators, operatorsFor } from "../../src/criteria/operators.ts";
import { like } from "../likeness.ts";
import { wireSchema } from "../wire-schema.ts";

const fields = {
  votes: int(),
  price: float(),
  open: boolean(),
  name: string(),
  secret: string({ searchable: false }),
  words: strings(),
  tags: json(),
};
const schemas = [defineSchema(fields), wireSchema({ votes: int(), name: string() }), Contact];

/** A value that is right for an operator, whatever the field. */
const VALUES: Readonly<Record<Taken, unknown>> = {
  value: null,
  text: "1",
  bound: "1",
  range: ["1", "2"],
  values: [null],
  element: "1",
  elements: ["1"],
};

/** A value that only the other operators take. */
const OTHERS: Readonly<Record<Taken, unknown>> = {
  value: [null],
  text: null,
  bound: null,
  range: ["2", "1"],
  values: 1,
  element: [],
  elements: "1",
};

function isValid(...[schema, criterion]: [(typeof schemas)[number], readonly unknown[]]): boolean {
  try {
    parseCriteria(schema, [criterion]);
    return true;
  } catch {
    return false;
  }
}

describe("the operators of a field", () => {
  for (const schema of schemas) {
    for (const name of Object.keys(schema.fields)) {
      test(`${name}, in ${schema.form} form: those that the parser accepts, with what they take`, () => {
        const offered = operatorsOf(schema, name as never);
        for (const { name: operator } of operators) {
          const choice = offered.find((each) => each.name === operator);
          const accepted = Object.values(VALUES).some((value) =>
            isValid(schema, [name, operator, value]),
          );
          expect(choice !== undefined, operator).toBe(accepted);
          if (choice === undefined) continue;
          expect(isValid(schema, [name, operator, VALUES[choice.takes]]), operator).toBe(true);
          expect(isValid(schema, [name, operator, OTHERS[choice.takes]]), operator).toBe(false);
        }
      });
    }
  }

  test("without a field, those of the schema, in the order of the table", () => {
    for (const schema of schemas) {
      expect(operatorsOf(schema).map(({ name }) => name)).toEqual(
        operatorsFor(schema.form).map(({ name }) => name),
      );
    }
  });

  test("a field that can't be searched has none", () => {
    expect(operatorsOf(defineSchema(fields), "secret")).toEqual([]);
    expect(operatorsOf(defineSchema(fields), "tags")).toEqual([]);
  });

  test("can't be changed by who asks", () => {
    const [first] = operatorsOf(Contact, "contact_email");
    expect(Object.isFrozen(first)).toBe(true);
  });

  test("an unknown field is refused, and so is a value that is not a schema", () => {
    // @ts-expect-error there is no such field
    expect(() => operatorsOf(Contact, "contact_emial")).toThrow(
      like(new InputError("field", 'unknown field "contact_emial"; did you mean "contact_email"?')),
    );
    // @ts-expect-error there is no such field
    expect(() => operatorsOf(Contact, "__proto__")).toThrow(InputError);
    // @ts-expect-error a schema is made by defineSchema
    expect(() => operatorsOf({ fields })).toThrow(SchemaError);
  });
});
