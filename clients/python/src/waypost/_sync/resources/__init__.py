# Made from _async/resources/__init__.py by `npm run client -- python`. Do not edit.
"""The parts of the API, a file each."""
