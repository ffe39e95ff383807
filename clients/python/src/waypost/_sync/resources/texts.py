# Made from _async/resources/texts.py by `npm run client -- python`. Do not edit.
"""The words of the messages that Waypost writes itself."""

from __future__ import annotations

from ...generated import operations
from ...generated.types import OrderText, OrderTextList, OrderTextSource
from ..call import Caller


class Texts:
    """The words of the messages that Waypost writes itself, by order status and language."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def list(self) -> OrderTextList:
        """All of them: yours, and ours where `is_default` is true."""
        return self._call(operations.list_texts, "texts.list")

    def set(self, order_status: str, language: str, text: OrderTextSource) -> OrderText:
        """Sets a text, in Liquid. Setting the same one twice is the same as once, so the call is repeated like a read."""
        path = {"order_status": order_status, "language": language}
        return self._call(operations.set_text, "texts.set", path=path, body=text)

    def reset(self, order_status: str, language: str) -> OrderText:
        """Returns to our text, also where none was set."""
        path = {"order_status": order_status, "language": language}
        return self._call(operations.reset_text, "texts.reset", path=path)
