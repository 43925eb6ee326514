"""Text from outside made harmless for a prompt: it closes no chat template, and nothing in it is hidden."""

from __future__ import annotations

import re

# U+2060 WORD JOINER: put inside a marker of a chat template, so that it is no marker any more. It has no
# width and is taken out of data beforehand; the client drops it from answers, and so does whoever verifies a
# quote.
DEFUSED_WITH = "\u2060"

# Characters that a reader cannot see and a model can: C0 and C1 controls without tab and newline, soft
# hyphen, zero-width characters and joiners of words, bidirectional controls (https://trojansource.codes),
# variation selectors, interlinear annotation, and the tag block, which spells ASCII invisibly.
INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# ZERO WIDTH (NON-)JOINER belong to Persian and Indic spelling, alone and between letters; runs hide things.
JOINERS = re.compile("(?<![^\\W\\d_])[\u200c\u200d]+|[\u200c\u200d]+(?![^\\W\\d_])|[\u200c\u200d]{2,}")
LINES = re.compile("\r\n?|[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
SURROGATES = re.compile("[\ud800-\udfff]")

MARKERS = re.compile(
    r"""
      <(?=[|\uff5c])                      # <|im_start|>, <|eot_id|>, and DeepSeek's full-width bars
    | [|\uff5c](?=>)                      # their ends
    | <(?=/?(?:s|bos|eos|pad|unk|mask|bot|eot|start_of_turn|end_of_turn|system|user|assistant|human|
          developer|tool|tools|tool_call|tool_calls|tool_response|function|function_call|function_calls|
          function_results|instructions?|think|thinking|data|invoke|antml[:\w]*)\b[^<>\n]{0,80}>)
    | \[(?=/?(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|USER|ASSISTANT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOLS|
          gMASK|MASK|IMG|PREFIX|SUFFIX|MIDDLE)\])
    | <(?=</?SYS>>)
    | <(?=<)                              # our own fences
    | >(?=>)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A turn of a conversation in plain text: "Human:", "### Instruction:", "**System**:".
TURNS = re.compile(
    r"^(?P<lead>[ \t>*#\-]*)(?P<who>human|assistant|system|user|developer|instructions?|response|input|"
    r"output|task|ai|bot|tool|function|model)(?P<end>[ \t*]*[:\uff1a])",
    re.IGNORECASE | re.MULTILINE,
)


def visible(text: str) -> str:
    """The text without what a reader cannot see; lines end in a newline."""
    text = LINES.sub("\n", SURROGATES.sub("\ufffd", text))
    return JOINERS.sub("", INVISIBLE.sub("", text))


def defused(text: str) -> str:
    """The visible text, with a word joiner inside each marker of a chat template and opening of a turn."""
    text = MARKERS.sub(lambda found: found[0] + DEFUSED_WITH, visible(text))
    return TURNS.sub(lambda found: f"{found['lead']}{found['who']}{DEFUSED_WITH}{found['end']}", text)


def undefused(text: str) -> str:
    """What was defused, as it was visible."""
    return text.replace(DEFUSED_WITH, "")
