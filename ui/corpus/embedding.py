"""Search by meaning and links read by a language model: cost, consent, run in the background."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from engine.access.users import Action
from engine.corpus.embedded.generation import NO_MODEL
from engine.corpus.extracted import stamp_of
from engine.corpus.protocol import CorpusInfo
from engine.errors import CancelledError, InputError
from engine.extraction import Expected, ExtractionReport, Plan, expected, extract, make_plan
from engine.extraction.export import expected_lines, report_lines
from engine.language.characters import marked
from engine.language.embedders import embedder, reads
from engine.languages import all_words
from engine.llm import Budget, LanguageModel, Meter
from engine.records.phrases import plural
from engine.verbs.verb import Request
from ui.calls import Answer, Call
from ui.corpus.access import CorpusAccess, CorpusDesk, CorpusForm, Extraction, JobForm
from ui.corpus.ingestion import Ingestion
from ui.corpus.vectors import READING_STEP, WantedVectors, load_wanted, share_read
from ui.models.choices import Offer, embedding_spec, offers, reads_most, title_of
from ui.server.jobs import Ended, Job, State
from ui.templating import rendered

# Calls that report whether a corpus is searched by meaning, and that request or stop it.

MINUTE, HOUR = 60, 3600
# Maximum of languages named in one sentence.
MOST_NAMED = 3
SEARCH = "Search it by meaning"
GO_ON = "Go on"
BY_WORDS = "It is searched by words and references, not by meaning"
# Maximum of cached states of corpora that were checked for missing vectors.
LOOKED_AT = 256


class EmbeddingForm(CorpusForm):
    """The name of an embedding model that is on offer; empty for the usual one."""

    embedding: str = Field(default="", max_length=80)


def vectors(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Return whether a corpus is searched by meaning, as a sentence, with the progress and the next action.

    ``state``: going, resting, done or none. ``share`` of the passages that were read, None if unknown.
    ``act`` is the call of the button, ``label`` its text; ``models`` are the names and titles to choose from.
    """
    shelved = access.entry
    info, folder = shelved.info, shelved.folder.absolute()
    assert info is not None
    mine = shelved.server is None and access.may(shelved, Action.ADD)
    job, wanted = access.desk.vectors.job(folder), load_wanted(folder) if shelved.server is None else None
    if job is not None:
        answer = {"state": "going", **_going(access.desk, job, info)}
        return answer | ({"act": "embed-stop", "label": "Stop"} if mine else {})
    has_vectors = shelved.server is None and info.embedding != NO_MODEL
    waiting = _waiting(folder, shelved.state) if has_vectors else 0
    if wanted is not None:
        return _resting(wanted, info, waiting) | (_choice(GO_ON, [wanted.model]) if mine else {})
    if waiting:
        # A server killed just after it had added documents has stored no request for vectors.
        answer = {"state": "resting", "words": f"{_as_it_is(info, waiting)}.", "share": None}
        return answer | (_choice(GO_ON, [info.embedding]) if mine else {})
    known = [offer for offer in offers(access.desk.books.settings).values() if offer.spec != NO_MODEL]
    if info.embedding != NO_MODEL:
        return _done(info) | (_choice(SEARCH, _better(info, known)) if mine else {})
    return _none(info, known if mine else [])


def embed(access: CorpusAccess, form: EmbeddingForm) -> Answer:
    """Request search by meaning: with the named model, else with the one requested before, else with that of
    the existing vectors."""
    # An unknown name is refused first.
    named = embedding_spec(form.embedding, access.desk.books.settings) if form.embedding else ""
    shelved = access.entry
    assert shelved.info is not None
    folder = shelved.folder.absolute()
    wanted = load_wanted(folder)
    before = shelved.info.embedding if wanted is None else wanted.model
    if not named and before == NO_MODEL:
        before = embedding_spec("", access.desk.books.settings)
    access.desk.vectors.want(folder, named or before, access.caller.owner)
    return vectors(access, form)


def stop_embedding(access: CorpusAccess, form: EmbeddingForm) -> Answer:
    """Stop the work; the vectors made so far are kept."""
    access.desk.vectors.stop(access.entry.folder.absolute())
    return vectors(access, form)


def _going(desk: CorpusDesk, job: Job[Ingestion], info: CorpusInfo) -> Answer:
    model = job.payload.order.embedding
    title, until_then = title_of(model), _until_then(model, info)
    if job.state is State.WAITING:
        before = desk.vectors.before(job)
        words = f"Search by meaning waits for its turn, {before} before it. {until_then}"
        return {"words": words, "share": None}
    if job.unhurried:
        return {"words": "Search by meaning: its vectors are being taken in.", "share": 1.0}
    if job.step != READING_STEP:
        return {"words": f"Search by meaning: {title} begins to read. {until_then}", "share": 0.0}
    share, seconds = share_read(job), job.payload.pace.seconds_left
    left = "" if seconds is None else f", {time_left(seconds)}"
    return {"words": f"Search by meaning: {title} has read {share:.0%}{left}. {until_then}", "share": share}


def _until_then(model: str, info: CorpusInfo) -> str:
    """Report how passages without vectors are found until then."""
    if info.embedding == NO_MODEL:
        return "Until then it is found by words and references."
    if info.embedding == model:
        return "Until then new texts are found by words and references."
    return f"Until then it is found by {title_of(info.embedding)}, words and references."


def _resting(wanted: WantedVectors, info: CorpusInfo, waiting: int) -> Answer:
    read = f" at {wanted.share:.0%}" if wanted.share else ""
    other = info.embedding not in (NO_MODEL, wanted.model)
    search = f"Search by meaning with {title_of(wanted.model)}" if other else "Search by meaning"
    now = _as_it_is(info, waiting)
    if wanted.problem:
        words = f"{search} came to a halt{read}: {wanted.problem.removesuffix('.')}. {now}."
    elif wanted.stopped:
        words = f"{search} was stopped{read}; what was made is kept. {now}."
    else:
        words = f"{search} goes on in a moment. {_until_then(wanted.model, info)}"
        return {"state": "going", "words": words, "share": None}
    return {"state": "resting", "words": words, "share": wanted.share}


def _as_it_is(info: CorpusInfo, waiting: int) -> str:
    """Report how a corpus is searched now, while ``waiting`` of its passages have no vectors."""
    if info.embedding == NO_MODEL:
        return BY_WORDS
    title = title_of(info.embedding)
    if not waiting:
        return f"It is searched by meaning with {title}"
    unread = sum(info.languages[language] for language in unread_by(info.embedding, info))
    have = info.passages - unread - waiting
    return (
        f"By meaning ({title}) {have:,} of its {plural(info.passages, 'passage')} are found, the others by "
        "words and references alone"
    )


@lru_cache(LOOKED_AT)
def _waiting(folder: Path, state: str) -> int:
    """Return the number of passages without vectors in a state of a corpus."""
    # Imported here: loading the page does not need the ingestion.
    from engine.ingestion.vectors import count_missing_vectors

    return count_missing_vectors(folder)


def _done(info: CorpusInfo) -> Answer:
    unread = unread_by(info.embedding, info)
    title = title_of(info.embedding)
    words = f"Keyword and semantic search ({title})."
    if unread:
        count = sum(info.languages[language] for language in unread)
        words = f"{words} {plural(count, 'passage')} in {languages_named(unread)} are found by keywords only."
    return {"state": "done", "words": words, "share": None}


def _none(info: CorpusInfo, known: Sequence[Offer]) -> Answer:
    """Return the answer for a corpus without vectors. ``known``: the models on offer, the usual one first."""
    if not known:
        return {"state": "none", "words": f"{BY_WORDS}.", "share": None}
    first = known[0]
    reading = [offer for offer in known if reads_most(offer, info.languages)]
    if reads_most(first, info.languages):
        return {"state": "none", "words": f"{BY_WORDS}.", "share": None, **_choice(SEARCH, reading)}
    unread = languages_named(unread_by(first.spec, info))
    words = f"{BY_WORDS}: most of it is in {unread}, which {first.title} does not read."
    if not reading:
        words += f" No semantic model here supports {unread}."
        return {"state": "none", "words": words, "share": None}
    words += f" Choose {' or '.join(offer.title for offer in reading)}, which does."
    return {"state": "none", "words": words, "share": None, **_choice(SEARCH, reading)}


def _better(info: CorpusInfo, known: Sequence[Offer]) -> list[Offer]:
    """Return models for languages that the corpus's own model does not support."""
    unread = unread_by(info.embedding, info)
    return [
        offer
        for offer in known
        if offer.spec != info.embedding and len(unread_by(offer.spec, info)) < len(unread)
    ]


def _choice(label: str, models: Sequence[Offer | str]) -> Answer:
    """Return the button, if there is a choice; a spec, which visitors do not see, is not a choice."""
    if not models:
        return {}
    named = [[offer.name, offer.words] for offer in models if isinstance(offer, Offer)]
    return {"act": "embed", "label": label, "models": named}


def unread_by(spec: str, info: CorpusInfo) -> list[str]:
    """Return the languages of a corpus that a model does not support, the most frequent first."""
    model = embedder(spec)
    if model is None:
        return list(info.languages)
    return [language for language in info.languages if not reads(model, language)]


def languages_named(codes: Sequence[str]) -> str:
    """Return languages in words: "German and French"."""
    known = all_words()
    names = []
    for code in codes:
        own = known.get(code.split("-")[0])
        names.append(own.name if own is not None and own.name else code)
    names = list(dict.fromkeys(names))
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more languages"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


def time_left(seconds: float) -> str:
    """Return the remaining time in words."""
    if seconds < MINUTE:
        return "less than a minute left"
    number, unit = (seconds / HOUR, "hour") if seconds >= 1.5 * HOUR else (seconds / MINUTE, "minute")
    return f"about {plural(round(number), unit)} left"


# Extraction from a visitor's corpus by a language model: cost, consent, run in the background.

# Maximum of documents to choose from; larger corpora are read as a whole, or by command.
MOST_LISTED = 500
# Factor on the announced usage, for answers that have to be repaired.
REPAIRS = 2


class Reading(Request):
    """The document to read (None: all), a limit of calls, and the number of windows whose cost the caller
    has agreed to."""

    document: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=1)
    agreed: int = Field(default=0, ge=0)


class ReadingForm(CorpusForm):
    """The documents for a model to read."""

    reading: Reading = Reading()


def extraction(access: CorpusAccess, form: CorpusForm) -> Answer:
    """Report whether a model may read this corpus here, and whether one is reading it."""
    shelved = access.entry
    going = access.desk.extractions.going(access.caller.key, shelved.folder.absolute())
    model = access.desk.connections.model(access.caller.session)
    if not access.may(shelved, Action.EXTRACT):
        why = "Only in a corpus of your own: this one is for everybody."
    elif model is None:
        why = (
            "No language model is connected. Without one, the links here are those that the texts themselves "
            "state, and everything of this panel works."
        )
    else:
        why = ""
    documents = access.browser().documents[:MOST_LISTED] if not why else []
    named = enumerate(marked(document.title or document.id) for document in documents)
    return {
        "may": not why,
        "why": why,
        "run": going.id if going else "",
        "model": _name(model),
        "documents": [[number, title] for number, title in named],
    }


def cost(access: CorpusAccess, form: ReadingForm) -> Answer:
    """Return the maximum cost of reading; nothing is sent to the model."""
    plan, model, _ = _planned(access, form)
    found = expected(plan, model)
    return {"html": _cost_html(expected_lines(found)), "windows": found.windows}


def _cost_html(lines: Iterable[str]) -> str:
    return rendered("corpus/cost.html", lines=list(lines))


def read(access: CorpusAccess, form: ReadingForm) -> Answer:
    """Start the reading that the caller agreed to. Raises InputError if the windows to read have changed
    since."""
    plan, model, wanted = _planned(access, form)
    shelved = access.entry
    if not wanted.agreed or wanted.agreed != plan.open:
        raise InputError("what is to be read has changed: look at the cost again")
    found = expected(plan, model)
    budget = _budget(found, wanted)

    def work(job: Job[Extraction]) -> Ended:
        def progress(step: str, done: int, total: int) -> None:
            job.done, job.total = done, total

        job.total = plan.open
        return _ended(job, extract(plan, model, Meter(budget, job.stop.is_set), progress))

    job = access.desk.extractions.start(
        access.caller.owner, Extraction(), work, folder=shelved.folder.absolute(), name=shelved.name
    )
    return {"run": job.id}


def reading(access: CorpusAccess, form: JobForm) -> Answer:
    """Return the progress of a run."""
    run = access.desk.extractions.get(form.job, access.caller.key)
    return {
        "state": run.state,
        "done": run.done,
        "total": run.total,
        "message": run.message,
        "html": _cost_html(run.payload.lines),
    }


def stop_extraction(access: CorpusAccess, form: JobForm) -> Answer:
    """Stop a run after the windows in flight; the results so far are kept."""
    access.desk.extractions.cancel(form.job, access.caller.key)
    return {}


def _ended(job: Job[Extraction], report: ExtractionReport) -> Ended:
    job.payload.lines = tuple(report_lines(report))
    if report.cancelled:
        raise CancelledError("cancelled")
    return Ended(State.STOPPED if report.stopped else State.DONE, report.stopped)


def _planned(access: CorpusAccess, form: ReadingForm) -> tuple[Plan, LanguageModel, Reading]:
    shelved, browser = access.entry, access.browser()
    model = access.desk.connections.model(access.caller.session)
    if model is None:
        raise InputError("no language model is connected on this page")
    wanted = form.reading
    documents = () if wanted.document is None else (browser.document(wanted.document).id,)
    key = (shelved.folder, shelved.state, model.spec, documents, stamp_of(shelved.folder))
    plan = access.desk.plans.made(key, lambda: make_plan(browser.corpus, model, documents))
    return plan, model, wanted


def _budget(found: Expected, wanted: Reading) -> Budget:
    """Return the budget: the announced cost plus repairs, or the user's lower limit of calls."""
    usage = found.usage
    money = None if usage.money is None else REPAIRS * usage.money
    return Budget(wanted.calls or REPAIRS * usage.calls, REPAIRS * usage.tokens, None, money or None)


def _name(model: LanguageModel | None) -> str:
    return "" if model is None else model.spec.removeprefix("openai:").partition("@http")[0].partition("?")[0]


CALLS = (
    Call("vectors", CorpusForm, vectors),
    Call("embed", EmbeddingForm, embed, audit="embed", needs=Action.ADD),
    Call("embed-stop", EmbeddingForm, stop_embedding, audit="embed-stop", needs=Action.ADD),
    Call("extraction", CorpusForm, extraction),
    Call("extract-cost", ReadingForm, cost, needs=Action.EXTRACT),
    Call("extract", ReadingForm, read, audit="extract", needs=Action.EXTRACT),
    Call("extract-poll", JobForm, reading),
    Call("extract-stop", JobForm, stop_extraction),
)
