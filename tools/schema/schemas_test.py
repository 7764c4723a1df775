"""The schema files themselves: well-formed, portable, and no constraint without a case that needs it."""

from copy import deepcopy

import pytest
from jsonschema import Draft202012Validator

import schema_cases
from document_edits import edited
from schema_set import DEFAULT_FOLDER, SchemaSet, subschemas

SCHEMAS = SchemaSet.load(DEFAULT_FOLDER)

ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}
# Validators differ on these: rounding of floats, whether a format is asserted, what counts as evaluated.
DISPUTED = {"multipleOf", "format", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef"}
PORTABLE = (set(Draft202012Validator.VALIDATORS) | {"then", "else"} | ANNOTATIONS) - DISPUTED


def test_the_set_has_no_defects():
    assert list(SCHEMAS.defects()) == []


@pytest.mark.parametrize("name", SCHEMAS.documents)
def test_keywords_are_known_and_undisputed(name):
    used = {keyword for _, schema in subschemas(SCHEMAS.documents[name]) for keyword in schema}
    assert used <= PORTABLE


@pytest.mark.parametrize("case", schema_cases.REFUSED, ids=schema_cases.label)
def test_refused(case):
    schema, document, *edits = case
    assert SCHEMAS.complaint(schema, edited(document, *edits)) is not None


@pytest.mark.parametrize("case", schema_cases.ACCEPTED + schema_cases.ALSO_ACCEPTED, ids=schema_cases.label)
def test_accepted(case):
    schema, document, *edits = case
    assert SCHEMAS.complaint(schema, edited(document, *edits)) is None


def constraints():
    """Every way of taking one constraint out of one schema: (schema name, pointer, keyword, its member or None)."""
    for name, document in SCHEMAS.documents.items():
        for pointer, schema in subschemas(document):
            for keyword, value in schema.items():
                if keyword in ANNOTATIONS or only_describes(name, keyword, value):
                    continue
                if keyword == "required" and pointer.endswith("/if"):
                    continue  # the key is required elsewhere; here it only decides which complaint is printed
                if keyword == "properties":  # what a property's own schema demands is met further down
                    yield from ((name, pointer, keyword, key) for key, inner in value.items() if inner is False)
                elif keyword in ("required", "allOf", "anyOf", "prefixItems"):
                    yield from ((name, pointer, keyword, index) for index in range(len(value)))
                else:
                    yield name, pointer, keyword, None


def only_describes(name, keyword, value):
    """Whether it is a reference to a schema that any value passes."""
    if keyword != "$ref":
        return False
    return SCHEMAS.resolve(name, value).keys() <= ANNOTATIONS


def without(name, pointer, keyword, member):
    """The set with that constraint taken out."""
    documents = deepcopy(SCHEMAS.documents)
    schema = SchemaSet(documents).at(name, pointer)
    if member is None:
        del schema[keyword]
    elif keyword == "required":
        del schema[keyword][member]
    else:
        # A branch of anyOf is taken out by failing it, anything else by letting every value pass.
        schema[keyword][member] = keyword != "anyOf"
    return SchemaSet(documents)


VERDICTS = [
    (schema, edited(document, *edits), accepted) for (schema, document, *edits), accepted in schema_cases.VERDICTS
]


@pytest.mark.parametrize("constraint", list(constraints()), ids=lambda parts: "{0}#{1}/{2}:{3}".format(*parts))
def test_some_case_needs_every_constraint(constraint):
    weakened = without(*constraint)
    own_cases_first = sorted(VERDICTS, key=lambda verdict: verdict[0] != constraint[0])
    assert any(weakened.accepts(schema, document) != accepted for schema, document, accepted in own_cases_first)
