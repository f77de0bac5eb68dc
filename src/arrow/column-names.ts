// What the columns of a file are called: as their fields, and those that are of no field by what their
// symbols say. Other tools see these, too: they must not be called as another column.

import type { Codec } from "../collection/records/codec.ts";

/** The fields in the order of the schema, then the columns that are of no field. */
export function columnNames({ names, layout }: Codec): readonly string[] {
  const all = [...names];
  for (const { description = "" } of layout.hidden) {
    let name = description;
    while (all.includes(name)) name += "_";
    all.push(name);
  }
  return all;
}
