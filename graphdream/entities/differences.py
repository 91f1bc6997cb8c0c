"""What the differences between two names mean here: how much the shared words tell, and what else uses the others.

Names of one list differ in words that the list uses again and again (`Black`, `Silver`; `Red`, `White`) where they name
different things, and in words of their own where one is a misspelling. Source: the surest wrong pairs of `data/er`.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphdream.entities.corpus import Corpus, Floats, Ints
from graphdream.entities.wordpairs import without

DIFFERENCE_SIGNALS = ("codes_apart", "known_apart", "told", "namesakes", "namesakes_far")
"""In order: whether each name has an identifier that the other lacks (1), or one that begins the other's (0.5); how
many names use the words that each has alone, of the rarest on either side (ln); rarity of the shared words in sum;
records that bear the rarer name, and the commoner one (ln)."""
DIFFERENCE_DIRECTION = (-1, -1, 1, 0, 0)
"""Which way each speaks: +1 for the pair, -1 against, 0 depends."""


def difference_signals(corpus: Corpus, left: Ints, right: Ints, overlap: Floats) -> Floats:
    """Signals of pairs of names.

    Args:
        corpus: the records; names are addressed by key index.
        left, right: shape (pairs,), key indices.
        overlap: shape (pairs,), rarity-weighted overlap of the words (`names.NAME_SIGNALS`), in 0..1.

    Returns:
        Shape (pairs, len(DIFFERENCE_SIGNALS)).
    """
    out = np.zeros((len(left), len(DIFFERENCE_SIGNALS)))
    coded = np.array([bool(form.codes) for form in corpus.forms], dtype=np.bool_)
    for at in np.flatnonzero(coded[left] & coded[right] & (left != right)).tolist():
        out[at, 0] = _codes_apart(corpus.forms[left[at]].codes, corpus.forms[right[at]].codes)
    out[:, 1] = _known_apart(corpus, left, right)
    weight = np.asarray(corpus.name_words @ corpus.word_weight, dtype=np.float64)
    # overlap = shared / (left + right - shared), solved for what is shared
    out[:, 2] = overlap * (weight[left] + weight[right]) / (1.0 + overlap)
    out[:, 3] = np.log(np.minimum(corpus.key_size[left], corpus.key_size[right]))
    out[:, 4] = np.log(np.maximum(corpus.key_size[left], corpus.key_size[right]))
    return out


def _codes_apart(ours: frozenset[str], theirs: frozenset[str]) -> float:
    only_a, only_b = ours - theirs, theirs - ours
    if not (only_a and only_b):
        return 0.0
    alone_a = any(not any(_begins(a, b) for b in only_b) for a in only_a)
    alone_b = any(not any(_begins(a, b) for a in only_a) for b in only_b)
    return 1.0 if alone_a and alone_b else 0.5


def _begins(a: str, b: str) -> bool:
    return a.startswith(b) or b.startswith(a)


def _known_apart(corpus: Corpus, left: Ints, right: Ints) -> Floats:
    """Logarithm of how many names use the rarest word that only one of two names has, on the rarer side.

    0 where only one of them has words of its own.
    """
    uses = np.bincount(corpus.name_words.indices, minlength=corpus.name_words.shape[1]).astype(np.float64)
    ours, theirs = corpus.name_words[left], corpus.name_words[right]
    common = ours.multiply(theirs).tocsr()
    rarest_a, rarest_b = _rarest(without(ours, common), uses), _rarest(without(theirs, common), uses)
    both = np.isfinite(rarest_a) & np.isfinite(rarest_b)
    return np.where(both, np.log(np.where(both, np.minimum(rarest_a, rarest_b), 1.0)), 0.0)


def _rarest(words: sparse.csr_matrix, uses: Floats) -> Floats:
    """The smallest number of uses in each row of words, infinite for an empty one."""
    out = np.full(words.shape[0], np.inf)
    filled = np.flatnonzero(np.diff(words.indptr))
    if len(filled):
        out[filled] = np.minimum.reduceat(uses[words.indices], words.indptr[filled])
    return out
