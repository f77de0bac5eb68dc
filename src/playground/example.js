// A service with one method. It is made of given Files, and holds their records as it answers them:
// every value is a text.

const INTS = [
  ...["id", "folder_id", "size", "creation_time", "image_width", "image_height"],
  ...["last_modified_time", "last_modified_user_id"],
];
const FIELDS = [
  ...["id", "folder_id", "basename", "extension", "size", "creation_time", "image_width"],
  ...["image_height", "mime_type", "last_modified_time", "last_modified_user_id", "name", "url"],
];

export default ({ files }) => {
  const records = files.map(toRecord);
  if (new Set(records.map(({ id }) => id)).size < records.length)
    refuse(310, "an id is there twice");

  const searchFiles = (...parameters) => {
    const [criteria, limit, offset, sortBy, sortOrder] = parameters;
    const matches = readCriteria(criteria);
    const [most, skipped] = [readCount(limit, Infinity), readCount(offset, 0)];
    if (!isOmitted(sortBy) && !FIELDS.includes(sortBy)) refuse(310, "sort_by is no field");
    if (!isOmitted(sortOrder) && sortOrder !== "ASC" && sortOrder !== "DESC") {
      refuse(310, "sort_order is ASC or DESC");
    }
    if (parameters.length > 5) refuse(310, "too many parameters");

    const found = records.filter(matches);
    if (!isOmitted(sortBy)) {
      const compare = INTS.includes(sortBy) ? (a, b) => a - b : compareTexts;
      const direction = sortOrder === "ASC" ? 1 : -1;
      found.sort((a, b) => direction * compare(a[sortBy], b[sortBy]));
    }
    return found.slice(skipped, skipped + most);
  };
  return { searchFiles };
};

function refuse(code, reason) {
  throw Object.assign(new Error(reason), { code });
}

const isOmitted = (value) => value === undefined || value === null || value === "";

/** The canonical text of an integer; undefined for anything else. */
function integer(value) {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const isCanonical = /^(0|-?[1-9][0-9]*)$/.test(value) && Number.isSafeInteger(Number(value));
  return isCanonical ? String(value) : undefined;
}

function toRecord(given) {
  const members = Object.entries(given);
  if (members.some(([name]) => !FIELDS.includes(name))) refuse(310, "unknown field");
  const file = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  if (typeof file.name === "string") {
    const dot = file.name.lastIndexOf(".");
    const end = dot > 0 ? dot : file.name.length;
    file.basename ??= file.name.slice(0, end);
    file.extension ??= file.name.slice(end);
  }
  const { extension } = file;
  if (typeof extension === "string" && extension !== "" && !extension.startsWith(".")) {
    file.extension = `.${extension}`;
  }
  if (file.name === undefined) file.name = file.basename + file.extension;
  const record = FIELDS.map((name) => [name, toText(name, file[name])]);
  return Object.freeze(Object.fromEntries(record));
}

function toText(name, value) {
  const isInt = INTS.includes(name);
  const isRequired = ["id", "folder_id", "basename", "extension"].includes(name);
  const given = value === undefined && !isRequired ? (isInt ? "0" : "") : value;
  const text = isInt ? integer(typeof given === "bigint" ? String(given) : given) : given;
  if (typeof text !== "string" || !text.isWellFormed()) refuse(310, `${name} is not valid`);
  return text;
}

function readCount(value, otherwise) {
  const count = isOmitted(value) ? otherwise : Number(integer(value) ?? NaN);
  return count >= 0 ? count : refuse(310, "limit and offset are integers from 0");
}

/** A function from a record to whether it matches: groups with "OR" between them. */
function readCriteria(criteria) {
  if (criteria === undefined || criteria === null) return () => true;
  const groups = [[]];
  try {
    if (!Array.isArray(criteria)) refuse(311, "criteria are no array");
    for (let i = 0, count = 0; i < criteria.length; i++) {
      const element = criteria[i];
      if (element === "OR") groups.push([]);
      else if (++count > 1000) refuse(311, "too many criteria");
      else groups.at(-1).push(readCriterion(element));
    }
  } catch ({ message }) {
    refuse(311, message);
  }
  if (groups.length > 1 && groups.some((group) => group.length === 0)) refuse(311, "OR at an end");
  return (record) => groups.some((group) => group.every((matches) => matches(record)));
}

const TESTS = {
  exactly: (field, value) => field === value,
  not: (field, value) => field !== value,
  contains: (field, value) => field.includes(value),
  starts_with: (field, value) => field.startsWith(value),
  ends_with: (field, value) => field.endsWith(value),
  greater_than: (field, value) => Number(field) > Number(value),
  less_than: (field, value) => Number(field) < Number(value),
  in: (field, values) => values.includes(field),
};

function readCriterion(criterion) {
  if (!Array.isArray(criterion) || criterion.length !== 3)
    refuse(311, "a criterion has 3 elements");
  const [name, operator, given] = [criterion[0], criterion[1], criterion[2]];
  if (!FIELDS.includes(name)) refuse(311, "no such field");
  if (typeof operator !== "string" || !Object.hasOwn(TESTS, operator))
    refuse(311, "no such operator");
  const value = readValue(name, operator, given);
  return (record) => TESTS[operator](record[name], value);
}

function readValue(name, operator, value) {
  if (operator === "greater_than" || operator === "less_than") {
    return (INTS.includes(name) ? integer(value) : undefined) ?? refuse(311, "no integer");
  }
  if (operator === "in") {
    if (typeof value === "string") return asText(value).split(",");
    if (!Array.isArray(value)) refuse(311, "no values");
    return Array.from(value, (each) => (each === null ? null : asText(each)));
  }
  return value === null && (operator === "exactly" || operator === "not") ? null : asText(value);
}

function asText(value) {
  const isText = typeof value === "string" ? value.isWellFormed() : Number.isFinite(value);
  return isText ? String(value) : refuse(311, "no text and no number");
}

/** By code point: `<` compares halves of characters. */
function compareTexts(a, b) {
  const [left, right] = [[...a], [...b]];
  const i = left.findIndex((character, at) => character !== right[at]);
  if (i < 0) return left.length - right.length;
  return left[i].codePointAt(0) - (right[i]?.codePointAt(0) ?? -1);
}
