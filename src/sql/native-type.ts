// The types that engines report for the columns of tables, and the values such columns may have.

import type { TextValue } from "../schema/field.ts";
import type { Collation, Dialect, NativeType, TypeFamily } from "./dialect.ts";

/** A value of the engine's catalog: drivers return booleans as numbers, as booleans or as strings. */
export const isTrue = (value: TextValue | undefined) => value === "1" || value === "true";

/** @param row the catalog's description of a column, without its name */
export function nativeType(
  [type, isNotNull, collation, isView, labels, isImmutable, family]: readonly TextValue[],
  dialect: Dialect,
): NativeType {
  const declared = type ?? "";
  const enumLabels = labelsOf(labels ?? null) ?? labelsIn(declared);
  const [, precision, scale] = /\((\d+)(?:, ?(\d+))?/.exec(declared) ?? [];
  return {
    type: declared,
    family:
      family === "strings"
        ? family
        : enumLabels === undefined
          ? (dialect.catalog.family?.(declared) ?? familyByName(declared))
          : "enum",
    precision: precision === undefined ? undefined : Number(precision),
    scale: precision === undefined ? undefined : Number(scale ?? 0),
    isNotNull: isTrue(isNotNull),
    collation: COLLATIONS.find((each) => each === collation) ?? null,
    isView: isTrue(isView),
    labels: enumLabels,
    isTextImmutable: isTrue(isImmutable),
  };
}

const COLLATIONS: readonly Collation[] = ["points", "equality", "other"];

/** The family of a type by its name; its arguments don't matter. */
export function familyByName(type: string): TypeFamily {
  const [, element] = /^(?:(.*)\[\]|array\(.*\))$/i.exec(type) ?? [];
  if (/^array\((?:lowcardinality\()?string\)*$/i.test(type)) return "strings";
  if (element !== undefined && familyByName(element) === "text") return "strings";
  const plain = type.toLowerCase().replace(/^(?:lowcardinality\(|nullable\()+/, "");
  if (/\[\d*\]$/.test(type)) return "other";
  const name = plain
    .replace(/\(.*\)|\(.*$/s, "")
    .replaceAll(")", "")
    .replace(/ (?:unsigned|signed|zerofill)\b/g, "")
    .trim();
  return FAMILIES.find(([, names]) => names.test(name))?.[0] ?? "other";
}

const FAMILIES: readonly (readonly [TypeFamily, RegExp])[] = [
  ["integer", /^(?:u?(?:tiny|small|medium|big|huge)?int(?:eger)?\d*|(?:small|big)?serial|year)$/],
  ["decimal", /^(?:decimal|numeric|number)\d*$/],
  ["float", /^(?:real|float\d*|double|double precision)$/],
  ["boolean", /^bool(?:ean)?$/],
  [
    "text",
    /^(?:n?varchar|character varying|character|n?char|bpchar|(?:tiny|medium|long)?text|string|clob)$/,
  ],
  ["citext", /^(?:[^.]+\.)?citext$/],
  ["json", /^jsonb?$/],
  ["uuid", /^uuid$/],
  ["enum", /^enum\d*$/],
  ["date", /^date(?:32)?$/],
  ["time", /^time(?: without time zone)?$/],
  ["timestamp", /^(?:timestamp(?:_s|_ms|_ns)?(?: without time zone)?|datetime(?:64)?)$/],
  ["timestamptz", /^timestamp with time zone$/],
];

/** Labels given as JSON by the catalog. */
function labelsOf(json: TextValue): readonly string[] | undefined {
  if (json === null) return undefined;
  const labels: unknown = JSON.parse(json);
  return Array.isArray(labels) ? labels.map(String) : undefined;
}

/** Labels that are part of the type, as in `ENUM('a', 'it''s')`. */
function labelsIn(type: string): readonly string[] | undefined {
  if (!/^enum\(/i.test(type)) return undefined;
  return Array.from(type.matchAll(/'((?:[^']|'')*)'/g), ([, label = ""]) =>
    label.replaceAll("''", "'"),
  );
}
