"""What can go wrong between a dreamer and its model."""

from __future__ import annotations

from graphdream.errors import GraphdreamError


class ClientError(GraphdreamError):
    """There is no answer from the model."""

    exit_code = 7


class MissingKeyError(ClientError):
    """The provider's key is not in the environment. `variable` names where it belongs."""

    exit_code = 2

    def __init__(self, variable: str, model: str = "") -> None:
        super().__init__(
            f"{model or 'the model'} needs {variable}, which is not set",
            f"set {variable} in the environment; keys never stand in agent.yaml",
        )
        self.variable = variable


class BudgetError(ClientError):
    """A call would take more tokens than the budget has left. It was not made.

    Args:
        asked, left: tokens, in and out.
        first: it is the first call of a pass, so that nothing at all was asked.
    """

    exit_code = 4

    def __init__(self, asked: int, left: int, *, first: bool = False) -> None:
        if first:
            said = f"the first call of the pass needs up to {asked:,} tokens, in and out; the budget is {left:,}"
            hint = f"nothing was asked and nothing is lost; a budget of {asked} or more is enough to begin"
        else:
            said = f"the next call needs up to {asked:,} tokens, in and out; {left:,} are left of the budget"
            hint = "raise the budget, or let the next pass go on from here"
        super().__init__(said, hint)
        self.asked, self.left = asked, left


class ProviderError(ClientError):
    """The provider did not answer, or not with an answer.

    Attributes:
        retryable: whether the same call may succeed a little later.
        status: HTTP status; None where there was none.
        retry_after: seconds that the provider asks to wait; None where it does not say.
        maybe_billed: whether the provider may have worked on it, and so may bill it, though no answer arrived.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
        maybe_billed: bool = False,
        hint: str = "",
    ) -> None:
        super().__init__(message, hint)
        self.retryable, self.status = retryable, status
        self.retry_after, self.maybe_billed = retry_after, maybe_billed
