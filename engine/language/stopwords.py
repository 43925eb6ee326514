"""Function words per language, so that an index does not count them.

Where bm25s ships a Snowball-style list, that one is used. Arabic and Indonesian have none there:
the lists below hold closed-class words only (articles, prepositions, pronouns, conjunctions,
auxiliaries), because general-purpose lists also drop words that carry law ("act", "part", "year").
"""

from __future__ import annotations

from bm25s import stopwords as shipped

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

STOPWORDS: dict[str, frozenset[str]] = {
    "ar": frozenset(ARABIC.split()),
    "id": frozenset(INDONESIAN.split()),
    "en": frozenset(shipped.STOPWORDS_EN_PLUS),
    "de": frozenset(shipped.STOPWORDS_GERMAN),
    "fr": frozenset(shipped.STOPWORDS_FRENCH),
    "es": frozenset(shipped.STOPWORDS_SPANISH),
    "it": frozenset(shipped.STOPWORDS_ITALIAN),
    "nl": frozenset(shipped.STOPWORDS_DUTCH),
    "pt": frozenset(shipped.STOPWORDS_PORTUGUESE),
    "ru": frozenset(shipped.STOPWORDS_RUSSIAN),
    "sv": frozenset(shipped.STOPWORDS_SWEDISH),
    "da": frozenset(shipped.STOPWORDS_DANISH),
    "no": frozenset(shipped.STOPWORDS_NORWEGIAN),
    "tr": frozenset(shipped.STOPWORDS_TURKISH),
}
