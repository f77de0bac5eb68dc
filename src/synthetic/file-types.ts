// The types of Files, weighted by frequency.

import { Slots, type Weighted } from "./slots.ts";

export interface FileType {
  /** With its leading dot. */
  readonly extension: string;
  readonly mimeType: string;
  /** The median size in bytes, in log2. */
  readonly size: number;
  readonly isImage: boolean;
}

const type = (
  weight: number,
  extension: string,
  mimeType: string,
  size: number,
): Weighted<FileType> => [
  { extension, mimeType, size, isImage: mimeType.startsWith("image/") },
  weight,
];

export const fileTypes = new Slots<FileType>(4096, [
  type(30, ".jpg", "image/jpeg", 17.5),
  type(19, ".png", "image/png", 15.5),
  type(14, ".pdf", "application/pdf", 18),
  type(8, ".html", "text/html", 14),
  type(6, ".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", 15.5),
  type(5, ".gif", "image/gif", 14.5),
  type(4.5, ".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", 14.5),
  type(4, ".csv", "text/csv", 13.5),
  type(2.5, ".txt", "text/plain", 11),
  type(2, ".jpeg", "image/jpeg", 17.5),
  type(1.5, ".webp", "image/webp", 15),
  type(1, ".zip", "application/zip", 20),
  type(0.8, ".mp4", "video/mp4", 23.5),
  type(0.7, "", "application/octet-stream", 12),
  type(0.5, ".json", "application/json", 12),
  type(0.3, ".JPG", "image/jpeg", 21),
  type(0.2, ".ics", "text/calendar", 10),
]);
