"""Function words per language, so that an index does not count them.

Where bm25s ships a Snowball-style list, that one is used. Arabic and Indonesian have none there:
the lists below hold closed-class words only (articles, prepositions, pronouns, conjunctions,
auxiliaries), because general-purpose lists also drop words that carry law ("act", "part", "year").
"""

from __future__ import annotations

import runpy
from importlib.util import find_spec
from pathlib import Path

ARABIC = (
    "في من إلى الى على عن مع بين حتى منذ خلال عند لدى أو او أم ثم بل لكن و ف ب ل ك أن ان إن أنه انه أنها انها"
    " إنه إنها هذا هذه ذلك تلك هؤلاء أولئك هو هي هم هن هما أنا انا نحن أنت انت الذي التي الذين اللاتي اللائي"
    " اللذان اللتان اللذين اللتين ما ماذا لماذا من مما عما متى أين اين كيف كم هل أي اي أية قد لقد كان كانت"
    " يكون تكون كانوا ليس ليست لا لم لن إذا اذا إذ لو كما كل به بها بهم له لها لهم فيه فيها فيهم منه منها"
    " منهم عليه عليها عليهم إليه اليه إليها اليها عنه عنها غير إلا الا أما اما سوف حيث وهو وهي وفي ومن وعلى"
    " ولا وما وأن وان"
)
INDONESIAN = (
    "yang dan di ke dari pada dalam untuk dengan oleh atau ini itu tersebut adalah ialah merupakan"
    " sebagai akan telah sudah sedang dapat bisa juga serta bagi para antara terhadap tentang atas bahwa"
    " jika apabila bila maka karena sebab agar supaya sehingga namun tetapi melainkan sedangkan"
    " sementara ketika saat setelah sebelum sampai hingga secara seperti yaitu yakni ia dia mereka kami"
    " kita saya anda aku kamu nya lah kah pun apa apakah siapa siapakah mana dimana kapan bagaimana"
    " bagaimanakah mengapa kenapa berapa ada tidak bukan belum hanya saja lagi masih lebih sangat"
    " dalamnya padanya olehnya daripada kepada"
)


def _shipped() -> dict[str, frozenset[str]]:
    """The lists of bm25s by language, read from their file: to import the package compiles numba, 0.3 s."""
    package = find_spec("bm25s")
    assert package is not None
    assert package.submodule_search_locations is not None
    lists = runpy.run_path(str(Path(package.submodule_search_locations[0]) / "stopwords.py"))
    return {language: frozenset(lists[f"STOPWORDS_{name}"]) for language, name in _NAMES.items()}


_NAMES = {
    "en": "EN_PLUS",
    "de": "GERMAN",
    "fr": "FRENCH",
    "es": "SPANISH",
    "it": "ITALIAN",
    "nl": "DUTCH",
    "pt": "PORTUGUESE",
    "ru": "RUSSIAN",
    "sv": "SWEDISH",
    "da": "DANISH",
    "no": "NORWEGIAN",
    "tr": "TURKISH",
}
STOPWORDS: dict[str, frozenset[str]] = {
    "ar": frozenset(ARABIC.split()),
    "id": frozenset(INDONESIAN.split()),
    **_shipped(),
}
