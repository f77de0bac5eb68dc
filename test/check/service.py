"""The two operations of the messaging service, searchFiles and getBatchContacts, in Python.

A model for services in any language: a plain predicate, a sort and a slice, and no index. The names
in the comments (V2, C4, P3...) are those of the rules, which README.md beside this file explains.
It needs Python 3.9 or later and nothing else. To run the laws against it:

    tercet check -- python3 test/check/service.py
"""

from __future__ import annotations

import json
import math
import re
import sys
from decimal import Decimal
from typing import Any, Callable, NamedTuple, NoReturn, Optional, Union

# E3: an id may have more than 4,300 digits, which recent versions refuse to read and to write.
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

Value = Optional[str]  # V1: in wire form each value is a string or null
Record = dict[str, Value]
Number = Union[int, float]
Object = dict[str, Any]  # what JSON calls one


class InputError(ValueError):
    """V8: the data are refused. The message begins with the place."""


class ServiceError(Exception):
    """E2: the answer is an error. Its name is fixed by its code, the reason is ours."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


# Values

MAX_SAFE = 2**53 - 1
CANONICAL = re.compile("0|-?[1-9][0-9]{0,15}")  # [0-9], because \d takes the digits of all scripts
SURROGATE = re.compile(r"[\ud800-\udfff]")


def number(text: str) -> Number:
    """A number in JSON with a fraction or an exponent is a double: 1e400 is infinite.

    Those without a fraction become ints, so that 1.0 is 1. Integers in JSON keep all their digits (E3).
    """
    value = float(text)
    return int(value) if value.is_integer() else value


def is_finite(value: Any) -> bool:
    # isinstance would let True pass, which is a kind of int.
    return type(value) in (int, float) and abs(value) < math.inf


def is_double(value: Number) -> bool:
    """Whether a double stands for the number: 9007199254740993 would be rounded."""
    try:
        return float(value) == value or text_of(value) == str(value)
    except OverflowError:
        return False


def integer(value: Any) -> int | None:
    """V2: the int that a safe whole number or a canonical string stands for, or None."""
    if isinstance(value, str) and CANONICAL.fullmatch(value):
        value = int(value)
    return value if type(value) is int and abs(value) <= MAX_SAFE else None


def is_text(value: Any) -> bool:
    """V3, C13: well-formed Unicode. JSON can hold half a pair, and so can a str."""
    return isinstance(value, str) and SURROGATE.search(value) is None


def text_of(value: Number) -> str:
    """C5: a number as text, as ECMAScript writes it: the fewest digits that read back as the same
    double, with an exponent below 1e-6 and from 1e21 on."""
    shortest = repr(float(value))
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        return format(Decimal(shortest), "f").removesuffix(".0")
    return shortest.replace("e-0", "e-")


# Fields, in the contract's order (R1)


class Field(NamedTuple):
    type: str
    default: Value = None  # V6: None is null where the field may be null, else it is required
    nullable: bool = False
    searchable: bool = True
    one_of: tuple[str, ...] = ()


Fields = dict[str, Field]

ID = Field("int")
INT = Field("int", default="0")
NULLABLE_INT = Field("int", nullable=True)
TEXT = Field("string")
NULLABLE_TEXT = Field("string", nullable=True)

FILE: Fields = {  # V4
    "id": ID,
    "folder_id": ID,
    "basename": TEXT,
    "extension": TEXT,
    "size": INT,
    "creation_time": INT,
    "image_width": INT,
    "image_height": INT,
    "mime_type": Field("string", default=""),
    "last_modified_time": INT,
    "last_modified_user_id": INT,
    "name": TEXT,
    "url": Field("string", default=""),
}

CONTACT: Fields = {  # V5, V7
    "send_id": ID,
    "contact_id": ID,
    "contact_email": TEXT,
    "unsubscribe_email": NULLABLE_TEXT,
    "unsubscribe_time": NULLABLE_INT,
    "unsubscribe_id": NULLABLE_INT,
    "unsubscribe_count": NULLABLE_INT,
    "updated_profile_count": INT,
    "send_status": Field(
        "string", default="pending", one_of=("pending", "completed", "failed", "split_sms")
    ),
    "send_time": INT,
    "open_type": Field(
        "string", default="not_opened", one_of=("not_opened", "html", "text", "sms")
    ),
    "open_count": INT,
    "open_country": NULLABLE_TEXT,
    "bounce_smtp_error_code": NULLABLE_TEXT,
    "bounce_description": Field("string", nullable=True, searchable=False),
    "is_temporary_bounce": INT,
    "first_open_time": INT,
    "last_open_time": INT,
    "first_updated_profile_time": INT,
    "first_unsubscribe_time": INT,
    "first_permanent_bounce_time": INT,
    "first_temporary_bounce_time": INT,
    "first_bounce_time": INT,
    "links_clicked": Field("int", default="0", searchable=False),
}

LIST_FIELDS = {"int": NULLABLE_INT, "string": NULLABLE_TEXT}  # V5: every List Field may be null


# Loading


def members(given: Any, place: str) -> list[tuple[str, Any]]:
    """The members of an array, each with its place."""
    if not isinstance(given, list):
        raise InputError(f"{place}: must be an array")
    return [(f"{place}[{position}]", member) for position, member in enumerate(given)]


def only(names: Any, given: Any, place: str) -> Object:
    """V8: what is given is an object, and has no unknown field."""
    if not isinstance(given, dict):
        raise InputError(f"{place}: must be an object")
    for name in given:
        if name not in names:
            raise InputError(f"{place}.{name}: is not a field")
    return given


def wire(field: Field, value: Any, place: str) -> Value:
    """V1, V2, V3, V5, V7: a value in wire form."""
    if value is None and field.nullable:
        return None
    if field.type == "int":
        whole = integer(value)
        if whole is not None:
            return str(whole)
    elif is_text(value) and (not field.one_of or value in field.one_of):
        return str(value)
    raise InputError(f"{place}: is missing or not valid")


def record(fields: Fields, given: Object, place: str) -> Record:
    """V6: a whole record, with what was left out."""
    return {
        name: wire(field, given.get(name, field.default), f"{place}.{name}")
        for name, field in fields.items()
    }


def with_names(given: Object) -> Object:
    """V6: of a File's three names, those that were left out follow from the others."""
    given = dict(given)
    basename, extension, name = map(given.get, ("basename", "extension", "name"))
    if isinstance(extension, str) and extension and not extension.startswith("."):
        given["extension"] = extension = "." + extension
    if isinstance(name, str):
        dot = name.rfind(".")
        end = dot if dot > 0 else len(name)  # a leading dot is part of the basename
        given.setdefault("basename", name[:end])
        given.setdefault("extension", name[end:])
    elif isinstance(basename, str) and isinstance(extension, str):
        given.setdefault("name", basename + extension)
    return given


def unique(known: Any, key: str, place: str) -> str:
    """V8: no two Files, Batches, or Lists of a Batch have the same id."""
    if key in known:
        raise InputError(f"{place}: there are two of {key}")
    return key


class Batch(NamedTuple):
    lists: list[str]
    fields: Fields  # a Contact's, and the List Fields of all Lists (C9)
    contacts: list[Record]  # with the List Fields, null where the List lacks one (C9)
    list_of: list[str]  # for each Contact the id of its List


def load_files(data: Any) -> list[Record]:
    files: dict[str, Record] = {}
    for place, file in members(data, "files"):
        loaded = record(FILE, with_names(only(FILE, file, place)), place)
        files[unique(files, str(loaded["id"]), f"{place}.id")] = loaded
    return list(files.values())


def load_batches(data: Any) -> dict[str, Batch]:
    batches: dict[str, Batch] = {}
    for place, batch in members(data, "batches"):
        given = only(("id", "lists"), batch, place)
        batch_id = str(wire(ID, given.get("id"), f"{place}.id"))
        batches[unique(batches, batch_id, f"{place}.id")] = load_batch(given, place)
    return batches


def load_batch(given: Object, place: str) -> Batch:
    batch = Batch([], dict(CONTACT), [], [])
    loaded = []
    for at, each in members(given.get("lists"), f"{place}.lists"):
        only(("id", "fields", "contacts"), each, at)
        list_id = str(wire(ID, each.get("id"), f"{at}.id"))
        batch.lists.append(unique(batch.lists, list_id, f"{at}.id"))
        own = list_fields(each.get("fields", {}), f"{at}.fields")
        for name, field in own.items():
            if batch.fields.setdefault(name, field) != field:
                raise InputError(f"{at}.fields.{name}: has another type in another List")
        for where, contact in members(each.get("contacts"), f"{at}.contacts"):
            only((*CONTACT, "fields"), contact, where)
            values = only(own, contact.get("fields", {}), f"{where}.fields")
            loaded.append(
                {**record(CONTACT, contact, where), **record(own, values, f"{where}.fields")}
            )
            batch.list_of.append(list_id)
    absent = {name: None for name in batch.fields}
    batch.contacts.extend({**absent, **contact} for contact in loaded)
    return batch


def list_fields(given: Any, place: str) -> Fields:
    """A List's own fields: an object of names and types, or an array of the names of strings."""
    if isinstance(given, list) and all(isinstance(name, str) for name in given):
        if len(set(given)) < len(given):
            raise InputError(f"{place}: a List Field occurs twice")
        given = {name: "string" for name in given}
    if not isinstance(given, dict):
        raise InputError(f"{place}: must be an object or an array of names")
    for name, type_ in given.items():
        if name in CONTACT or type_ not in ("int", "string"):
            raise InputError(f"{place}.{name}: is not a List Field")
    return {name: LIST_FIELDS[type_] for name, type_ in given.items()}


# Criteria: each raises error 311 if it is not valid (C8)


def invalid(reason: str) -> NoReturn:
    raise ServiceError(311, reason)


def scalar(value: Any) -> Value:
    return None if value is None else text(value)


def text(value: Any) -> str:
    if is_text(value):
        return str(value)
    if is_finite(value) and is_double(value):
        return text_of(value)
    invalid("the value must be text or a finite number")


def whole(value: Any) -> int:
    found = integer(value)
    return invalid("the value must be a safe integer") if found is None else found


def several(value: Any) -> list[Value]:
    if isinstance(value, str):
        return [*text(value).split(",")]
    if isinstance(value, list):
        return [scalar(member) for member in value]
    invalid("the value must be text or an array")


# C4: for each operator, what its value is read by, and when it holds. Only exactly, not and in
# hold of null (C6). The comparison of str is that of C7: as it is, letter by letter.
OPERATORS: dict[str, tuple[Callable[[object], Any], Callable[[Value, Any], bool]]] = {
    "exactly": (scalar, lambda field, value: field == value),
    "not": (scalar, lambda field, value: field != value),
    "contains": (text, lambda field, value: field is not None and value in field),
    "starts_with": (text, lambda field, value: field is not None and field.startswith(value)),
    "ends_with": (text, lambda field, value: field is not None and field.endswith(value)),
    "greater_than": (whole, lambda field, value: field is not None and int(field) > value),
    "less_than": (whole, lambda field, value: field is not None and int(field) < value),
    "in": (several, lambda field, values: field in values),
}

Predicate = Callable[[Record], bool]


def compile_criterion(fields: Fields, criterion: Any) -> Predicate:
    if not isinstance(criterion, list) or len(criterion) != 3:  # C1
        invalid("must be [field, operator, value]")
    name, operator, value = criterion
    # A list or a dict could not even be looked up: it has no hash.
    if not isinstance(name, str) or name not in fields or not fields[name].searchable:
        invalid("the field is unknown or not searchable")
    if not isinstance(operator, str) or operator not in OPERATORS:
        invalid("the operator is unknown")
    read, holds = OPERATORS[operator]
    if read is whole and fields[name].type != "int":
        invalid(f"{operator} needs an int field")
    operand = read(value)
    return lambda record: holds(record[name], operand)


def compile_criteria(fields: Fields, criteria: Any) -> Predicate:
    if criteria is None:  # C1
        criteria = []
    if not isinstance(criteria, list):
        invalid("criteria: must be an array")
    if sum(criterion != "OR" for criterion in criteria) > 1000:  # C10
        invalid("criteria: more than 1000")
    groups: list[list[Predicate]] = [[]]
    for position, criterion in enumerate(criteria):
        if criterion == "OR":  # C3
            groups.append([])
            continue
        try:
            groups[-1].append(compile_criterion(fields, criterion))
        except ServiceError as error:
            invalid(f"criteria[{position}]: {error.reason}")
    if criteria and not all(groups):  # C3
        invalid('criteria: "OR" must be between two criteria')
    # C2, C3. Without criteria there is one group and nothing in it, so that every record is found.
    return lambda record: any(all(holds(record) for holds in group) for group in groups)


# Order and pages


def count(name: str, value: Any) -> int | None:
    """P5: a limit or an offset; None if it was left out."""
    if value is None or value == "":
        return None
    found = integer(value)
    if found is None or found < 0:
        raise ServiceError(310, f"{name}: must be a non-negative safe integer")  # P6
    return found


def rank(field: Field, value: Value) -> tuple[Any, ...]:
    """P3, P4: null first, an int by number, a string by code point, which is how str compares."""
    if value is None:
        return (0,)
    return (1, int(value) if field.type == "int" else value)


def select(
    records: list[Record],
    fields: Fields,
    search_criteria: Any = None,
    limit: Any = None,
    offset: Any = None,
    sort_by: Any = None,
    sort_order: Any = None,
    *more: Any,
) -> list[int]:
    """The positions of the records of a page. E4: the parameters are checked from left to right."""
    holds = compile_criteria(fields, search_criteria)
    most, skipped = count("limit", limit), count("offset", offset)
    if sort_by is None or sort_by == "":  # P5
        name = None
    elif isinstance(sort_by, str) and sort_by in fields:  # P3
        name = sort_by
    else:
        raise ServiceError(310, "sort_by: is not a field")  # P6
    if sort_order not in (None, "", "ASC", "DESC"):
        raise ServiceError(310, "sort_order: must be ASC or DESC")  # P2, P4, P6
    if more:
        raise ServiceError(310, "params: there are too many")  # E7

    found = [position for position, record in enumerate(records) if holds(record)]  # P1
    if name is not None:
        # P4: with reverse, equal values keep their order; a reversed list would turn them around.
        values = [rank(fields[name], record[name]) for record in records]
        found.sort(key=values.__getitem__, reverse=sort_order != "ASC")
    return found[skipped or 0 :][:most]  # None is no limit, 0 is nothing


# The two operations


class Service:
    def __init__(self, data: Object) -> None:
        only(("files", "batches"), data, "data")
        self.files = load_files(data.get("files", []))
        self.batches = load_batches(data.get("batches", []))

    def search_files(self, *page: Any) -> list[Record]:
        return [self.files[at] for at in select(self.files, FILE, *page)]

    def get_batch_contacts(self, batch_id: Any = None, *page: Any) -> dict[str, list[Record]]:
        batch = self.batches.get(str(integer(batch_id)))
        if batch is None:
            raise ServiceError(308, "batch_id: there is no such Batch")  # E6
        result: dict[str, list[Record]] = {list_id: [] for list_id in batch.lists}  # P7
        for at in select(batch.contacts, batch.fields, *page):
            contact = {name: batch.contacts[at][name] for name in CONTACT}  # P8
            result[batch.list_of[at]].append(contact)
        return result


# The envelope

METHODS: dict[str, Callable[..., object]] = {
    "searchFiles": Service.search_files,
    "getBatchContacts": Service.get_batch_contacts,
}
PAGE = ["search_criteria", "limit", "offset", "sort_by", "sort_order"]
PARAMETERS = {
    "searchFiles": ["api_key", *PAGE],
    "getBatchContacts": ["api_key", "batch_id", *PAGE],
}
NAMES = {  # E5
    100: "Internal Server Error",
    104: "Method Not Found",
    107: "Invalid Method Name",
    300: "Authorisation Failed - Invalid Login",
    308: "Unable to Load Batch",
    310: "Invalid Method Parameters",
    311: "Invalid Search Parameter Format",
}
RPC = {  # E13
    100: (-32603, "Internal error"),
    104: (-32601, "Method not found"),
    107: (-32601, "Method not found"),
    310: (-32602, "Invalid params"),
}
NOT_A_REQUEST = -32600

Answer = dict[str, object]


def call(service: Service, method: Any, params: list[Any] | Object) -> object:
    """E4: the method, the key, then the parameters."""
    if not isinstance(method, str):
        raise ServiceError(107, "method: must be text")
    if method not in METHODS:
        raise ServiceError(104, "method: there is no such method")
    unknown: Any = ()
    if isinstance(params, dict):  # E13: parameters by name
        unknown = params.keys() - PARAMETERS[method]
        params = [params.get(name) for name in PARAMETERS[method]]
    if not params or not isinstance(params[0], str) or params[0] == "":
        raise ServiceError(300, "api_key: must be text, and not empty")  # E8
    if unknown:
        raise ServiceError(310, "params: has a name that is no parameter")
    try:
        return METHODS[method](service, *params[1:])
    except ServiceError:
        raise
    except Exception:
        raise ServiceError(100, "the service failed unexpectedly") from None  # E9


def answer_plain(service: Service, request: Any) -> Answer:
    """E1 to E9."""
    id_ = request.get("id") if isinstance(request, dict) else None
    try:
        if not isinstance(request, dict):
            raise ServiceError(310, "request: must be a JSON object")
        if type(id_) not in (int, str):
            id_ = None
            raise ServiceError(310, "id: must be an integer or text")  # E3
        if not isinstance(request.get("params"), list):
            raise ServiceError(310, "params: must be an array")
        result = call(service, request.get("method"), request["params"])
        return {"id": id_, "result": result, "error": None}
    except ServiceError as error:
        about = {"code": error.code, "message": NAMES[error.code], "data": error.reason}
        return {"id": id_, "result": None, "error": about}  # E2


def not_a_request(reason: str) -> Answer:
    error = {"code": NOT_A_REQUEST, "message": "Invalid Request", "data": reason}
    return {"jsonrpc": "2.0", "id": None, "error": error}


def answer_rpc(service: Service, request: Object) -> Answer | None:
    """E13. None is no answer: a request without an id is a notification."""
    id_ = request.get("id")
    if not (id_ is None or isinstance(id_, str) or is_finite(id_)):
        return not_a_request("id: must be text, a number or null")
    params = request.get("params", [])
    if not isinstance(params, (list, dict)):
        return {**not_a_request("params: must be an array or an object"), "id": id_}
    if "id" not in request and not isinstance(request.get("method"), str):
        return not_a_request("method: must be text")
    answer: Answer = {"jsonrpc": "2.0", "id": id_}
    try:
        answer["result"] = call(service, request.get("method"), params)
    except ServiceError as error:
        code, message = RPC.get(error.code) or (error.code, NAMES[error.code])
        answer["error"] = {"code": code, "message": message, "data": error.reason}
    return answer if "id" in request else None


def answer_to(service: Service, request: Any) -> Answer | list[Answer] | None:
    if isinstance(request, dict) and request.get("jsonrpc") == "2.0":
        return answer_rpc(service, request)
    if not isinstance(request, list):
        return answer_plain(service, request)
    if not 0 < len(request) <= 100:  # E13: a batch of JSON-RPC
        return not_a_request("a batch must have 1 to 100 members")
    answers = [
        answer_to(service, member)
        if isinstance(member, dict)
        else not_a_request("must be an object")
        for member in request
    ]
    return [answer for answer in answers if isinstance(answer, dict)] or None


# The lines: README.md has the protocol


def refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")  # NaN and Infinity, which Python would take


def parse(line: bytes) -> object:
    """What a line says. As bytes, because text could also end at a carriage return."""
    return json.loads(
        line.decode("utf-8"), parse_int=int, parse_float=number, parse_constant=refuse
    )


def respond(service: Service, line: bytes) -> tuple[Service, str]:
    """The answer to a line, and the service that answers the next."""
    answer: object
    try:
        request = parse(line)
    except (ValueError, RecursionError):
        answer = answer_plain(service, None)  # E1
    else:
        if isinstance(request, dict) and request.keys() == {"load"}:
            try:
                service = Service(request["load"])
                answer = {"loaded": True}
            except InputError as error:
                answer = {"loaded": False, "reason": str(error)}
        else:
            answer = answer_to(service, request)
    return service, "" if answer is None else json.dumps(answer)


def main() -> None:
    service = Service({})
    for line in sys.stdin.buffer:
        service, answer = respond(service, line)
        sys.stdout.buffer.write(f"{answer}\n".encode())
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
