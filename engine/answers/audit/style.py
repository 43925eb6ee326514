"""The style of an audit as a page: light and dark, printable, without anything that is fetched."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --line: #d7d3ca; --good: #1e7a46; --part: #8a6100; --bad: #b3261e;
  --old: #6a4fa3; --pin: #1b5fa8; --none: #6b675f; }
@media (prefers-color-scheme: dark) { :root { --line: #45423c; --good: #6fcf97; --part: #e2b04a;
  --bad: #ff8a80; --old: #b9a3f0; --pin: #82b4ee; --none: #a8a39a; } }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.text { white-space: pre-wrap; border: 1px solid var(--line); border-radius: 8px; padding: 1rem; }
.claim { text-decoration: underline 2px; text-underline-offset: 3px; }
article { border-top: 1px solid var(--line); padding: 0.8rem 0; break-inside: avoid; }
blockquote { margin: 0.5rem 0; padding-inline-start: 0.8rem; border-inline-start: 3px solid var(--line); }
.finding { font-weight: 600; } mark { background: none; color: inherit; font-weight: 700; }
mark.different { text-decoration: underline wavy var(--bad); } small { color: var(--none); }
.supported { --is: var(--good); } .related { --is: var(--part); } .contradicted { --is: var(--bad); }
.outdated, .amended { --is: var(--old); }
.wrong_pinpoint { --is: var(--pin); } .no_such_provision { --is: var(--bad); }
.citation_not_understood { --is: var(--part); } .not_in_corpus { --is: var(--none); }
dl { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .2rem .8rem; margin: 0; }
dl { font-size: .85rem; }
dt { color: var(--none); overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
.finding, sup { color: var(--is); } .claim { text-decoration-color: var(--is); }
"""
