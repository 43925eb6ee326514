"""The grades of the sources of an audit."""

from __future__ import annotations

from dataclasses import replace

from engine.answers.audit.record import Checked, Source
from engine.corpus.grades import Grades


def with_grades(checked: Checked, grades: Grades) -> Checked:
    """A claim whose sources bear the grades of their documents."""

    def graded(source: Source) -> Source:
        return replace(source, grade=grades.of(source.document))

    return replace(
        checked,
        sources=tuple(map(graded, checked.sources)),
        right=None if checked.right is None else graded(checked.right),
        successor=None if checked.successor is None else graded(checked.successor),
    )
