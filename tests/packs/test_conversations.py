import json

import pytest

from .second_opinion import run_templates


@pytest.fixture(scope="session")
def printed(pack):
    return run_templates(pack.folder, PYTHONHASHSEED="1")


@pytest.fixture(scope="session")
def conversations(printed):
    return json.loads(printed)


def of_each(conversations, fact):
    return {template: entry[fact] for template, entry in conversations.items() if entry[fact]}


def test_every_template_has_an_instance(pack, conversations):
    assert [template for template, entry in conversations.items() if not entry["instances"]] == []
    assert len(conversations) == len(pack.templates)


def test_assertions_accept_every_instance(conversations):
    assert of_each(conversations, "refused") == {}


def test_state_changes_exactly_where_the_template_says_so(conversations):
    assert of_each(conversations, "unchanged") == {}


def test_assertions_refuse_every_tampered_instance(conversations):
    assert of_each(conversations, "survivors") == {}


def test_conversations_do_not_depend_on_the_hash_seed(pack, printed):
    assert printed == run_templates(pack.folder, PYTHONHASHSEED="2")
