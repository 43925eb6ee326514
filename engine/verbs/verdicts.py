"""Verbs by which reviewers judge a corpus: its links, the grades of documents, verdicts of an audit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from pydantic import Field

from engine.access.users import Action
from engine.errors import CorpusError, InputError
from engine.model import Relation
from engine.records.summaries import Slim
from engine.verbs.answers import LONGEST_TEXT, audit_in, meter_of_caller
from engine.verbs.verb import (
    Blank,
    Caller,
    Day,
    Detail,
    Key,
    LowestGrade,
    OfCorpus,
    Request,
    Response,
    Tool,
    argument,
    corpus_option,
    option,
    verb,
)

if TYPE_CHECKING:
    from engine.corpus.extracted import Validation
    from engine.corpus.grades import Grades, Subject
    from engine.corpus.journal import Journals
    from engine.corpus.protocol import Corpus

MOST_CLAIMS, MOST_LISTED = 200, 500
LONGEST_NAME, LONGEST_NOTE, LONGEST_KIND, LONGEST_DOCUMENT = 100, 2000, 200, 1000
FOR_REVIEWERS = "For reviewers, and for the user of a server for this machine alone."


def reviewer_name(caller: Caller, request: Any) -> str:
    """Return the name under which a verdict is recorded."""
    if hasattr(request, "by"):
        return str(request.by)
    return caller.person.name or str(getattr(request, "name", ""))


def _journals(corpus: Corpus, kind: str) -> Journals:
    if corpus.journals is None:
        raise CorpusError(f"{corpus.name!r} has no journals: there is no place for {kind}")
    return corpus.journals


# Links.


class JudgeLink(Request):
    """Arguments of ``judge``."""

    act: Literal["reject", "accept", "correct", "undo", "list", "rates"] = argument(
        ...,
        "What to do: reject, accept or correct a link, undo that, list the verdicts, or tell how often links "
        "are right (rates).",
        "ACT",
    )
    source: str = argument("", "Id of the passage that contains the link.", "SOURCE", max_length=500)
    target: str = argument("", "Id of what it leads to.", "TARGET", max_length=500)
    relation: Annotated[Relation | None, Blank] = option(
        None, "Which link, where there are several; null for the only one.", "R"
    )
    to: str = option("", "For a correction: id of the passage that is meant.", "ID", max_length=500)
    meant: Annotated[Relation | None, Blank] = option(
        None, "For a correction: the relation that is meant.", "R", flag="--as"
    )
    note: str = Field(default="", max_length=LONGEST_NOTE, description="Why.")
    corpus: OfCorpus = ""
    detail: Detail = "slim"


class JudgeLinkOptions(JudgeLink):
    """Options of ``judge``."""

    corpus: str = corpus_option()
    by: str = option("", "the reviewer", "NAME")


class JudgeLinkAnswer(Slim):
    """Answer of ``judge``: the verdicts, or the rates."""

    corpus: str
    verdicts: list[dict[str, Any]] | None = Field(default=None, description="given now, or standing (list)")
    total: int | None = Field(default=None, description="number of current ones")
    rates: dict[str, Any] | None = Field(default=None, description="how often links are right, by their kind")


_JUDGEMENTS = {"reject": "rejected", "accept": "accepted", "correct": "corrected"}


@verb(
    "judge",
    JudgeLink,
    tool=Tool(
        "judge",
        "Judge a link",
        "Reject, accept or correct a link of a corpus, undo it, list the verdicts, or tell how often links "
        f"are right. {FOR_REVIEWERS}",
        JudgeLinkAnswer,
        full=lambda response: response.extra,
    ),
    options=JudgeLinkOptions,
    permission=Action.JUDGE,
    refusal="links of {} are judged by its reviewers",
    audit="judge",
    changes=True,
)
def judge_link(caller: Caller, request: JudgeLink) -> Response:
    """Accept, reject or correct a link; undo it; list verdicts; show how often links are right."""
    from engine.corpus.extracted import Judgement, current_verdicts, load_validations
    from engine.extraction import judging

    corpus, name = caller.corpus(request.corpus), caller.find(request.corpus).name
    journals = _journals(corpus, "verdicts")
    if request.act in ("list", "rates"):
        current = list(current_verdicts(load_validations(journals)).values())
        if request.act == "list":
            return _verdicts(current, name, total=len(current))
        rates = judging.rates(corpus, current)
        values = judging.figures_to_json(rates)
        return Response(values, _rate_lines(rates), extra={"corpus": name, "rates": values})
    if not request.source or not request.target:
        raise InputError(f"{request.act}: give the ids of both ends, source and target")
    ends = judging.Ends(request.source, request.target, request.relation)
    if request.act == "undo":
        return _verdicts(judging.unjudge_link(corpus, ends), name)
    done = judging.judge_link(
        corpus,
        ends,
        Judgement(_JUDGEMENTS[request.act]),
        to=request.to,
        relation=request.meant,
        note=request.note,
        reviewer=reviewer_name(caller, request),
    )
    return _verdicts(done, name)


def _verdicts(found: list[Validation], corpus: str, **more: Any) -> Response:
    values = [one.model_dump(mode="json") for one in found]
    keyed = [value | {"key": one.proposal.key} for value, one in zip(values, found, strict=True)]
    extra = {"corpus": corpus, "verdicts": values[-MOST_LISTED:], **more}
    return Response(keyed, map(_verdict_line, found), extra=extra)


def _verdict_line(one: Validation) -> str:
    verdict = "taken back" if one.withdrawn else one.judgement.value
    target = one.proposal.target_id or f"“{one.proposal.concept}”"
    instead = ""
    if one.correction is not None:
        instead = f" -> {one.correction.relation.value} {one.correction.target_id or one.correction.concept}"
    who = f" ({one.reviewer})" if one.reviewer else ""
    return f"{verdict}: {one.proposal.source_id} {one.proposal.relation.value} {target}{instead}{who}"


def _rate_lines(figures: Any) -> Iterator[str]:
    if not any(figures.values()):
        yield "no link of this corpus has been judged yet"
        return
    for by, named in figures.items():
        yield f"by {by}"
        for name, one in named.items():
            low, high = (round(100 * end) for end in one.interval or (0.0, 1.0))
            right = f"{one.accepted} of {one.judged} right"
            yield f"  {name:24}{right}, {100 * (one.share or 0):.0f} % ({low} to {high})"


# Grades.


class GradeDocuments(Request):
    """Arguments of ``grades``: what to do, with which kind or document, and the grade."""

    act: Literal["list", "set", "unset"] = argument(
        ..., "What to do: list the grades, set one, or unset it.", "ACT"
    )
    kind: str | None = option(
        None,
        "A kind of document; an empty text for documents without one, null to name a document.",
        "K",
        max_length=LONGEST_KIND,
    )
    document: str | None = option(
        None, "Id of one document, instead of a kind.", "ID", max_length=LONGEST_DOCUMENT
    )
    grade: str = argument("", "A, B, C, D, E, or none.", "G", max_length=20)
    note: str = Field(default="", max_length=LONGEST_NOTE, description="Why.")
    corpus: OfCorpus = ""
    detail: Detail = "slim"

    @property
    def subject(self) -> tuple[Subject, str]:
        """The kind or the document. Raises InputError unless it is one of them."""
        if (self.kind is None) == (self.document is None):
            raise InputError(f"{self.act}: give a kind or a document")
        return ("kind", self.kind or "") if self.document is None else ("document", self.document)


class GradeOptions(GradeDocuments):
    """Options of ``grades``."""

    corpus: str = corpus_option()
    by: str = option("", "the reviewer", "NAME")


class GradesAnswer(Slim):
    """Answer of ``grades``: the grades after the change."""

    corpus: str
    kinds: list[dict[str, Any]] = Field(description="kinds of documents, each with its grade")
    documents: list[dict[str, Any]] = Field(description="documents that have a grade of their own")


@verb(
    "grades",
    GradeDocuments,
    tool=Tool(
        "grades",
        "Grade documents",
        "List the grades A to E of a corpus's documents, give one to a kind or a document, or take it back. "
        f"{FOR_REVIEWERS}",
        GradesAnswer,
    ),
    options=GradeOptions,
    permission=Action.JUDGE,
    refusal="documents of {} are graded by its reviewers",
    audit=lambda request: "" if request.act == "list" else "grade",
    changes=True,
)
def grade_documents(caller: Caller, request: GradeDocuments) -> Response:
    """List, set or unset the grades A to E of a corpus's documents, by kind or by document."""
    from engine.corpus.grades import grade_from, grades_of, grades_to_json, set_grade, withdraw_grade

    corpus = caller.corpus(request.corpus)
    own: dict[str, Any] = {"note": request.note, "reviewer": reviewer_name(caller, request)}
    if request.act == "set":
        set_grade(corpus, *request.subject, grade_from(request.grade), **own)
    elif request.act == "unset":
        withdraw_grade(corpus, *request.subject, **own)
    found = grades_of(corpus)
    name = caller.find(request.corpus).name
    return Response(grades_to_json(found, corpus), _grade_lines(found, corpus), extra={"corpus": name})


def _grade_lines(found: Grades, corpus: Corpus) -> Iterator[str]:
    from engine.corpus.grades import NO_KIND, kind_rows, ungraded, words_of
    from engine.language.characters import marked
    from engine.records.phrases import plural

    documents = {one.id: one for one in corpus.documents()}
    for row in kind_rows(found, documents.values()):
        why = f" ({row.basis.value}{_by(row.decision)})" if row.basis else ""
        counted = f"{plural(row.documents, 'document')}"
        yield f"{words_of(row.grade):10}{marked(row.shown) or NO_KIND}, {counted}{why}"
    for name, line in found.documents.items():
        absent = "" if name in documents else ", not in the corpus now"
        yield f"{words_of(line.grade):10}{marked(name)} (by hand{_by(line)}{absent})"
    without = ungraded(found, documents.values())
    if without:
        yield f"{plural(len(without), 'document')} of {len(documents):,} without a grade"


def _by(line: Any) -> str:
    return f", {line.reviewer}" if line is not None and line.reviewer else ""


# Verdicts of an audit.


class ReviewAudit(Request):
    """Arguments of ``review``: the text that was checked and how (as ``audit`` takes it), the numbers of its
    claims, and the right verdict; ``name`` counts if the caller is not logged in."""

    act: Literal["confirm", "overrule", "undo", "list"] = Field(
        description="What to do: confirm or overrule verdicts, undo that, or list the current reviews."
    )
    text: str = Field(
        default="", max_length=LONGEST_TEXT, description="The text that was checked, up to 60,000 characters."
    )
    claims: list[Key] = Field(
        default_factory=list, max_length=MOST_CLAIMS,
        description='Numbers of claims as audit gives them ("3", "c1"); all of them are reviewed, or none.',
    )  # fmt: skip
    instead: Key = Field(
        default="",
        description="The right verdict, to overrule one: supported, contradicted, related, not_in_corpus ...",
    )
    note: str = Field(default="", max_length=LONGEST_NOTE, description="Why.")
    name: str = Field(
        default="", max_length=LONGEST_NAME, description="The reviewer, if the caller is not logged in."
    )
    corpus: OfCorpus = ""
    day: Day = Field(
        default=None, description="The law of this day (2024-06-01), as the text was checked; null for today."
    )
    grade: LowestGrade = Field(default=None, description="Lowest grade of a source, as the text was checked.")
    detail: Detail = "slim"


class ReviewAnswer(Slim):
    """Answer of ``review``."""

    corpus: str
    confirmations: list[dict[str, Any]] = Field(description="given now, or standing (list)")
    total: int | None = Field(default=None, description="number of current ones")
    verification_log: dict[str, Any] | None = Field(default=None, description="the log as it is then")


@verb(
    "",
    ReviewAudit,
    tool=Tool(
        "review",
        "Confirm or overrule verdicts",
        "Confirm or overrule verdicts on the claims of a checked text, take that back, or list the reviews. "
        f"{FOR_REVIEWERS}",
        ReviewAnswer,
    ),
    permission=Action.JUDGE,
    refusal="verdicts against {} are confirmed by its reviewers",
    audit=lambda request: "" if request.act == "list" else f"review: {request.act}",
    changes=True,
)
def review_audit(caller: Caller, request: ReviewAudit) -> Response:
    """Check the text again, record reviews of its verdicts, and give the new log; or list all reviews.

    Either all reviews are recorded or none. Raises InputError for an unknown claim or verdict.
    """
    from engine.answers.audit.export import log_to_json
    from engine.answers.audit.log import ReviewAction, record_reviews, verification_log
    from engine.corpus.judgements import current_confirmations, load_confirmations

    corpus, name = caller.corpus(request.corpus), caller.find(request.corpus).name
    journals = _journals(corpus, "confirmations")
    if request.act == "list":
        current = list(current_confirmations(load_confirmations(journals)).values())
        listed = [one.model_dump(mode="json") for one in current[-MOST_LISTED:]]
        return Response({"corpus": name, "confirmations": listed, "total": len(current)})
    if not request.claims:
        raise InputError(f"claims: name the claims to {request.act}; /audit gives their numbers")
    if request.instead and request.act != "overrule":
        raise InputError(f"instead: the right verdict is given to overrule one, not to {request.act} it")
    with meter_of_caller(caller) as meter:
        found = audit_in(corpus, request, meter)
    sayings = [ReviewAction(request.act, number, request.instead) for number in dict.fromkeys(request.claims)]
    own = {"note": request.note, "reviewer": reviewer_name(caller, request)}
    done = record_reviews(corpus, verification_log(found, corpus), sayings, **own)
    # Through JSON once, so that grades are plain letters for every kind of caller.
    log: dict[str, Any] = orjson.loads(orjson.dumps(log_to_json(verification_log(found, corpus))))
    reviews = [one.model_dump(mode="json") for one in done]
    return Response({"corpus": name, "confirmations": reviews, "verification_log": log})
