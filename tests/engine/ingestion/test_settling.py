"""The vocabulary of a corpus: blocks of an earlier version are refused in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.corpus.embedded.block import Block
from engine.errors import CorpusError
from engine.ingestion.mentions import settle_vocabulary

NEVER_ASKED: Any = None


def test_blocks_of_an_earlier_version_are_refused() -> None:
    # Position apart; without the stems by which a term is known now.
    block = Block({"facts.passage": np.zeros(1, np.int32)})
    block.put_strings("facts", ['["en","Regulator","term",null,true,false,null,3]'])
    with pytest.raises(CorpusError, match=r"made by an earlier version.*ingest its sources again"):
        settle_vocabulary([block], NEVER_ASKED, None, "key")
