// Saves a table of groups as a file: a record for each group.

import type { AnyRecord } from "../../import/index.ts";
import { readSchema, type FieldType } from "../../index.ts";
import { byName, labelOf, measureName, shareOf, whereName } from "../group-labels.ts";
import { isAdditive, type Group, type Groups, type Pivot } from "../groups.ts";
import type { FieldInfo, FileFormat, Scalar } from "../messages.ts";
import { PLAIN } from "../texts.ts";
import { writeRecords } from "./save.ts";

interface SavedColumn<Line> {
  readonly name: string;
  readonly type: FieldType;
  readonly of: (line: Line) => Scalar;
}

export const saveGroups = (
  { of, groups }: Groups,
  fields: readonly FieldInfo[],
  format: FileFormat,
): Blob => written(format, groups, columnsOf(of, fields));

function written<Line>(
  format: FileFormat,
  lines: readonly Line[],
  given: readonly SavedColumn<Line>[],
): Blob {
  const columns = named(given);
  const schema = readSchema({
    fields: Object.fromEntries(columns.map(({ name, type }) => [name, { type, nullable: true }])),
    order: columns.map(({ name }) => name),
  });
  const records = lines.map((line): AnyRecord =>
    Object.fromEntries(columns.map(({ name, of }) => [name, of(line)])),
  );
  return writeRecords(records, schema, format);
}

/** A saved table of two keys has at most so many columns of the second. */
export const MOST_SAVED = 1000;

/** Groups of two keys: a column for each of the second, or a line for each of the first ones. */
export function savePivot(
  { of, rows, columns, cells, tops }: Pivot,
  fields: readonly FieldInfo[],
  format: FileFormat,
): Blob {
  const [first, second] = [keyOf(of, fields), keyOf(columns.of, fields)];
  const name = measureName(of);
  if (tops !== undefined) {
    const lines = rows.groups.flatMap((row, i) => (tops[i] ?? []).map((group) => ({ row, group })));
    return written(format, lines, [
      { ...first, of: ({ row }) => first.of(row) },
      { ...second, of: ({ group }) => second.of(group) },
      { name: "records", type: "int", of: ({ group }) => group.records },
      ...(of.measure === "count"
        ? []
        : [
            {
              name,
              type: "float",
              of: ({ group }: (typeof lines)[number]) => group.value,
            } as const,
          ]),
    ]);
  }
  const across = columns.groups.length;
  const cellOf = (at: number) => (Number.isNaN(cells[at] ?? NaN) ? null : (cells[at] ?? null));
  return written(
    format,
    rows.groups.map((row, i) => ({ row, i })),
    [
      { ...first, of: ({ row }) => first.of(row) },
      ...columns.groups.map((column, j): SavedColumn<{ readonly i: number }> => ({
        name: String(second.of(column)),
        type: "float",
        of: ({ i }) => cellOf(i * across + j),
      })),
      { name: "all", type: "float", of: ({ row }) => row.value },
    ],
  );
}

/** The column of what groups are made of. */
function keyOf(of: Groups["of"], fields: readonly FieldInfo[]): SavedColumn<Group> {
  const known = fields.find(({ name }) => name === of.by);
  const field = { ...(known ?? PLAIN), zone: of.zone };
  const isRaw = of.part === "value" && field.unit === undefined;
  return {
    name: byName(of),
    type: isRaw ? field.type : "string",
    of: (group) => (isRaw || group.key === null ? group.key : labelOf(group, of.part, field)),
  };
}

function columnsOf(of: Groups["of"], fields: readonly FieldInfo[]): SavedColumn<Group>[] {
  const isMeasured = of.measure !== "count";
  const { where, also = [] } = of;
  return [
    keyOf(of, fields),
    { name: "records", type: "int", of: ({ records }) => records },
    ...(isMeasured
      ? [{ name: measureName(of), type: "float", of: ({ value }: Group) => value } as const]
      : []),
    ...also.map((measure, i): SavedColumn<Group> => ({
      name: measureName({ ...of, measure }),
      type: "float",
      of: ({ others }) => others?.[i] ?? null,
    })),
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
function named<Line>(columns: readonly SavedColumn<Line>[]): SavedColumn<Line>[] {
  const taken = new Set<string>();
  return columns.map((column) => {
    let { name } = column;
    while (taken.has(name)) name += "_";
    taken.add(name);
    return { ...column, name };
  });
}
