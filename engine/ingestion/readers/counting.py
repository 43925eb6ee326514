"""The numerals by which lists are counted: 3, iii, c, 三; those of Word and of HTML."""

from __future__ import annotations

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_HAN = "〇一二三四五六七八九"
_ARABIC_LETTERS = "أبتثجحخدذرزسشصضطظعغفقكلمنهوي"
_ABJAD = "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ"


def numeral(value: int, form: str) -> str:
    """A number in one of Word's formats; those that are not known are printed as decimals."""
    if value < 1 or value > 99_999:
        return str(value)
    if form in ("lowerRoman", "upperRoman"):
        roman = _roman(value)
        return roman if form == "lowerRoman" else roman.upper()
    if form in ("lowerLetter", "upperLetter"):
        # After z come aa, bb, cc.
        letter = chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)
        return letter if form == "lowerLetter" else letter.upper()
    if form == "decimalZero":
        return f"{value:02d}"
    if form == "decimalEnclosedParen":
        return f"({value})"
    if form in ("arabicAlpha", "arabicAbjad"):
        letters = _ARABIC_LETTERS if form == "arabicAlpha" else _ABJAD
        return letters[(value - 1) % len(letters)]
    if form in ("chineseCounting", "chineseCountingThousand", "japaneseCounting", "ideographDigital"):
        return _han(value)
    return str(value)


def _roman(value: int) -> str:
    digits = ""
    for worth, letters in _ROMAN:
        while value >= worth:
            digits, value = digits + letters, value - worth
    return digits


def _han(value: int) -> str:
    if value >= 10_000:
        return str(value)
    text, gap = "", False
    for worth, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, worth)
        if digit:
            text += ("〇" if gap and text else "") + _HAN[digit] + unit
            gap = False
        else:
            gap = True
    return text.removeprefix("一") if text.startswith("一十") else text
