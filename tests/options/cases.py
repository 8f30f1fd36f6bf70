"""Options that a user may give wrongly, and the messages that the library has for them.

The cases come from the rows and rules of elman/options.h, so that a new row is tested in every interface.
Each is a dict of options by name, and the message that the interface must show.

Usage: tests/options/cases.py ARGUMENTS    (with ELMAN_LIBRARY in the environment)

prints the cases as JSON; ARGUMENTS are those of the class, as JSON."""

import ctypes
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/elman"))

import _header  # noqa: E402: it needs the path

RULE = re.compile(r'X\((\w+), (\w+)(?: = (\w+))?, (NEEDS|EXCLUDES), "([^"]+)", (?:NULL|"(\w+)")\)')
STRUCTS = "elman_model_options", "elman_train_options", "elman_translate_options"


class Cases:
    """The cases of an interface. `scopes` are the scopes of its options. `others` are the names of its
    further options, which are not rows. `limits` maps names of rows to maximum values. `facts` are
    the facts of rules (src/model/options.c) that are always true for the interface."""

    def __init__(self, scopes, naming="field", form="json", others=(), limits=None, facts=("scores",)):
        include = _header.find_include()
        self.library = _header.Library(_header.find_library(), include)
        values = self.library.header.enums["elman_scope"]
        self.scopes = sum(values[f"ELMAN_SCOPE_{scope}"] for scope in scopes)
        self.naming = self.library.enum("elman_naming")[naming]
        self.form, self.is_word = self.library.enum("elman_form")[form], form == "word"
        self.others, self.limits, self.facts = others, limits or {}, facts
        self.error = self.library.type("elman_error")()
        self.kinds = {value: name for name, value in self.library.enum("elman_value").items()}
        self.rows = [(struct, self.limited(row)) for struct in STRUCTS for row in self.library.options(struct)
                     if row.scope & self.scopes]
        text = (include / "elman/options.h").read_text("utf-8").replace("\\\n", "")
        self.rules = RULE.findall(re.sub(r"\s+", " ", text))

    def limited(self, row):
        copy = type(row).from_buffer_copy(row)
        copy.maximum = min(row.maximum, self.limits.get(row.name.decode(), row.maximum))
        return copy

    def message(self):
        return self.error.message.decode()

    def name(self, row):
        """Return the name of a row as the interface writes it, without dashes."""
        text = ctypes.create_string_buffer(64)
        return self.library.elman_option_write_name(text, len(text), row.name, self.naming).decode().lstrip("-")

    def text(self, value):
        """Return a value as the library reads it."""
        return value if self.is_word and isinstance(value, str) else json.dumps(value)

    def set(self, row, fields, value):
        text = self.text(value)
        return self.library.elman_option_set(row, ctypes.byref(fields), text.encode(), self.form, self.naming, self.error)

    def words(self, row):
        """Return the choices of a row, without those that a user cannot choose."""
        return [word for word in self.library.choices(row) if word] if self.kinds[row.value] in ("name", "enum") else []

    def defaults(self, struct):
        return getattr(self.library, f"{struct}_default")()

    # ---- values ----

    def wrong_values(self, row):
        kind, words = self.kinds[row.value], self.words(row)
        if words:
            return [5, True, "", f"{words[0]}x", f"{words[-1][:-1]}", "x" * 100, [words[0]]]
        if kind == "flag":
            return [1, 0, "true", "maybe", [True]]
        if kind == "language":
            return [5, True, "d", "german", "en_US", "de-", "x" * 100, ["de"]]
        least, most = (int(value) if value == int(value) and value < 1e15 else value for value in (row.minimum, row.maximum))
        if kind == "size":
            return [least - 1, most + 1, least + 0.5, -1e300, str(least), True, {}, "x"]
        if kind == "seed":
            return [-1, 0.5, 1e300, "1", False]
        return [least - 0.5, 2 * most, most + 0.3 if most < 1e12 else 4 * most, "1", True, [1], "x"]

    def of_values(self):
        for struct, row in self.rows:
            for value in self.wrong_values(row):
                if self.set(row, self.defaults(struct), value) != 0:
                    yield {self.name(row): value}, self.message()

    # ---- names ----

    def of_names(self):
        names = [self.name(row) for _, row in self.rows]
        also = [row.also.decode() for _, row in self.rows if row.also]
        others = (ctypes.c_char_p * (len(self.others) + 1))(*(other.encode() for other in self.others), None)
        typed = [*also, *(name + name[-1] for name in [*names, *self.others]), "device", "optimizer", "xyzzy", "x" * 99]
        for one in typed:
            if one not in names:
                self.library.elman_option_refuse(self.scopes, one.encode(), others, self.naming, self.error)
                yield {one: 1}, self.message()

    # ---- rules ----

    def find(self, name):
        return next(((struct, row) for struct, row in self.rows if row.name.decode() == name), (None, None))

    def effective(self, row, fields):
        """Return a value other than the default."""
        kind, default = self.kinds[row.value], getattr(fields, row.name.decode())
        if words := self.words(row):
            return words[-1]
        if kind == "language":
            return "de"
        if kind == "real":
            return row.maximum / 2 if row.maximum / 2 != default else row.maximum / 4
        return True if kind == "flag" else default + 1

    def broken(self, relation, condition, fields):
        """Yield the options that break a rule, besides its own option."""
        parts = [part.split() for part in condition.split(" or ")]
        parts = [(self.find(name)[1], name, rest) for name, *rest in parts]
        if relation == "NEEDS":
            compared = [(row, rest) for row, _, rest in parts if rest]
            yield {name: int(rest[1]) if rest[0] == ">" else getattr(fields, name)
                   for row, rest in compared for name in [row.name.decode()] if rest[0] != "="}
            return
        for row, name, rest in parts:
            if row is not None:
                yield {name: int(rest[1]) + 1 if rest else self.effective(row, fields)}
            elif name == "overrides" and name in self.others:
                yield {name: [{"kind": "uniform"}]}

    def check(self, struct, options):
        """Return whether the library refuses the options."""
        fields, scopes = self.defaults(struct), self.library.scopes(struct)
        given = (ctypes.c_bool * self.library.header.sizes["ELMAN_MAX_OPTIONS"])()
        overrides = (self.library.type("elman_override") * 1)()
        for name, value in options.items():
            if name == "overrides":
                fields.overrides, fields.override_count = overrides, 1
                continue
            row = self.find(name)[1]
            if self.set(row, fields, value) != 0:
                raise AssertionError(self.message())
            given[row.index] = True
        if struct == "elman_translate_options":
            fields.without_scores = "scores" not in self.facts
        return self.library.elman_options_check(scopes, ctypes.byref(fields), given, self.naming, self.error) != 0

    def of_rules(self):
        for table, option, word, relation, condition, unless in self.rules:
            struct, row = self.find(option)
            if struct != f"elman_{table.lower()}_options" or unless in self.facts:
                continue
            fields = self.defaults(struct)
            for others in self.broken(relation, condition, fields):
                options = {option: word or self.effective(row, fields), **others}
                if not self.check(struct, options):
                    raise AssertionError(f"the library accepts {options}, which break a rule of {option}")
                yield {self.find(name)[1] and self.name(self.find(name)[1]) or name: value
                       for name, value in options.items()}, self.message()

    def __iter__(self):
        for case in (*self.of_values(), *self.of_names(), *self.of_rules()):
            yield case


if __name__ == "__main__":
    print(json.dumps(list(Cases(**json.loads(sys.argv[1])))))
