"""The client for asyncio, from which the one that blocks is made."""
