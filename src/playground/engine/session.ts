// The tasks of the worker, on the latest loaded data. Nothing here depends on running in a worker.

import {
  CriteriaError,
  readSchema,
  TercetError,
  writeSchema,
  type Collection,
  type IndexReport,
  type Schema,
} from "../../index.ts";
import { compileSql } from "../../sql/index.ts";
import { isOf, isOwn } from "../messages.ts";
import type { Asked, Change, Computed, CriteriaList, FacetCounts, Fault } from "../messages.ts";
import type { FieldInfo, Loaded, TaskName, Tasks } from "../messages.ts";
import { isScalar } from "../criteria-list.ts";
import { zonedFields } from "../times.ts";
import { Changes } from "./changes.ts";
import { Columns, type ColumnsOf } from "./columns.ts";
import { ComputedColumns } from "./computed.ts";
import { countsAfter, countsOf, shownOf, stepBetween, type Counts } from "./counts.ts";
import { facetsOf, zoomed } from "./facets.ts";
import { fieldsOf, rowsOf, withLatest } from "./fields.ts";
import { Finder } from "./find.ts";
import { groupBy } from "./group-by.ts";
import { pivotOf } from "./pivot.ts";
import { profileOf } from "./profile.ts";
import { Relations } from "./relations.ts";
import { save, saveAll } from "./save.ts";
import { MOST_SAVED, saveGroups, savePivot } from "./save-groups.ts";
import { scatterOf } from "./scatter.ts";
import { look, scan } from "./scan.ts";
import type { Hints } from "./hints.ts";
import { load, UnreadError, type Loading } from "./load.ts";
import type { Times } from "./types.ts";
import { Account, type Tell } from "./progress.ts";
import { warmUp } from "./warm-up.ts";

/** How many values are offered to complete one. */
const MOST_OFFERED = 8;

/** How long a step of building indexes takes, about: whoever types meanwhile waits for one. */
const IDLE_MILLISECONDS = 8;

/** A step of the warm-up takes longer than that: it is made once nobody has asked for so long, in milliseconds. */
const REST = 250;

/** After how long a search for rows tells those that it found so far. */
const LOOK_MILLISECONDS = 8;

/**
 * After how long the counting of charts lets another question in between: longer than the charts of one step of a brush
 * mostly take, since the page draws the rows that it is given between, and the charts later.
 */
const BREATH_MILLISECONDS = 30;

/** Resolves once the messages that have come were answered. A timer would take four milliseconds. */
function breath(): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener("message", resolve, { once: true });
    port1.start();
    port2.postMessage(0);
  }).finally(() => port1.close());
}

type Async<Task> = Task extends (...given: infer Given) => infer Result
  ? (...given: Given) => Result | Promise<Result>
  : never;

export class Session implements Readonly<{ [Name in keyof Tasks]: Async<Tasks[Name]> }> {
  readonly #tell: Tell;
  #loading: (Loading & { readonly changes: Changes }) | undefined;
  #fields: readonly FieldInfo[] = [];
  #zone = "";
  readonly #columns = new Columns();
  #warmUp: Iterator<unknown> | undefined;
  #relations: Relations | undefined;
  #computed: ComputedColumns | undefined;
  /** Those that are being computed, or were last. */
  #wanted: ComputedColumns | undefined;
  #finder: { readonly of: Collection; readonly finder: Finder } | undefined;
  /** What charts counted last: a step of a brush goes on from there. */
  #counted: {
    readonly of?: Collection;
    readonly criteria: CriteriaList;
    readonly counts: readonly Counts[];
  } = { criteria: [], counts: [] };

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  load = async (...[source, indexes, readAs]: Parameters<Tasks["load"]>): Promise<Loaded> => {
    // What was there before stays until this has not been refused.
    const account = new Account(this.#tell);
    // No query waits for an index: `idle` builds what would pay.
    const building = indexes === "auto" ? "deferred" : indexes;
    const loading = await load(source, building, readAs, account);
    const { data, hints, methods, times } = loading;
    const { collection } = data;
    this.#relations = this.#computed = this.#wanted = undefined;
    this.#loading = { ...loading, changes: new Changes(data, () => this.#collection) };
    const wanted = indexes === "none" ? [] : preparations(hints);
    for (const [done, preparation] of wanted.entries()) {
      const [[use, fields]] = Object.entries(preparation) as [[string, string[]]];
      const phase = `Indexing ${fields.join("")} to ${use}`;
      account.at("index", { phase, done, total: wanted.length });
      collection.prepare(preparation);
    }
    account.at("count", { phase: "Counting for the charts", done: 0, total: undefined });
    const [batch] = Object.values(methods?.service.batches ?? {});
    const fields = (this.#fields = fieldsOf(collection, hints, times));
    this.#zone = "";
    const facets = facetsOf(collection, hints, fields);
    this.#warmUp = warmUp(this, facets, fields);
    return {
      title: hints.title,
      kind: methods?.kind,
      size: collection.size,
      batchId: batch?.id,
      lists: batch?.lists ?? [],
      fields,
      facets,
      read: loading.read,
    };
  };

  relate = async (...[related]: Parameters<Tasks["relate"]>) => {
    const { data } = this.#loaded;
    const relations =
      related.length === 0 ? undefined : await Relations.of(data.collection, related);
    const missing = relations?.missing(data.collection) ?? [];
    this.#relations = relations;
    this.#computed = undefined;
    this.#fields = [...this.#fields.filter(isOwn), ...(relations?.fields ?? [])];
    return {
      fields: this.#fields,
      facets: this.#facets,
      missing,
    };
  };

  compute = async (...[wanted]: Parameters<Tasks["compute"]>) => {
    const computed = this.#computing(wanted);
    const rest = this.#fields.filter(({ computed: formula }) => formula === undefined);
    this.#wanted = computed;
    let start = performance.now();
    for (const done of computed.computing()) {
      if (performance.now() - start < BREATH_MILLISECONDS) continue;
      const total = wanted.length * this.#collection.size;
      this.#tell({ phase: "Computing", done, total, share: done / total });
      await breath();
      if (this.#wanted !== computed) throw new TercetError("something else is computed now");
      start = performance.now();
    }
    this.#computed = computed;
    this.#fields = withLatest([...rest, ...computed.fields], this.#collection);
    return { fields: this.#fields, facets: this.#facets, problems: computed.problems };
  };

  /** Columns of the table as it is without computed ones. Those that there are already keep their values. */
  #computing(wanted: readonly Computed[]): ComputedColumns {
    const fields = this.#fields.filter(({ computed }) => computed === undefined);
    return new ComputedColumns(this.#related, fields, wanted, this.#computed?.known);
  }

  tryComputed: Tasks["tryComputed"] = (all, name) => this.#computing(all).tried(name);

  rows: Tasks["rows"] = (asked, offset, limit, isHasty = false) => {
    const start = performance.now();
    const page = { ...asked, offset, limit, ...this.#selecting };
    const { found, isPartial } =
      isHasty && this.#isScan(asked, limit)
        ? look(this.#collection, asked.criteria, offset + limit, start + LOOK_MILLISECONDS)
        : { found: undefined, isPartial: false };
    const rows = rowsOf(this.#fields, found?.slice(offset) ?? this.#collection.query(page));
    const isOpen = rows.length === limit || (rows.length === 0 && offset > 0);
    return { offset, rows, isOpen, isPartial, milliseconds: performance.now() - start };
  };

  /** What queries select, if that is more than the fields of records. */
  get #selecting(): { readonly select?: readonly string[] } {
    if (this.#fields.every(isOwn)) return {};
    return { select: this.#fields.flatMap(({ name, stored }) => (stored ? [name] : [])) };
  }

  /**
   * Whether records are tested one by one, and no index would save that: those of the two methods, which are objects.
   * The texts of columns are searched many at a time.
   */
  #isScan({ criteria, sort }: Asked, limit: number): boolean {
    if (this.#loading?.methods === undefined || sort.length > 0) return false;
    const { access, filters } = this.#collection.explain({ criteria, limit });
    const isComplete = filters.every(({ missingIndexes }) => missingIndexes.length === 0);
    return access.path === "scan" && isComplete && filters.some(({ path }) => path !== "codes");
  }

  count: Tasks["count"] = (criteria) => {
    const start = performance.now();
    const matching = this.#collection.count(criteria);
    return { matching, milliseconds: performance.now() - start };
  };

  lists: Tasks["lists"] = ({ criteria, sort: [first] }, offset, limit) => {
    const { service } = this.#methods;
    const [batch] = Object.values(service.batches);
    if (batch === undefined) return { lists: [] };
    const found = service.getBatchContacts(batch.id, criteria, limit, offset, ...(first ?? []));
    return { lists: batch.lists.map((id) => ({ id, rows: found[id] ?? [] })) };
  };

  facets = async (...[criteria, facets, searches]: Parameters<Tasks["facets"]>) => {
    const collection = this.#collection;
    const { of, criteria: asked, counts: known } = this.#counted;
    const step = of === collection ? stepBetween(asked, criteria, facets) : undefined;
    const counts: Counts[] = [];
    const shown: FacetCounts[] = [];
    let start = performance.now();
    for (const facet of facets) {
      if (facet.kind === "search") continue;
      if (performance.now() - start > BREATH_MILLISECONDS) {
        await breath();
        start = performance.now();
      }
      const before = known.find((each) => isOf(each, facet));
      const counted =
        step === undefined || before === undefined
          ? countsOf(collection, criteria, facet)
          : countsAfter(step, before, collection, facet);
      counts.push(counted);
      shown.push(shownOf(counted, collection, criteria, facet, searches.get(facet.field)));
    }
    // A chart that is counted alone, such as by the warm-up, has none that follows it.
    if (facets.length > 1) this.#counted = { of: collection, criteria, counts };
    return shown;
  };

  zoned: Tasks["zoned"] = (zone) => {
    this.#zone = zone;
    return this.#facets;
  };

  get #facets() {
    const fields = zonedFields(this.#fields, this.#zone);
    return facetsOf(this.#collection, this.#loaded.hints, fields);
  }

  zoom: Tasks["zoom"] = (facet, from, end) => zoomed(this.#collection, facet, from, end);

  groups: Tasks["groups"] = (criteria, of, limit) =>
    groupBy(this.#collection, this.#columnsOf, criteria, of, this.#fields, limit);

  pivot: Tasks["pivot"] = (criteria, of, limits) =>
    pivotOf(this.#collection, this.#columnsOf, criteria, of, this.#fields, limits);

  saveGroups: Tasks["saveGroups"] = (criteria, of, format) =>
    of.then === undefined
      ? saveGroups(this.groups(criteria, of, Infinity), this.#fields, format)
      : savePivot(this.pivot(criteria, of, [Infinity, MOST_SAVED]), this.#fields, format);

  profile: Tasks["profile"] = (criteria, name) => {
    const field = this.#fields.find((each) => each.name === name);
    return field === undefined
      ? { field: name, isKnown: false }
      : profileOf(this.#columnsOf, criteria, field);
  };

  scatter: Tasks["scatter"] = (criteria, x, y) => scatterOf(this.#columnsOf, criteria, x, y);

  readonly #columnsOf: ColumnsOf = (fields, criteria) =>
    this.#columns.get(this.#collection, fields, criteria);

  summaries: Tasks["summaries"] = (criteria, fields) =>
    fields.map((field) => this.#collection.summary(field, criteria));

  plan: Tasks["plan"] = (asked, limit) =>
    this.#collection.explain({ ...(asked as object), limit }, { analyze: true });

  scan: Tasks["scan"] = (asked, limit) => {
    const start = performance.now();
    scan(this.#collection, asked, limit);
    return performance.now() - start;
  };

  change: Tasks["change"] = (change) => {
    const { changes } = this.#loaded;
    const changed = changes.run(this.#ownChange(change));
    const collection = this.#collection;
    const fields = (this.#fields = withLatest(this.#fields, collection));
    return { ...changed, size: collection.size, fields, facets: this.#facets };
  };

  /** The same change, whose row has only what the record holds. */
  #ownChange(change: Change): Change {
    if (!("place" in change)) return change;
    const { place } = change;
    const count = this.#fields.filter((field) => field.stored && isOwn(field)).length;
    return { ...change, place: { ...place, row: place.row.slice(0, count) } };
  }

  save: Tasks["save"] = (asked, format) => {
    const collection = this.#collection;
    const added = this.#fields.filter((field) => !isOwn(field));
    if (added.length === 0) return save(collection, asked, format, this.#loaded.times);
    const times: Times = new Map(
      this.#fields.flatMap(({ name, form }) => (form === undefined ? [] : [[name, form]])),
    );
    const schema = withOthers(collection.schema, added);
    return save(collection, { ...asked, ...this.#selecting }, format, times, schema);
  };

  saveAll: Tasks["saveAll"] = () => {
    const [batch] = Object.values(this.#loading?.methods?.service.batches ?? {});
    return saveAll(batch?.contacts ?? this.#loaded.data.collection);
  };

  found: Tasks["found"] = (asked, limit) => {
    const { criteria, sort } = asked;
    const { service, kind } = this.#loading?.methods ?? {};
    const [batch] = Object.values(service?.batches ?? {});
    const [first = []] = sort;
    const found =
      batch !== undefined
        ? service?.getBatchContacts(batch.id, criteria, limit, 0, ...first)
        : this.#collection.query({
            criteria,
            sort: kind === undefined ? sort : sort.slice(0, 1),
            limit,
          });
    return JSON.stringify(found, null, 2);
  };

  complete: Tasks["complete"] = (field, prefix) => {
    const criteria = prefix === "" ? null : [[field, "starts_with", prefix]];
    return this.#collection
      .countBy(field, criteria, { limit: MOST_OFFERED })
      .flatMap(({ value }) => (value === null || !isScalar(value) ? [] : String(value)));
  };

  plain: Tasks["plain"] = (asked) => asked;

  dispatch: Tasks["dispatch"] = (text) => this.#methods.service.dispatchJson(text);

  sql: Tasks["sql"] = (asked, limit, dialect, table) => {
    const { schema } = this.#collection;
    const query = { ...asked, limit };
    const { text, parameters } = compileSql(schema, query, {
      dialect,
      table: tableOf(schema, table),
    });
    const others = this.#fields.flatMap(({ name, from, computed }) => {
      const what = from === undefined ? computed?.expression : `of ${from}`;
      return what !== undefined && text.includes(name) ? [[name, what] as const] : [];
    });
    return { text, parameters, needs: [...neededIn(schema, text), ...others] };
  };

  /** Runs a task, whose criteria may have what only the page has. @throws CriteriaError */
  run(task: TaskName, parameters: readonly unknown[]): unknown {
    // The page's side checks which parameters each task has.
    const given = task === "load" ? parameters : parameters.map((each) => this.#plain(each));
    return Reflect.apply(this[task], this, given);
  }

  #plain(given: unknown): unknown {
    // The two methods have no groups, and neither do their criteria.
    if (this.#loaded.methods !== undefined) return given;
    const collection = this.#collection;
    if (this.#finder?.of !== collection) {
      this.#finder = { of: collection, finder: new Finder(collection, this.#fields) };
    }
    return this.#finder.finder.plain(given);
  }

  /**
   * Makes a step of what nobody waits for: of the indexes that are due, then of the warm-up.
   *
   * @param rest for how long nobody has asked for anything, in milliseconds
   * @returns in how many milliseconds the next step may be made; `undefined` if there is none
   */
  idle(rest: number): number | undefined {
    if (this.#loading === undefined) return undefined;
    if (this.#loading.data.collection.buildDue({ milliseconds: IDLE_MILLISECONDS }).due > 0)
      return 0;
    if (this.#warmUp === undefined) return undefined;
    if (rest < REST) return REST - rest;
    if (this.#warmUp.next().done === true) this.#warmUp = undefined;
    return 0;
  }

  /** The indexes that there are. */
  indexes(): IndexReport[] {
    return this.#loading === undefined ? [] : this.#loading.data.collection.indexes();
  }

  get #loaded() {
    if (this.#loading === undefined) throw new TercetError("nothing is loaded yet");
    return this.#loading;
  }

  /** As it is asked: with the fields of others, and those that are computed. */
  get #collection(): Collection {
    return this.#computed?.joined(this.#related) ?? this.#related;
  }

  /** With the fields of others. */
  get #related(): Collection {
    const { collection } = this.#loaded.data;
    return this.#relations?.joined(collection) ?? collection;
  }

  get #methods(): NonNullable<Loading["methods"]> {
    const methods = this.#loading?.methods;
    if (methods === undefined) throw new TercetError("only Files and Contacts answer requests");
    return methods;
  }
}

/** A schema in which records hold fields that others have, or that are computed. */
function withOthers(schema: Schema, added: readonly FieldInfo[]): Schema {
  const { fields, order } = writeSchema(schema);
  const others: Record<string, object> = Object.fromEntries(
    added.map(({ name }) => {
      return [name, { ...fields[name], isComputed: false, nullable: true, unique: false }];
    }),
  );
  return readSchema({ fields: { ...fields, ...others }, order });
}

/** The columns that a statement has besides those of the fields. */
function neededIn({ fields, places }: Schema, text: string): (readonly [string, string])[] {
  const folded = places.map(({ name }) => [`${name}_folded`, `${name} as it is compared`] as const);
  const position = ["position", "the number of the record in the file, from 0"] as const;
  return [position, ...folded].filter(
    ([column]) =>
      !Object.hasOwn(fields, column) &&
      [`"${column}"`, `\`${column}\``].some((name) => text.includes(name)),
  );
}

/** A table whose columns are called as the fields. Of those that ignore case or accents, one more has the folded values. */
function tableOf({ fields }: Schema, name: string) {
  return {
    name,
    columns: Object.fromEntries(
      Object.entries(fields).map(([field, { ignoreCase, ignoreAccents }]) => [
        field,
        ignoreCase || ignoreAccents ? { column: field, folded: `${field}_folded` } : field,
      ]),
    ),
  };
}

/** What is indexed while the data are loaded: what charts count, and texts that are searched. */
function preparations({ facets = {} }: Hints): object[] {
  return Object.entries(facets).flatMap(([field, kind]) => [
    { match: [field] },
    ...(kind === "search" ? [{ contains: [field] }] : []),
  ]);
}

/** What went wrong, for the author of the criteria. */
export function faultOf(thrown: unknown): Fault {
  if (thrown instanceof CriteriaError) return { position: thrown.position, reason: thrown.reason };
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { position: null, reason, text: thrown instanceof UnreadError ? thrown.text : undefined };
}
