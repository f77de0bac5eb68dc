// What the queries do with fields, and so what a peer should index.

export const USES = {
  /** Looked up by a value that one record has. */
  unique: ["contact_email"],
  match: ["send_status", "open_type"],
  contains: ["contact_email", "open_country"],
  sortInts: ["send_time", "last_open_time"],
  /** Each value of these is there once. */
  sortStrings: ["contact_email", "Email"],
} as const;
