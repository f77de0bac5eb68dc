// The first records of a table that is being loaded, as they stand in its file.

import type { JSX } from "preact";
import type { Preview as Given } from "../messages.ts";
import { counted, shown } from "./words.ts";

export function Preview({ columns, rows }: Given): JSX.Element {
  return (
    <div class="preview scroll" role="region" aria-label="The first records" tabIndex={0}>
      <p class="quiet">The first {counted(rows.length, "record")}, while the rest is read</p>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {shown(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((value, at) => (
                <td key={at}>{value === "" ? "" : shown(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
