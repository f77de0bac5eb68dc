// The samples in data/ load without changes, and contain each kind of value that data/README.md
// lists.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  createService,
  type BatchInput,
  type ContactRecord,
  type FileInput,
  type FileRecord,
} from "../src/index.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../data/${name}`, import.meta.url), "utf8");

const files = JSON.parse(read("files.json")) as (FileRecord & FileInput)[];
const batch = JSON.parse(read("batch.json")) as BatchInput & {
  lists: { id: string; contacts: (ContactRecord & { fields: Record<string, string | null> })[] }[];
};
const service = createService({ files, batches: [batch] });
const contacts = batch.lists.flatMap((list) => list.contacts);
const valuesOf = (name: keyof ContactRecord) => new Set(contacts.map((each) => each[name]));
const listValues = contacts.flatMap((contact) => Object.values(contact.fields));

describe("files.json", () => {
  test("is in wire form and complete", () => {
    expect(files).toHaveLength(40);
    expect(service.searchFiles()).toEqual(files);
    expect(service.searchFiles().map((each) => Object.keys(each))).toEqual(
      files.map((each) => Object.keys(each)),
    );
  });

  test("names are consistent", () => {
    for (const { name, basename, extension } of files) expect(basename + extension).toBe(name);
  });

  test("has dimensions for images only", () => {
    const images = files.filter(({ mime_type }) => mime_type.startsWith("image/"));
    const others = files.filter(({ mime_type }) => !mime_type.startsWith("image/"));
    expect(images.length).toBeGreaterThan(5);
    expect(others.length).toBeGreaterThan(5);
    for (const { image_width, image_height } of images) {
      expect(Number(image_width)).toBeGreaterThan(0);
      expect(Number(image_height)).toBeGreaterThan(0);
    }
    for (const { image_width, image_height } of others) {
      expect([image_width, image_height]).toEqual(["0", "0"]);
    }
  });

  test("has the kinds of names", () => {
    const names = files.map(({ name }) => name);
    expect(new Set(names).size).toBeLessThan(names.length);
    expect(names).toEqual(
      expect.arrayContaining(["README", "Makefile", ".htaccess", ".config.json", "backup.tar.gz"]),
    );
    for (const script of [
      /\p{Script=Cyrillic}/u,
      /\p{Script=Han}/u,
      /\p{Script=Arabic}/u,
      /\p{Extended_Pictographic}/u,
      /[\u{20000}-\u{2ffff}]/u,
      / /u,
    ]) {
      expect(names).toContainEqual(expect.stringMatching(script));
    }
    expect(files.filter(({ extension }) => extension === "").length).toBeGreaterThan(2);
  });

  test("has a File of zeros", () => {
    expect(files).toContainEqual(
      expect.objectContaining({ size: "0", creation_time: "0", last_modified_time: "0" }),
    );
  });
});

describe("batch.json", () => {
  test("is in wire form and complete", () => {
    expect(batch.lists.map((list) => list.contacts.length)).toEqual([17, 13]);
    const withoutFields = batch.lists.map((list) => [
      list.id,
      list.contacts.map((contact) =>
        Object.fromEntries(Object.entries(contact).filter(([name]) => name !== "fields")),
      ),
    ]);
    const result = service.getBatchContacts("1234");
    expect(result).toEqual(Object.fromEntries(withoutFields));
    expect(Object.keys(result["77"]?.[0] ?? {})).toHaveLength(24);
  });

  test("has two Lists of different List Fields", () => {
    expect(batch.lists.map(({ id }) => id)).toEqual(["77", "1042"]);
    const [first, second] = batch.lists.map(({ contacts: [contact] }) =>
      Object.keys(contact?.fields ?? {}),
    );
    expect(first).toEqual(["Email", "First Name", "Last Name"]);
    expect(second).toEqual(["Email", "First Name", "Last Name", "Age"]);
  });

  test("has every state", () => {
    expect(valuesOf("send_status")).toEqual(
      new Set(["pending", "completed", "failed", "split_sms"]),
    );
    expect(valuesOf("open_type")).toEqual(new Set(["not_opened", "html", "text", "sms"]));
  });

  test("has every kind of bounce", () => {
    const bounced = contacts.filter((each) => each.first_bounce_time !== "0");
    const kinds = bounced.map((each) =>
      [each.is_temporary_bounce, each.first_temporary_bounce_time, each.first_permanent_bounce_time]
        .map((value) => (value === "0" ? "no" : "yes"))
        .join(" "),
    );
    expect(new Set(kinds)).toEqual(new Set(["yes yes no", "no no yes", "no yes yes"]));
    for (const each of bounced) {
      expect(each.bounce_smtp_error_code).toMatch(/^[45]\d\d$/);
      expect(each.bounce_description).not.toBeNull();
    }
  });

  test("has an unsubscribe, a profile update, clicks, an open without a country", () => {
    const unsubscribed = contacts.find(({ unsubscribe_count }) => unsubscribe_count === "2");
    expect(unsubscribed?.unsubscribe_email).toBe(unsubscribed?.contact_email);
    expect(unsubscribed?.unsubscribe_id).toMatch(/^\d+$/);
    expect(Number(unsubscribed?.unsubscribe_time)).toBeGreaterThan(
      Number(unsubscribed?.first_unsubscribe_time),
    );
    expect(valuesOf("unsubscribe_id")).toContain(null);
    expect(contacts.some((each) => each.first_updated_profile_time !== "0")).toBe(true);
    expect(contacts.some((each) => each.links_clicked !== "0")).toBe(true);
    expect(contacts.some((each) => each.open_count !== "0" && each.open_country === null)).toBe(
      true,
    );
    for (const name of ["send_time", "first_open_time", "first_bounce_time"] as const) {
      expect(valuesOf(name)).toContain("0");
    }
  });

  test("has List Fields of many kinds", () => {
    expect(listValues).toContain(null);
    expect(contacts.map(({ fields }) => fields.Age)).toEqual(expect.arrayContaining([null, "0"]));
    for (const kind of [
      /\p{Script=Cyrillic}/u,
      /\p{Script=Devanagari}/u,
      /\p{Script=Han}/u,
      /\p{Script=Arabic}/u,
      /\p{Extended_Pictographic}/u,
      /[\u{20000}-\u{2ffff}]/u,
      /'/u,
      /,/u,
    ]) {
      expect(listValues).toContainEqual(expect.stringMatching(kind));
    }
  });

  test("has one Contact in both Lists, whose Email changed", () => {
    const twice = contacts.filter(
      ({ contact_id }) => contacts.filter((each) => each.contact_id === contact_id).length === 2,
    );
    expect(twice.map(({ contact_email, fields }) => fields.Email === contact_email)).toEqual([
      true,
      false,
    ]);
    expect(valuesOf("send_id").size).toBe(contacts.length);
  });
});
