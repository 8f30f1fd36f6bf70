"""Read types and functions for ctypes from the header of the C library.

This file declares nothing itself: it reads the header, and queries the library for the options,
which macros define. `tests/python/declarations` compares the result with a C compiler."""

import ctypes
import ctypes.util
import functools
import os
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent  # of the package
SOURCE = HERE.parent.parent  # the source tree, if the package is used from there

SCALARS = {
    "bool": ctypes.c_bool, "char": ctypes.c_char, "double": ctypes.c_double, "float": ctypes.c_float,
    "int": ctypes.c_int, "size_t": ctypes.c_size_t, "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64, "unsigned": ctypes.c_uint, "void": None,
}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
SIZE = re.compile(r"^#define (ELMAN_\w+) (\d+)$", re.MULTILINE)
# Words that do not affect how a value is passed or stored.
SILENT = re.compile(r"\b(?:const|struct|ELMAN_BEGIN|ELMAN_END|ELMAN_API|ELMAN_CHECKED)\b")
ENUM = re.compile(r"typedef enum \w+ \{(.*)\} (\w+)")
STRUCT = re.compile(r"typedef (\w+) \{(.*)\} (\w+)")
HIDDEN = re.compile(r"typedef (\w+) \1")
CALLBACK = re.compile(r"typedef (.+?)(\w+)\((.*)\)")
FUNCTION = re.compile(r"(.+?)(\w+)\((.*)\)")
FUNCTION_POINTER = re.compile(r"(.+?)\( ?\* ?(\w+) ?\) ?\((.*)\)")
VARIABLE = re.compile(r"(\w+) ?([* ]*)(\w*)((?: ?\[\w+\])*)")
ROWS = re.compile(r"ELMAN_(MODEL|TRAIN|TRANSLATE)_OPTIONS\(ELMAN_FIELD\)")


def find_include():
    """Return the folder of elman.h: below the package, or in the source tree."""
    given = os.environ.get("ELMAN_INCLUDE")  # an empty value is the same as none
    places = [pathlib.Path(given)] if given else [HERE / "include", SOURCE / "include"]
    for place in places:
        if (place / "elman.h").is_file():
            return place
    raise OSError(f"no elman.h in {', '.join(map(str, places))}; ELMAN_INCLUDE can name its folder")


def find_library():
    """Return the path or name by which to load the library: in the package (a wheel), in the source tree, below the
    same prefix (PREFIX/share/elman/python/elman), or where the system has its libraries."""
    if given := os.environ.get("ELMAN_LIBRARY"):
        return given
    for place in HERE, SOURCE / "build/release", SOURCE.parent.parent / "lib":
        if (place / "libelman.so").is_file():
            return str(place / "libelman.so")
    name = ctypes.util.find_library("elman")
    if name is None:
        raise OSError(f"no libelman.so in {HERE}, {SOURCE / 'build/release'} nor where the system has its libraries; "
                      "`cmake --build --preset release` makes it, and ELMAN_LIBRARY can name it")
    return name


def statements(text):
    """Yield the statements: the text between semicolons outside of braces."""
    depth, start = 0, 0
    for at, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if sign == ";" and depth == 0:
            yield text[start:at].strip()
            start = at + 1


def split(text):
    """Return the parts between commas outside of brackets."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip()]


class Header:
    """The texts of the declarations, by name."""

    def __init__(self, folder):
        self.enums, self.structs, self.callbacks, self.functions = {}, {}, {}, {}
        self.hidden, self.sizes, self.commented = {"FILE"}, {}, ""
        for path in sorted(folder.glob("elman/*.h")):
            self.commented += path.read_text("utf-8")
            text = COMMENT.sub("", path.read_text("utf-8"))
            self.sizes.update((name, int(size)) for name, size in SIZE.findall(text))
            text = " ".join(SILENT.sub("", DIRECTIVE.sub("", text)).split())
            for statement in statements(text):
                self.add(statement)

    def help_of(self, struct, field):
        """Return the first sentence of the comment after a field; "" if there is none."""
        body = re.search(rf"^typedef struct {struct} {{$(.*?)^}} {struct};$", self.commented, re.DOTALL | re.MULTILINE)
        found = body and re.search(rf"\b{field}\b[\w ,]*;\s*/\*(.*?)\*/", body[1], re.DOTALL)
        return re.split(r"\.(?:\s|$)", " ".join(found[1].split()))[0] if found else ""

    def add(self, statement):
        if found := ENUM.fullmatch(statement):
            value = -1
            values = self.enums[found[2]] = {}
            for part in split(found[1]):
                name, _, given = part.partition("=")
                value = int(given) if given else value + 1
                values[name.strip()] = value
        elif found := STRUCT.fullmatch(statement):
            self.structs[found[3]] = found[2].strip()
        elif found := HIDDEN.fullmatch(statement):
            self.hidden.add(found[1])
        elif found := CALLBACK.fullmatch(statement):
            self.callbacks[found[2]] = found[1], found[3]
        elif found := FUNCTION.fullmatch(statement):
            self.functions[found[2]] = found[1], found[3]
        elif statement:
            raise ValueError(f"a declaration that is not understood: {statement}")


class Library:
    """The library: functions as attributes, with their types; structures by `complete`."""

    def __init__(self, path, include):
        self.path, self.header = path, Header(include)
        # By structure and field: the enum of the field, and the row of the table.
        self.enums_of, self.rows_of = {}, {}
        self.library = ctypes.CDLL(path)
        if not hasattr(self.library, "elman_version"):
            raise OSError(f"{path} is not libelman.so; ELMAN_LIBRARY can name it")
        for name in self.header.structs:
            self.complete(name)

    def __getattr__(self, name):
        """Return a function; it is set up on first use."""
        if name not in self.header.functions:
            raise AttributeError(f"elman.h declares no {name}")
        function = getattr(self.library, name)
        result, arguments = self.header.functions[name]
        function.restype = self.variable(result)[1]
        function.argtypes = self.arguments(arguments)
        setattr(self, name, function)
        return function

    @functools.cache
    def enum(self, name):
        """Return the values of an enum by word. The word comes from the library if it has a function for
        it, and otherwise from the name in the header: "bad_data" is ELMAN_BAD_DATA."""
        values = self.header.enums[name]
        if f"{name}_name" in self.header.functions:
            word = getattr(self, f"{name}_name")
            return {word(value).decode(): value for value in values.values()}
        start = os.path.commonprefix(list(values)).rfind("_") + 1
        return {key[start:].lower(): value for key, value in values.items()}

    @functools.cache
    def type(self, name):
        if name in SCALARS:
            return SCALARS[name]
        if name in self.header.enums:
            return ctypes.c_int
        if name in self.header.callbacks:
            result, arguments = self.header.callbacks[name]
            return ctypes.CFUNCTYPE(self.variable(result)[1], *self.arguments(arguments))
        if name in self.header.structs:
            return type(name, (ctypes.Structure,), {})  # complete() adds the fields: they may point to it
        raise ValueError(f"unknown type {name}")

    @functools.cache
    def complete(self, name):
        """Return the structure with its fields."""
        structure = self.type(name)
        enums = self.enums_of[name] = {}
        rows = self.rows_of[name] = {}
        fields = []
        body = self.header.structs[name]
        if found := ROWS.match(body):
            body = body[found.end() :]
            for row in self.options(name):
                field = row.name.decode()
                rows[field] = row
                fields.append((field, self.row_type(row)))
        for statement in statements(body):
            first, *others = split(statement)
            base = VARIABLE.match(first)[1]
            for declared in [first, *(f"{base} {other}" for other in others)]:
                fields.append(self.variable(declared))
                if base in self.header.enums:
                    enums[fields[-1][0]] = base
        structure._fields_ = fields
        for field, row in rows.items():
            if getattr(structure, field).offset != row.offset:
                raise OSError(f"{self.path} is of another version than the header: {name}.{field}")
        return structure

    def fields(self, name):
        """Return names and types of the fields of a structure, without room for later versions."""
        return [(field, kind) for field, kind in self.complete(name)._fields_ if not field.startswith("reserved")]

    def pointer(self, name, stars):
        """Return the type of `name` with `stars` stars."""
        if stars == 0:
            return self.complete(name) if name in self.header.structs else self.type(name)
        if stars == 1:
            if name == "char":
                return ctypes.c_char_p
            if name == "void" or name in self.header.hidden - set(self.header.structs):
                return ctypes.c_void_p
            if name in self.header.callbacks:
                return self.type(name)
            return ctypes.POINTER(self.type(name))
        return ctypes.POINTER(self.pointer(name, stars - 1))

    def variable(self, text):
        """Return name and type of a declared variable."""
        if found := FUNCTION_POINTER.fullmatch(text):
            return found[2], ctypes.CFUNCTYPE(self.variable(found[1])[1], *self.arguments(found[3]))
        found = VARIABLE.fullmatch(text.strip())
        if found is None:
            raise ValueError(f"a variable that is not understood: {text}")
        kind = self.pointer(found[1], found[2].count("*"))
        for size in reversed(re.findall(r"\w+", found[4])):
            kind = kind * int(self.header.sizes.get(size, size))
        return found[3], kind

    def arguments(self, text):
        if text.strip() == "void":
            return []
        kinds = [self.variable(part)[1] for part in split(text)]
        # An array is passed as a pointer to its first element.
        return [ctypes.POINTER(kind._type_) if issubclass(kind, ctypes.Array) else kind for kind in kinds]

    def scopes(self, struct):
        """Return the set of scopes of the rows of a struct; 0 if it has none."""
        body = self.header.structs[struct]
        found, scopes = ROWS.match(body), self.header.enums["elman_scope"]
        names = {"MODEL": ("MODEL", "START"), "TRAIN": ("TRAINING", "END")}
        names["TRANSLATE"] = [name.removeprefix("ELMAN_SCOPE_") for name in scopes
                              if name.removeprefix("ELMAN_SCOPE_") not in names["MODEL"] + names["TRAIN"]]
        return sum(scopes[f"ELMAN_SCOPE_{scope}"] for scope in names[found[1]]) if found else 0

    def options(self, struct):
        mask = self.scopes(struct)
        self.complete("elman_option")  # contains no such rows itself
        row = self.elman_option_next(None, mask)
        while row:
            yield row.contents
            row = self.elman_option_next(row, mask)

    def choices(self, row):
        """Return the values of an option by word; empty if it has no words."""
        found = {}
        while (word := row.choice(len(found))) is not None:
            found[word.decode()] = len(found)
        return found

    def row_type(self, row):
        kinds = {"size": ctypes.c_size_t, "seed": ctypes.c_uint64, "real": ctypes.c_double,
                 "flag": ctypes.c_bool, "name": ctypes.c_char_p, "enum": ctypes.c_int,
                 "language": self.complete("elman_language")}
        names = {value: name for name, value in self.enum("elman_value").items()}
        return kinds[names[row.value]]
