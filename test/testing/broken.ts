// Services with one mistake each, and the law that each mistake breaks.
//
// Most are a simple model of the operations with one wrong step. The model has no dispatch; mistakes in the envelope,
// in caching and in sharing are wrappers around createService.

import { isDeepStrictEqual } from "node:util";
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
  type SummaryOptions,
  type ValueCount,
  type ValueTotals,
  type TextValue,
} from "../../src/index.ts";
import type { CheckedData, CheckedService } from "../../src/testing/index.ts";
import { loadBatch, loadFiles, type Row, type Table } from "../../src/testing/reference-data.ts";
import { compareTextForms, OPERATORS } from "../../src/testing/reference-page.ts";

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
  readonly holds: (value: TextValue, operator: string, operand: Criterion[2]) => boolean;
  readonly selects: (row: Row, criteria: Criteria, steps: Steps) => boolean;
  readonly compare: (a: TextValue, b: TextValue, isInt: boolean) => number;
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

const text = (value: Criterion[2]): TextValue => (value === null ? null : String(value));

const keyOf = ({ values }: Row, { field }: Sorting): TextValue => values.get(field) ?? null;

const steps: Steps = {
  holds: (value, operator, operand) =>
    OPERATORS.get(operator)?.test(operand, "int")?.(value) === true,
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
  compare: (a, b, isInt) => compareTextForms(a, b, isInt ? "int" : "string"),
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

type SearchFiles = (...page: FilePage) => FileRecord[];
type Dispatch = (request: EnvelopeRequest) => Response;

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
    mistake: "the parts of a string of in are trimmed, and no field",
    law: SPACE,
    make: model({
      holds: (value, operator, operand) =>
        holds(
          value,
          operator,
          operator === "in" && typeof operand === "string"
            ? operand.split(",").map((part) => part.trim())
            : operand,
        ),
    }),
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

/** A service that searches Files in another way. */
const searching = (search: (searchFiles: SearchFiles, page: FilePage) => unknown) =>
  around(({ searchFiles }) => ({ searchFiles: (...page) => search(searchFiles, page) }));

/** A service that answers requests in another way. */
const dispatching = (answer: (dispatch: Dispatch, request: EnvelopeRequest) => unknown) =>
  around(({ dispatch }) => ({ dispatch: (request) => answer(dispatch, request) }));

/** A service that changes its responses. */
const answering = (
  change: (response: Response, request: EnvelopeRequest, dispatch: Dispatch) => unknown,
) => dispatching((dispatch, request) => change(dispatch(request), request, dispatch));

/** A service that is given other parameters than the caller's. */
const given = (change: (page: readonly unknown[]) => readonly unknown[]) =>
  searching((searchFiles, page) => searchFiles(...(change(page) as unknown as typeof page)));

/** A service that is sent other requests than the caller's. */
const sent = (change: (request: Loose & object, params: readonly unknown[]) => object) =>
  dispatching((dispatch, request) => {
    const { params }: Loose = Object(request) as Loose;
    if (!Array.isArray(params)) return dispatch(request);
    return dispatch(change(Object(request) as object, params));
  });

/** A list whose leaves are changed; as it is where it can't be read, which a service refuses. */
function deeply(list: unknown, change: (leaf: unknown) => unknown): unknown {
  const changed = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(changed) : change(value);
  try {
    return changed(list);
  } catch {
    return list;
  }
}

/** The values with an empty text for each field that criteria name and a record lacks. */
function withEmpty(values: Row["values"], criteria: Criteria): Row["values"] {
  const names = criteria.flatMap((each) => (each === "OR" ? [] : [each[0]]));
  const lacking = names.filter((name) => !values.has(name));
  return new Map([...values, ...lacking.map((name) => [name, ""] as const)]);
}

/** Fields that are not searchable, and one of the same type that is. */
const HIDDEN = new Map<unknown, string>([
  ["links_clicked", "open_count"],
  ["bounce_description", "contact_email"],
]);

/** Where a service reads an integer as text. */
type Place = (typeof PLACES)[number][0];

/** A service that reads integers at one place in another way. */
function reading(place: Place, read: (text: string) => string): BrokenService["make"] {
  const fix = (value: unknown) => (typeof value === "string" ? read(value) : value);
  if (place === "an int that is loaded") {
    return loading(each(["id", "folder_id", "size", "contact_id", "open_count"], fix));
  }
  if (place === "the id of a Batch") {
    return around(({ getBatchContacts }) => ({
      getBatchContacts: (id, ...page) => getBatchContacts(fix(id), ...page),
    }));
  }
  if (place === "limit") {
    return given(([criteria, limit, ...page]) => [criteria, fix(limit), ...page]);
  }
  return given(([criteria, ...page]) => [
    Array.isArray(criteria)
      ? criteria.map((criterion: unknown) => {
          if (!Array.isArray(criterion) || criterion.length !== 3) return criterion;
          const [field, operator, value] = criterion as readonly unknown[];
          const isCompared = operator === "greater_than" || operator === "less_than";
          return [field, operator, isCompared ? fix(value) : value];
        })
      : criteria,
    ...page,
  ]);
}

/** Readers of integers, each with one mistake of some language. */
const READERS: Readonly<Record<string, (text: string) => string>> = {
  "fullwidth digits": inAsciiDigits(0xff10),
  "Arabic-Indic digits": inAsciiDigits(0x660),
  "Devanagari digits": inAsciiDigits(0x966),
  "a leading plus": (text) => text.replace(/^\+(?=\d+$)/, ""),
  "leading zeros": (text) => text.replace(/^(-?)0+(?=\d+$)/, "$1"),
  "minus zero": (text) => (text === "-0" ? "0" : text),
  "spaces before": (text) => text.replace(/^ +(?=-?\d+$)/, ""),
  "spaces after": (text) => text.replace(/^(-?\d+) +$/, "$1"),
  "a final line feed": (text) => text.replace(/^(-?\d+)\n$/, "$1"),
  "digits grouped by _": (text) =>
    /^-?\d+(?:_\d+)+$/.test(text) ? text.replaceAll("_", "") : text,
  "a fraction of zero": (text) => text.replace(/^(-?\d+)\.0+$/, "$1"),
  "an exponent": (text) => text.replace(/^(-?\d+)e0$/, "$1"),
};

function inAsciiDigits(zero: number): (text: string) => string {
  const digitOf = (character: string) => {
    const digit = (character.codePointAt(0) ?? 0) - zero;
    return digit >= 0 && digit <= 9 ? String(digit) : character;
  };
  return (text) => Array.from(text, digitOf).join("");
}

/** A service that reads the text of a request in another way. */
const parsing = (change: (json: string) => string) =>
  around(({ dispatchJson }) => ({ dispatchJson: (json) => dispatchJson(change(json)) }));

/** A service that splits a string of `in` in another way. */
const splitting = (change: (parts: string[]) => string[]) =>
  model({
    holds: (value, operator, operand) =>
      holds(
        value,
        operator,
        operator === "in" && typeof operand === "string" ? change(operand.split(",")) : operand,
      ),
  });

/** The elements at a place of each criterion. */
const namedBy = (criteria: unknown, place: number): unknown[] =>
  Array.isArray(criteria)
    ? criteria.flatMap((each: unknown) => (Array.isArray(each) ? [each[place] as unknown] : []))
    : [];

const without = (record: Members, names: readonly string[]): Members =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));

/** The names of parameters. */
const NAMED = [
  "api_key",
  "batch_id",
  "search_criteria",
  "limit",
  "offset",
  "sort_by",
  "sort_order",
];

/** A service that reads the named parameters of JSON-RPC in another way. */
const naming = (change: (params: Members) => Members) =>
  dispatching((dispatch, request) => {
    const { params, ...others }: Loose = Object(request) as Loose;
    if (typeof params !== "object" || params === null || Array.isArray(params)) {
      return dispatch(request);
    }
    return dispatch({ ...others, params: change({ ...params }) });
  });

/** The places, each with the law about it, and the rule. */
const PLACES = [
  ["limit", "an integer as text has one spelling", "P5"],
  ["a bound", "an integer as text has one spelling", "C8"],
  ["the id of a Batch", "an integer as text has one spelling", "E6"],
  ["an int that is loaded", "an integer that is loaded has one spelling", "V2"],
] as const;

/** Each reader at one place, of which one after the other has its turn. */
const misspellingMistakes = Object.entries(READERS).map(([how, read], i): BrokenService => {
  const [place, law, rule] = PLACES[i % PLACES.length] ?? PLACES[0];
  return { rule, mistake: `${place} may have ${how}`, law, make: reading(place, read) };
});

/** By the law that is broken: each mistake, behind the rule that it is against where the law is about several. */
const MISTAKES: Readonly<Record<string, Readonly<Record<string, BrokenService["make"]>>>> = {
  "ties keep insertion order in both directions": {
    "P4 ties come in reverse order": model({
      sort: (rows, sorting, all) => steps.sort(rows.toReversed(), sorting, all),
    }),
    "P4 DESC is ASC turned round, ties included": model({
      sort(rows, sorting, all) {
        const ascending = steps.sort(rows, { ...sorting, isDescending: false }, all);
        return sorting.isDescending ? ascending.reverse() : ascending;
      },
    }),
  },
  "sorting orders: null first, numbers by number, text by code point": {
    "P3 text is ordered by UTF-16 code unit": model({
      compare: (a, b, isInt) =>
        a === null || b === null || isInt ? steps.compare(a, b, isInt) : a < b ? -1 : Number(a > b),
    }),
    "P3 text is ordered by locale": model({
      compare: (a, b, isInt) =>
        a === null || b === null || isInt ? steps.compare(a, b, isInt) : a.localeCompare(b, "en"),
    }),
    "P4 by one of the fields, ascending is descending": model({
      sort: (rows, sorting, all) =>
        steps.sort(
          rows,
          { ...sorting, isDescending: sorting.isDescending || sorting.field === "folder_id" },
          all,
        ),
    }),
    "P3 integers are ordered as text": model({ compare: (a, b) => steps.compare(a, b, false) }),
    "P4 null is ordered last": model({
      compare: (a, b, isInt) =>
        a === null || b === null
          ? Number(a === null) - Number(b === null)
          : steps.compare(a, b, isInt),
    }),
    "V4 the folder of a File is a text, and ordered as one": model({
      sort: (rows, sorting, all) =>
        steps.sort(
          rows,
          { ...sorting, isInt: sorting.isInt && sorting.field !== "folder_id" },
          all,
        ),
    }),
  },
  "sorting permutes": {
    "P1 sorting leaves out records without a value": model({
      sort: (rows, sorting, all) =>
        steps.sort(rows, sorting, all).filter((row) => keyOf(row, sorting) !== null),
    }),
  },
  "a Batch is sorted as one collection, its Lists in the order given": {
    "P7 each List is sorted apart": model({
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
  "sort_order is DESC by default": {
    "P4 ASC is the default": model({ isDescending: (sortOrder) => sortOrder === "DESC" }),
  },
  "null satisfies exactly null, in with null, not of anything else, and nothing more": {
    "C6 null matches contains with an empty text": model({
      holds: (value, operator, operand) =>
        holds(operator === "contains" ? (value ?? "") : value, operator, operand),
    }),
  },
  "not is the complement of exactly": {
    "C6 not selects no null": model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) && !(operator === "not" && value === null),
    }),
  },
  "AND binds tighter than OR": {
    "OR binds tighter than AND": model({
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
  "AND is associative: it is the intersection": {
    "of criteria that must all hold, the last one alone does": model({
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
  "AND is commutative": {
    "of the criteria of a group, the first one alone counts": model({
      selects: (row, criteria, all) =>
        steps.selects(
          row,
          criteria.filter((each, i) => each === "OR" || i === 0 || criteria[i - 1] === "OR"),
          all,
        ),
    }),
  },
  "AND is idempotent": {
    "a criterion that occurs twice cancels itself": model({
      selects: (row, criteria, all) =>
        steps.selects(row, criteria, all) && new Set(criteria).size === criteria.length,
    }),
  },
  "criteria never enlarge": {
    "any criterion suffices": model({
      selects: (row, criteria, all) =>
        criteria.some((each) => each !== "OR" && steps.selects(row, [each], all)),
    }),
  },
  "OR is the union": {
    "OR is exclusive": model({
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
  "no criteria select every record": {
    "C1 null in the place of criteria selects nothing": searching((searchFiles, page) =>
      page[0] === null ? [] : searchFiles(...page),
    ),
    "C1 an empty list of criteria selects nothing": searching((searchFiles, page) =>
      lengthOf(page[0]) === 0 ? [] : searchFiles(...page),
    ),
  },
  "without sort_by there is insertion order, whatever sort_order is": {
    "P2 sort_order turns insertion order round": searching((searchFiles, page) => {
      const [, , , sortBy, sortOrder] = page;
      const isTurned = (sortBy ?? "") === "" && sortOrder === "DESC";
      return isTurned ? searchFiles(...page).reverse() : searchFiles(...page);
    }),
    "P2 without sort_by the order is that of the ids": around(({ searchFiles }) => ({
      searchFiles: (criteria, limit, offset, sortBy, sortOrder) =>
        criteria !== undefined && (sortBy ?? "") === ""
          ? searchFiles(criteria, limit, offset, "id", "ASC")
          : searchFiles(criteria, limit, offset, sortBy, sortOrder),
    })),
  },
  "starts_with and ends_with imply contains, and exactly implies them": {
    "C4 ends_with holds for no whole value": model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) && !(operator === "ends_with" && value === text(operand)),
    }),
  },
  "a query selects exactly the records that its predicate accepts": {
    "C9 a List Field that a List lacks is an empty text": model({
      selects: (row, criteria, all) =>
        steps.selects({ ...row, values: withEmpty(row.values, criteria) }, criteria, all),
    }),
    "C9 a List Field that the first List lacks can't be searched": around(
      ({ getBatchContacts }, { batches }) => ({
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
      }),
    ),
  },
  "in is the union of exactly": {
    "C4 in compares with the first value only": model({
      holds: (value, operator, operand) =>
        holds(value, operator, Array.isArray(operand) ? operand.slice(0, 1) : operand),
    }),
  },
  "a value is less than another, greater than it, or exactly it": {
    "C4 greater_than is also equal": model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) || (operator === "greater_than" && value === text(operand)),
    }),
    "V4 sizes and counts are texts, and compared as such": model({
      holds: (value, operator, operand) =>
        operator === "greater_than"
          ? value !== null && value > String(operand)
          : operator === "less_than"
            ? value !== null && value < String(operand)
            : holds(value, operator, operand),
    }),
  },
  "a number or boolean compares as its text": {
    "C5 exactly compares numbers, not their text": model({
      holds: (value, operator, operand) =>
        operator === "exactly" &&
        value !== null &&
        operand !== null &&
        /^\d+$/.test(String(operand))
          ? Number(value) === Number(operand)
          : holds(value, operator, operand),
    }),
    "C5 a small number is written with two digits of its exponent": model({
      holds: (value, operator, operand) =>
        holds(
          value,
          operator,
          typeof operand === "number" ? String(operand).replace(/e-(\d)$/, "e-0$1") : operand,
        ),
    }),
    "C5 a number is no value for a text": model({
      holds: (value, operator, operand) =>
        holds(value, operator, operand) &&
        !(operator === "contains" && typeof operand === "number"),
    }),
  },
  "pages of any size partition the whole": {
    "P1 offset and limit cut before the records are sorted": model({
      arrange: (rows, sort, page) => sort(page(rows)),
    }),
    "P1 pages overlap by one record": model({
      page: (rows, limit, offset) => rows.slice(Math.max(offset - 1, 0), offset + limit),
    }),
    "P1 limit is taken before offset": model({
      page: (rows, limit, offset) => rows.slice(0, limit).slice(offset),
    }),
  },
  "limit and offset count the records of the whole result": {
    "P7 limit counts the Contacts of each List": model({
      page: (rows, limit, offset) =>
        [...new Set(rows.map(({ list }) => list))].flatMap((id) =>
          rows.filter(({ list }) => list === id).slice(offset, offset + limit),
        ),
    }),
  },
  "limit 0 gives nothing": {
    "P5 limit 0 is no limit": model({
      page: (rows, limit, offset) => steps.page(rows, limit === 0 ? Infinity : limit, offset),
    }),
  },
  "limit and offset may be omitted, null, empty or text": {
    "P5 an empty limit is 0": model({
      count: (given, otherwise) => (given === "" ? 0 : steps.count(given, otherwise)),
    }),
  },
  "List Fields leave the Contact fields as they are, whatever their names": {
    "P8 values are matched to fields by the place of the field among an object's keys": model({
      group: (rows, lists) => steps.group(rows.map(matchedByPlace), lists),
    }),
  },
  "every List has its key": {
    "P7 a List without Contacts on the page has no key": model({
      group: (rows, lists) =>
        steps.group(
          rows,
          lists.filter((id) => rows.some(({ list }) => list === id)),
        ),
    }),
  },
  "every record that was given is there, in the form and the order given": {
    "P7 Lists stand by their ids, not in the order given": (data) =>
      createService({
        batches: data.batches.map(({ id, lists }) => ({
          id,
          lists: lists.toSorted((a, b) => Number(a.id) - Number(b.id)),
        })),
        files: data.files,
      }),
    "V1 null is returned as an empty text": returning((record) =>
      Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value ?? ""])),
    ),
    "V2 integers are kept in 32 bits": returning(
      each(["size", "folder_id", "open_count"], (value) => String(Number(value) | 0)),
    ),
    "V5 an address that was left out is empty, not null": returning(
      each(["unsubscribe_email"], (value) => value ?? ""),
    ),
    "V6 a count that was left out is null": returning(
      each(["size", "open_count"], (value) => (value === "0" ? null : value)),
    ),
    "V6 a name is split at its first dot": loading((record) => {
      const { name } = record;
      if (typeof name !== "string") return record;
      const dot = name.indexOf(".") > 0 ? name.indexOf(".") : name.length;
      return { basename: name.slice(0, dot), extension: name.slice(dot), ...record };
    }),
    "V6 an extension is kept without its dot": returning(
      each(["extension"], (value) => String(value).replace(/^\./, "")),
    ),
  },
  "records are frozen": {
    "R1 records are not frozen": searching((searchFiles, page) =>
      searchFiles(...page).map((record) => ({ ...record })),
    ),
  },
  "records are plain, and have the fields of their schema in its form": {
    "V1 integers are returned as numbers": searching((searchFiles, page) =>
      searchFiles(...page).map((record) => Object.freeze({ ...record, size: Number(record.size) })),
    ),
    "P8 a Contact has no field where its value is null": returning((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
    ),
  },
  "a result is the caller's own": {
    "R1 one array is the answer to all that ask the same": around(({ searchFiles }) => {
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
  "an answer does not depend on earlier queries": {
    "answers are kept by their criteria alone": around(({ searchFiles }) => {
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
  "a query changes nothing that is passed in, and keeps nothing of it": {
    "C11 criteria are turned round in place": searching((searchFiles, page) => {
      const result = searchFiles(...page);
      const criteria: unknown = page[0];
      if (Array.isArray(criteria)) criteria.reverse();
      return result;
    }),
    "C11 criteria are taken out of their list as they are read": searching((searchFiles, page) => {
      const result = searchFiles(...page);
      const criteria: unknown = page[0];
      if (Array.isArray(criteria)) criteria.length = 0;
      return result;
    }),
  },
  "after an update, queries answer from the new records": {
    "R2 answers are kept when the data is updated": around((service) => {
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
    "R2 what is inserted comes first": around((service) => {
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
  "a Contact that is inserted comes last, whatever its List": {
    "a Contact that is inserted comes at the end of its List": around(
      ({ getBatchContacts }, { batches }) => ({
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
      }),
    ),
  },
  "the names of a File follow the one that is changed": {
    "a File keeps its name when its basename is changed": around((service) => {
      const names = new Map(service.searchFiles().map(({ id, name }) => [id, name]));
      return {
        searchFiles: (...page) =>
          service
            .searchFiles(...page)
            .map((file) => Object.freeze({ ...file, name: names.get(file.id) ?? file.name })),
      };
    }),
    "V9 a File keeps its basename when its name is changed": around((service) => {
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
  "the data that it is made of is neither changed nor kept": {
    "the data is read anew for each query": around((_, data) => ({
      searchFiles: (...page) => createService(data).searchFiles(...page),
    })),
    "the data is emptied as it is read": around((_, data) => {
      data.files.length = 0;
      return {};
    }),
  },
  "criteria that are not valid are refused: error 311": {
    "C8 an unknown operator means exactly": (data) =>
      createService({ ...data, compatibility: { unknownOperator: "exactly" } }),
    "C8 true and false are the values 1 and 0": given(([criteria, ...page]) => [
      deeply(criteria, (leaf) => (typeof leaf === "boolean" ? Number(leaf) : leaf)),
      ...page,
    ]),
    "C8 a field that is not searchable is searched": around(({ getBatchContacts }) => ({
      getBatchContacts: (id, criteria, ...page) =>
        getBatchContacts(
          id,
          deeply(criteria, (leaf) => HIDDEN.get(leaf) ?? leaf),
          ...page,
        ),
    })),
    "C8 a criterion may have more than three elements": given(([criteria, ...page]) => [
      Array.isArray(criteria)
        ? criteria.map((each: unknown) => (Array.isArray(each) ? each.slice(0, 3) : each))
        : criteria,
      ...page,
    ]),
  },
  "half a character in the value of a criterion is refused: error 311": {
    "half a character is looked for, and in no record": searching((searchFiles, page) => {
      // As JSON, a half is written as an escape, and a whole character as it is.
      const isHalf = /\\ud[89a-f]/.test(JSON.stringify(page[0]));
      return isHalf ? [] : searchFiles(...page);
    }),
    "C13 half a character in a criterion is replaced": given(([criteria, ...page]) => [
      deeply(criteria, (leaf) => (typeof leaf === "string" ? leaf.toWellFormed() : leaf)),
      ...page,
    ]),
  },
  "page parameters that are not valid are refused: error 310": {
    "P6 a limit as text may be written in any way": searching(
      (searchFiles, [criteria, limit, offset, sortBy, sortOrder]) => {
        const count = typeof limit === "string" && limit !== "" ? parseInt(limit) : limit;
        return searchFiles(criteria, count, offset, sortBy, sortOrder);
      },
    ),
    "P6 true is the number 1, and false 0": given(([criteria, limit, offset, ...page]) => [
      criteria,
      ...[limit, offset].map((count) => (typeof count === "boolean" ? Number(count) : count)),
      ...page,
    ]),
    "P6 a field to sort by that there is not is none": searching((searchFiles, page) => {
      const [criteria, limit, offset, sortBy, sortOrder] = page;
      const isField = typeof sortBy !== "string" || Object.hasOwn(File.fields, sortBy);
      return searchFiles(criteria, limit, offset, isField ? sortBy : "", sortOrder);
    }),
    "E11 to sort by a name that every object has is to sort by nothing": searching(
      (searchFiles, page) => {
        const [criteria, limit, offset, sortBy, sortOrder] = page;
        const isKnown = typeof sortBy === "string" && sortBy in File.fields;
        return searchFiles(criteria, limit, offset, isKnown ? "" : sortBy, sortOrder);
      },
    ),
    "E7 parameters beyond the last are left alone": given((page) => page.slice(0, 5)),
  },
  "what is not the id of a Batch is error 308": {
    "E6 a Batch that there is not has no Lists": around(({ getBatchContacts }) => ({
      getBatchContacts(...parameters) {
        try {
          return getBatchContacts(...parameters);
        } catch (thrown) {
          if (thrown instanceof ServiceError && thrown.code === 308) return {};
          throw thrown;
        }
      },
    })),
    "E6 the id of a Batch may be written in any way": around(({ getBatchContacts }) => ({
      getBatchContacts: (id, ...page) =>
        getBatchContacts(/\d/.test(String(id)) ? String(Number(id)) : id, ...page),
    })),
  },
  "whatever a plain call is given, it throws no other error than 308, 310 or 311": {
    "E10 a value that can't be read is thrown on": searching((searchFiles, page) => {
      const criteria: unknown = page[0];
      // The first alone: the array may be a proxy that has no end.
      if (Array.isArray(criteria)) String(criteria[0]);
      return searchFiles(...page);
    }),
  },
  "dispatch and the plain call agree": {
    "E10 dispatch leaves out the offset": dispatching((dispatch, request) => {
      const { method, params, ...others }: Loose = Object(request) as Loose;
      if (method !== "searchFiles" || !Array.isArray(params)) return dispatch(request);
      const [apiKey, criteria, limit, , ...more] = params as unknown[];
      if (params.length < 4) return dispatch(request);
      return dispatch({ ...others, method, params: [apiKey, criteria, limit, null, ...more] });
    }),
  },
  "dispatchJson and dispatch agree": {
    "E1 dispatchJson writes ids as text": around(({ dispatch }) => ({
      dispatchJson(json) {
        const response = dispatch(parsed(json) as EnvelopeRequest);
        return JSON.stringify({
          ...response,
          id: response.id === null ? null : String(response.id),
        });
      },
    })),
  },
  "text that is not JSON is error 310 with id null": {
    "E1 dispatchJson throws where the text is not JSON": around(({ dispatch }) => ({
      dispatchJson: (json) => JSON.stringify(dispatch(JSON.parse(json) as EnvelopeRequest)),
    })),
    "E1 NaN is JSON": around(({ dispatchJson }) => ({
      dispatchJson: (json) => dispatchJson(json.replace(/\bNaN\b/g, "null")),
    })),
  },
  "a response has the request's id, and a result or an error": {
    "E3 a failure loses the id of the request": answering((response) =>
      response.error === null ? response : { ...response, id: null },
    ),
    "E2 a failure has no reason beside its code": answering((response) => {
      const { id, error } = response;
      if (error === null) return response;
      return { id, result: null, error: { code: error.code, message: error.message } };
    }),
    "E2 a result comes without a word of errors": answering((response) =>
      response.error === null ? { id: response.id, result: response.result } : response,
    ),
    "E5 an error has a name of its own": answering((response) => {
      const { id, error } = response;
      if (error === null) return response;
      return { id, result: null, error: { ...error, message: "Invalid Request" } };
    }),
  },
  "whatever dispatch is given, it answers with a response": {
    "E11 dispatch reads the request outside of its guard": dispatching((dispatch, request) =>
      (request as Loose).method === "" ? null : dispatch(request),
    ),
  },
  "of several failures the first in the order of checks is the answer": {
    "E4 the api key is checked before the method": answering((response, request, dispatch) => {
      if (response.error === null || response.error.code > 107) return response;
      const withMethod = dispatch({ ...(request as Loose), method: "searchFiles" });
      return withMethod.error?.code === 300 ? withMethod : response;
    }),
    "E4 parameters are checked from the right": answering((response, request, dispatch) => {
      const { params, ...others }: Loose = Object(request) as Loose;
      if (response.error?.code !== 311 || !Array.isArray(params)) return response;
      const at = others.method === "searchFiles" ? 1 : 2;
      const withoutCriteria = dispatch({ ...others, params: params.toSpliced(at, 1, null) });
      return withoutCriteria.error === null ? response : withoutCriteria;
    }),
    "E5 a method that there is not is no name of one": answering((response) => {
      if (response.error?.code !== 104) return response;
      const error = { ...response.error, code: 107, message: "Invalid Method Name" };
      return { ...response, error };
    }),
  },
  "an id that is neither an integer nor a string is answered by null: error 310": {
    "E3 true and false are ids": dispatching((dispatch, request) => {
      const { id, ...others }: Loose = Object(request) as Loose;
      if (typeof id !== "boolean") return dispatch(request);
      return { ...(dispatch({ ...others, id: 1 }) as object), id };
    }),
  },
  "an id that is a string is answered as it was sent": {
    "ids are numbers, whatever they were": dispatching((dispatch, request) => {
      const response: Loose = Object(dispatch(request)) as Loose;
      return { ...response, id: Number(response.id) };
    }),
  },
  "an id that is an integer is answered digit for digit, however large": {
    "E3 ids are rounded": around(({ dispatch, dispatchJson }) => ({
      dispatchJson(json) {
        const answer: unknown = dispatch(parsed(json) as EnvelopeRequest);
        return answer === undefined ? dispatchJson(json) : JSON.stringify(answer);
      },
    })),
  },
  "a JSON-RPC request has the answer of the envelope in the form of JSON-RPC": {
    "an answer by JSON-RPC has a result and an error": dispatching((dispatch, request) => {
      const answer: Loose = Object(dispatch(request)) as Loose;
      return answer.jsonrpc === "2.0" ? { result: null, error: null, ...answer } : answer;
    }),
  },
  "JSON-RPC parameters may be named, in any order": {
    "named parameters are taken in the order in which they stand": dispatching(
      (dispatch, request) => {
        const { params, ...others }: Loose = Object(request) as Loose;
        if (Array.isArray(params)) return dispatch(request);
        return dispatch({ ...others, params: Object.values(Object(params) as object) });
      },
    ),
  },
  "a JSON-RPC notification gets no answer": {
    "a notification is answered with id null": dispatching((dispatch, request) =>
      dispatch({ id: null, ...(Object(request) as Loose) }),
    ),
  },
  "a JSON-RPC batch has the answers of its members, and none for notifications": {
    "of a batch the first member alone is answered": dispatching((dispatch, request) => {
      const first: object = Array.isArray(request)
        ? request.slice(0, 1)
        : (Object(request) as object);
      return dispatch(first);
    }),
  },
  "count is how many records a query finds": {
    "count counts every record, whatever the criteria": around(({ files }) => ({
      files: { countBy: files.countBy.bind(files), count: () => files.count() },
    })),
  },
  "countBy has the values of the records that a query finds, in order, and how many have each": {
    "P3 countBy has integers in the order of their texts": around(({ files }) => ({
      files: counted(files, (countBy) => (...asked) => {
        const counts = countBy(...asked);
        const textOf = ({ value }: (typeof counts)[number]) => fc.stringify(value);
        return counts.toSorted((a, b) => textOf(a).localeCompare(textOf(b)));
      }),
    })),
  },
  "each count is that of exactly, and together they are that of the criteria": {
    "countBy counts every record, whatever the criteria": around(({ files }) => ({
      files: counted(files, (countBy) => (field, _, options) => countBy(field, null, options)),
    })),
  },
  "countBy by count has the most frequent first, ties in order, and no more than its limit": {
    "values that are equally frequent come in reverse order": around(({ files }) => ({
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
  "the bins of a histogram follow each other, and each record found is counted once": {
    "the end of a bin belongs to the next one": around(({ files }) => ({
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
  "countBy has the totals of a field that it summarizes, and orders the values by any of them": {
    "values of equal sums come in reverse order": around(({ files }) => ({
      files: counted(files, (countBy) => (field, criteria, options) => {
        const { order, limit, ascending, ...others } = options ?? {};
        if (order !== "sum") return countBy(field, criteria, options);
        const found = countBy(field, criteria, { ...others, order, ascending: !ascending });
        return found.toReversed().slice(0, limit);
      }),
    })),
    "a mean is rounded down": around(({ files }) => ({
      files: counted(
        files,
        (countBy) => (field, criteria, options) =>
          countBy(field, criteria, options).map((each) =>
            "mean" in each ? { ...each, mean: Math.floor(each.mean ?? 0) } : each,
          ),
      ),
    })),
  },
  "countBy with a prefix counts by so many first characters, of which none is cut in half": {
    "V3 a prefix may end with half a character": around(({ files }) => ({
      files: counted(files, (countBy) => (field, criteria, options) => {
        // Of an id, which is what the type is of, there is none.
        const prefix: unknown = options?.prefix;
        if (typeof prefix !== "number") return countBy(field, criteria, options);
        const counts = new Map<unknown, number>();
        for (const { value, count } of countBy(field, criteria)) {
          const start = (typeof value === "string" ? value : "").slice(0, prefix);
          counts.set(start, (counts.get(start) ?? 0) + count);
        }
        const found = Array.from(counts, ([value, count]) => ({ value: value as string, count }));
        return options?.order === "count" ? found.sort((a, b) => b.count - a.count) : found;
      }),
    })),
  },
  "the bins of a histogram by the calendar have the records of each step in UTC": {
    "a week begins on Sunday": around(({ files }) => ({
      files: {
        ...counted(files, (countBy) => countBy),
        histogram: (field: "size", options: HistogramOptions<null>) => {
          if (options.step !== "week") return files.histogram(field, options);
          const found = files.histogram(field, options);
          const early = (time: number) => time - 86_400;
          return {
            ...found,
            bins: found.bins.map((bin) => ({ ...bin, from: early(bin.from), to: early(bin.to) })),
          };
        },
      },
    })),
  },
  "a summary of numbers has the totals and quantiles of those that a query finds": {
    "a quantile is the number before": around(({ files }) => ({
      files: {
        ...counted(files, (countBy) => countBy),
        summary: (field: "size", criteria: null, { quantiles }: SummaryOptions = {}) =>
          quantiles === undefined
            ? files.summary(field, criteria)
            : files.summary(field, criteria, { quantiles: quantiles.map((each) => each * 0.75) }),
      },
    })),
  },
  "a summary counts the records that have a value, and the distinct values": {
    "one distinct value is counted twice": around(({ files }) => ({
      files: {
        ...counted(files, (countBy) => countBy),
        summary: (field: "size", criteria: null, options?: SummaryOptions) => {
          const found = files.summary(field, criteria, options);
          return { ...found, distinct: found.distinct + Math.min(1, found.count) };
        },
      },
    })),
  },
  "groupBy has the groups of the records that a query finds, and of these what was asked for": {
    "the groups are in reverse order": grouped((groupBy) => (query) => groupBy(query).toReversed()),
  },
  "countBy and summary find what groupBy finds": {
    "a mean of groupBy is rounded down": grouped(
      (groupBy) => (query) =>
        groupBy(query).map((group) => ({ ...group, mean: Math.floor(Number(group.mean)) })),
    ),
  },
  "a histogram counts what groupBy counts between its edges": {
    "an edge belongs to the range before it": grouped((groupBy) => (query) => {
      const by = Object(query.by) as Given;
      const edges = by.edges as readonly number[] | undefined;
      const later = edges === undefined ? {} : { edges: edges.map((each) => each + 0.5) };
      return groupBy({ ...query, by: Array.isArray(by) ? by : { ...by, ...later } }).map((group) =>
        typeof group.from === "number" ? { ...group, from: group.from - 0.5 } : group,
      );
    }),
  },
  "data that is not valid is refused": {
    "V2 an integer as text may be written in any way": loading(
      each(["id", "folder_id", "size", "open_count"], (value) =>
        typeof value === "string" ? Number(value) : value,
      ),
    ),
    "V3 half a character in the data is replaced": loading((record) =>
      Object.fromEntries(
        Object.entries(record).map(([name, value]) => [
          name,
          typeof value === "string" ? value.toWellFormed() : value,
        ]),
      ),
    ),
    "V3 half a character in the data is left out": loading(
      each(["name", "url", "mime_type", "contact_email"], (value) =>
        typeof value === "string" ? value.toWellFormed().replaceAll("\ufffd", "") : value,
      ),
    ),
    "V5 null is taken for left out, where a value is needed": loading((record) =>
      Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)),
    ),
    "V7 a status may be written in any case": loading(
      each(["send_status", "open_type"], (value) =>
        typeof value === "string" ? value.toLowerCase() : value,
      ),
    ),
    "V7 a way of opening that is unknown is none": loading(
      each(["open_type"], (value) =>
        ["html", "text", "sms", undefined, null].includes(value as string) ? value : "not_opened",
      ),
    ),
    "V8 fields that there are not are left out": loading((record) =>
      Object.fromEntries(
        Object.entries(record).filter(
          ([name]) => !["colour", "Size", "toString", "__proto__"].includes(name),
        ),
      ),
    ),
    "V8 of two Files with one id the last one is kept": (data) =>
      createService({
        ...data,
        files: [...new Map(data.files.map((file) => [String(file.id), file])).values()],
      }),
  },
  "a thousand criteria are allowed, and no more": {
    "C10 criteria beyond the thousandth are left out": given(([criteria, ...page]) => [
      Array.isArray(criteria) ? criteria.slice(0, 1000) : criteria,
      ...page,
    ]),
    "C10 a thousand criteria are one too many": searching((searchFiles, page) => {
      if ((lengthOf(page[0]) ?? 0) >= 1000) throw new ServiceError(311, "there are too many");
      return searchFiles(...page);
    }),
  },
  "a request with a parameter too many is error 310": {
    "E7 parameters of a request beyond the last are left alone": sent((request, params) => ({
      ...request,
      params: params.slice(0, request.method === "searchFiles" ? 6 : 7),
    })),
  },
  "ties keep insertion order among many records, too": {
    "more than twelve records are sorted in a way that is not stable": model({
      sort(rows, sorting, all) {
        if (rows.length <= 12) return steps.sort(rows, sorting, all);
        const [even, odd] = [0, 1].map((rest) => rows.filter((_, i) => i % 2 === rest));
        return steps.sort([...(odd ?? []), ...(even ?? [])], sorting, all);
      },
    }),
  },
  "a string of in is split at every comma, and empty parts count": {
    "empty parts at the end of a string of in are dropped": splitting((parts) =>
      parts.slice(0, parts.findLastIndex((part) => part !== "") + 1 || 1),
    ),
    "empty parts of a string of in are dropped, unless all are": splitting((parts) =>
      parts.some((part) => part !== "") ? parts.filter((part) => part !== "") : parts,
    ),
    "an empty string of in has no part": splitting((parts) =>
      parts.length === 1 ? parts.filter((part) => part !== "") : parts,
    ),
    "empty parts at the start of a string of in are dropped": splitting((parts) =>
      parts.slice(
        Math.max(
          parts.findIndex((part) => part !== ""),
          0,
        ),
      ),
    ),
  },
  "a Batch is an object by the ids of its Lists, whatever these are": {
    "a Batch without Lists is an array": around(({ getBatchContacts }) => ({
      getBatchContacts: (...page) => {
        const lists = getBatchContacts(...page);
        return Object.keys(lists).length === 0 ? [] : lists;
      },
    })),
    "Lists with the ids 0 and 1 are an array": around(({ getBatchContacts }) => ({
      getBatchContacts: (...page) => {
        const lists = getBatchContacts(...page);
        const ids = Object.keys(lists);
        return ids.length > 0 && ids.every((id, i) => id === String(i))
          ? Object.values(lists)
          : lists;
      },
    })),
  },
  "null in the data is a value, and not one that was left out": {
    "V6 a name that is null follows from the other names": loading((record) =>
      record.name === null && "basename" in record ? without(record, ["name"]) : record,
    ),
    "V6 a basename that is null follows from the name": loading((record) =>
      record.basename === null ? without(record, ["basename"]) : record,
    ),
    "V5 a size that is null is 0": loading((record) =>
      record.size === null ? without(record, ["size"]) : record,
    ),
    "V5 a status that is null is pending": loading((record) =>
      record.send_status === null ? without(record, ["send_status"]) : record,
    ),
  },
  "a field or an operator may be any value, and none but their own names are known": {
    "E11 criteria on a name that every object has select nothing": searching((searchFiles, page) =>
      namedBy(page[0], 0).some((name) => typeof name === "string" && name in {})
        ? []
        : searchFiles(...page),
    ),
    "C8 an operator that every object has is exactly": given(([criteria, ...page]) => [
      deeply(criteria, (leaf) => (leaf === "constructor" ? "exactly" : leaf)),
      ...page,
    ]),
    "C8 the name of a field may be alone in a list": given(([criteria, ...page]) => [
      Array.isArray(criteria)
        ? criteria.map((each: unknown) =>
            Array.isArray(each) && isDeepStrictEqual(each[0], ["id"])
              ? ["id", ...(each as unknown[]).slice(1)]
              : each,
          )
        : criteria,
      ...page,
    ]),
    "C8 a field that is an object is an internal error": searching((searchFiles, page) => {
      const isHashed = namedBy(page[0], 0).every((name) => typeof name !== "object");
      if (!isHashed) throw new ServiceError(100, "unhashable type");
      return searchFiles(...page);
    }),
    "C8 an operator that is a list is an internal error": searching((searchFiles, page) => {
      if (namedBy(page[0], 1).some(Array.isArray)) throw new ServiceError(100, "unhashable type");
      return searchFiles(...page);
    }),
    "P6 a field to sort by that is an object is an internal error": searching(
      (searchFiles, page) => {
        if (typeof page[3] === "object" && page[3] !== null) {
          throw new ServiceError(100, "unhashable type");
        }
        return searchFiles(...page);
      },
    ),
  },
  "half a character in an id is answered as it was sent": {
    "half a character in an id is replaced": answering(({ id, ...response }) => ({
      id: typeof id === "string" ? id.toWellFormed() : id,
      ...response,
    })),
    "an id with half a character is refused": answering((response) =>
      typeof response.id === "string" && !response.id.isWellFormed()
        ? {
            id: null,
            result: null,
            error: { code: 310, message: "Invalid Method Parameters", data: "id: must be text" },
          }
        : response,
    ),
  },
  "a JSON-RPC request whose id is null is answered with id null": {
    "a JSON-RPC request whose id is null is a notification": dispatching((dispatch, request) => {
      const { jsonrpc, id }: Loose = Object(request) as Loose;
      const answer = dispatch(request);
      return jsonrpc === "2.0" && id === null ? undefined : answer;
    }),
    "null is no id of JSON-RPC": dispatching((dispatch, request) => {
      const { id, ...others }: Loose = Object(request) as Loose;
      return dispatch(id === null && others.jsonrpc === "2.0" ? { ...others, id: [] } : request);
    }),
  },
  "a JSON-RPC parameter that the method does not have is an error after that of the key, and before all others":
    {
      "JSON-RPC parameters that the method does not have are dropped": naming((params) =>
        Object.fromEntries(Object.entries(params).filter(([name]) => NAMED.includes(name))),
      ),
      "JSON-RPC parameters named like a member of every object are dropped": naming((params) =>
        Object.fromEntries(
          Object.entries(params).filter(([name]) => NAMED.includes(name) || !(name in {})),
        ),
      ),
      "names of JSON-RPC parameters are checked before the key": naming((params) =>
        Object.keys(params).every((name) => NAMED.includes(name))
          ? params
          : { ...params, api_key: "key" },
      ),
      "names of JSON-RPC parameters are checked after criteria": naming((params) =>
        Array.isArray(params.search_criteria ?? [])
          ? params
          : Object.fromEntries(Object.entries(params).filter(([name]) => NAMED.includes(name))),
      ),
    },
  "a number is the same, however it is written": {
    "V2 a number with a fraction is no integer": parsing((json) =>
      json.replace(/([:[,]-?\d+)\.0+(?=[,\]}])/g, "$1.5"),
    ),
    "V2 a number with an exponent is no integer": parsing((json) =>
      json.replace(/([:[,])-?[\d.]+e[+-]?\d+(?=[,\]}])/gi, "$11.5"),
    ),
    "V2 minus zero is negative": parsing((json) =>
      json.replace(/([:[,])-0(?:\.0+)?(?=[,\]}])/g, "$1-1"),
    ),
    "V2 more digits than a double needs are no number": parsing((json) =>
      json.replace(/(?<=[[,])0\.\d{17,}/g, "true"),
    ),
    "V2 a number compares as it is written": parsing((json) =>
      json.replace(/("exactly",|"in",\[)(-?\d[\d.eE+-]*)/g, '$1"$2"'),
    ),
    "E3 an id is answered as it is written": around(({ dispatchJson }) => ({
      dispatchJson(json) {
        const id = /^\{"id":(-?\d[\d.eE+-]*)/.exec(json)?.[1];
        const answer = String(dispatchJson(json));
        return id === undefined ? answer : answer.replace(/"id":[^,]*/, `"id":"${id}"`);
      },
    })),
  },
  "a number that no double has is refused, and never rounded": {
    "V2 long integers are rounded": parsing((json) =>
      json.replace(/"params":.*/, (params) =>
        params.replace(/-?\d{16,30}/g, (integer) => String(Number(integer))),
      ),
    ),
    "V2 an infinite number is the greatest one": parsing((json) =>
      json.replace(/("params":.*)1e400/, "$11e300"),
    ),
    "V2 an infinite limit is none": parsing((json) => json.replace("null,1e400", "null,null")),
    "E3 an infinite id is the greatest integer": parsing((json) =>
      json.replace('"id":1e400', '"id":1e300'),
    ),
    "E3 integers of more than 4300 digits are not read": parsing((json) =>
      /\d{4301}/.test(json) ? "" : json,
    ),
  },
  "what only some parsers take for JSON is error 310 with id null": {
    "a byte order mark is white space": parsing((json) => json.replace(/^ \ufeff/, "")),
    "white space is any that Unicode has": parsing((json) => json.trim()),
    "what comes after a request is left alone": parsing((json) =>
      json.replace(/\}(?:;|\0|\{.*)$/, "}"),
    ),
    "a comment is left out": parsing((json) => json.replace(/\/\/.*$|\/\*.*?\*\//g, "")),
    "a comma may stand behind the last member": parsing((json) => json.replace(/,(?=[\]}]+$)/, "")),
    "a name may be in single quotes": parsing((json) => json.replace("'id'", '"id"')),
    "a name needs no quotes": parsing((json) => json.replace("{id:", '{"id":')),
    "Infinity is JSON": parsing((json) => json.replace(':Infinity,"id"', ':0,"id"')),
    "a hexadecimal number is JSON": parsing((json) => json.replace(':0x1,"id"', ':0,"id"')),
    "a number may begin with its point": parsing((json) => json.replace(':.5,"id"', ':0,"id"')),
    "a string may have control characters": parsing((json) => json.replaceAll("\u0001", "")),
  },
  "of members with one name the last one counts": {
    "of members with one name the first one counts": parsing((json) => {
      const [, name, value] = /^\{"(\w+)":("\w*"|null|\[\]),/.exec(json) ?? [];
      if (name === undefined || !json.slice(3 + name.length).includes(`"${name}":`)) return json;
      return JSON.stringify({ ...Object(parsed(json)), [name]: parsed(value ?? "") });
    }),
    "members with one name are not JSON": parsing((json) =>
      /^\{"(\w+)":("\w*"|null|\[\]),.*"\1":/.test(json) ? "" : json,
    ),
  },
  "only a line feed ends a request": {
    "E1 a carriage return ends a request": parsing((json) =>
      String(json.split("\r").find((line) => line !== "")),
    ),
    "E1 U+2028 ends a request": parsing((json) => String(json.split(/[\u2028\u2029]/)[0])),
    "E1 U+0085 ends a request": parsing((json) => String(json.split("\u0085")[0])),
  },
  "a key that is empty, or no text, is error 300": {
    "E8 an empty key is accepted": sent((request, [key, ...params]) => ({
      ...request,
      params: [key === "" ? "key" : key, ...params],
    })),
    "E8 a key that is no text is accepted": sent((request, [key, ...params]) => ({
      ...request,
      params: key === undefined ? [] : [typeof key === "string" ? key : "key", ...params],
    })),
  },
};

/** @param named the mistake, behind its rule where there is one */
const brokenOf = (law: string, named: string, make: BrokenService["make"]): BrokenService => {
  const [, rule, mistake = named] = /^(?:([VCPER]\d+) )?(.*)$/.exec(named) ?? [];
  return { ...(rule === undefined ? {} : { rule }), mistake, law, make };
};

export const brokenServices: readonly BrokenService[] = [
  ...Object.entries(MISTAKES).flatMap(([law, mistakes]) =>
    Object.entries(mistakes).map(([named, make]) => brokenOf(law, named, make)),
  ),
  ...spellingMistakes,
  ...misspellingMistakes,
];

type CountBy = (
  field: "id",
  criteria?: null,
  options?: CountByOptions<"id" | undefined>,
) => readonly (ValueCount | ValueTotals)[];

/** A collection of Files that has another way to count by values. */
function counted(files: Files, replace: (countBy: CountBy) => CountBy): object {
  return {
    countBy: replace((...asked) => files.countBy(...asked)),
    count: files.count.bind(files),
    histogram: files.histogram.bind(files),
    summary: files.summary.bind(files),
  };
}

type Given = Readonly<Record<string, unknown>>;

type GroupBy = (query: Given) => readonly Given[];

/** A service whose Files have another groupBy. */
function grouped(replace: (groupBy: GroupBy) => GroupBy) {
  return around(({ files }) => ({
    files: {
      ...counted(files, (countBy) => countBy),
      groupBy: replace((query) => files.groupBy(query as never) as readonly Given[]),
    },
  }));
}

/** How many elements criteria have, if they are a list. */
function lengthOf(criteria: unknown): number | undefined {
  return Array.isArray(criteria) ? criteria.length : undefined;
}
