from __future__ import annotations

import io
import logging
import traceback

import pytest

from ui.server.logs import QuietStream, WithoutContent

SECRET = "the question of a visitor"


def failing() -> None:
    raise ValueError(f"wrong: {SECRET}\nand {SECRET}")


def test_a_record_holds_the_class_of_an_error_and_where_it_was_raised() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(WithoutContent())
    log = logging.Logger("any")
    log.addHandler(handler)
    try:
        failing()
    except ValueError:
        log.exception("it failed")
    said = stream.getvalue()
    assert SECRET not in said
    assert "ValueError at" in said
    assert f"{__file__}:" in said


def test_only_the_first_line_of_an_error_of_the_event_loop_is_logged() -> None:
    record = logging.LogRecord("asyncio", 40, "x", 1, f"Task exception\nfuture: {SECRET}", None, None)
    assert WithoutContent().format(record) == "redstring: Task exception"


def chained() -> None:
    try:
        failing()
    except ValueError as error:
        raise KeyError(SECRET) from error


def grouped() -> None:
    try:
        failing()
    except ValueError as error:
        raise ExceptionGroup(SECRET, [error, KeyError(SECRET)]) from None


def recursing() -> None:
    def deeper(n: int) -> None:
        if n:
            deeper(n - 1)
        raise ValueError(SECRET)

    deeper(50)


@pytest.mark.parametrize("fail", [failing, chained, grouped, recursing])
def test_a_traceback_that_is_printed_loses_its_messages(fail: object) -> None:
    stream = io.StringIO()
    quiet = QuietStream(stream)
    assert callable(fail)
    try:
        fail()
    except Exception:
        traceback.print_exc(file=quiet)
        print("afterwards", file=quiet)
    said = stream.getvalue()
    assert SECRET not in said.replace(f'"{SECRET}', "")
    assert "Error" in said
    assert f'File "{__file__}"' in said
    assert said.endswith("afterwards\n")


BEGINNING = "Traceback (most recent call last)"
# What an error may quote, so that its message looks like something else.
QUOTED = (
    *(f"{SECRET} {BEGINNING}", f"{BEGINNING} {SECRET}", f"{BEGINNING}: {SECRET}", f"{BEGINNING}:\n{SECRET}"),
    *(f"{SECRET}\n{BEGINNING}:\n", f"\n{BEGINNING}:\n{SECRET}", f"  | {BEGINNING}:\n{SECRET}", f"|{SECRET}"),
    *(f"+ Exception Group {BEGINNING}:\n{SECRET}", f"Exception Group {SECRET}\n{BEGINNING}", f"-- {SECRET}"),
    *(f'File "{SECRET}', f'  File "x", line 1, in {SECRET}\n', f"[Previous line {SECRET}", f": {SECRET}", ""),
    *(
        f"During handling of the above exception, {SECRET}",
        f"{SECRET}:",
        f"{SECRET}\r\n{SECRET}",
        "\n" + SECRET,
    ),
)


@pytest.mark.parametrize("kind", [ValueError, SyntaxError, KeyError], ids=lambda kind: kind.__name__)
def test_no_message_passes_for_something_else(kind: type[Exception]) -> None:
    assert 3 * len(QUOTED) > 30
    for message in QUOTED:
        stream = io.StringIO()
        quiet = QuietStream(stream)
        error = kind(message)
        if isinstance(error, SyntaxError):
            error.filename, error.lineno, error.text, error.offset = "<rule>", 1, f"{SECRET} ==", 3
        try:
            raise error
        except (ValueError, SyntaxError, KeyError):
            traceback.print_exc(file=quiet)
            print("afterwards", file=quiet)
        said = stream.getvalue()
        assert SECRET not in said, message
        assert kind.__name__ in said
        assert said.endswith("afterwards\n")


def test_a_traceback_in_one_piece_is_cut() -> None:
    stream = io.StringIO()
    try:
        failing()
    except ValueError:
        QuietStream(stream).write("it failed\n" + traceback.format_exc())
    assert stream.getvalue() == "it failed\n"
