# Made from _async/resources/credits.py by `npm run client -- python`. Do not edit.
"""Prepaid credits."""

from __future__ import annotations

from ...generated import operations
from ...generated.types import Credits
from ..call import Caller


class CreditsResource:
    """Prepaid credits."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def get(self) -> Credits:
        """The balance."""
        return self._call(operations.get_credits, "credits.get")
