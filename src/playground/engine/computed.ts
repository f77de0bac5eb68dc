// The columns that somebody computes from others: expressions, as fields that are added to the collection of a table.

import { Collection } from "../../collection/collection.ts";
import { Codec } from "../../engine/columns/codec.ts";
import { ComputedField } from "../../engine/relations/computed-field.ts";
import { Join } from "../../engine/relations/join.ts";
import { boolean, createCollection, defineSchema, float, int, string } from "../../index.ts";
import { TercetError, type FieldValue } from "../../index.ts";
import { quotedName } from "../expression-names.ts";
import { isOwn, type Computed, type FieldInfo, type TimeForm, type Tried } from "../messages.ts";
import { ofRecords, ofRows, type Columns } from "./column-values.ts";
import { compiled } from "./evaluate.ts";
import { callOf, codeOf, columnsIn, parseExpression } from "./expression.ts";
import type { Tree } from "./expression.ts";
import { fieldOf, valueIn } from "./fields.ts";
import type { Type, Value } from "./operations.ts";

interface Column {
  readonly info: FieldInfo;
  readonly tree: Tree;
  readonly field: ComputedField;
}

const nullable = { nullable: true } as const;
const FIELDS = {
  int: int(nullable),
  float: float(nullable),
  boolean: boolean(nullable),
  string: string(nullable),
};

/** A computed field reads no other collection. */
const NO_OTHER = createCollection(defineSchema({ none: int() }), []).state.snapshot;

/** How many values of a column are looked at to show it, and how many of these are shown before it is there. */
const SAMPLE = 200;
const SHOWN = 3;

/** How a time is written that is made of none with a form. */
const FORM: TimeForm = { separator: "T", length: 23, zone: "Z" };

export class ComputedColumns {
  readonly #of: Collection;
  readonly #fields: readonly FieldInfo[];
  readonly #columns: Column[] = [];
  readonly #before: ReadonlyMap<string, ComputedField>;
  #join: Join;
  #last: { readonly of: Collection; readonly joined: Collection } | undefined;
  /** By all that the values follow from. */
  readonly known = new Map<string, ComputedField>();
  /** Why columns are not computed, by their names. */
  readonly problems: (readonly [name: string, reason: string])[] = [];

  /**
   * @param of the collection, which may have fields of others
   * @param fields its fields
   * @param known fields of the same collection, whose values are kept
   */
  constructor(
    of: Collection,
    fields: readonly FieldInfo[],
    wanted: readonly Computed[],
    known: ReadonlyMap<string, ComputedField> = new Map(),
  ) {
    this.#of = of;
    this.#fields = fields;
    this.#before = known;
    this.#join = this.#joining([]);
    for (const each of wanted) {
      try {
        this.#add(each);
      } catch (thrown) {
        if (!(thrown instanceof TercetError)) throw thrown;
        this.problems.push([each.name, thrown.message]);
      }
    }
  }

  get fields(): readonly FieldInfo[] {
    return this.#columns.map(({ info }) => info);
  }

  /** A version of the collection with these columns. Nothing is copied. */
  joined(of: Collection): Collection {
    if (this.#columns.length === 0) return of;
    if (this.#last?.of !== of) {
      const { state } = of;
      const others = this.#columns.map(() => NO_OTHER);
      const snapshot = this.#join.of(state.snapshot, others);
      const codec = Codec.of(this.#join.schema);
      this.#last = { of, joined: Collection.of({ ...state, codec, snapshot }) };
    }
    return this.#last.joined;
  }

  /** Computes the values of all rows in steps, after which it yields how many there are already, about. */
  *computing(): Generator<number, void> {
    let done = 0;
    for (const { field } of this.#columns) {
      for (const segment of this.#of.state.snapshot.segments) {
        const steps = field.column(segment).building();
        while (steps.next().done !== true) yield done;
        done += segment.live;
      }
    }
  }

  /** One of the columns. @throws TercetError if it is not computed */
  tried(name: string): Tried {
    const [, reason] = this.problems.find(([each]) => each === name) ?? [];
    const field = this.fields.find((each) => each.name === name);
    if (field === undefined) throw new TercetError(reason ?? "");
    return { field, values: this.#sample(name).slice(0, SHOWN) };
  }

  #joining(fields: readonly ComputedField[]): Join {
    const { schema, state } = this.#of;
    return new Join(schema, fields, state.options.budget);
  }

  #sample(name: string): readonly FieldValue[] {
    const records: readonly object[] = this.joined(this.#of).query({
      select: [name],
      limit: SAMPLE,
    });
    return records.map((record) => valueIn(record, name));
  }

  /** @throws TercetError */
  #add({ name, expression }: Computed): void {
    const all = [...this.#fields, ...this.fields];
    if (name === "") throw new TercetError("a column needs a name");
    if (all.some((each) => each.name === name)) {
      throw new TercetError(`there is already a column ${quotedName(name)}; choose another name`);
    }
    const types = new Map(all.map((each) => [each.name, typeOf(each)]));
    const own = this.#fields.filter(isOwn).map((each) => each.name);
    const parsed = parseExpression(expression, types, own);
    const trees = new Map(this.#columns.map(({ info, tree }) => [info.name, tree]));
    const tree = inlined(parsed, trees);
    const inSeconds = this.#fields.flatMap((each) => (each.unit === "seconds" ? each.name : []));
    const code = codeOf(tree, (column) => {
      const read = `r[${JSON.stringify(column)}]`;
      return inSeconds.includes(column) ? `of((a) => a * 1000, ${read})` : read;
    });
    const type = this.#typeOf(tree);
    const key = JSON.stringify([name, type, code]);
    const isOfOthers = this.#fields.some(
      (each) => each.from !== undefined && columnsIn(tree).has(each.name),
    );
    const exact = "(a) => (Number.isSafeInteger(a) ? a : null)";
    const formula = {
      expression,
      code: isOfOthers ? undefined : type === "int" ? `of(${exact}, ${code})` : code,
    };
    const columns: Columns = { schema: this.#of.schema, inSeconds: new Set(inSeconds) };
    const field = this.#before.get(key) ?? fieldFor(name, type, tree, columns);
    this.known.set(key, field);
    this.#join = this.#joining([...this.#columns.map((each) => each.field), field]);
    this.#last = undefined;
    const { schema } = this.#join;
    const described = { ...FIELDS[type], stored: true };
    const times = new Map([[name, this.#timeIn(tree)]]);
    const infoOf = (values: readonly FieldValue[]) => {
      const field = fieldOf(schema, name, described, values, times, this.#of.size);
      return { ...field, computed: formula };
    };
    this.#columns.push({ tree, field, info: infoOf([]) });
    const info = infoOf(this.#sample(name));
    this.#columns.splice(-1, 1, { tree, field, info });
  }

  /** The type of the field. Times are integers, unless one may have fractions of a millisecond. */
  #typeOf(tree: Tree): keyof typeof FIELDS {
    const { type } = tree;
    if (type === "null" || type === "other") throw new TercetError("it has no value");
    if (type !== "time") return type;
    const names = columnsIn(tree);
    return this.#fields.some((each) => names.has(each.name) && each.type === "float")
      ? "float"
      : "int";
  }

  /** A time is written like one of those that it is made of. */
  #timeIn(tree: Tree): TimeForm | "never" {
    if (tree.type !== "time") return "never";
    const names = columnsIn(tree);
    return (
      this.#fields.find(({ name, form }) => names.has(name) && form !== undefined)?.form ?? FORM
    );
  }
}

function fieldFor(
  name: string,
  type: keyof typeof FIELDS,
  tree: Tree,
  columns: Columns,
): ComputedField {
  const isInteger = type === "int";
  /** An integer that is too large to be exact is null. */
  const exact = (value: Value): Value => (isInteger && !Number.isSafeInteger(value) ? null : value);
  const ofRecord = compiled(tree, ofRecords(columns));
  const described = Object.freeze({ ...FIELDS[type], stored: false });
  return new ComputedField(name, described, {
    ofRows: (rows) => {
      const valueOf = compiled(tree, ofRows(columns, rows));
      return (row) => exact(valueOf(row));
    },
    ofRecord: (record) => exact(ofRecord(record)),
  });
}

function typeOf({ type, unit }: FieldInfo): Type {
  if (unit !== undefined) return "time";
  if (type === "time") return "string";
  return type === "json" || type === "strings" ? "other" : type;
}

/** A tree in which computed columns are what they are computed from. */
function inlined(tree: Tree, trees: ReadonlyMap<string, Tree>): Tree {
  if (tree.kind === "column") return trees.get(tree.name) ?? tree;
  if (tree.kind === "constant") return tree;
  const parts = tree.parts.map((part) => inlined(part, trees));
  return callOf(tree.of, parts, tree.type, tree.at);
}
