// Records in input form, for a collection or a service: of any schema, Files, Contacts.

import * as fc from "fast-check";
import {
  Contact,
  File,
  int,
  string,
  type ContactInput,
  type Field,
  type FileInput,
  type InputOf,
  type ListFieldType,
  type Schema,
} from "../../index.ts";
import { givenIn, withComputed, withValueAt } from "./computed.ts";
import { uniqueIn, uniqueText } from "./unique.ts";
import { fieldValue, text, textFormFor, type InputValue } from "./values.ts";

/**
 * An input record of a schema. Optional fields are sometimes omitted, unless their default is a function. Integers come
 * as numbers, strings and bigints.
 *
 * @param options `texts`: the values of string fields
 */
export function inputRecord<const S extends Schema>(
  schema: S,
  { texts }: OfTexts = {},
): fc.Arbitrary<InputOf<S>> {
  const names = givenIn(schema);
  const required = names.filter((name) => {
    const otherwise = schema.fields[name]?.default;
    const isRead = pathsInto(schema, name).some(([, { nullable }]) => !nullable);
    return isRead || (otherwise !== null && typeof otherwise !== "string");
  });
  return recordWith(schema, names, required, texts) as fc.Arbitrary<InputOf<S>>;
}

/**
 * Input records of a schema, no two with the same value in a `unique` field, or the same values of a unique
 * combination.
 *
 * @param options `maxLength`: the maximum number of records; default 12. `texts`: the values of string fields
 */
export function inputRecords<const S extends Schema>(
  schema: S,
  options: OfTexts & { readonly maxLength?: number } = {},
): fc.Arbitrary<InputOf<S>[]> {
  return distinct(schema, inputRecord(schema, options), options.maxLength);
}

/** The source of the values of string fields. */
export interface OfTexts {
  /** The values of string fields. Default: strings with edge cases of every kind. */
  readonly texts?: fc.Arbitrary<string> | undefined;
}

/** A File in input form: with its name, with base name and extension, or with all three. */
export function fileRecord({ texts }: OfTexts = {}): fc.Arbitrary<FileInput> {
  const optional = Object.keys(File.fields).filter((name) => !NAMES.includes(name));
  const required = ["id", "folder_id"];
  const basename = texts ?? stem();
  const extension = texts ?? ending();
  const names = {
    name: fc.tuple(basename, extension).map((parts) => parts.join("")),
    basename,
    extension,
  };
  return fc
    .tuple(
      recordWith(File, optional, required, texts),
      fc.oneof(
        { withCrossShrink: true },
        fc.record(names, { requiredKeys: ["name"] }),
        fc.record(names, { requiredKeys: ["basename", "extension"] }),
      ),
    )
    .map(([file, named]) => ({ ...file, ...named }) as FileInput);
}

/**
 * Files in input form, each with a different id.
 *
 * @param options `maxLength`: the maximum number of Files; default 12. `texts`: the values of string fields
 */
export function files(
  options: OfTexts & { readonly maxLength?: number } = {},
): fc.Arbitrary<FileInput[]> {
  return distinct(File, fileRecord(options), options.maxLength);
}

/**
 * A Contact in input form.
 *
 * @param options `listFields`: the fields of the Contact's List, by name, with their types; default
 *   none. `texts`: the values of string fields
 */
export function contactRecord(
  options: OfTexts & { readonly listFields?: Readonly<Record<string, ListFieldType>> } = {},
): fc.Arbitrary<ContactInput> {
  const { texts } = options;
  const listFields = Object.entries(options.listFields ?? {});
  const own = inputRecord(Contact, { texts });
  if (listFields.length === 0) return own;
  const values = fc.tuple(
    ...listFields.map(([name, type]) =>
      fc.option(
        fieldValue(
          type === "int" ? int({ nullable: true }) : string({ nullable: true }),
          texts,
        ).map((value) => [name, value] as const),
        { nil: undefined, freq: 6 },
      ),
    ),
  );
  return fc.tuple(own, values).map(([contact, entries]) => ({
    ...contact,
    // Each is an own member, even if its name is `__proto__`.
    fields: Object.fromEntries(entries.filter((entry) => entry !== undefined)),
  })) as fc.Arbitrary<ContactInput>;
}

const NAMES = ["name", "basename", "extension"];

const stem = (): fc.Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true },
    fc.constantFrom(
      "a",
      "logo",
      "notes",
      "logo.old",
      ".hidden",
      "",
      "log",
      "notes.1.2",
      ".log.old",
    ),
    text(),
  );

const ending = (): fc.Arbitrary<string> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom(".txt", "", ".png", "txt", ".tar.gz", ".TXT", ".") },
    { weight: 1, arbitrary: text() },
  );

function recordWith(
  schema: Schema,
  names: readonly string[],
  requiredKeys: string[],
  texts?: fc.Arbitrary<string>,
): fc.Arbitrary<Readonly<Record<string, InputValue>>> {
  const model = names.flatMap((name) => {
    const field = schema.fields[name];
    if (field === undefined) return [];
    const paths = pathsInto(schema, name);
    const value = fieldValue(field, texts);
    return [[name, paths.length === 0 ? value : withPaths(value, paths, texts)] as const];
  });
  return fc.record(Object.fromEntries(model), { requiredKeys, noNullPrototype: true });
}

/** The computed fields with a path into a json field: the rest of the path, and the field. */
const pathsInto = ({ fields }: Schema, name: string): (readonly [readonly string[], Field])[] =>
  Object.values(fields).flatMap((field) =>
    field.path?.[0] === name ? [[field.path.slice(1), field] as const] : [],
  );

/** JSON with a value of each field at its path, if it is not null. */
const withPaths = (
  json: fc.Arbitrary<InputValue>,
  paths: readonly (readonly [readonly string[], Field])[],
  texts?: fc.Arbitrary<string>,
): fc.Arbitrary<InputValue> =>
  fc
    .tuple(json, fc.tuple(...paths.map(([, field]) => jsonOf(fieldValue(field, texts)))))
    .map(([given, values]) =>
      paths.reduce<unknown>(
        (value, [path], i) => withValueAt(value, path, values[i] ?? undefined),
        given,
      ),
    ) as fc.Arbitrary<InputValue>;

/** JSON has no bigints. */
const jsonOf = (value: fc.Arbitrary<InputValue>) =>
  value.map((given) => (typeof given === "bigint" ? String(given) : given));

/**
 * Lists of records in which some records copy members of earlier ones: values repeat, even large integers and long
 * strings, so that sorting has ties. Members listed in `unrepeated` are not copied.
 */
export function recordList<Given extends object>(
  record: fc.Arbitrary<Given>,
  maxLength: number,
  unrepeated: readonly string[] = [],
): fc.Arbitrary<Given[]> {
  const likeness = fc.oneof(fc.constant(0), fc.nat({ max: 2 ** 30 - 1 }));
  const each = fc.record({ record, earlier: fc.nat(), likeness });
  return fc.array(each, { maxLength, size: "max" }).map((drawn) =>
    drawn.map(({ record: own, earlier, likeness: chosen }, position) => {
      const other = membersOf(drawn[earlier % position]?.record ?? {});
      const taken = Object.keys(own).filter(
        (name, i) =>
          ((chosen >> (i % 30)) & 1) === 1 && other.has(name) && !unrepeated.includes(name),
      );
      return { ...own, ...Object.fromEntries(taken.map((name) => [name, other.get(name)])) };
    }),
  );
}

/** Keeps only the first of the records with the same unique values; null equals nothing (V13). */
function distinct<Given extends object>(
  schema: Schema,
  record: fc.Arbitrary<Given>,
  maxLength = 12,
): fc.Arbitrary<Given[]> {
  const constraints = uniqueIn(schema);
  // The values of a combination repeat one by one.
  const unrepeated = constraints.flatMap(([name = "", ...others]) =>
    others.length > 0 ? [] : [name],
  );
  return recordList(record, maxLength, unrepeated).map((records) => {
    const seen = constraints.map((names) => ({ names, texts: new Set<string | undefined>() }));
    return records.filter((each) => {
      const members = withComputed(schema, each);
      const own = seen.map(({ names }) => {
        return uniqueText(schema, names, (name) => {
          const field = schema.fields[name];
          return field === undefined ? null : textFormFor(field, members.get(name));
        });
      });
      const isNew = seen.every(({ texts }, i) => own[i] === undefined || !texts.has(own[i]));
      if (isNew) seen.forEach(({ texts }, i) => texts.add(own[i]));
      return isNew;
    });
  });
}

const membersOf = (record: object): ReadonlyMap<string, unknown> => new Map(Object.entries(record));
