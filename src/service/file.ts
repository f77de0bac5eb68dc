// The File record type, field by field as the contract lists it (section 2.3; rules V4 to V6 and V9).

import { int, string } from "../schema/declare.ts";
import { isMembers } from "../schema/input.ts";
import type { InputOf, RecordOf } from "../schema/record-types.ts";
import type { AnyRecord } from "../schema/field-types.ts";
import { schemaOf } from "../schema/schema.ts";
import type { Criteria } from "../criteria/criteria.ts";

/** The record type of Files. */
export const File = schemaOf(
  {
    id: int({ unique: true }),
    folder_id: int(),
    basename: string(),
    extension: string(),
    size: int({ default: "0" }),
    creation_time: int({ default: "0" }),
    image_width: int({ default: "0" }),
    image_height: int({ default: "0" }),
    mime_type: string({ default: "" }),
    last_modified_time: int({ default: "0" }),
    last_modified_user_id: int({ default: "0" }),
    name: string(),
    url: string({ default: "" }),
  },
  {
    form: "contract",
    deriveFields: completeNames,
    derivedFields: ["basename", "extension", "name"],
  },
);

/** A File in wire form. */
export type FileRecord = RecordOf<typeof File>;

type CompleteFileInput = InputOf<typeof File>;

/** The input for a File. `name` may be omitted if `basename` and `extension` are given, and these if `name` is. */
export type FileInput = Omit<CompleteFileInput, "basename" | "extension" | "name"> &
  (
    | { readonly basename: string; readonly extension: string; readonly name?: string | undefined }
    | {
        readonly basename?: string | undefined;
        readonly extension?: string | undefined;
        readonly name: string;
      }
  );

/** Criteria on the fields of Files. */
export type FileCriteria = Criteria<typeof File>;

/**
 * Completes the three names of a File from each other (V6), and adds the leading dot to its extension. Returns any
 * other value unchanged, for the loader to report.
 */
export function completeNames(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const file: { name?: unknown; basename?: unknown; extension?: unknown } = { ...input };
  if (typeof file.name === "string") {
    const { basename, extension } = splitName(file.name);
    if (file.basename === undefined) file.basename = basename;
    if (file.extension === undefined) file.extension = extension;
  }
  file.extension = dotted(file.extension);
  if (
    file.name === undefined &&
    typeof file.basename === "string" &&
    typeof file.extension === "string"
  ) {
    file.name = file.basename + file.extension;
  }
  return file;
}

/**
 * Removes from a changed File the names that follow from the changed ones (V9); {@link completeNames} then fills them
 * in.
 */
export function reviseNames(input: unknown, before: AnyRecord): unknown {
  if (!isMembers(input)) return input;
  const { name, basename, extension, ...rest } = input;
  const isRenamed = name !== undefined && name !== before.name;
  const hasNewParts =
    (basename !== undefined && basename !== before.basename) ||
    (extension !== undefined && dotted(extension) !== before.extension);
  if (isRenamed === hasNewParts) return input;
  return isRenamed ? { ...rest, name } : { ...rest, basename, extension };
}

/** Splits a file name at its last dot; a leading dot belongs to the base name. */
export function splitName(name: string): { basename: string; extension: string } {
  const dot = name.lastIndexOf(".");
  return dot <= 0
    ? { basename: name, extension: "" }
    : { basename: name.slice(0, dot), extension: name.slice(dot) };
}

function dotted(extension: unknown): unknown {
  if (typeof extension !== "string" || extension === "") return extension;
  return extension.startsWith(".") ? extension : `.${extension}`;
}
