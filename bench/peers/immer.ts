// Immer on a plain array: each update is a `produce` of the whole, the way to hold a state of records
// that must not change under its readers. Records are found in the base, not in the draft, whose members
// become drafts as they are read. A removal returns the filtered array from its recipe.

import { produce } from "immer";
import type { FlatContact } from "../contacts.ts";
import { lastOpened } from "./loop.ts";
import type { Peer } from "./peer.ts";

export function createImmer(): Peer {
  let contacts: readonly FlatContact[] = [];
  return {
    load: (given) => void (contacts = [...given]),
    compile: () => ({ cannot: "it changes data; it has no queries" }),
    updates: () => ({
      lookup: (email) => contacts.find((contact) => contact.contact_email === email),
      page: () => lastOpened(contacts),
      open(email, time) {
        const row = contacts.findIndex((contact) => contact.contact_email === email);
        contacts = produce(contacts, (draft) => {
          const contact = draft[row];
          if (contact !== undefined) contact.last_open_time = String(time);
        });
      },
      insert({ flat }) {
        contacts = produce(contacts, (draft) => void draft.push(...flat));
      },
      removeWithStatus(status) {
        contacts = produce(contacts, () =>
          contacts.filter((contact) => contact.send_status !== status),
        );
      },
    }),
  };
}
