"""A process that confines itself, taken over: what it can reach, with all layers and with some."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from engine.isolation.confining import Layer, Policy, entering, in_words, layers_here, python_policy
from tests.engine.isolation.taken_over import attempts

# Becomes the rest of the command with a filter that refuses some calls, as a container does.
WITHOUT = (
    "import os, sys; from engine.isolation.confining import refuse_calls;"
    "refuse_calls(tuple(sys.argv[1].split()));"
    "os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)
# What Landlock keeps from a process and nothing else here does.
OF_LANDLOCK = {"read", "list", "climb", "through", "write", "add", "remove", "link", "put", "run", "the"}


def without(*calls: str) -> list[str]:
    return [sys.executable, "-c", WITHOUT, " ".join(calls)]


@pytest.mark.parametrize("missing", [(), ("unshare",)], ids=["whole", "container"])
def test_nothing_is_gained(missing: tuple[str, ...]) -> None:
    if Layer.FILES not in layers_here():
        pytest.skip("this kernel has no Landlock")
    found = list(attempts(without(*missing) if missing else ()))
    assert len(found) > 80
    assert [one for one in found if not one.held] == []


def test_without_landlock_the_other_layers_hold() -> None:
    found = attempts(without("landlock_create_ruleset"))
    gained = {one.name for one in found if not one.held}
    assert {name.split()[0] for name in gained} <= OF_LANDLOCK
    assert "read the users of the machine" in gained, "else this shows nothing"


def test_the_limits_in_force_and_those_missing_are_reported() -> None:
    assert "no file-system isolation here" in in_words({})
    held = layers_here()
    assert all(words in in_words(held) for words in held.values())
    for layer in held:
        rest = {key: words for key, words in held.items() if key != layer}
        assert " here" in in_words(rest)


def test_each_namespace_is_its_own_whatever_the_filter_of_calls_refuses() -> None:
    if layers_here().get(Layer.PROCESSES) != Layer.PROCESSES:
        pytest.skip("this kernel has no namespaces here, or hides them")
    kinds = ("net", "ipc", "pid", "mnt", "user")
    text = "import os, sys; print(*(os.readlink(f'/proc/self/ns/{kind}') for kind in sys.argv[1:]))"
    command, environment = entering(python_policy(), {}, sys.executable, "-P", "-c", text, *kinds)
    told = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    outside = {os.readlink(f"/proc/self/ns/{kind}") for kind in kinds}
    inside = set(told.splitlines()[-1].split())
    assert len(inside) == len(kinds)
    assert not inside & outside


def test_a_policy_arrives_as_it_was_sent() -> None:
    policy = Policy(("/a b",), ("/c",), ("/d",), 1, 2, 3, 4)
    assert Policy.from_json(policy.to_json()) == policy
