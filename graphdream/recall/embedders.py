"""Embedders that need no network and no accelerator."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from graphdream.errors import NotFoundError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_MOST_CHARS = 20_000  # of one text; the mean over more words says nothing more


class WordLlama:
    """The mean of a text's token vectors: 32,000 vectors of 256 numbers, 16 MB, distilled from a language model.

    The weights and the tokenizer are read from the installed package `wordllama` (MIT); none of its code is run,
    because it looks for its own files on the network first.
    """

    name = "wordllama-l2-supercat-256"

    def __init__(self) -> None:
        """Raises NotFoundError where the package is not installed, or has not the files it used to have."""
        from tokenizers import Tokenizer

        folder = _package_folder()
        self._tokens = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._vectors = _tensor(folder / _WEIGHTS)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `graphdream.recall.vectors.Embedder.embed`."""
        import numpy as np

        found = np.zeros((len(texts), self._vectors.shape[1]), dtype=np.float32)
        cut = [text[:_MOST_CHARS] for text in texts]
        for at, encoded in enumerate(self._tokens.encode_batch(cut, add_special_tokens=False)):
            if encoded.ids:
                mean = self._vectors[encoded.ids].astype(np.float32).mean(axis=0)
                found[at] = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return found


def _package_folder() -> Path:
    spec = find_spec("wordllama")
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if folder is None or not (folder / _WEIGHTS).is_file() or not (folder / _TOKENIZER).is_file():
        raise NotFoundError("the word vectors are not installed", "pip install 'graphdream[vectors]'")
    return folder


def _tensor(path: Path) -> NDArray[np.float16]:
    """The one tensor of a safetensors file, mapped and not read (github.com/huggingface/safetensors, "Format")."""
    import numpy as np

    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    (tensor,) = (value for name, value in header.items() if name != "__metadata__")
    if tensor["dtype"] != "F16":
        raise NotFoundError(f"{path.name} holds {tensor['dtype']} and not F16", "install wordllama 0.3 or 0.4")
    start = 8 + length + tensor["data_offsets"][0]
    return np.memmap(path, dtype="<f2", mode="r", offset=start, shape=tuple(tensor["shape"]))
