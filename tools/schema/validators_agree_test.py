"""Three validators of other people say of every case what the schemas are meant to say: no verdict hangs on one.

Those that are not installed are skipped, and counted as such. Debian packages fastjsonschema as python3-fastjsonschema.
"""

import importlib
from functools import lru_cache

import pytest

import schema_cases
from document_edits import edited
from schema_set import DEFAULT_FOLDER, ID_BASE, SUFFIX, SchemaSet
from tools.bench import peers

MODULES = {"jsonschema": "jsonschema", "fastjsonschema": "fastjsonschema", "jsonschema-rs": "jsonschema_rs"}
SCHEMAS = SchemaSet.load(DEFAULT_FOLDER)


@lru_cache(maxsize=None)
def judge(peer: str, name: str):
    """Whether the peer accepts a document by the schema of that name, as a function."""
    if peer == "jsonschema":
        return lambda document: SCHEMAS.accepts(name, document)
    store = {ID_BASE + other + SUFFIX: document for other, document in SCHEMAS.documents.items()}
    return peers.PEERS[peer](SCHEMAS.documents[name], store)


def test_every_peer_is_known():
    assert MODULES.keys() == peers.PEERS.keys()


@pytest.mark.parametrize("peer", MODULES)
@pytest.mark.parametrize("name", SCHEMAS.documents)
def test_the_verdicts_agree(peer, name):
    try:
        importlib.import_module(MODULES[peer])
    except ImportError:
        pytest.skip(f"{peer} is not installed")
    is_valid = judge(peer, name)
    cases = [(case, accepted) for case, accepted in schema_cases.VERDICTS if case[0] == name]
    wrong = [schema_cases.label(case) for case, accepted in cases if is_valid(edited(*case[1:])) != accepted]
    assert cases and not wrong
