# Made from _async/__init__.py by `npm run client -- python`. Do not edit.
"""The client for asyncio, from which the one that blocks is made."""
