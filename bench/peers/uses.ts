// How the queries use fields, and so what a peer should index.

export const USES = {
  /** Looked up by a value of one record. */
  unique: ["contact_email"],
  match: ["send_status", "open_type", "open_country"],
  contains: ["contact_email", "open_country"],
  sortInts: ["send_time", "last_open_time"],
  /** Their values are all distinct. */
  sortStrings: ["contact_email", "Email"],
} as const;
