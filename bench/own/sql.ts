// The statements that SQLite and DuckDB have in common.

import { PAGE, TEN } from "./questions.ts";

const TOTALED = "FROM tickets WHERE state = ? AND id >= ?";

export const COLUMNS =
  "id INTEGER, state TEXT, owner INTEGER, votes INTEGER, note TEXT, opened TEXT, tags TEXT";

/** @param contains whether the note has a text */
export const groupOf = (contains: string): string =>
  `SELECT * FROM tickets WHERE state = ? AND (owner = ? OR owner = ? OR votes > ?) AND NOT ${contains} ORDER BY id LIMIT ${PAGE}`;

export const RANGE = `SELECT * FROM tickets WHERE opened >= ? AND opened < ? ORDER BY opened DESC, id LIMIT ${PAGE} OFFSET ?`;

export const BY_VOTES = `ORDER BY votes DESC, id LIMIT ${PAGE}`;

export const TOP = `SELECT owner, sum(votes) AS sum ${TOTALED} GROUP BY owner ORDER BY sum DESC, owner NULLS FIRST LIMIT ${TEN}`;

export const totaled = (selected: string): string => `SELECT ${selected} ${TOTALED}`;
