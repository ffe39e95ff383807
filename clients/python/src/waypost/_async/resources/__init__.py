"""The parts of the API, a file each."""
