"""A real page in a real browser: the engine, the sample corpus, and one corpus that means harm."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import socket
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

import pytest

from engine.access.users import visitors_folder
from engine.corpus import open_corpus
from engine.corpus.extracted import current_verdicts, load_validations
from engine.extraction.judging import Ends, unjudge_link
from engine.ingestion.build import build_corpus
from engine.records.store import EVERYBODY
from engine.records.store.database import CaseFilter
from engine.records.store.store import CaseStore
from engine.review.store import ReviewStore
from engine.settings import preset
from tests.engine.investigation.story import finished, record_of
from tests.tables import table
from tests.ui.corpus.conftest import ACT, ARABIC, REGULATION
from tests.ui.served import served
from ui.shelf import open_library

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, ViewportSize

HOSTILE = "Hostile"
ColorScheme: TypeAlias = Literal["light", "dark"]
SCHEMES: tuple[ColorScheme, ...] = ("light", "dark")
VIEWPORT: ViewportSize = {"width": 1440, "height": 900}
# A file of every server in place of a page.
BLANK = "robots.txt"
OWN = "Files of my own"
QUESTION = "Can a manager with limited authority grant an agent broader powers than those in the register?"
HOSTILE_TEXT: str = table(__file__, "HOSTILE_TEXT")
FILES = {"act.md": ACT.encode(), "regulation.md": REGULATION.encode(), "nizam.md": ARABIC.encode()}
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    # Two cores for two browsers and two servers: no process and no threads for a card that is not there.
    "--in-process-gpu",
    "--num-raster-threads=1",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Tabs of one browser share a process, and what it has compiled.
    "--renderer-process-limit=1",
    # A test is over before a script that was compiled twice has paid for it; what was compiled once is kept
    # for the next page, and what a page throws away is looked through seldom.
    "--js-flags=--no-opt --no-maglev --no-flush-bytecode --min-semi-space-size=32",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder drive a browser. Gradio's queue uses pandas in ways that pandas 3 calls
    outdated."""
    ignored = pytest.mark.filterwarnings("ignore:'future.no_silent_downcasting'", "ignore:The copy keyword")
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)
            item.add_marker(ignored)


def chromium() -> str | None:
    """The browser to drive: ``CHROMIUM``, else the system's, the one without windows before the others."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def stray_loops_collected() -> Iterator[None]:
    """Gradio opens an event loop for each lock outside a loop and never closes it: collect them in peace."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        yield
        asyncio.set_event_loop(None)
        gc.collect()


@pytest.fixture(scope="package")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server keeps what its visitors make."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="package")
def shown_sample(tmp_path_factory: pytest.TempPathFactory, sample_folder: Path) -> Path:
    """The sample corpus as the page shows it: a copy, since whoever looks at the page may judge its links."""
    folder = tmp_path_factory.mktemp("shown") / sample_folder.name
    shutil.copytree(sample_folder, folder)
    return folder


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory, shown_sample: Path, home: Path) -> Iterator[str]:
    """The address of a page over both corpora. Lexical search alone: the model has its own tests."""
    from engine.operator_settings import OperatorSettings
    from ui.models.connections import Connections
    from ui.page import build_page

    folder = tmp_path_factory.mktemp("corpora")
    (folder / "hostile.md").write_text(HOSTILE_TEXT, encoding="utf-8")
    build_corpus([folder / "hostile.md"], folder / "bad", name=HOSTILE, embedding="none")
    with stray_loops_collected():
        # No vectors unasked: they have a server of their own.
        settings = OperatorSettings(embeddings=("none", "minilm"))
        library = open_library([shown_sample, folder / "bad"], home, settings)
        page = build_page(library, connections=Connections(OperatorSettings()))
    with served(page, OperatorSettings(), folder / "uploads") as local:
        yield local


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = chromium()
    if path is None:
        pytest.skip("no chromium: set CHROMIUM to its path")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class Watch:
    """What a page said on its console, and whom it asked."""

    def __init__(self) -> None:
        self.console: list[str] = []
        self.hosts: set[str] = set()
        self.urls: list[str] = []

    def on_console(self, message: ConsoleMessage) -> None:
        self.console.append(f"{message.type}: {message.text}")

    def on_error(self, error: object) -> None:
        self.console.append(f"error: {error}")

    def on_request(self, request: Request) -> None:
        self.urls.append(request.url)
        if host := urlsplit(request.url).hostname:
            self.hosts.add(host)

    def hold(self) -> None:
        """Hold the page to an empty console, and to this machine."""
        assert self.console == [], "the console must stay empty"
        assert self.hosts <= {"127.0.0.1", "localhost"}, "nothing may be fetched from elsewhere"


@pytest.fixture
def watch() -> Watch:
    return Watch()


class Tabs:
    """A tab for each server, lent to one test after another: its process has fetched and compiled the
    scripts already. Whole browsers are lent, too."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: dict[str, Page] = {}
        self._people: list[BrowserContext] = []

    @contextmanager
    def lent(self, address: str, **wanted: Any) -> Iterator[Page]:
        """A blank tab; one of its own where more is wanted than a viewport and a colour scheme."""
        wanted = {"viewport": VIEWPORT, "color_scheme": "light", **wanted}
        if wanted.keys() > {"viewport", "color_scheme"}:
            page = self._new(wanted)
            yield page
            page.context.close()
            return
        page = self._kept.get(address) or self._new(wanted)
        self._kept[address] = page
        page.set_viewport_size(wanted["viewport"])
        page.emulate_media(color_scheme=wanted["color_scheme"])
        try:
            yield page
        finally:
            _emptied(page, address)

    @contextmanager
    def person(self) -> Iterator[BrowserContext]:
        """The browser of somebody who has not been here: one blank tab, see ``tab_of``."""
        if self._people:
            context = self._people.pop()
        else:
            context = self._new({"viewport": VIEWPORT, "color_scheme": "light"}).context
        yield context
        servers = {page.url.partition("?")[0] for page in context.pages if page.url.startswith("http")}
        first, *others = context.pages or [context.new_page()]
        for page in others:
            page.close()
        for server in servers:
            _emptied(first, server)
        self._people.append(context)

    def _new(self, wanted: Mapping[str, Any]) -> Page:
        context = self._browser.new_context(**wanted)
        context.set_default_timeout(60_000)
        return context.new_page()


def tab_of(context: BrowserContext) -> Page:
    """A blank tab of somebody's browser: the one that is there, else a new one."""
    blank = [page for page in context.pages if page.url == "about:blank" or page.url.endswith(BLANK)]
    page = blank[0] if blank else context.new_page()
    page.set_viewport_size(VIEWPORT)
    return page


def _emptied(page: Page, address: str) -> None:
    """Leave nothing of a test in its tab: no page, no route, no permission, nothing that is kept."""
    page.unroute_all()
    page.context.clear_permissions()
    page.mouse.move(0, 0)
    # A file of the same server: the page is left, and what it kept can be reached and cleared.
    page.goto(f"{address}{BLANK}")
    page.context.clear_cookies()
    page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); window.name = ''; }")


@pytest.fixture(scope="package")
def tabs(browser: Browser) -> Tabs:
    return Tabs(browser)


@pytest.fixture
def somebody(tabs: Tabs) -> Iterator[BrowserContext]:
    with tabs.person() as context:
        yield context


@contextmanager
def watched(page: Page, watch: Watch) -> Iterator[None]:
    """Hear what a page says and whom it asks, and hold it to that in the end."""
    heard = {"console": watch.on_console, "pageerror": watch.on_error, "request": watch.on_request}
    for event, listener in heard.items():
        page.on(event, listener)  # type: ignore[call-overload]
    try:
        yield
    finally:
        for event, listener in heard.items():
            page.remove_listener(event, listener)
    watch.hold()


def load(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#question textarea")
    page.wait_for_function("document.querySelector('#board iframe')?.srcdoc.length > 1000")
    if page.locator("#chips .chip").count():
        # The example of the first screen, or the case of the address.
        page.wait_for_selector(".case-bar", state="attached")
        # The example does not count as a case that a test waits for.
        page.evaluate("document.querySelectorAll('.story').forEach(one => { one.dataset.state = 'shown'; })")
    if page.viewport_size is None or page.viewport_size["width"] > 760:
        page.locator("#rail").evaluate("rail => rail.classList.add('open')")


@pytest.fixture
def page(request: pytest.FixtureRequest, tabs: Tabs, address: str, watch: Watch) -> Iterator[Page]:
    """The page, loaded. Mark with ``parametrize("page", [{...}], indirect=True)`` for another context."""
    with tabs.lent(address, **getattr(request, "param", {})) as page, watched(page, watch):
        load(page, address)
        yield page


@pytest.fixture(scope="package")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of three laws. To be read; who writes takes a copy."""
    folder = tmp_path_factory.mktemp("small")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    build_corpus([folder / name for name in FILES], folder / "corpus", name=OWN, embedding="none")
    return folder / "corpus"


def give(page: Page, home: Path, corpus: Path, name: str) -> None:
    """Give whoever looks at the page a corpus, and open it in the Corpus view."""
    folder = visitors_folder(home, page.evaluate("redstring.visitor()"))
    assert folder is not None
    shutil.copytree(corpus, folder / "given")
    page.click(".views [data-view=corpus]")
    page.locator(".book", has_text=name).click()
    page.wait_for_selector(f"h1 >> text={name}")


@pytest.fixture
def own(page: Page, home: Path, small_folder: Path) -> None:
    """Three laws that belong to whoever looks at the page: made here, not uploaded."""
    give(page, home, small_folder, OWN)


def in_theme(page: Page, scheme: ColorScheme) -> None:
    """Switch the system's colour scheme, which the page follows."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(f"document.body.classList.contains('dark') === {str(scheme == 'dark').lower()}")


def ask(page: Page, question: str = QUESTION) -> None:
    """Ask, and wait for the end of this case; what is told of the one before does not count."""
    page.evaluate("document.querySelector('.story')?.setAttribute('data-before', '')")
    page.fill("#question textarea", question)
    page.click("#go")
    page.wait_for_selector(".story[data-state=done]:not([data-before])")


@pytest.fixture(scope="package")
def asked(browser: Browser, address: str) -> Iterator[tuple[Page, Watch]]:
    """A page whose case has ended, in a browser of its own, for all tests that only look at it."""
    context = browser.new_context(viewport=VIEWPORT, color_scheme="light")
    context.set_default_timeout(60_000)
    page, watch = context.new_page(), Watch()
    with watched(page, watch):
        load(page, address)
        ask(page)
        yield page, watch
    context.close()


@pytest.fixture
def case(asked: tuple[Page, Watch]) -> Iterator[Page]:
    """That page as it stood when the case had ended: nothing chosen, board and passages in front."""
    page, watch = asked
    yield page
    watch.hold()
    page.context.clear_permissions()
    page.keyboard.press("Escape")
    page.click(".views [data-view=investigate]")
    page.click("#passages-head [data-tab=passages]")
    page.click("[data-view-tab=board]")
    page.fill("[data-board=search]", "")
    page.evaluate("redstring.select(null)")
    page.mouse.move(0, 0)


@pytest.fixture(scope="module")
def record(shown_sample: Path) -> dict[str, Any]:
    return record_of(finished(open_corpus(shown_sample), QUESTION, preset("balanced"), None))


@pytest.fixture
def cases(home: Path) -> Iterator[CaseStore]:
    """The store of the page, without cases and queues: others may have asked before."""
    with closing(CaseStore(f"sqlite:///{home / 'cases.sqlite'}")) as found:
        found.delete(
            [case.id for case in found.listed(CaseFilter(limit=1000), owner=EVERYBODY).cases], EVERYBODY
        )
        yield found


@pytest.fixture
def reviews(home: Path, cases: CaseStore) -> Iterator[ReviewStore]:
    with closing(ReviewStore(f"sqlite:///{home / 'cases.sqlite'}")) as found:
        for queue in found.queues(None, EVERYBODY):
            found.delete_queue(queue.id, EVERYBODY)
        yield found


@pytest.fixture
def kept(cases: CaseStore, record: dict[str, Any]) -> str:
    """A kept case of whoever sits at the machine."""
    return cases.keep(record, cases.matter(), application="page", who="Ann")


@pytest.fixture
def links_as_they_were(shown_sample: Path) -> Iterator[None]:
    """What was said of links of the sample is taken back in the end: others read it, too."""
    yield
    corpus = open_corpus(shown_sample)
    for one in current_verdicts(load_validations(shown_sample)).values():
        assert one.proposal.target_id is not None
        unjudge_link(corpus, Ends(one.proposal.source_id, one.proposal.target_id, one.proposal.relation))
