from __future__ import annotations

import io
import logging
import traceback

import pytest

from ui.door.logs import QuietStream, WithoutContent

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


def test_of_the_event_loop_only_the_first_line_is_told() -> None:
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


def test_a_traceback_in_one_piece_is_cut() -> None:
    stream = io.StringIO()
    try:
        failing()
    except ValueError:
        QuietStream(stream).write("it failed\n" + traceback.format_exc())
    assert stream.getvalue() == "it failed\n"
