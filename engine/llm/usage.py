"""What language models used: calls, tokens as the server counted them, time, money."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens of one request as a server counts them. Of those of the prompt it had ``cached`` some and has
    ``written`` some others to its cache."""

    prompt: int = 0
    cached: int = 0
    written: int = 0
    completion: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used, or is expected to be.

    ``calls`` are requests sent, repeated ones included. ``cached_tokens`` are those of ``prompt_tokens`` that
    the provider had cached, ``written_tokens`` those that it has put into its cache. ``reused`` answers came
    from the cache on disk and cost nothing. ``money`` is in the currency of the prices that were given, None
    where no prices are known; ``saved`` is what it would have been more without the provider's cache, 0 where
    that is not known.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    milliseconds: float = 0.0
    money: float | None = 0.0
    reused: int = 0
    written_tokens: int = 0
    saved: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        money = None if self.money is None or other.money is None else self.money + other.money
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.milliseconds + other.milliseconds,
            money,
            self.reused + other.reused,
            self.written_tokens + other.written_tokens,
            self.saved + other.saved,
        )
