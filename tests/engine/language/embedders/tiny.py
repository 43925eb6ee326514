"""Tiny models of the real classes, with random weights of a fixed seed: a sparse encoder and a sentence
encoder over the words of the harbour."""

from __future__ import annotations

import warnings
from pathlib import Path

_LISTED = (
    "a an and are at be before berth berths by certificate code dues duty each every fee fees for form"
    " harbour holds in interest is it its law limits long master may must notice objection of on or paid"
    " pay pays pilot pilots port powers purpose repealed section ship subject the to under vessel vessels"
    " when which who withdraw withdrawn without words ##s ##ing ##ed . , ?"
)
WORDS = _LISTED.split()
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LAYERS, WIDTH, DIMENSIONS = 2, 32, 16


def language_model(folder: Path) -> Path:
    """A masked language model of two layers in a folder, as transformers saves it."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join([*MARKS, *WORDS]) + "\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        shape = BertConfig(
            vocab_size=len(MARKS) + len(WORDS),
            hidden_size=WIDTH,
            num_hidden_layers=LAYERS,
            num_attention_heads=2,
            intermediate_size=2 * WIDTH,
            max_position_embeddings=128,
            initializer_range=0.5,
        )
        BertForMaskedLM(shape).save_pretrained(folder)
        BertTokenizer(vocab=str(folder / "vocab.txt"), model_max_length=128).save_pretrained(folder)
    return folder


def dense_model(folder: Path) -> Path:
    """A sentence encoder over that model in a folder, with weights in a module of their own."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer

    base = language_model(folder / "base")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = [Transformer(str(base)), Pooling(WIDTH), Dense(WIDTH, DIMENSIONS, bias=False)]
        SentenceTransformer(modules=modules, device="cpu").save(str(folder / "sentences"))
    return folder / "sentences"
