"""How the form looks in Label Studio: its `<Style>`, which reaches the whole page it stands on."""

from __future__ import annotations

SCALE_WIDTH_PX = 640
ANCHOR_WIDTH_PX = 150
LINE_HEIGHT_PX = 32
# Label Studio sets the size of a header by its class alone, and its panels of regions and
# relations say nothing to a rater of sentences.
STYLE = "".join(
    (
        ".note h4{font-size:14px;font-weight:400;line-height:18px;margin:0 0 6px !important}",
        ".place h4{font-size:14px;font-weight:400;opacity:.75;margin:0 !important}",
        ".content-note h4:empty{display:none}",
        ".content-note h4{font-size:15px;font-weight:400;line-height:21px;max-width:760px;",
        "box-sizing:border-box;padding:10px 14px;border-left:4px solid #b8860b;",
        "background:#fff7e0;color:#3a2c00}",
        # The direction is the text's own; nothing of it is collapsed, cut or runs off the page.
        ".lsf-richtext__line{display:block;unicode-bidi:plaintext;text-align:start;",
        f"white-space:pre-wrap;min-height:{LINE_HEIGHT_PX}px}}",
        # Label Studio ends a line with an element of its own, which would be a second break.
        ".lsf-richtext__line + br{display:none}",
        f".lsf-htx-richtext{{font-size:20px;line-height:{LINE_HEIGHT_PX}px;max-width:760px;",
        "overflow-wrap:anywhere;white-space:normal}",
        f".lsf-number input[type=range]{{width:{SCALE_WIDTH_PX}px;flex:none}}",
        ".lsf-number input[type=range]:focus-visible{outline:3px solid #4c5fa9;",
        "outline-offset:-4px;border-radius:8px}",
        ".lsf-number output{font-size:20px;font-weight:600;white-space:nowrap}",
        # A slider without an answer shows a bare track: a handle would look like 50. React keeps
        # the attribute empty until there is a value.
        ".lsf-number input[type=range][value='']{appearance:none;height:8px;margin:13px 0;",
        "padding:0 !important;border-radius:4px;background:#d5d5d8;outline-offset:3px}",
        ".lsf-number input[type=range][value='']::-webkit-slider-thumb{opacity:0}",
        ".lsf-number input[type=range][value='']::-moz-range-thumb{opacity:0}",
        ".lsf-number output:empty::after{content:'no answer yet';font-size:14px;font-weight:400}",
        ".lsf-textarea-tag,.lsf-text-area{max-width:760px}",
        ".lsf-sidepanels{padding-right:0 !important}",
        ".lsf-sidepanels__wrapper{display:none}",
        # On a narrow screen the path of the project would push the instructions out.
        "@media (max-width:1000px){.lsf-breadcrumbs,[class*=themeToggle]{display:none}}",
        # What a rater has no use for, and would have to pass with Tab before every item.
        "a[href$='/settings'],[data-testid=hotkeys-button]{display:none !important}",
    )
)
