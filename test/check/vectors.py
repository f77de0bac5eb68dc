"""Asks service.py the vectors of a file, and prints each answer that is not the expected one.

python3 test/check/vectors.py data/vectors.ndjson
"""

from __future__ import annotations

import json
import sys
from typing import Any

sys.dont_write_bytecode = True

from service import Service, parse, respond  # noqa: E402


def essence(answer: Any) -> str:
    """What is compared: as text, because True == 1 in Python."""
    if isinstance(answer, list):  # of a JSON-RPC batch, in any order
        return str(sorted(map(essence, answer)))
    if isinstance(answer, dict) and answer.get("error"):
        fixed = ["code"] if "jsonrpc" in answer else ["code", "message"]
        answer = {**answer, "error": {name: answer["error"][name] for name in fixed}}
    return json.dumps(answer, sort_keys=True)


def main(path: str) -> int:
    service = Service({})
    wrong = 0
    with open(path, "rb") as lines:
        header: Any = parse(next(lines))
        for line in lines:
            vector: Any = parse(line)
            if "load" in vector:
                text = json.dumps({"load": vector["load"]})
            else:
                text = vector["text"] if "text" in vector else json.dumps(vector["request"])
            service, answer = respond(service, text.encode())
            given: Any = parse(answer.encode() or b"null")
            if "load" in vector:
                given = {"loaded": given["loaded"]}
            if essence(given) != essence(vector["expected"]):
                wrong += 1
                print(f"{text}\n  expected {vector['expected']}\n  received {answer}")
    print(f"{header['count']} vectors, {wrong} wrong answers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
