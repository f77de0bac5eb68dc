// Services with one mistake each, and the law that each mistake breaks.
//
// Most are a plain model of the operations in which one step is done wrong. The model has no
// dispatch; mistakes of the envelope, and of what is kept and shared, are made around createService.

import fc from "fast-check";
import {
  createService,
  File,
  ServiceError,
  type BatchContacts,
  type CountByOptions,
  type FileRecord,
  type Files,
  type HistogramOptions,
  type EnvelopeRequest,
  type Response,
  type Service,
  type ValueCount,
  type WireValue,
} from "../../src/index.ts";
import type { CheckedData, CheckedService } from "../../src/testing/index.ts";
import { loadBatch, loadFiles, type Row, type Table } from "../../src/testing/reference-data.ts";
import { compareWire, OPERATORS } from "../../src/testing/reference-page.ts";

type Scalar = string | number | null;
type Criterion = readonly [field: string, operator: string, value: Scalar | readonly Scalar[]];
type Criteria = readonly (Criterion | "OR")[];

interface Sorting {
  readonly field: string;
  readonly isInt: boolean;
  readonly isDescending: boolean;
}

/** What a query does, step by step. */
interface Steps {
  readonly holds: (value: WireValue, operator: string, operand: Criterion[2]) => boolean;
  readonly selects: (row: Row, criteria: Criteria, steps: Steps) => boolean;
  readonly compare: (a: WireValue, b: WireValue, isInt: boolean) => number;
  readonly isDescending: (sortOrder: unknown) => boolean;
  readonly sort: (rows: readonly Row[], sorting: Sorting, steps: Steps) => Row[];
  readonly page: (rows: readonly Row[], limit: number, offset: number) => readonly Row[];
  readonly arrange: (
    rows: readonly Row[],
    sort: (rows: readonly Row[]) => readonly Row[],
    page: (rows: readonly Row[]) => readonly Row[],
  ) => readonly Row[];
  readonly count: (given: unknown, otherwise: number) => number;
  readonly group: (rows: readonly Row[], lists: readonly string[]) => Record<string, unknown>;
}

const text = (value: Criterion[2]): WireValue => (value === null ? null : String(value));

const keyOf = ({ values }: Row, { field }: Sorting): WireValue => values.get(field) ?? null;

const steps: Steps = {
  holds: (value, operator, operand) => OPERATORS.get(operator)?.(operand)?.(value) === true,
  selects({ values }, criteria, { holds }) {
    const groups: Criterion[][] = [[]];
    for (const each of criteria) {
      if (each === "OR") groups.push([]);
      else groups.at(-1)?.push(each);
    }
    return groups.some((group) =>
      group.every(([field, operator, operand]) =>
        holds(values.get(field) ?? null, operator, operand),
      ),
    );
  },
  compare: (a, b, isInt) => compareWire(a, b, isInt ? "int" : "string"),
  isDescending: (sortOrder) => sortOrder !== "ASC",
  sort(rows, sorting, { compare }) {
    const sign = sorting.isDescending ? -1 : 1;
    return rows.toSorted(
      (a, b) => sign * compare(keyOf(a, sorting), keyOf(b, sorting), sorting.isInt),
    );
  },
  page: (rows, limit, offset) => rows.slice(offset, offset + limit),
  arrange: (rows, sort, page) => page(sort(rows)),
  count: (given, otherwise) =>
    given === undefined || given === null || given === "" ? otherwise : Number(given),
  group: (rows, lists) =>
    Object.fromEntries(
      lists.map((id) => [id, rows.filter(({ list }) => list === id).map(({ record }) => record)]),
    ),
};

/** The row with its record made of all values in their order and all names in that of an object. */
function matchedByPlace(row: Row): Row {
  const names = Object.keys(Object.fromEntries(row.values));
  const values = [...row.values.values()];
  const placed = new Map(names.map((name, place) => [name, values[place] ?? null]));
  const record = Object.keys(row.record).map((name) => [name, placed.get(name) ?? null] as const);
  return { ...row, record: Object.freeze(Object.fromEntries(record)) };
}

/** The model of a service, with some of its steps replaced. */
function model(mistake: Partial<Steps>): (data: CheckedData) => CheckedService {
  const taken = { ...steps, ...mistake };
  return (data) => {
    const strict = createService(data);
    const files = loadFiles(data.files);
    const batches = new Map(
      data.batches.map(({ id, lists }) => [String(id), loadBatch(lists, "")]),
    );

    function query(
      { rows, fields }: Table,
      [criteria, ...page]: readonly unknown[],
    ): readonly Row[] {
      const [limit, offset, sortBy, sortOrder] = page;
      const list = (criteria ?? []) as Criteria;
      const selected = rows.filter((row) => list.length === 0 || taken.selects(row, list, taken));
      const field = typeof sortBy === "string" ? sortBy : "";
      const isInt = fields.get(field)?.type === "int";
      const sorting = { field, isInt, isDescending: taken.isDescending(sortOrder) };
      return taken.arrange(
        selected,
        (some) => (field === "" ? some : taken.sort(some, sorting, taken)),
        (some) => taken.page(some, taken.count(limit, Infinity), taken.count(offset, 0)),
      );
    }

    return {
      searchFiles(...parameters) {
        strict.searchFiles(...parameters); // refuses what is not valid
        return query(files, parameters).map(({ record }) => record);
      },
      getBatchContacts(...parameters) {
        strict.getBatchContacts(...(parameters as unknown as [number]));
        const [id, ...page]: readonly unknown[] = parameters;
        const table = batches.get(String(id));
        return table === undefined ? {} : taken.group(query(table, page), table.lists);
      },
    };
  };
}

/** A service whose steps are all right: what the mistakes are made in. */
export const unbroken = model({});

type FilePage = Parameters<Service["searchFiles"]>;
type ContactPage = Parameters<Service["getBatchContacts"]>;

/** What is replaced of a service, as functions that need no `this`. */
interface Methods<File = unknown, Contacts = unknown, Answer = unknown> {
  readonly searchFiles: (...page: FilePage) => File;
  readonly getBatchContacts: (...page: ContactPage) => Contacts;
  readonly dispatch: (request: EnvelopeRequest) => Answer;
  readonly dispatchJson: (json: string) => unknown;
  readonly update: (recipe: Parameters<Service["update"]>[0]) => unknown;
  readonly files: unknown;
}

/** createService with some of its methods replaced. */
const around =
  (
    replace: (
      service: Methods<FileRecord[], BatchContacts, Response> & Pick<Service, "files">,
      data: CheckedData,
    ) => Partial<Methods>,
  ) =>
  (data: CheckedData): CheckedService => {
    const service = createService(data);
    return { ...service, ...replace(service, data) };
  };

interface Loose {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** A key for a page's parameters, under which no two that differ are the same. */
const keyOfPage = (page: readonly unknown[]) => fc.stringify(page);

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export interface BrokenService {
  readonly mistake: string;
  /** The name of the law that catches it. */
  readonly law: string;
  /** The rule that it breaks, where that law follows from several. */
  readonly rule?: string;
  readonly make: (data: CheckedData) => CheckedService;
}

const { holds } = steps;

/** What an operator compares, once both its sides are spelt in another way. */
type Comparison = (operator: string, value: string, operand: string) => boolean;

const compared: Comparison = (operator, value, operand) => holds(value, operator, operand);

const folded =
  (fold: (text: string) => string): Comparison =>
  (operator, value, operand) =>
    compared(operator, fold(value), fold(operand));

/** As SQL's LIKE has it: `%` is any text, `_` any character, `\\` takes the next one as it is. */
const like: Comparison = (operator, value, operand) => {
  const before = operator === "contains" || operator === "ends_with" ? "%" : "";
  const after = operator === "contains" || operator === "starts_with" ? "%" : "";
  const source = `${before}${operand}${after}`.replace(
    /\\(.)|[\s\S]/gu,
    (each, escaped: string | undefined) =>
      each === "%" ? "[^]*" : each === "_" ? "[^]" : (escaped ?? each).replace(/\W/gu, quoted),
  );
  return new RegExp(`^(?:${source})$`, "u").test(value);
};

const quoted = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** A service in which one operator compares texts by other means. */
const spelt = (operator: string, comparison: Comparison) =>
  model({
    holds(value, asked, operand) {
      if (asked !== operator || value === null) return holds(value, asked, operand);
      const members = typeof operand === "string" && asked === "in" ? operand.split(",") : operand;
      const each = Array.isArray(members) ? members : [members];
      const by = asked === "in" ? "exactly" : asked;
      return each.some((one: Scalar) => one !== null && comparison(by, value, String(one)));
    },
  });

/** A service that orders texts once they are spelt in another way. */
const orderedBy = (fold: (text: string) => string) =>
  model({
    compare: (a, b, isInt) =>
      a === null || b === null || isInt
        ? steps.compare(a, b, isInt)
        : steps.compare(fold(a), fold(b), false),
  });

const CASE = "a letter in another case is another letter";
const COMPOSED = "a character is another one than the characters that it is composed of";
const SPACE = "a space is a character, also before and after others";
const PATTERN = "no character of a value stands for others";

const withoutMarks = (text: string) => text.normalize("NFD").replace(/\p{Mark}/gu, "");
const inAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The ways in which collations, normalisations and patterns take texts for the same. */
const SPELLINGS: readonly (readonly [how: string, law: string, fold: (text: string) => string])[] =
  [
    ["ignores case", CASE, (text) => text.toLowerCase()],
    ["ignores the case of ASCII letters", CASE, inAscii],
    ["normalises", COMPOSED, (text) => text.normalize()],
    ["ignores accents", COMPOSED, withoutMarks],
    ["trims", SPACE, (text) => text.trim()],
    ["ignores spaces at the end", SPACE, (text) => text.replace(/ +$/, "")],
  ];

const TEXT_OPERATORS = ["exactly", "contains", "starts_with", "ends_with", "in"];

const spellingMistakes: readonly BrokenService[] = [
  ...SPELLINGS.flatMap(([how, law, fold]) => [
    ...TEXT_OPERATORS.map((operator) => ({
      rule: "C7",
      mistake: `${operator} ${how}`,
      law,
      make: spelt(operator, folded(fold)),
    })),
    { rule: "P3", mistake: `sorting ${how}`, law, make: orderedBy(fold) },
  ]),
  ...TEXT_OPERATORS.map((operator) => ({
    rule: "C7",
    mistake: `${operator} takes its value for a pattern`,
    law: PATTERN,
    make: spelt(operator, like),
  })),
  {
    rule: "C7",
    mistake: "exactly trims its value, and no field",
    law: SPACE,
    make: spelt("exactly", (operator, value, operand) => compared(operator, value, operand.trim())),
  },
  {
    rule: "C7",
    mistake: "contains takes * and ? of its value for others",
    law: PATTERN,
    make: spelt("contains", (operator, value, operand) =>
      like(
        operator,
        value,
        operand
          .replace(/[%_\\]/g, "\\$&")
          .replace(/\*/g, "%")
          .replace(/\?/g, "_"),
      ),
    ),
  },
];

const LOADED = "data that is not valid is refused";
const THERE = "every record that was given is there, in wire form and in the order given";
const REFUSED = "criteria that are not valid are error 311";
const PAGE = "page parameters that are not valid are error 310";
const CHECKS = "of several failures the first in the order of checks is the answer";

type Members = Readonly<Record<string, unknown>>;

/** createService of data in which each record was changed, which makes some data valid that is not. */
const loading = (change: (record: Members) => Members) => (data: CheckedData) =>
  createService({
    files: data.files.map((file) => change({ ...file }) as typeof file),
    batches: data.batches.map(({ id, lists }) => ({
      id,
      lists: lists.map((list) => ({
        ...list,
        contacts: list.contacts.map((contact) => change({ ...contact }) as typeof contact),
      })),
    })),
  });

/** Changes values of some fields. */
const each =
  (names: readonly string[], change: (value: unknown) => unknown) =>
  (record: Members): Members =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [
        name,
        names.includes(name) ? change(value) : value,
      ]),
    );

/** A service whose Files are returned with other values. */
const returning = (change: (record: Members) => Members) =>
  around(({ searchFiles, getBatchContacts }) => ({
    searchFiles: (...page) => searchFiles(...page).map((file) => Object.freeze(change(file))),
    getBatchContacts: (...page) =>
      Object.fromEntries(
        Object.entries(getBatchContacts(...page)).map(([id, contacts]) => [
          id,
          contacts.map((contact) => Object.freeze(change(contact))),
        ]),
      ),
  }));

/** A service that is given other parameters than the caller's. */
const given = (change: (page: readonly unknown[]) => readonly unknown[]) =>
  around(({ searchFiles }) => ({
    searchFiles: (...page) => searchFiles(...(change(page) as unknown as typeof page)),
  }));

/** A service that is sent other requests than the caller's. */
const sent = (change: (request: Loose & object, params: readonly unknown[]) => object) =>
  around(({ dispatch }) => ({
    dispatch(request) {
      const { params }: Loose = Object(request) as Loose;
      if (!Array.isArray(params)) return dispatch(request);
      return dispatch(change(Object(request) as object, params));
    },
  }));

const deeply = (value: unknown, change: (text: string) => string): unknown =>
  typeof value === "string"
    ? change(value)
    : Array.isArray(value)
      ? value.map((each) => deeply(each, change))
      : value;

/** For each rule that has too few among the others. */
const ruleMistakes: readonly (BrokenService & { readonly rule: string })[] = [
  {
    rule: "V1",
    mistake: "null is returned as an empty text",
    law: THERE,
    make: returning((record) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value ?? ""])),
    ),
  },
  {
    rule: "V2",
    mistake: "integers are kept in 32 bits",
    law: THERE,
    make: returning(
      each(["size", "folder_id", "open_count"], (value) => String(Number(value) | 0)),
    ),
  },
  {
    rule: "V2",
    mistake: "an integer as text may be written in any way",
    law: LOADED,
    make: loading(
      each(["id", "folder_id", "size", "open_count"], (value) =>
        typeof value === "string" ? Number(value) : value,
      ),
    ),
  },
  {
    rule: "V3",
    mistake: "half a character in the data is replaced",
    law: LOADED,
    make: loading((record) =>
      Object.fromEntries(
        Object.entries(record).map(([name, value]) => [
          name,
          typeof value === "string" ? value.toWellFormed() : value,
        ]),
      ),
    ),
  },
  {
    rule: "V3",
    mistake: "half a character in the data is left out",
    law: LOADED,
    make: loading(
      each(["name", "url", "mime_type", "contact_email"], (value) =>
        typeof value === "string" ? value.toWellFormed().replaceAll("\ufffd", "") : value,
      ),
    ),
  },
  {
    rule: "V4",
    mistake: "the folder of a File is a text, and ordered as one",
    law: "sorting orders: null first, integers by number, text by code point",
    make: model({
      sort: (rows, sorting, all) =>
        steps.sort(
          rows,
          { ...sorting, isInt: sorting.isInt && sorting.field !== "folder_id" },
          all,
        ),
    }),
  },
  {
    rule: "V4",
    mistake: "sizes and counts are texts, and compared as such",
    law: "an integer is less than another, greater than it, or exactly it",
    make: model({
      holds: (value, operator, operand) =>
        operator === "greater_than"
          ? value !== null && value > String(operand)
          : operator === "less_than"
            ? value !== null && value < String(operand)
            : holds(value, operator, operand),
    }),
  },
  {
    rule: "V5",
    mistake: "null is taken for left out, where a value is needed",
    law: LOADED,
    make: loading((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
    ),
  },
  {
    rule: "V5",
    mistake: "an address that was left out is empty, not null",
    law: THERE,
    make: returning(each(["unsubscribe_email"], (value) => value ?? "")),
  },
  {
    rule: "V6",
    mistake: "a count that was left out is null",
    law: THERE,
    make: returning(each(["size", "open_count"], (value) => (value === "0" ? null : value))),
  },
  {
    rule: "V6",
    mistake: "an extension is kept without its dot",
    law: THERE,
    make: returning(each(["extension"], (value) => String(value).replace(/^\./, ""))),
  },
  {
    rule: "V7",
    mistake: "a status may be written in any case",
    law: LOADED,
    make: loading(
      each(["send_status", "open_type"], (value) =>
        typeof value === "string" ? value.toLowerCase() : value,
      ),
    ),
  },
  {
    rule: "V7",
    mistake: "a way of opening that is unknown is none",
    law: LOADED,
    make: loading(
      each(["open_type"], (value) =>
        ["html", "text", "sms", undefined, null].includes(value as string) ? value : "not_opened",
      ),
    ),
  },
  {
    rule: "V8",
    mistake: "fields that there are not are left out",
    law: LOADED,
    make: loading((record) =>
      Object.fromEntries(
        Object.entries(record).filter(
          ([name]) => !["colour", "Size", "toString", "__proto__"].includes(name),
        ),
      ),
    ),
  },
  {
    rule: "V8",
    mistake: "of two Files with one id the last one is kept",
    law: LOADED,
    make: (data) =>
      createService({
        ...data,
        files: [...new Map(data.files.map((file) => [String(file.id), file])).values()],
      }),
  },
  {
    rule: "V9",
    mistake: "a File keeps its basename when its name is changed",
    law: "the names of a File follow the one that is changed",
    make: around((service) => {
      const known = new Map(service.searchFiles().map(({ id, basename }) => [id, basename]));
      return {
        searchFiles: (...page) =>
          service
            .searchFiles(...page)
            .map((file) =>
              Object.freeze({ ...file, basename: known.get(file.id) ?? file.basename }),
            ),
      };
    }),
  },
  {
    rule: "C1",
    mistake: "an empty list of criteria selects nothing",
    law: "no criteria select every record",
    make: around(({ searchFiles }) => ({
      searchFiles: (...page) => (lengthOf(page[0]) === 0 ? [] : searchFiles(...page)),
    })),
  },
  {
    rule: "C5",
    mistake: "a number is no value for a text",
    law: "a number compares as its text",
    make: model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) &&
        !(operator === "contains" && typeof operand === "number"),
    }),
  },
  {
    rule: "C8",
    mistake: "a criterion may have more than three elements",
    law: REFUSED,
    make: given(([criteria, ...page]) => [
      Array.isArray(criteria)
        ? criteria.map((each: unknown) => (Array.isArray(each) ? each.slice(0, 3) : each))
        : criteria,
      ...page,
    ]),
  },
  {
    rule: "C9",
    mistake: "a List Field that the first List lacks can't be searched",
    law: "a query selects exactly the records that its predicate accepts",
    make: around(({ getBatchContacts }, { batches }) => ({
      getBatchContacts(id, criteria, ...page) {
        const [first, ...others] =
          batches.find((batch) => String(batch.id) === String(id))?.lists ?? [];
        const namesOf = (list: typeof first): string[] => {
          const fields: object = list?.fields ?? {};
          return Array.isArray(fields) ? fields.map(String) : Object.keys(fields);
        };
        const missing = others.flatMap(namesOf).filter((name) => !namesOf(first).includes(name));
        const asked: readonly unknown[] = Array.isArray(criteria) ? criteria : [];
        if (asked.some((each) => Array.isArray(each) && missing.includes(String(each[0])))) {
          throw new ServiceError(311, "there is no such field");
        }
        return getBatchContacts(id, criteria, ...page);
      },
    })),
  },
  {
    rule: "C10",
    mistake: "criteria beyond the thousandth are left out",
    law: "a thousand criteria are allowed, and no more",
    make: given(([criteria, ...page]) => [
      Array.isArray(criteria) ? criteria.slice(0, 1000) : criteria,
      ...page,
    ]),
  },
  {
    rule: "C10",
    mistake: "a thousand criteria are one too many",
    law: "a thousand criteria are allowed, and no more",
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        if ((lengthOf(page[0]) ?? 0) >= 1000) throw new ServiceError(311, "there are too many");
        return searchFiles(...page);
      },
    })),
  },
  {
    rule: "C11",
    mistake: "criteria are taken out of their list as they are read",
    law: "a query changes nothing that is passed in, and keeps nothing of it",
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        const result = searchFiles(...page);
        const criteria: unknown = page[0];
        if (Array.isArray(criteria)) criteria.length = 0;
        return result;
      },
    })),
  },
  {
    rule: "C13",
    mistake: "half a character in a criterion is replaced",
    law: "half a character in the value of a criterion is error 311",
    make: given(([criteria, ...page]) => [
      deeply(criteria, (text) => text.toWellFormed()),
      ...page,
    ]),
  },
  {
    rule: "P1",
    mistake: "limit is taken before offset",
    law: "pages of any size partition the whole",
    make: model({ page: (rows, limit, offset) => rows.slice(0, limit).slice(offset) }),
  },
  {
    rule: "P2",
    mistake: "without sort_by the order is that of the ids",
    law: "without sort_by there is insertion order, whatever sort_order is",
    make: around(({ searchFiles }) => ({
      searchFiles: (criteria, limit, offset, sortBy, sortOrder) =>
        criteria !== undefined && (sortBy ?? "") === ""
          ? searchFiles(criteria, limit, offset, "id", "ASC")
          : searchFiles(criteria, limit, offset, sortBy, sortOrder),
    })),
  },
  {
    rule: "P6",
    mistake: "a field to sort by that there is not is none",
    law: PAGE,
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        const [criteria, limit, offset, sortBy, sortOrder] = page;
        const isField = typeof sortBy !== "string" || Object.hasOwn(File.fields, sortBy);
        return searchFiles(criteria, limit, offset, isField ? sortBy : "", sortOrder);
      },
    })),
  },
  {
    rule: "P8",
    mistake: "a Contact has no field where its value is null",
    law: "records are plain, and have the contract's fields in wire form",
    make: returning((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
    ),
  },
  {
    rule: "E2",
    mistake: "a failure has no reason beside its code",
    law: "a response has the request's id, and a result or an error",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response = dispatch(request);
        const { id, error } = response;
        if (error === null) return response;
        return { id, result: null, error: { code: error.code, message: error.message } };
      },
    })),
  },
  {
    rule: "E2",
    mistake: "a result comes without a word of errors",
    law: "a response has the request's id, and a result or an error",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response = dispatch(request);
        return response.error === null ? { id: response.id, result: response.result } : response;
      },
    })),
  },
  {
    rule: "E5",
    mistake: "an error has a name of its own",
    law: "a response has the request's id, and a result or an error",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response = dispatch(request);
        const { id, error } = response;
        if (error === null) return response;
        return { id, result: null, error: { ...error, message: "Invalid Request" } };
      },
    })),
  },
  {
    rule: "E11",
    mistake: "to sort by a name that every object has is to sort by nothing",
    law: PAGE,
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        const [criteria, limit, offset, sortBy, sortOrder] = page;
        const isKnown = typeof sortBy === "string" && sortBy in File.fields;
        return searchFiles(criteria, limit, offset, isKnown ? "" : sortBy, sortOrder);
      },
    })),
  },
  {
    rule: "E4",
    mistake: "parameters are checked from the right",
    law: CHECKS,
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response = dispatch(request);
        const { params, ...others }: Loose = Object(request) as Loose;
        if (response.error?.code !== 311 || !Array.isArray(params)) return response;
        const at = others.method === "searchFiles" ? 1 : 2;
        const withoutCriteria = dispatch({ ...others, params: params.toSpliced(at, 1, null) });
        return withoutCriteria.error === null ? response : withoutCriteria;
      },
    })),
  },
  {
    rule: "E5",
    mistake: "a method that there is not is no name of one",
    law: CHECKS,
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response = dispatch(request);
        if (response.error?.code !== 104) return response;
        const error = { ...response.error, code: 107, message: "Invalid Method Name" };
        return { ...response, error };
      },
    })),
  },
  {
    rule: "E6",
    mistake: "the id of a Batch may be written in any way",
    law: "what is not the id of a Batch is error 308",
    make: around(({ getBatchContacts }, { batches }) => ({
      getBatchContacts(id, ...page) {
        const first = batches[0]?.id ?? 0;
        return getBatchContacts(String(id) === "01" ? first : id, ...page);
      },
    })),
  },
  {
    rule: "E7",
    mistake: "parameters beyond the last are left alone",
    law: PAGE,
    make: given((page) => page.slice(0, 5)),
  },
  {
    rule: "E7",
    mistake: "parameters of a request beyond the last are left alone",
    law: "a request with a parameter too many is error 310",
    make: sent((request, params) => ({
      ...request,
      params: params.slice(0, request.method === "searchFiles" ? 6 : 7),
    })),
  },
  {
    rule: "E8",
    mistake: "an empty key is accepted",
    law: "a key that is empty, or no text, is error 300",
    make: sent((request, [key, ...params]) => ({
      ...request,
      params: [key === "" ? "key" : key, ...params],
    })),
  },
  {
    rule: "E8",
    mistake: "a key that is no text is accepted",
    law: "a key that is empty, or no text, is error 300",
    make: sent((request, [key, ...params]) => ({
      ...request,
      params: key === undefined ? [] : [typeof key === "string" ? key : "key", ...params],
    })),
  },
];

/** The values with an empty text for each field that criteria name and a record lacks. */
function withEmpty(values: Row["values"], criteria: Criteria): Row["values"] {
  const names = criteria.flatMap((each) => (each === "OR" ? [] : [each[0]]));
  const lacking = names.filter((name) => !values.has(name));
  return new Map([...values, ...lacking.map((name) => [name, ""] as const)]);
}

export const brokenServices: readonly BrokenService[] = [
  {
    rule: "P4",
    mistake: "ties come in reverse order",
    law: "ties keep insertion order in both directions",
    make: model({ sort: (rows, sorting, all) => steps.sort(rows.toReversed(), sorting, all) }),
  },
  {
    rule: "P4",
    mistake: "DESC is ASC turned round, ties included",
    law: "ties keep insertion order in both directions",
    make: model({
      sort(rows, sorting, all) {
        const ascending = steps.sort(rows, { ...sorting, isDescending: false }, all);
        return sorting.isDescending ? ascending.reverse() : ascending;
      },
    }),
  },
  {
    rule: "P3",
    mistake: "text is ordered by UTF-16 code unit",
    law: "sorting orders: null first, integers by number, text by code point",
    make: model({
      compare: (a, b, isInt) =>
        a === null || b === null || isInt ? steps.compare(a, b, isInt) : a < b ? -1 : Number(a > b),
    }),
  },
  {
    rule: "P3",
    mistake: "text is ordered by locale",
    law: "sorting orders: null first, integers by number, text by code point",
    make: model({
      compare: (a, b, isInt) =>
        a === null || b === null || isInt ? steps.compare(a, b, isInt) : a.localeCompare(b, "en"),
    }),
  },
  {
    rule: "P4",
    mistake: "by one of the fields, ascending is descending",
    law: "sorting orders: null first, integers by number, text by code point",
    make: model({
      sort: (rows, sorting, all) =>
        steps.sort(
          rows,
          { ...sorting, isDescending: sorting.isDescending || sorting.field === "folder_id" },
          all,
        ),
    }),
  },
  {
    rule: "P3",
    mistake: "integers are ordered as text",
    law: "sorting orders: null first, integers by number, text by code point",
    make: model({ compare: (a, b) => steps.compare(a, b, false) }),
  },
  {
    rule: "P4",
    mistake: "null is ordered last",
    law: "sorting orders: null first, integers by number, text by code point",
    make: model({
      compare: (a, b, isInt) =>
        a === null || b === null
          ? Number(a === null) - Number(b === null)
          : steps.compare(a, b, isInt),
    }),
  },
  {
    rule: "P1",
    mistake: "sorting leaves out records without a value",
    law: "sorting permutes",
    make: model({
      sort: (rows, sorting, all) =>
        steps.sort(rows, sorting, all).filter((row) => keyOf(row, sorting) !== null),
    }),
  },
  {
    rule: "P7",
    mistake: "each List is sorted apart",
    law: "a Batch is sorted as one collection, its Lists in the order given",
    make: model({
      sort: (rows, sorting, all) =>
        [...new Set(rows.map(({ list }) => list))].flatMap((id) =>
          steps.sort(
            rows.filter(({ list }) => list === id),
            sorting,
            all,
          ),
        ),
    }),
  },
  {
    rule: "P4",
    mistake: "ASC is the default",
    law: "sort_order is DESC unless told",
    make: model({ isDescending: (sortOrder) => sortOrder === "DESC" }),
  },
  {
    rule: "C6",
    mistake: "null matches contains with an empty text",
    law: "null satisfies exactly null, in with null, not of anything else, and nothing more",
    make: model({
      holds: (value, operator, operand) =>
        holds(operator === "contains" ? (value ?? "") : value, operator, operand),
    }),
  },
  {
    rule: "C6",
    mistake: "not selects no null",
    law: "not is the complement of exactly",
    make: model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) && !(operator === "not" && value === null),
    }),
  },
  {
    mistake: "OR binds tighter than AND",
    law: "AND binds tighter than OR",
    make: model({
      selects(row, criteria, all) {
        const groups: Criterion[][] = [];
        let isJoined = false;
        for (const each of criteria) {
          if (each !== "OR" && isJoined) groups.at(-1)?.push(each);
          else if (each !== "OR") groups.push([each]);
          isJoined = each === "OR";
        }
        return groups.every((group) => group.some((one) => steps.selects(row, [one], all)));
      },
    }),
  },
  {
    mistake: "of criteria that must all hold, the last one alone does",
    law: "AND is associative: it is the intersection",
    make: model({
      selects: (row, criteria, all) =>
        steps.selects(
          row,
          criteria.filter(
            (_, i) => i === criteria.length - 1 || criteria[i + 1] === "OR" || criteria[i] === "OR",
          ),
          all,
        ),
    }),
  },
  {
    mistake: "of the criteria of a group, the first one alone counts",
    law: "AND is commutative",
    make: model({
      selects: (row, criteria, all) =>
        steps.selects(
          row,
          criteria.filter((each, i) => each === "OR" || i === 0 || criteria[i - 1] === "OR"),
          all,
        ),
    }),
  },
  {
    mistake: "a criterion that is there twice cancels itself",
    law: "AND is idempotent",
    make: model({
      selects: (row, criteria, all) =>
        steps.selects(row, criteria, all) && new Set(criteria).size === criteria.length,
    }),
  },
  {
    mistake: "any criterion suffices",
    law: "criteria never enlarge",
    make: model({
      selects: (row, criteria, all) =>
        criteria.some((each) => each !== "OR" && steps.selects(row, [each], all)),
    }),
  },
  {
    mistake: "OR is exclusive",
    law: "OR is the union",
    make: model({
      selects(row, criteria, all) {
        const groups: Criterion[][] = [[]];
        for (const each of criteria) {
          if (each === "OR") groups.push([]);
          else groups.at(-1)?.push(each);
        }
        return groups.filter((group) => steps.selects(row, group, all)).length === 1;
      },
    }),
  },
  {
    rule: "C1",
    mistake: "null in the place of criteria selects nothing",
    law: "no criteria select every record",
    make: around(({ searchFiles }) => ({
      searchFiles: (...page) => (page[0] === null ? [] : searchFiles(...page)),
    })),
  },
  {
    rule: "P2",
    mistake: "sort_order turns insertion order round",
    law: "without sort_by there is insertion order, whatever sort_order is",
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        const [, , , sortBy, sortOrder] = page;
        const isTurned = (sortBy ?? "") === "" && sortOrder === "DESC";
        return isTurned ? searchFiles(...page).reverse() : searchFiles(...page);
      },
    })),
  },
  {
    rule: "C4",
    mistake: "ends_with holds for no whole value",
    law: "starts_with and ends_with imply contains, and exactly implies them",
    make: model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) && !(operator === "ends_with" && value === text(operand)),
    }),
  },
  {
    rule: "C9",
    mistake: "a List Field that a List lacks is an empty text",
    law: "a query selects exactly the records that its predicate accepts",
    make: model({
      selects: (row, criteria, all) =>
        steps.selects({ ...row, values: withEmpty(row.values, criteria) }, criteria, all),
    }),
  },
  {
    rule: "C4",
    mistake: "in compares with the first value only",
    law: "in is the union of exactly",
    make: model({
      holds: (value, operator, operand) =>
        holds(value, operator, Array.isArray(operand) ? operand.slice(0, 1) : operand),
    }),
  },
  {
    rule: "C4",
    mistake: "greater_than is also equal",
    law: "an integer is less than another, greater than it, or exactly it",
    make: model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) || (operator === "greater_than" && value === text(operand)),
    }),
  },
  {
    rule: "C5",
    mistake: "exactly compares numbers, not their text",
    law: "a number compares as its text",
    make: model({
      holds: (value, operator, operand) =>
        operator === "exactly" &&
        value !== null &&
        operand !== null &&
        /^\d+$/.test(String(operand))
          ? Number(value) === Number(operand)
          : holds(value, operator, operand),
    }),
  },
  {
    rule: "P1",
    mistake: "offset and limit cut before the records are sorted",
    law: "pages of any size partition the whole",
    make: model({ arrange: (rows, sort, page) => sort(page(rows)) }),
  },
  {
    rule: "P1",
    mistake: "pages overlap by one record",
    law: "pages of any size partition the whole",
    make: model({
      page: (rows, limit, offset) => rows.slice(Math.max(offset - 1, 0), offset + limit),
    }),
  },
  {
    rule: "P7",
    mistake: "limit counts the Contacts of each List",
    law: "limit and offset count the records over all Lists",
    make: model({
      page: (rows, limit, offset) =>
        [...new Set(rows.map(({ list }) => list))].flatMap((id) =>
          rows.filter(({ list }) => list === id).slice(offset, offset + limit),
        ),
    }),
  },
  {
    rule: "P5",
    mistake: "limit 0 is no limit",
    law: "limit 0 gives nothing",
    make: model({
      page: (rows, limit, offset) => steps.page(rows, limit === 0 ? Infinity : limit, offset),
    }),
  },
  {
    rule: "P5",
    mistake: "an empty limit is 0",
    law: "limit and offset may be omitted, null, empty or text",
    make: model({
      count: (given, otherwise) => (given === "" ? 0 : steps.count(given, otherwise)),
    }),
  },
  {
    // The keys of an object that are array indexes come first, wherever they were written.
    rule: "P8",
    mistake: "values are matched to fields by the place of the field among an object's keys",
    law: "List Fields leave the Contact fields as they are, whatever their names",
    make: model({
      group: (rows, lists) => steps.group(rows.map(matchedByPlace), lists),
    }),
  },
  {
    rule: "P7",
    mistake: "a List without Contacts on the page has no key",
    law: "every List has its key",
    make: model({
      group: (rows, lists) =>
        steps.group(
          rows,
          lists.filter((id) => rows.some(({ list }) => list === id)),
        ),
    }),
  },
  {
    rule: "P7",
    mistake: "Lists stand by their ids, not in the order given",
    law: "every record that was given is there, in wire form and in the order given",
    make: (data) =>
      createService({
        batches: data.batches.map(({ id, lists }) => ({
          id,
          lists: lists.toSorted((a, b) => Number(a.id) - Number(b.id)),
        })),
        files: data.files,
      }),
  },
  {
    rule: "R1",
    mistake: "records are not frozen",
    law: "records are frozen",
    make: around(({ searchFiles }) => ({
      searchFiles: (...page) => searchFiles(...page).map((record) => ({ ...record })),
    })),
  },
  {
    rule: "V1",
    mistake: "integers are returned as numbers",
    law: "records are plain, and have the contract's fields in wire form",
    make: around(({ searchFiles }) => ({
      searchFiles: (...page) =>
        searchFiles(...page).map((record) =>
          Object.freeze({ ...record, size: Number(record.size) }),
        ),
    })),
  },
  {
    rule: "R1",
    mistake: "one array is the answer to all that ask the same",
    law: "a result is the caller's own",
    make: around(({ searchFiles }) => {
      const answers = new Map<string, unknown>();
      return {
        searchFiles(...page) {
          const key = keyOfPage(page);
          const answer = answers.get(key) ?? searchFiles(...page);
          answers.set(key, answer);
          return answer;
        },
      };
    }),
  },
  {
    mistake: "answers are kept by their criteria alone",
    law: "an answer does not depend on earlier queries",
    make: around(({ searchFiles }) => {
      const answers = new Map<string, readonly unknown[]>();
      return {
        searchFiles(...page) {
          const key = keyOfPage([page[0]]);
          const answer = answers.get(key) ?? searchFiles(...page);
          answers.set(key, answer);
          return [...answer];
        },
      };
    }),
  },
  {
    rule: "C11",
    mistake: "criteria are turned round in place",
    law: "a query changes nothing that is passed in, and keeps nothing of it",
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        const result = searchFiles(...page);
        const criteria: unknown = page[0];
        if (Array.isArray(criteria)) criteria.reverse();
        return result;
      },
    })),
  },
  {
    rule: "R2",
    mistake: "answers are kept when the data is updated",
    law: "after an update, queries answer from the new records",
    make: around((service) => {
      const answers = new Map<string, readonly unknown[]>();
      return {
        searchFiles(...page) {
          const key = keyOfPage(page);
          const answer = answers.get(key) ?? service.searchFiles(...page);
          answers.set(key, answer);
          return [...answer];
        },
      };
    }),
  },
  {
    rule: "R2",
    mistake: "what is inserted comes first",
    law: "after an update, queries answer from the new records",
    make: around((service) => {
      let known = new Set(service.searchFiles().map(({ id }) => id));
      return {
        update: (recipe) => {
          known = new Set(service.searchFiles().map(({ id }) => id));
          return service.update(recipe);
        },
        searchFiles: (criteria, limit, offset, sortBy, sortOrder) => {
          if (limit !== undefined || offset !== undefined || sortBy !== undefined) {
            return service.searchFiles(criteria, limit, offset, sortBy, sortOrder);
          }
          const all = service.searchFiles(criteria);
          return [
            ...all.filter(({ id }) => !known.has(id)),
            ...all.filter(({ id }) => known.has(id)),
          ];
        },
      };
    }),
  },
  {
    mistake: "a Contact that is inserted comes at the end of its List",
    law: "a Contact that is inserted comes last, whatever its List",
    make: around(({ getBatchContacts }, { batches }) => ({
      getBatchContacts(id, criteria, limit, offset) {
        const found = getBatchContacts(id, criteria);
        const lists = batches.find((batch) => String(batch.id) === String(id))?.lists ?? [];
        const rows = lists.flatMap(({ id: list }) =>
          (found[String(list)] ?? []).map((record) => ({ list: String(list), record })),
        );
        const start = steps.count(offset, 0);
        const page = rows.slice(start, start + steps.count(limit, Infinity));
        const onPage = ({ id: list }: { id: unknown }) =>
          page.filter((row) => row.list === String(list)).map(({ record }) => record);
        return Object.fromEntries(lists.map((list) => [String(list.id), onPage(list)]));
      },
    })),
  },
  {
    mistake: "a File keeps its name when its basename is changed",
    law: "the names of a File follow the one that is changed",
    make: around((service) => {
      const names = new Map(service.searchFiles().map(({ id, name }) => [id, name]));
      return {
        searchFiles: (...page) =>
          service
            .searchFiles(...page)
            .map((file) => Object.freeze({ ...file, name: names.get(file.id) ?? file.name })),
      };
    }),
  },
  {
    mistake: "the data is read anew for each query",
    law: "a service neither changes nor keeps the data that it is made of",
    make: around((_, data) => ({
      searchFiles: (...page) => createService(data).searchFiles(...page),
    })),
  },
  {
    mistake: "the data is emptied as it is read",
    law: "a service neither changes nor keeps the data that it is made of",
    make: around((_, data) => {
      data.files.length = 0;
      return {};
    }),
  },
  {
    rule: "C8",
    mistake: "an unknown operator means exactly",
    law: "criteria that are not valid are error 311",
    make: (data) => createService({ ...data, compatibility: { unknownOperator: "exactly" } }),
  },
  {
    mistake: "half a character is looked for, and in no record",
    law: "half a character in the value of a criterion is error 311",
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        // As JSON, a half is written as an escape, and a whole character as it is.
        const isHalf = /\\ud[89a-f]/.test(JSON.stringify(page[0]));
        return isHalf ? [] : searchFiles(...page);
      },
    })),
  },
  {
    rule: "P6",
    mistake: "a limit as text may be written in any way",
    law: "page parameters that are not valid are error 310",
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        const [criteria, limit, offset, sortBy, sortOrder] = page;
        const count = typeof limit === "string" && limit !== "" ? parseInt(limit) : limit;
        return searchFiles(criteria, count, offset, sortBy, sortOrder);
      },
    })),
  },
  {
    rule: "E6",
    mistake: "a Batch that there is not has no Lists",
    law: "what is not the id of a Batch is error 308",
    make: around(({ getBatchContacts }) => ({
      getBatchContacts(...parameters) {
        try {
          return getBatchContacts(...parameters);
        } catch (thrown) {
          if (thrown instanceof ServiceError && thrown.code === 308) return {};
          throw thrown;
        }
      },
    })),
  },
  {
    rule: "E10",
    mistake: "a value that can't be read is thrown on",
    law: "whatever a plain call is given, it throws no other error than 308, 310 or 311",
    make: around(({ searchFiles }) => ({
      searchFiles(...page) {
        const criteria: unknown = page[0];
        // The first alone: the array may be a proxy that has no end.
        if (Array.isArray(criteria)) String(criteria[0]);
        return searchFiles(...page);
      },
    })),
  },
  {
    rule: "E10",
    mistake: "dispatch leaves out the offset",
    law: "dispatch and the plain call agree",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const { method, params, ...others }: Loose = Object(request) as Loose;
        if (method !== "searchFiles" || !Array.isArray(params)) return dispatch(request);
        const [apiKey, criteria, limit, , ...more] = params as unknown[];
        if (params.length < 4) return dispatch(request);
        return dispatch({ ...others, method, params: [apiKey, criteria, limit, null, ...more] });
      },
    })),
  },
  {
    rule: "E1",
    mistake: "dispatchJson writes ids as text",
    law: "dispatchJson and dispatch agree",
    make: around(({ dispatch }) => ({
      dispatchJson(json) {
        const response = dispatch(parsed(json) as EnvelopeRequest);
        return JSON.stringify({
          ...response,
          id: response.id === null ? null : String(response.id),
        });
      },
    })),
  },
  {
    rule: "E1",
    mistake: "dispatchJson throws where the text is not JSON",
    law: "text that is not JSON is error 310 with id null",
    make: around(({ dispatch }) => ({
      dispatchJson: (json) => JSON.stringify(dispatch(JSON.parse(json) as EnvelopeRequest)),
    })),
  },
  {
    rule: "E3",
    mistake: "a failure loses the id of the request",
    law: "a response has the request's id, and a result or an error",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response = dispatch(request);
        return response.error === null ? response : { ...response, id: null };
      },
    })),
  },
  {
    rule: "E11",
    mistake: "dispatch reads the request outside of its guard",
    law: "whatever dispatch is given, it answers with a response",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        return (request as Loose).method === "" ? null : dispatch(request);
      },
    })),
  },
  {
    rule: "E4",
    mistake: "the api key is checked before the method",
    law: "of several failures the first in the order of checks is the answer",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response = dispatch(request);
        if (response.error === null || response.error.code > 107) return response;
        const withMethod = dispatch({ ...(request as Loose), method: "searchFiles" });
        return withMethod.error?.code === 300 ? withMethod : response;
      },
    })),
  },
  {
    mistake: "ids are numbers, whatever they were",
    law: "an id that is a string is answered as it was sent",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const response: Loose = Object(dispatch(request)) as Loose;
        return { ...response, id: Number(response.id) };
      },
    })),
  },
  {
    mistake: "an answer by JSON-RPC has a result and an error",
    law: "a JSON-RPC request has the answer of the envelope in the form of JSON-RPC",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const answer: Loose = Object(dispatch(request)) as Loose;
        return answer.jsonrpc === "2.0" ? { result: null, error: null, ...answer } : answer;
      },
    })),
  },
  {
    mistake: "named parameters are taken in the order in which they stand",
    law: "JSON-RPC parameters may be named, in any order",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const { params, ...others }: Loose = Object(request) as Loose;
        if (Array.isArray(params)) return dispatch(request);
        return dispatch({ ...others, params: Object.values(Object(params) as object) });
      },
    })),
  },
  {
    mistake: "a notification is answered with id null",
    law: "a JSON-RPC notification gets no answer",
    make: around(({ dispatch }) => ({
      dispatch: (request) => dispatch({ id: null, ...(Object(request) as Loose) }),
    })),
  },
  {
    mistake: "of a batch the first member alone is answered",
    law: "a JSON-RPC batch has the answers of its members, and none for notifications",
    make: around(({ dispatch }) => ({
      dispatch(request) {
        const first: object = Array.isArray(request)
          ? request.slice(0, 1)
          : (Object(request) as object);
        return dispatch(first);
      },
    })),
  },
  {
    rule: "P3",
    mistake: "countBy has integers in the order of their texts",
    law: "countBy has the values of the records that a query finds, in order, and how many have each",
    make: around(({ files }) => ({
      files: counted(files, (countBy) => (...asked) => {
        const counts = countBy(...asked);
        return counts.toSorted((a, b) => String(a.value).localeCompare(String(b.value)));
      }),
    })),
  },
  {
    mistake: "countBy counts every record, whatever the criteria",
    law: "each count is that of exactly, and together they are that of the criteria",
    make: around(({ files }) => ({
      files: counted(files, (countBy) => (field, _, options) => countBy(field, null, options)),
    })),
  },
  {
    mistake: "values that are equally frequent come in reverse order",
    law: "countBy by count has the most frequent first, ties in order, and no more than its limit",
    make: around(({ files }) => ({
      files: counted(
        files,
        (countBy) => (field, criteria, options) =>
          countBy(field, criteria)
            .toReversed()
            .sort((a, b) => (options?.order === "count" ? b.count - a.count : 0))
            .slice(0, options?.limit),
      ),
    })),
  },
  {
    mistake: "the end of a bin belongs to the next one",
    law: "the bins of a histogram follow each other, and each record found is counted once",
    make: around(({ files }) => ({
      files: {
        countBy: files.countBy.bind(files),
        count: files.count.bind(files),
        histogram: (field: "size", options: HistogramOptions<null>) => {
          const { bins, ...rest } = files.histogram(field, options);
          return { ...rest, bins: bins.map((bin) => ({ ...bin, to: bin.to + 1 })) };
        },
      },
    })),
  },
  ...spellingMistakes,
  ...ruleMistakes,
];

type CountBy = (field: "id", criteria?: null, options?: CountByOptions) => readonly ValueCount[];

/** A collection of Files that has another way to count by values. */
function counted(files: Files, replace: (countBy: CountBy) => CountBy): object {
  return {
    countBy: replace((...asked) => files.countBy(...asked)),
    count: files.count.bind(files),
    histogram: files.histogram.bind(files),
  };
}

/** How many elements criteria have, if they are a list. */
function lengthOf(criteria: unknown): number | undefined {
  return Array.isArray(criteria) ? criteria.length : undefined;
}
