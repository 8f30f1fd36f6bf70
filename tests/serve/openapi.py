"""The part of OpenAPI 3 that docs/openapi.json uses: schemas of JSON, checked against answers."""

import json

from service import equal, require

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool}
KNOWN = {"type", "properties", "required", "additionalProperties", "items", "enum", "oneOf", "$ref", "description",
         "minimum", "maximum", "nullable", "default", "minItems", "maxItems", "example"}


class Document:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.document = json.load(file)
        self.used = set()

    def resolve(self, schema):
        while "$ref" in schema:
            node = self.document
            for name in schema["$ref"].lstrip("#/").split("/"):
                node = node[name]
            schema = node
        require(set(schema) <= KNOWN, f"the schema uses {set(schema) - KNOWN}, which this test cannot check")
        return schema

    def fault(self, schema, value, where):
        """Return what is wrong with the value, or None."""
        schema = self.resolve(schema)
        if value is None and schema.get("nullable"):
            return None
        if "oneOf" in schema:
            faults = [self.fault(one, value, where) for one in schema["oneOf"]]
            return None if faults.count(None) == 1 else f"{where}: not exactly one of {faults}"
        kind = schema.get("type")
        if kind in KINDS and type(value) is not KINDS[kind]:
            return f"{where} is no {kind}: {value!r}"
        if kind in ("integer", "number") and (isinstance(value, bool) or not isinstance(value, (int, float) if kind == "number" else int)):
            return f"{where} is no {kind}: {value!r}"
        if "enum" in schema and value not in schema["enum"]:
            return f"{where} is not one of {schema['enum']}"
        if value is not None and kind in ("integer", "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            return f"{where} is out of range: {value}"
        if kind == "array":
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
                return f"{where} has {len(value)} elements"
            return next(filter(None, (self.fault(schema["items"], one, f"{where}[{i}]") for i, one in enumerate(value))), None)
        if kind == "object":
            properties = schema.get("properties", {})
            missing = set(schema.get("required", ())) - set(value)
            extra = set(value) - set(properties) if schema.get("additionalProperties") is False else set()
            if missing or extra:
                return f"{where} lacks {missing}, has {extra}"
            return next(filter(None, (self.fault(properties[name], one, f"{where}.{name}") for name, one in value.items()
                                      if name in properties)), None)
        return None

    def check(self, method, path, body, answer, allowed=None):
        operation = self.document["paths"][path][method]
        self.used.add((method, path))
        where = f"{method} {path} {answer.status}"
        if body is not None:
            content = operation["requestBody"]["content"]["application/json"]
            equal(self.fault(content["schema"], body, where + " request"), None, "the request")
        responses = operation["responses"]
        require(str(answer.status) in responses and (allowed is None or answer.status in allowed), f"{where} is not documented")
        response = responses[str(answer.status)]
        while "$ref" in response:
            response = self.document["components"]["responses"][response["$ref"].split("/")[-1]]
        kind = answer.headers.get_content_type()
        require(kind in response["content"], f"{where}: {kind} is not documented")
        if kind == "application/json":
            equal(self.fault(response["content"][kind]["schema"], answer.json, where), None, "the answer")

    def check_all_used(self):
        listed = {(method, path) for path, operations in self.document["paths"].items() for method in operations}
        equal(listed - self.used, set(), "operations without a test")
