// Whatever an update leaves alone stays the same object, for callers who compare by identity.

import { expect, test } from "vitest";
import { aService } from "../rules/fixtures.ts";

test("an update of a Batch leaves the Files and the other Batches as they are", () => {
  const lists = [{ id: 1, contacts: [{ send_id: 1, contact_id: 1, contact_email: "a" }] }];
  const service = aService({
    batches: [
      { id: 7, lists },
      { id: 8, lists },
    ],
  });
  const { files, batches } = service;
  service.update((draft) => {
    const batch = draft.batches["7"];
    if (batch === undefined) throw new Error("there is a Batch 7");
    batch.contacts = batch.contacts.update(null, (contact) => {
      contact.open_count = "5";
    });
  });
  expect(service.files).toBe(files);
  expect(service.batches["8"]).toBe(batches["8"]);
  expect(service.batches["7"]).not.toBe(batches["7"]);
  expect(service.batches["7"]?.lists).toBe(batches["7"]?.lists);
});

test("an update that changes nothing leaves everything as it is", () => {
  const service = aService();
  const { files, batches } = service;
  const { patches } = service.update(() => undefined);
  expect(patches).toEqual([]);
  expect(service.files).toBe(files);
  expect(service.batches["7"]).toBe(batches["7"]);
});
