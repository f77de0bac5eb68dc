// Mistakes that are easy to make in a service, some only in Python: each is one change to service.py.

export interface Mistake {
  readonly mistake: string;
  /** A law that finds it. */
  readonly law: string;
  readonly find: string;
  readonly replace: string;
}

export const mistakes: readonly Mistake[] = [
  {
    mistake: "a File's name is split at its first dot",
    law: "every record that was given is there, in the form and the order given",
    find: 'name.rfind(".")',
    replace: 'name.find(".")',
  },
  {
    mistake: "digits of any script make an int",
    law: "data that is not valid is refused",
    find: '"0|-?[1-9][0-9]{0,15}"',
    replace: 'r"\\d{1,16}"',
  },
  {
    mistake: "half a character is text",
    law: "half a character in the value of a criterion is refused: error 311",
    find: "return isinstance(value, str) and SURROGATE.search(value) is None",
    replace: "return isinstance(value, str)",
  },
  {
    mistake: "two Files may have one id",
    law: "data that is not valid is refused",
    find: "if key in known:",
    replace: "if False:",
  },
  {
    mistake: "true is the number 1, as a limit too",
    law: "page parameters that are not valid are refused: error 310",
    find: "return value if type(value) is int",
    replace: "return value if isinstance(value, int)",
  },
  {
    mistake: "true is a value of exactly",
    law: "criteria that are not valid are refused: error 311",
    find: "type(value) in (int, float)",
    replace: "isinstance(value, (int, float))",
  },
  {
    mistake: "null is left out by not",
    law: "not is the complement of exactly",
    find: "lambda field, value: field != value",
    replace: "lambda field, value: field is not None and field != value",
  },
  {
    mistake: "the texts of in are trimmed",
    law: "a space is a character, also before and after others",
    find: 'text(value).split(",")',
    replace: '(each.strip() for each in text(value).split(","))',
  },
  {
    mistake: "contains ignores case",
    law: "a letter in another case is another letter",
    find: "value in field)",
    replace: "value.lower() in field.lower())",
  },
  {
    mistake: "OR binds tighter than AND",
    law: "AND binds tighter than OR",
    find: "any(all(holds(record) for holds in group) for group in groups)",
    replace: "all(any(holds(record) for holds in group) for group in groups)",
  },
  {
    mistake: "a field that is not searchable is searched",
    law: "criteria that are not valid are refused: error 311",
    find: " or not fields[name].searchable",
    replace: "",
  },
  {
    mistake: "a List Field that a List lacks is empty",
    law: "a query selects exactly the records that its predicate accepts",
    find: "absent = {name: None for",
    replace: 'absent = {name: "" for',
  },
  {
    mistake: "ints are sorted as text",
    law: "sorting orders: null first, numbers by number, text by code point",
    find: 'int(value) if field.type == "int" else value',
    replace: "value",
  },
  {
    mistake: "text is sorted by its UTF-16",
    law: "sorting orders: null first, numbers by number, text by code point",
    find: 'int(value) if field.type == "int" else value',
    replace: 'int(value) if field.type == "int" else value.encode("utf-16-be")',
  },
  {
    mistake: "null is the highest value",
    law: "sorting orders: null first, numbers by number, text by code point",
    find: "return (0,)",
    replace: "return (2,)",
  },
  {
    mistake: "ties are turned around by DESC",
    law: "ties keep insertion order in both directions",
    find: 'found.sort(key=values.__getitem__, reverse=sort_order != "ASC")',
    replace: 'found = sorted(found, key=values.__getitem__)[:: 1 if sort_order == "ASC" else -1]',
  },
  {
    mistake: "a limit of 0 is no limit",
    law: "limit 0 gives nothing",
    find: "[:most]",
    replace: "[: most or None]",
  },
  {
    mistake: "a List without Contacts is left out",
    law: "every List has its key",
    find: "for list_id in batch.lists}",
    replace: "for list_id in batch.list_of}",
  },
  {
    mistake: "Contacts have their List Fields",
    law: "records are plain, and have the fields of their schema in its form",
    find: "for name in CONTACT}  # P8",
    replace: "for name in batch.fields}",
  },
  {
    mistake: "any text that int() reads is the id of a Batch",
    law: "what is not the id of a Batch is error 308",
    find: "str(integer(batch_id))",
    replace: "str(int(batch_id))",
  },
  {
    mistake: "a parameter too many is dropped",
    law: "a request with a parameter too many is error 310",
    find: "if more:",
    replace: "if False:",
  },
  {
    mistake: "a notification is answered",
    law: "a JSON-RPC notification gets no answer",
    find: 'return answer if "id" in request else None',
    replace: "return answer",
  },
  {
    mistake: "a number is written as Python writes it",
    law: "a number or boolean compares as its text",
    find: "    shortest = repr(float(value))",
    replace: "    return str(value)",
  },
  {
    mistake: "NaN is JSON",
    law: "text that is not JSON is error 310 with id null",
    find: ", parse_constant=refuse",
    replace: "",
  },
  {
    mistake: "a number with a fraction is no int, whatever the fraction",
    law: "a number is the same, however it is written",
    find: ", parse_float=number",
    replace: "",
  },
  {
    mistake: "white space is any that Unicode has",
    law: "what only some parsers take for JSON is error 310 with id null",
    find: 'line.decode("utf-8")',
    replace: 'line.decode("utf-8").strip()',
  },
  {
    mistake: "the first of members with one name counts",
    law: "of members with one name the last one counts",
    find: ", parse_constant=refuse",
    replace: ", parse_constant=refuse, object_pairs_hook=lambda pairs: dict(reversed(pairs))",
  },
  {
    mistake: "lines are read as text, which a carriage return ends",
    law: "only a line feed ends a request",
    find: "for line in sys.stdin.buffer:",
    replace: 'for line in (text.encode() for text in open(0, encoding="utf-8")):',
  },
  {
    mistake: "half a character in an id is written as a question mark",
    law: "half a character in an id is answered as it was sent",
    find: "json.dumps(answer)",
    replace: 'json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace").decode()',
  },
  {
    mistake: "an id that is null is none",
    law: "a JSON-RPC request whose id is null is answered with id null",
    find: 'return answer if "id" in request else None',
    replace: "return answer if id_ is not None else None",
  },
  {
    mistake: "names of no parameter are dropped",
    law: "a JSON-RPC parameter that the method does not have is an error after that of the key, and before all others",
    find: "unknown = params.keys() - PARAMETERS[method]",
    replace: "pass",
  },
  {
    mistake: "a field that has no hash is looked up",
    law: "a field or an operator may be any value, and none but their own names are known",
    find: "if not isinstance(name, str) or name not in fields",
    replace: "if name not in fields",
  },
  {
    mistake: "empty texts at the end of in are dropped",
    law: "a string of in is split at every comma, and empty parts count",
    find: 'text(value).split(",")',
    replace: 'text(value).rstrip(",").split(",")',
  },
  {
    mistake: "a Batch without Lists is an array",
    law: "a Batch is an object by the ids of its Lists, whatever these are",
    find: "result[batch.list_of[at]].append(contact)\n        return result",
    replace: "result[batch.list_of[at]].append(contact)\n        return result or []",
  },
  {
    mistake: "null is taken for left out",
    law: "null in the data is a value, and not one that was left out",
    find: "wire(field, given.get(name, field.default),",
    replace: "wire(field, field.default if given.get(name) is None else given[name],",
  },
  {
    mistake: "true is an id",
    law: "an id that is neither an integer nor a string is answered by null: error 310",
    find: "type(id_) not in (int, str)",
    replace: "not isinstance(id_, (int, str))",
  },
];
