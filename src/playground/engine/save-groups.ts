// Saves a table of groups as a file: a record for each group.

import type { AnyRecord } from "../../import/index.ts";
import { readSchema, type FieldType } from "../../index.ts";
import { byName, labelOf, measureName, shareOf, whereName } from "../group-labels.ts";
import { isAdditive, type Group, type Groups } from "../groups.ts";
import type { FieldInfo, FileFormat, Scalar } from "../messages.ts";
import { PLAIN } from "../texts.ts";
import { writeRecords } from "./save.ts";

interface SavedColumn {
  readonly name: string;
  readonly type: FieldType;
  readonly of: (group: Group) => Scalar;
}

export function saveGroups(
  { of, groups }: Groups,
  fields: readonly FieldInfo[],
  format: FileFormat,
): Blob {
  const columns = named(columnsOf(of, fields));
  const schema = readSchema({
    fields: Object.fromEntries(columns.map(({ name, type }) => [name, { type, nullable: true }])),
    order: columns.map(({ name }) => name),
  });
  const records = groups.map((group): AnyRecord =>
    Object.fromEntries(columns.map(({ name, of: valueOf }) => [name, valueOf(group)])),
  );
  return writeRecords(records, schema, format);
}

function columnsOf(of: Groups["of"], fields: readonly FieldInfo[]): SavedColumn[] {
  const field = fields.find(({ name }) => name === of.by);
  const isRaw = of.part === "value" && field?.unit === undefined;
  const label = (group: Group) =>
    isRaw || group.key === null ? group.key : labelOf(group, of.part, field ?? PLAIN);
  const type = isRaw ? (field?.type ?? "string") : "string";
  const isMeasured = of.measure !== "count";
  const { where } = of;
  return [
    { name: byName(of), type, of: label },
    { name: "records", type: "int", of: ({ records }) => records },
    ...(isMeasured
      ? [{ name: measureName(of), type: "float", of: ({ value }: Group) => value } as const]
      : []),
    ...(where === undefined
      ? []
      : ([
          {
            name: isMeasured ? `${measureName(of)}, ${whereName(where)}` : whereName(where),
            type: "float",
            of: ({ within }: Group) => within?.value ?? null,
          },
          ...(isAdditive(of.measure)
            ? [
                {
                  name: "share",
                  type: "float",
                  of: (group: Group) => shareOf(group) ?? null,
                } as const,
              ]
            : []),
        ] as const)),
  ];
}

/** Each name once. */
function named(columns: readonly SavedColumn[]): SavedColumn[] {
  const taken = new Set<string>();
  return columns.map((column) => {
    let { name } = column;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return { ...column, name };
  });
}
