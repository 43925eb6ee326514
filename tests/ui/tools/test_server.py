"""The own client of the protocol against a running server: all tools, resources, hints, errors, sizes."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from engine.verbs import all_tools
from tests.ui.tools.conftest import by_mcp

QUESTION = "When may a berth be refused?"
BOUND = 40_000


class Calls:
    """Calls tools, and holds every answer against its schema and its bound."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.schemas: dict[str, Any] = {}

    async def listed(self) -> Any:
        tools = await self._session.list_tools()
        self.schemas = {tool.name: tool.outputSchema for tool in tools.tools}
        assert len(tools.model_dump_json(exclude_none=True)) < BOUND
        return tools.tools

    async def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        called = await self._session.call_tool(name, arguments)
        (content,) = called.content
        assert not called.isError, content.text
        if arguments.get("detail") != "full":
            assert len(called.model_dump_json()) < BOUND, name
        jsonschema.validate(called.structuredContent, self.schemas[name])
        assert json.loads(content.text) == called.structuredContent
        return dict(called.structuredContent)

    async def refused(self, name: str, **arguments: Any) -> str:
        called = await self._session.call_tool(name, arguments)
        assert called.isError
        assert called.structuredContent is None
        (content,) = called.content
        assert "\n" not in content.text
        assert "Traceback" not in content.text
        return str(content.text)


def test_a_client_plans_investigates_follows_reads_and_lists(own_machine: str) -> None:
    async def work(session: Any) -> None:
        call = Calls(session)
        await call.listed()
        listed = await call("corpora")
        assert [(one["name"], one["documents"]) for one in listed["corpora"]] == [("Harbour", 3)]
        assert listed["corpora"][0]["languages"]["en"] > 20
        documents = (await call("corpora", corpus="Harbour", words="dues"))["documents"]
        assert [one["title"] for one in documents] == ["Harbour Dues Act"]

        planned = await call("plan", question="What does Article 12 of the Harbour Act say?")
        assert planned["plan"]["named"][0]["status"] == "found"
        assert planned["words"][0].startswith("Question: ")

        case = await call("investigate", question=QUESTION, preset="balanced", top_k=4)
        assert case["detail"] == "slim"
        assert case["evidence"]["status"] == "found"
        first = case["passages"][0]
        assert "berth" in first["text"]
        assert first["trail"][0].startswith("scan")
        assert case["pool"]["passages"] >= len(case["passages"])

        step = await call("follow", case=case["case"], passage=first["id"], strategies=["citations"])
        assert step["followed"] == first["id"]
        assert step["round"] == case["rounds"][-1]["number"] + 1
        assert all(one["text"] and one["found"] for one in step["found"])

        read = await call("read", what=first["id"], before=1, after=1)
        assert first["id"] in [one["id"] for one in read["passages"]]
        assert read["document"]["id"] == first["document"]
        cited = await call("read", what="Article 12 of the Harbour Act")
        assert "12" in cited["passages"][1]["label"]

        kept = await call("cases", words="berth refused")
        assert case["case"] in [one["id"] for one in kept["cases"]]
        same = await call("case", case=case["case"])
        assert len(same["record"]["rounds"]) == len(case["rounds"]) + 1
        events = await call("case", case=case["case"], part="events")
        assert [one["kind"] for one in events["events"]] == ["opened", "ran", "follow"]
        assert {one["who"] for one in events["events"]} == {"mcp"}
        assert (await call("case", case=case["case"], part="verify"))["sound"]
        summary = next(one for one in kept["cases"] if one["id"] == case["case"])
        assert (summary["application"], summary["matter"]) == ("mcp", "General")

        formats = await call("export")
        assert "json" in [one["name"] for one in formats["formats"]]
        for name in (one["name"] for one in formats["formats"]):
            if name == "qrels":
                assert "has been judged" in await call.refused("export", case=case["case"], format=name)
                continue
            handed = await call("export", case=case["case"], format=name)
            assert handed["bytes"] > 0
        answer = await call("answer", question=QUESTION)
        assert answer["sentences"]
        assert answer["case"] != case["case"]
        audited = await call(
            "audit", text="The Minister appoints the harbour master (Article 4 Harbour Act)."
        )
        assert audited["claims"][0]["finding"]

    by_mcp(own_machine, work)


def test_tools_say_what_they_are(own_machine: str) -> None:
    async def work(session: Any) -> Any:
        return await Calls(session).listed()

    tools = {tool.name: tool for tool in by_mcp(own_machine, work)}
    assert list(tools) == [tool.tool.name for tool in all_tools()]
    for tool in tools.values():
        assert tool.title == tool.annotations.title != ""
        assert len(tool.description) > 40
        assert tool.annotations.destructiveHint is tool.annotations.openWorldHint is False
        for schema in (tool.inputSchema, tool.outputSchema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert all(one["description"] for one in tool.inputSchema["properties"].values())
    reading = {name for name, tool in tools.items() if tool.annotations.readOnlyHint}
    assert reading == {"corpora", "plan", "read", "audit", "changes", "cases", "case", "export"}
    assert not tools["investigate"].annotations.idempotentHint
    assert tools["judge"].annotations.idempotentHint


def test_cases_passages_and_settings_are_resources(own_machine: str) -> None:
    async def work(session: Any) -> None:
        call = Calls(session)
        await call.listed()
        case = await call(
            "investigate", question="Wer erhält einen Liegeplatz? هل يجوز الرفض؟", preset="quick"
        )
        listed = {str(one.uri): one for one in (await session.list_resources()).resources}
        address = f"redstring://case/{case['case']}"
        assert listed[address].title == case["question"]
        (found,) = (await session.read_resource(address)).contents
        assert json.loads(found.text)["record"]["question"] == case["question"]
        templates = (await session.list_resource_templates()).resourceTemplates
        assert [one.uriTemplate for one in templates] == [
            "redstring://case/{case}",
            "redstring://passage/{corpus}/{+id}",
        ]
        passage = (await call("read", what="harbour-act"))["passages"][0]
        (found,) = (await session.read_resource(f"redstring://passage/Harbour/{passage['id']}")).contents
        assert passage["id"] in [one["id"] for one in json.loads(found.text)["passages"]]
        (found,) = (await session.read_resource("redstring://settings")).contents
        assert "as_of" in json.loads(found.text)["properties"]
        for wrong in ("redstring://case/nothing", "redstring://passage/Nowhere/x", "file:///etc/passwd"):
            with pytest.raises(Exception, match=r"there is no|unknown corpus"):
                await session.read_resource(wrong)

    by_mcp(own_machine, work)


def test_what_is_wrong_is_said_in_a_sentence(own_machine: str, subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("investigate", {}, "question: "),
        ("investigate", {"question": QUESTION, "model": True}, "offers no language model"),
        ("follow", {"case": "nothing", "passage": "x"}, "there is no case 'nothing'"),
        ("read", {"what": "zeppelin"}, "'zeppelin' is neither an id in the corpus 'Harbour' nor a citation"),
        ("read", {"what": "harbour-act", "at": 10**6}, "at: 'harbour-act' has"),
        ("read", {"what": "harbour-act", "start": 10**6}, "start: the passage has"),
        ("cases", {"matter": "=HYPERLINK()"}, "matter: you have none"),
        ("case", {"case": "../../etc/passwd"}, "there is no case"),
        ("export", {"case": "nothing"}, "format: say which; known: "),
        ("nothing", {}, "there is no tool 'nothing'; known: corpora"),
    )

    async def work(session: Any) -> list[str]:
        return [await Calls(session).refused(name, **arguments) for name, arguments, _ in rows]

    for (name, arguments, words), said in zip(rows, by_mcp(own_machine, work), strict=True):
        with subtests.test(tool=name, arguments=arguments):
            assert words in said
            assert len(said) < 600
