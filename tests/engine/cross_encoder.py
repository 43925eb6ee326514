"""A tiny cross-encoder with weights of chance: the real code path of a real model, in milliseconds."""

from __future__ import annotations

from pathlib import Path

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,?"
WORDS = "a the of to pilot vessel dues harbour fee takes paid master berth interest arrears refuse"
SEED = 7


def write_cross_encoder(folder: Path, *, labels: int = 1, head: bool = True) -> Path:
    """Write a BERT of two layers that gives ``labels`` scores a pair; without a head it judges nothing."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    folder.mkdir(parents=True, exist_ok=True)
    pieces = [*LETTERS, *(f"##{letter}" for letter in LETTERS)]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split(), *pieces[1:]]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        # Wide enough that texts differ by more than rounding.
        initializer_range=0.5,
    )
    config.num_labels = labels
    with torch.random.fork_rng():
        torch.manual_seed(SEED)
        model = BertForSequenceClassification(config) if head else BertModel(config)
    model.save_pretrained(folder)
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), model_max_length=128)
    tokenizer.save_pretrained(folder)
    return folder
