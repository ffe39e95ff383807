"""The people whom you messaged."""

from __future__ import annotations

from ...generated import operations
from ...generated.types import ErasureReport, Recipient, RecipientExport, RecipientSms, WhatsappErasureReceipt
from ..call import AsyncCaller


class AsyncRecipients:
    """The people whom you messaged, by their address."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def get(self, email: str) -> Recipient:
        """Language, number, consent and stops of a recipient."""
        return await self._call(operations.get_recipient, "recipients.get", path={"email": email})

    async def export(self, email: str) -> RecipientExport:
        """Everything that is held about a person, for their right of access."""
        return await self._call(operations.export_recipient, "recipients.export", path={"email": email})

    async def sms(self, email: str) -> RecipientSms:
        """The number and whether it can be texted."""
        return await self._call(operations.get_recipient_sms, "recipients.sms", path={"email": email})

    async def set_phone(self, email: str, phone: str) -> RecipientSms:
        """Sets the number. Setting the same one twice is the same as once, so the call is repeated like a read."""
        return await self._call(
            operations.set_recipient_phone, "recipients.set_phone", path={"email": email}, body={"phone": phone}
        )

    async def clear_phone(self, email: str) -> RecipientSms:
        """Clears the number. Stops are kept."""
        return await self._call(operations.clear_recipient_phone, "recipients.clear_phone", path={"email": email})

    async def erase_whatsapp(self, email: str, *, idempotency_key: str | None = None) -> WhatsappErasureReceipt:
        """Erases what a person wrote on WhatsApp, and their consent to it. It cannot be undone."""
        return await self._call(
            operations.erase_whatsapp_history,
            "recipients.erase_whatsapp",
            path={"email": email},
            idempotency_key=idempotency_key,
        )

    async def erase(self, email: str, *, idempotency_key: str | None = None) -> ErasureReport:
        """Erases everything about a person. It cannot be undone."""
        return await self._call(
            operations.erase_recipient,
            "recipients.erase",
            path={"email": email},
            idempotency_key=idempotency_key,
        )
