// The tasks of the worker, on the data that were loaded last. Nothing here knows that it is in a worker.

import {
  CriteriaError,
  TercetError,
  type Collection,
  type IndexReport,
  type Schema,
  type ValueCount,
  type WireValue,
} from "../../index.ts";
import { compileSql } from "../../sql/index.ts";
import { withoutFacet, type CriteriaList } from "../criteria-list.ts";
import type { Asked, Fault, Facet, FacetCounts, Loaded, Row, Tasks } from "../messages.ts";
import { facetFields, facetsOf } from "./facets.ts";
import { load, type Loading, type Tell } from "./load.ts";

/** How many values are offered to complete one. */
const MOST_OFFERED = 8;

type Async<Task> = Task extends (...given: infer Given) => infer Result
  ? (...given: Given) => Result | Promise<Result>
  : never;

export class Session implements Readonly<{ [Name in keyof Tasks]: Async<Tasks[Name]> }> {
  readonly #tell: Tell;
  #loading: Loading | undefined;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  load = async (...[source, indexes]: Parameters<Tasks["load"]>): Promise<Loaded> => {
    // What was there before is garbage while the next is read.
    this.#loading = undefined;
    const start = performance.now();
    const loading = await load(source, indexes, this.#tell);
    this.#loading = loading;
    const { kind, service } = loading;
    const collection = this.#collection;
    const wanted = indexes === "none" ? [] : preparations(kind);
    for (const [done, preparation] of wanted.entries()) {
      const [[use, fields]] = Object.entries(preparation) as [[string, string[]]];
      this.#tell({ phase: `Indexing ${fields.join("")} to ${use}`, done, total: wanted.length });
      collection.prepare(preparation);
    }
    this.#tell({ phase: "Counting for the charts", done: 0, total: undefined });
    const [batch] = Object.values(service.batches);
    return {
      kind,
      size: collection.size,
      batchId: batch?.id,
      lists: batch?.lists ?? [],
      fields: Object.entries(collection.schema.fields).map(([name, field]) => ({
        name,
        type: field.type,
        searchable: field.searchable,
        nullable: field.nullable,
      })),
      facets: facetsOf(collection, kind),
      milliseconds: performance.now() - start,
    };
  };

  answer: Tasks["answer"] = (asked, offset, limit) => {
    const start = performance.now();
    const matching = this.#collection.count(asked.criteria as never);
    const rows = this.#page(asked, offset, limit);
    return { matching, offset, rows, milliseconds: performance.now() - start };
  };

  lists: Tasks["lists"] = ({ criteria, sortBy, sortOrder }, offset, limit) => {
    const { service } = this.#loaded;
    const [batch] = Object.values(service.batches);
    if (batch === undefined) return { lists: [] };
    const found = service.getBatchContacts(
      batch.id,
      criteria as never,
      limit,
      offset,
      sortBy,
      sortOrder,
    );
    return { lists: batch.lists.map((id) => ({ id, rows: found[id] ?? [] })) };
  };

  facets: Tasks["facets"] = (criteria, facets) =>
    facets.map((facet) => this.#count(facet, withoutFacet(criteria, facet.field)));

  plan: Tasks["plan"] = (asked, limit) =>
    this.#collection.explain({ ...(asked as object), limit }, { analyze: true });

  complete: Tasks["complete"] = (field, prefix) => {
    const criteria = prefix === "" ? null : [[field, "starts_with", prefix]];
    return this.#collection
      .countBy(field, criteria as never, { limit: MOST_OFFERED })
      .flatMap(({ value }) => (typeof value === "string" ? value : []));
  };

  dispatch: Tasks["dispatch"] = (text) => this.#loaded.service.dispatchJson(text);

  sql: Tasks["sql"] = (asked, limit, dialect) => {
    const { schema } = this.#collection;
    const table = this.#loaded.kind;
    const query = { ...asked, limit } as never;
    const { text, parameters } = compileSql(schema, query, {
      dialect,
      table: tableOf(schema, table),
    });
    return { text, parameters };
  };

  /** The indexes that there are. */
  indexes(): IndexReport[] {
    return this.#loading === undefined ? [] : this.#collection.indexes();
  }

  #page({ criteria, sortBy, sortOrder }: Asked, offset: number, limit: number): Row[] {
    const page = { criteria, sortBy, sortOrder, offset, limit } as never;
    return this.#collection.query(page) as unknown[] as Row[];
  }

  #count(facet: Facet, criteria: CriteriaList | null): FacetCounts {
    const { field } = facet;
    if ("values" in facet) {
      // Files and Contacts hold texts.
      const counts = this.#collection.countBy(field, criteria as never) as ValueCount<WireValue>[];
      return { field, values: counts.filter(({ value }) => facet.values.includes(value)) };
    }
    const { from, to, bins } = facet;
    const options = { bins, from, to, criteria } as never;
    return { field, histogram: this.#collection.histogram(field, options) };
  }

  get #loaded(): Loading {
    if (this.#loading === undefined) throw new TercetError("nothing is loaded yet");
    return this.#loading;
  }

  /** The Contacts or the Files. Their fields and criteria are known at run time alone. */
  get #collection(): Collection {
    const { kind, service } = this.#loaded;
    const [batch] = Object.values(service.batches);
    const collection: unknown = kind === "contacts" ? batch?.contacts : service.files;
    return collection as Collection;
  }
}

/** A table whose columns are called as the fields. */
function tableOf({ fields }: Schema, name: string) {
  return {
    name,
    columns: Object.fromEntries(Object.keys(fields).map((field) => [field, field])),
  };
}

/** What is indexed while the data are loaded: what charts count, and texts that are typed. */
function preparations(kind: Loading["kind"]): object[] {
  const text = kind === "contacts" ? "contact_email" : "name";
  return [
    ...facetFields(kind).map((field) => ({ match: [field] })),
    { match: [text] },
    { contains: [text] },
  ];
}

/** What went wrong, for whoever wrote the criteria. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof CriteriaError) return { position: thrown.position, reason: thrown.reason };
  return { position: null, reason: thrown instanceof Error ? thrown.message : String(thrown) };
}
