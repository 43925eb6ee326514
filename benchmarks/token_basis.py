"""Compute the directions that are kept of the packaged model's token vectors.

    python -m benchmarks.token_basis [FILE]

Writes them to FILE (the engine's own by default), shape (129, 384) in half precision: the mean of all
vectors, then the 128 principal components of the model's vocabulary in random order, eight words at a time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.language.embedders.base import unit
from engine.language.embedders.minilm_tokens import BASIS_FILE
from engine.language.embedders.tokens import PACKAGED_TOKEN_DIMENSIONS
from engine.language.embedders.transformer import load_model, packaged_folder

# The vocabulary begins with marks and single characters.
FIRST_WORD = 1000
WORDS_AT_ONCE = 8
BATCH = 512


def hidden_states() -> NDArray[np.float32]:
    """Unit hidden states of the whole vocabulary, shape (words, 384)."""
    import torch

    model = load_model(str(packaged_folder()))
    opening, closing = model.tokenizer.cls_token_id, model.tokenizer.sep_token_id
    words = np.random.default_rng(0).permutation(np.arange(FIRST_WORD, len(model.tokenizer)))
    lines = words[: len(words) // WORDS_AT_ONCE * WORDS_AT_ONCE].reshape(-1, WORDS_AT_ONCE)
    marked = np.pad(lines, ((0, 0), (1, 1)), constant_values=((0, 0), (opening, closing)))
    states = []
    with torch.inference_mode():
        for start in range(0, len(marked), BATCH):
            batch = torch.tensor(marked[start : start + BATCH])
            found = model[0].auto_model(input_ids=batch, attention_mask=torch.ones_like(batch))
            states.append(found.last_hidden_state.float().numpy()[:, 1:-1].reshape(-1, 384))
    return unit(np.concatenate(states))


def principal(states: NDArray[np.float32]) -> NDArray[np.float16]:
    """The mean and the first components of the centred unit states, shape (129, 384)."""
    mean = states.mean(axis=0)
    centred = unit(states - mean)
    _, directions = np.linalg.eigh(centred.T @ centred)
    components = directions[:, ::-1][:, :PACKAGED_TOKEN_DIMENSIONS].T
    # An eigenvector may point either way: its largest value is made positive.
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    return np.concatenate([mean[None], components * np.sign(largest)]).astype(np.float16)


def main() -> None:
    """Compute and write."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else BASIS_FILE
    np.save(target, principal(hidden_states()), allow_pickle=False)
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
