// A page of the answer as getBatchContacts gives it: grouped by List, every List with its key.

import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Asked, Loaded } from "../messages.ts";
import { useLatest } from "./asking.ts";
import type { Engine } from "./engine.ts";
import { count, shown } from "./words.ts";

const PER_PAGE = 50;

const COLUMNS = [
  "contact_email",
  "send_status",
  "open_type",
  "open_country",
  "open_count",
] as const;

interface Props {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly asked: Asked;
  readonly matching: number;
}

export function ByList({ engine, loaded, asked, matching }: Props): JSX.Element {
  const [page, setPage] = useState(0);
  useLayoutEffect(() => setPage(0), [loaded.fields, asked]);
  const found = useLatest(engine, loaded, "lists", [asked, page * PER_PAGE, PER_PAGE]);
  const last = Math.max(0, Math.ceil(matching / PER_PAGE) - 1);
  const to = Math.min(matching, (page + 1) * PER_PAGE);
  return (
    <div class="lists">
      <p class="pager">
        <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
          Previous
        </button>
        <span>
          {matching === 0 ? "none" : `${count(page * PER_PAGE + 1)} to ${count(to)}`} of{" "}
          {count(matching)} over all Lists
        </span>
        <button type="button" disabled={page >= last} onClick={() => setPage(page + 1)}>
          Next
        </button>
      </p>
      {found?.lists.map(({ id, rows }) => (
        <section key={id}>
          <h2>
            List {id} <span class="quiet">{count(rows.length)} on this page</span>
          </h2>
          {rows.length > 0 && (
            <div class="scroll" tabIndex={0} role="region" aria-label={`Contacts of List ${id}`}>
              <table>
                <thead>
                  <tr>
                    {COLUMNS.map((name) => (
                      <th key={name} scope="col">
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.send_id}>
                      {COLUMNS.map((name) => (
                        <td key={name}>{shown(row[name])}</td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
        </section>
      ))}
    </div>
  );
}
