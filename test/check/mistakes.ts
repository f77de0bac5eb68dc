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
    mistake: "true is an id",
    law: "an id that is neither an integer nor a string is answered by null: error 310",
    find: "type(id_) not in (int, str)",
    replace: "not isinstance(id_, (int, str))",
  },
];
