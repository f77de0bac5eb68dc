// A service with additional members.

import type { Service } from "../index.ts";

/** A service that does what another one does, and more. */
export function extended<Own extends object>(service: Service, own: Own): Readonly<Service & Own> {
  return Object.freeze({
    ...service,
    get files() {
      return service.files;
    },
    get batches() {
      return service.batches;
    },
    ...own,
  });
}
