"""What is wrong with a memory while an answer is made of it: for the person who reads that."""

from __future__ import annotations

from graphdream.errors import IntegrityError
from graphdream.graph.sealfault import SealFault, refusal
from graphdream.graph.sealwalk import WHOLE, confirm_sound
from graphdream.graph.served import left_out_words
from graphdream.graph.store import Store
from graphdream.journal.verify import unsound_passes


class Damage:
    """One look at the file as the answer begins, and what the answer then leaves out."""

    def __init__(self, store: Store) -> None:
        self._store = store
        store.seal.left_out.clear()
        self._faults = [str(fault) for fault in store.seal.faults()]

    def words(self) -> list[str]:
        """A line for each fault, and one for all that was left out; [] where the file is sound."""
        left_out = left_out_words(self._store)
        return [*self._faults, left_out] if left_out else self._faults


def measured(store: Store) -> IntegrityError | None:
    """What of the whole file is not as it was sealed; None where all is, or where that cannot be found out. For when
    something went wrong that nobody foresaw: cost follows the file."""
    try:
        confirm_sound(store.seal, WHOLE)
        with store.reading():
            newest = store.connection.execute("SELECT coalesce(max(id), 0) FROM pass").fetchone()[0]
            wrong = sorted(unsound_passes(store, 0, newest))
    except IntegrityError as fault:
        return fault
    except Exception:
        return None
    return (
        refusal(store.path, [SealFault("row", f"{', '.join(wrong)} changed behind graphdream's back")])
        if wrong
        else None
    )
