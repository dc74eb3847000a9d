"""Validates real responses against an OpenAPI 3.1 file. Implements the part of JSON Schema that server/openapi.json uses
and refuses unknown keywords."""
import json

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$ref", "type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "enum",
         "const", "oneOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "default", "description"}


def is_type(value, name):
    if name in ("number", "integer"):
        return isinstance(value, (int, float) if name == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


class OpenApi:
    def __init__(self, document):
        self.document = document

    def resolve(self, part):
        while "$ref" in part:
            target = self.document
            for name in part["$ref"].lstrip("#/").split("/"):
                target = target[name]
            part = target
        return part

    def problems(self, value, schema, where="answer"):
        """What is wrong with VALUE, as a list of sentences."""
        schema = self.resolve(schema)
        unknown = set(schema) - KNOWN
        if unknown:
            return [f"the schema of {where} has unknown words: {unknown}"]
        if "oneOf" in schema:
            found = [self.problems(value, one, where) for one in schema["oneOf"]]
            fitting = sum(not one for one in found)
            # an empty list has no item to check
            if fitting == 1 or (fitting > 1 and json.dumps(value).count("[]")):
                return []
            return [f"{where} fits {fitting} of its forms: {found}"]
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(is_type(value, name) for name in types):
            return [f"{where} is {json.dumps(value)[:60]}, not {types}"]
        if "enum" in schema and value not in schema["enum"]:
            return [f"{where} is {value!r}, none of {schema['enum']}"]
        if "const" in schema and value != schema["const"]:
            return [f"{where} is {value!r}, not {schema['const']!r}"]
        wrong = []
        if isinstance(value, dict):
            wrong += self.object_problems(value, schema, where)
        elif isinstance(value, list):
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
                wrong.append(f"{where} has {len(value)} items")
            for i, item in enumerate(value):
                wrong += self.problems(item, schema.get("items", {}), f"{where}[{i}]")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            low, high = schema.get("minimum", value), schema.get("maximum", value)
            if not low <= value <= high:
                wrong.append(f"{where} is {value}")
        return wrong

    def object_problems(self, value, schema, where):
        wrong = [f"{where} has no {name}" for name in schema.get("required", []) if name not in value]
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, item in value.items():
            if name in properties:
                wrong += self.problems(item, properties[name], f"{where}.{name}")
            elif others is False:
                wrong.append(f"{where} has a field {name} that is not described")
            elif isinstance(others, dict):
                wrong += self.problems(item, others, f"{where}.{name}")
        return wrong

    def answer_problems(self, method, path, status, content_type, body):
        operation = self.document["paths"].get(path, {}).get(method.lower())
        if operation is None:
            return [] if status in (404, 405, 204) else [f"{method} {path} is not described"]
        described = operation["responses"].get(str(status))
        if described is None:
            return [f"{method} {path} answered {status}, which is not described"]
        content = self.resolve(described).get("content", {})
        kind = (content_type or "").split(";")[0]
        if kind not in content:
            return [f"{method} {path} answered {kind}, described are {list(content)}"]
        if kind != "application/json":
            return []
        return self.problems(json.loads(body), content[kind]["schema"])

    def request_problems(self, method, path, body):
        operation = self.document["paths"][path][method.lower()]
        return self.problems(body, operation["requestBody"]["content"]["application/json"]["schema"], "request")
