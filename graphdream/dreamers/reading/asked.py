"""What somebody asks to be remembered: `Remember that staging runs on port 8443`, `Merk dir: der Port ist 8443`.

Who says so means it to be kept, whatever it is about; all else that is said in passing stays text of its session,
unless the evidence says whom it is about. It is told by an imperative that opens the sentence and by what leads in to
what is to be kept (`remember to call` and `remember when` ask for something else). A sentence that says from when on
something is to be done is kept as it stands.
"""

from __future__ import annotations

import re

_PLEASE = r"(?:please|bitte|por favor|per favore|пожалуйста|alsjeblieft|proszę|请|請)"
_REMEMBER = (
    r"(?:remember|merke? dir|recuerda|acuérdate|souviens-toi|retiens|rappelle-toi|ricorda(?:ti)?|lembre(?:-se)?|lembra"
    r"|запомни(?:те)?|onthoud|zapamiętaj|kom ihåg|husk)"
)
_THAT = r"(?:that|dass|daß|(?:de )?que|che|что|dat|że|att|at)"
_UNSPACED = r"(?:记住|記住|覚えて(?:おいて)?)[:：,，、]?\s*"
_ASKED = re.compile(
    rf"(?:{_PLEASE}[,，]?\s*)?"
    rf"(?:{_REMEMBER}(?:[,，]?\s+{_PLEASE})?\s*(?:[:：]\s*|[,，]?\s+{_THAT}\s+)|{_UNSPACED})",
    re.IGNORECASE,
)
_FROM_NOW_ON = re.compile(
    r"(?:from now on|ab jetzt|ab sofort|von jetzt an|de ahora en adelante|a partir de ahora|à partir de maintenant"
    r"|désormais|dorénavant|d'ora in poi|a partir de agora|с этого момента|отныне|vanaf nu|od teraz|från och med nu)\b"
    r"(?=[,，]?\s+\w)"
    r"|(?:从现在起|從現在起|今後は)(?=[,，、]?\w)",
    re.IGNORECASE,
)


def asked_to_keep(sentence: str) -> str:
    """What of a sentence is to be kept, as it stands there; "" where nobody asks for anything to be."""
    asked = _ASKED.match(sentence)
    if asked is not None:
        return sentence[asked.end() :]
    return sentence if _FROM_NOW_ON.match(sentence) else ""
