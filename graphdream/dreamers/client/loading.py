"""litellm, imported when it is needed and kept to its business.

Importing it takes seconds. Left alone it also fetches its price list from the network, reads a `.env` file of whatever
folder it is started in, points the tokenizer at its own files, and prints advice.
"""

from __future__ import annotations

import os
import threading
from functools import cache
from typing import Any

# Its own variables, read while it is imported and later; what a person has set is left.
_OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
_EVERYONES = "TIKTOKEN_CACHE_DIR"  # overwritten by the import; other programs' tokenizers read it too
_lock = threading.Lock()


@cache
def _load() -> Any:
    for variable, value in _OFFLINE.items():
        os.environ.setdefault(variable, value)
    before = os.environ.get(_EVERYONES)
    try:
        import litellm
    finally:
        if before is None:
            os.environ.pop(_EVERYONES, None)
        else:
            os.environ[_EVERYONES] = before
    litellm.suppress_debug_info = True
    litellm.disable_streaming_logging = True  # to loggers that nobody set; each bit would cost a thread
    litellm.disable_token_counter = True  # it fetches a tokenizer where a stream says nothing of its tokens
    return litellm


def load_litellm() -> Any:
    """The module, imported at the first call."""
    with _lock:
        return _load()
