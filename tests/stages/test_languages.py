import hashlib

import pytest

from assay.config import SurfaceGeneration
from assay.findings import Check, Severity
from assay.stages.languages import available_languages, settle_wording
from assay.stages.system_prompt import DEFAULT_SYSTEM_PROMPT, system_prompt_of
from tests.support.models import line_of, manifest, pack, run_config
from tests.support.talks import PLACE_ORDER, entry, function


def speaking(*languages, **manifest_fields):
    """A pack whose templates open in these languages, one each."""
    entries = [
        entry(template_id=f"t{index}", user_turn_templates={language: "Hello."})
        for index, language in enumerate(languages)
    ]
    return pack(*entries, tools=[PLACE_ORDER], **manifest_fields)


def settled(made, language=None, **config):
    return settle_wording(made, run_config(surface_generation=SurfaceGeneration(language=language), **config))


def codes(wording):
    return [each.code for each in wording.findings]


def test_opening_turns_alone_offer_languages():
    made = pack(
        entry(
            user_turn_templates={"sw": "Weka.", "en": "Place."},
            user_simulator_turns=[{"after": "ask", "content_template": {"vi": "x"}}],
            assistant_turn_templates={"final_answer": {"fr": "x"}},
        ),
        entry(template_id="u", user_turn_templates={"de": "Hallo."}),
    )
    assert available_languages(made) == ("de", "en", "sw")


@pytest.mark.parametrize(
    ("offered", "configured", "default", "listed", "chosen"),
    [
        (["en", "sw"], "sw", "en", ["en"], "sw"),
        (["en", "sw"], None, "sw", ["en"], "sw"),
        (["en", "sw"], None, None, ["fr", "sw", "en"], "sw"),
        (["sw"], None, None, ["fr"], "sw"),
        (["sw"], None, None, [], "sw"),
    ],
)
def test_the_language_of_a_run(offered, configured, default, listed, chosen):
    made = speaking(*offered, default_language=default, languages=listed, system_prompt="Jibu.")
    wording = settled(made, configured)
    assert wording.language == chosen
    assert wording.findings == ()


@pytest.mark.parametrize(("configured", "default"), [("EN", None), (None, "EN"), ("fr", "en")])
def test_tags_compare_exactly_and_do_not_fall_back(configured, default):
    wording = settled(speaking("en", default_language=default), configured)
    assert wording.language is None
    (found,) = wording.findings
    assert found.code == "language_not_offered"
    assert found.check is Check.REPRESENTATIVE_GENERATION_CONTRACT
    assert "`en`" in found.message
    assert found.detail == {"language": configured or default, "available": ["en"]}


def test_a_default_language_that_nothing_speaks_is_shown_where_it_stands():
    made = speaking("en", default_language="fr")
    assert settled(made).findings[0].place.line == line_of(made.manifest, "default_language")


def test_several_languages_without_a_preference_cannot_be_decided():
    made = speaking("en", "sw", languages=["fr"])
    wording = settled(made)
    assert wording.language is None
    assert codes(wording) == ["language_not_offered"]
    assert wording.findings[0].place.line == line_of(made.manifest, "languages")


def test_without_any_opening_turn_loading_has_told_why():
    wording = settled(pack(entry(user_turn_templates={})))
    assert (wording.language, wording.findings) == (None, ())


@pytest.mark.parametrize(
    ("policy", "severity"), [("strict_separation", Severity.ERROR), ("smoke_no_publication", Severity.WARNING)]
)
def test_another_language_needs_a_system_prompt_of_its_own(policy, severity):
    wording = settled(speaking("sw"), lineage_policy=policy)
    assert wording.language == "sw"
    (found,) = wording.findings
    assert (found.code, found.severity) == ("default_system_prompt_in_other_language", severity)
    assert settled(speaking("sw", system_prompt="Jibu."), lineage_policy=policy).findings == ()


def test_the_system_prompt_is_the_packs_own_trimmed_else_ours():
    own = system_prompt_of(manifest(system_prompt="  Be brief.\n"))
    assert (own.text, own.is_default) == ("Be brief.", False)
    for blank in (None, "", " \n"):
        ours = system_prompt_of(manifest(system_prompt=blank))
        assert (ours.text, ours.is_default) == (DEFAULT_SYSTEM_PROMPT, True)


def test_prompts_are_named_by_their_digest():
    prompt = system_prompt_of(manifest(system_prompt="Be brief."))
    assert prompt.bundle_hash == f"sha256:{hashlib.sha256(b'Be brief.').hexdigest()}"
    assert prompt.bundle_hash.startswith(prompt.id)
    assert len(prompt.id) == len("sha256:") + 16
    assert prompt.id != system_prompt_of(manifest()).id


def test_guarded_tools_are_all_but_the_exempt_sorted():
    made = speaking("en", tool_names_exempt=["b_tool"])
    made = pack(
        entry(), tools=[function("c_tool"), function("b_tool"), function("a_tool")], tool_names_exempt=["b_tool"]
    )
    assert settled(made).guarded_tools == ("a_tool", "c_tool")


def test_an_exempt_name_that_is_no_tool():
    (found,) = settled(speaking("en", tool_names_exempt=["place_ordre"])).findings
    assert (found.code, found.tool) == ("unknown_exempt_tool", "place_ordre")
    assert "place_order" in found.message


def test_exempt_names_are_not_judged_when_the_tools_could_not_be_read():
    made = pack(entry(), tools=[], tool_names_exempt=["x"], unusable=["tools"])
    assert settled(made).findings == ()
