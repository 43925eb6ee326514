"""The frame of the tab "Areas", which its script fills."""

FRAME = (
    '<section class="lib-view areas" data-view="areas" role="tabpanel" aria-label="Areas" hidden>'
    '<div class="pane"><div class="bar-head"><h2>Areas</h2><small data-lib="areas-facts"></small>'
    '<span class="area-tools"><button type="button" data-areas="propose">Propose</button>'
    '<button type="button" data-areas="new">New area</button>'
    '<button type="button" data-areas="undo" hidden>Undo last save</button>'
    '<button type="button" data-areas="load">Load file</button>'
    '<button type="button" data-areas="download">Download</button></span>'
    '<input type="file" accept=".yaml,.yml" hidden data-lib="areas-file" aria-label="ontology.yaml"></div>'
    '<p class="hint" data-lib="areas-may" hidden>Only whoever runs this server may change these areas; '
    "in a corpus of your own you can.</p>"
    '<div class="area-unsaved" data-lib="areas-unsaved" hidden><span>Not saved yet.</span>'
    '<button type="button" class="primary" data-areas="save">Save</button>'
    '<button type="button" data-areas="discard">Discard</button></div>'
    '<div class="areas-scroll"><div data-lib="areas-proposed" aria-live="polite"></div>'
    '<ol class="area-list" data-lib="areas-list"></ol>'
    '<div class="area-types" data-lib="areas-types"></div>'
    '<div class="area-rules" data-lib="areas-rules"></div></div></div></section>'
)
