// Arquero: a table of columns, ints as numbers. A query is a chain of verbs with a compiled expression
// and its values as parameters. It has no index; its orderby is stable, so ties keep their order.

import type { ColumnTable } from "arquero";
import type { Peer } from "./peer.ts";
import { typedValueOf } from "./typed.ts";

export async function createArquero(): Promise<Peer> {
  const { desc, table } = await import("arquero");
  let contactTable: ColumnTable | undefined;
  return {
    load(contacts, fields) {
      const columns = Array.from(fields.keys(), (field) => [
        field,
        contacts.map((contact) => typedValueOf(contact, field, fields)),
      ]);
      contactTable = table(Object.fromEntries(columns) as Parameters<typeof table>[0]);
    },

    compile({ criteria, sort, limit }) {
      const contacts = contactTable;
      if (contacts === undefined) return { cannot: "not loaded" };
      const tests = criteria.map(({ field, operator }, i) => {
        const value = `d[${JSON.stringify(field)}]`;
        return operator === "exactly"
          ? `${value} === $.v${i}`
          : `op.indexof(${value}, $.v${i}) >= 0`;
      });
      const expression = `(d, $) => ${tests.join(" && ")}`;
      return ({ values, offset }) => {
        let found = contacts;
        if (tests.length > 0) {
          const parameters = Object.fromEntries(values.map((value, i) => [`v${i}`, value]));
          found = found.params(parameters).filter(expression);
        }
        if (sort !== undefined) {
          found = found.orderby(sort.order === "DESC" ? desc(sort.field) : sort.field);
        }
        return found.slice(offset, offset + limit).objects();
      };
    },
  };
}
