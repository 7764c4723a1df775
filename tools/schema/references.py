"""Compiles schemas that refer to each other, with whichever way the installed jsonschema has; nothing is fetched.

From 4.18 on jsonschema resolves references with the package `referencing`; older ones, Debian 12's 4.10 among them,
have a RefResolver, which newer ones no longer have.
"""

import inspect
from typing import Any, Callable, Mapping, NamedTuple

from jsonschema import Draft202012Validator


class DeadReference(LookupError):
    """A reference leads to nothing in the set."""


class Compiled(NamedTuple):
    validator: Draft202012Validator
    resolve: Callable[[str], Any]  # the schema that a reference of this document leads to, or DeadReference


def compile_schema(uri: str, documents: Mapping[str, Any]) -> Compiled:
    """The schema of that URI among the documents, which are kept by theirs."""
    return _compile(uri, documents)


def _compile_with_registry(uri: str, documents: Mapping[str, Any]) -> Compiled:
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resources = [(name, DRAFT202012.create_resource(document)) for name, document in documents.items()]
    registry = Registry().with_resources(resources)
    resolver = registry.resolver(base_uri=uri)

    def resolve(reference: str) -> Any:
        try:
            return resolver.lookup(reference).contents
        except Unresolvable as error:
            raise DeadReference(str(error)) from error

    return Compiled(Draft202012Validator(documents[uri], registry=registry), resolve)


def _compile_with_resolver(uri: str, documents: Mapping[str, Any]) -> Compiled:
    from jsonschema import RefResolver
    from jsonschema.exceptions import RefResolutionError

    resolver = RefResolver(
        base_uri=uri,
        referrer=documents[uri],
        store=documents,
        handlers={"http": _refuse_to_fetch, "https": _refuse_to_fetch},
    )

    def resolve(reference: str) -> Any:
        try:
            return resolver.resolve(reference)[1]
        except RefResolutionError as error:
            raise DeadReference(str(error)) from error

    return Compiled(Draft202012Validator(documents[uri], resolver=resolver), resolve)


def _refuse_to_fetch(url: str) -> None:
    raise LookupError(f"{url} is not in the set")


_HAS_REGISTRY = "registry" in inspect.signature(Draft202012Validator).parameters
_compile = _compile_with_registry if _HAS_REGISTRY else _compile_with_resolver
