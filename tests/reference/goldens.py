"""The JSON form of goldens: one case per line."""

import json
import sys


def write(values):
    """Write a dictionary whose "cases" are a list to standard output."""
    cases = ",\n".join(json.dumps(case, ensure_ascii=False) for case in values["cases"])
    others = json.dumps({key: value for key, value in values.items() if key != "cases"}, ensure_ascii=False)
    sys.stdout.write(f'{others[:-1]}, "cases": [\n{cases}\n]}}\n')
