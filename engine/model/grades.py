"""How much weight a source carries, in five grades."""

from __future__ import annotations

from enum import StrEnum


class Grade(StrEnum):
    """The grade of a source, the best first; None stands for no grade, which reaches none of them."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    E = "E"

    def reaches(self, minimum: Grade) -> bool:
        """Whether this grade is at least as good as another."""
        return self.value <= minimum.value
