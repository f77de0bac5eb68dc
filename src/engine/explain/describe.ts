// How `JSON.stringify` and `console.log` show a collection: its size and fields, never its records.

import { isComputed, isNext, type Field, type TextValue } from "../../schema/field.ts";
import type { Schema } from "../../schema/schema.ts";

/** A collection as `JSON.stringify` writes it. */
export interface CollectionDescription {
  readonly size: number;
  /** The type of each field and its non-default options. */
  readonly fields: Readonly<Record<string, FieldDescription>>;
  /** The unique combinations of fields, if there are any. */
  readonly unique?: Schema["unique"];
}

type FieldDescription = { readonly type: Field["type"] } & Partial<
  Omit<Field, "type" | "default" | "compute">
> & {
    /** In text form; `"next"` of a field whose records are numbered. */
    readonly default?: TextValue;
    /** Whether the default is a function. */
    readonly hasFunction?: true;
    /** Whether its values are those of a function. */
    readonly isComputed?: true;
  };

export function describeCollection(size: number, schema: Schema): CollectionDescription {
  const fields = Object.entries(schema.fields).map(
    ([name, field]) => [name, describeField(field)] as const,
  );
  const { unique } = schema;
  return { size, fields: Object.fromEntries(fields), ...(unique.length > 0 && { unique }) };
}

function describeField(field: Field): FieldDescription {
  const { type, nullable, searchable, stored, unique, oneOf, path, default: otherwise } = field;
  return {
    type,
    ...(nullable && { nullable }),
    ...(!searchable && { searchable }),
    ...(path !== undefined && { path }),
    ...(field.compute !== undefined && { isComputed: true }),
    ...(!stored && !isComputed(field) && { stored }),
    ...(unique && { unique }),
    ...(oneOf !== undefined && { oneOf }),
    ...(typeof otherwise === "function"
      ? { hasFunction: true }
      : isNext(otherwise)
        ? { default: otherwise.toJSON() }
        : otherwise !== undefined && !(nullable && otherwise === null) && { default: otherwise }),
  };
}

/** A collection as Node's `console.log` prints it: `Collection(2) { id: int, unique; name: string }`. */
export function printCollection(size: number, schema: Schema): string {
  const written = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
  const fields = [
    ...schema.places.map(({ name, field }) => `${written(name)}: ${printField(field)}`),
    ...schema.unique.map((names) => `unique (${names.map(written).join(", ")})`),
  ];
  const text = `Collection(${size})`;
  const short = `${text} { ${fields.join("; ")} }`;
  return short.length <= 100 ? short : `${text} {\n  ${fields.join("\n  ")}\n}`;
}

function printField(field: Field): string {
  const { type, nullable, searchable, stored, unique, oneOf, path, default: otherwise } = field;
  const values = oneOf?.map((value) => JSON.stringify(value)) ?? [type];
  return [
    [...values, ...(nullable ? ["null"] : [])].join(" | "),
    ...(unique ? ["unique"] : []),
    ...(searchable ? [] : ["not searchable"]),
    ...(stored || isComputed(field) ? [] : ["not stored"]),
    ...(path === undefined ? [] : [`from ${JSON.stringify(path)}`]),
    ...(field.compute === undefined ? [] : ["from a function"]),
    ...(typeof otherwise === "string" ? [`default ${JSON.stringify(otherwise)}`] : []),
    ...(typeof otherwise === "function" ? ["default from a function"] : []),
    ...(isNext(otherwise) ? ["numbered"] : []),
  ].join(", ");
}
