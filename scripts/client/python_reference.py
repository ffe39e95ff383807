"""Prints the reference of the client in Markdown: what `waypost` exports, with the docstrings of the source."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

SOURCE = Path(__file__).parents[2] / "clients" / "python" / "src" / "waypost"

# The sections of the page, in order, and the files whose public classes and functions they show.
SECTIONS = {
    "The client": ["_sync/client.py"],
    "Resources": [
        "_sync/resources/messages.py",
        "_sync/resources/orders.py",
        "_sync/resources/texts.py",
        "_sync/resources/events.py",
        "_sync/follow.py",
        "_sync/resources/recipients.py",
        "_sync/resources/webhook_endpoints.py",
        "_sync/resources/keys.py",
        "_sync/resources/credits.py",
        "_sync/resources/usage.py",
        "_sync/pages.py",
        "response.py",
        "settings.py",
    ],
    "Webhooks": ["webhooks.py", "dedupe.py", "sign.py", "events.py"],
    "Errors": ["errors.py", "batch.py"],
    "Testing": ["_sync/resources/sandbox.py", "sandbox_types.py"],
    "What is sent and answered": ["generated/types.py"],
}


def exported() -> List[str]:
    """Every name in `__all__`, and the resources, which are reached by the client."""
    lists = [_tree(file) for file in ("__init__.py", "generated/types.py")]
    texts = [node.value for tree in lists for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return [*(text for text in texts if isinstance(text, str)), *_fields_of("_sync/client.py", "Waypost")]


def page() -> Iterator[str]:
    yield "# Python client: reference"
    yield "<!-- Made from the source by `npm run client -- python`. Do not edit. -->"
    yield (
        "Everything that `waypost` exports. `AsyncWaypost` has the same methods, to be awaited. "
        "[The client’s page](../../clients/python/README.md) begins with a push."
    )
    names = set(exported())
    for title, files in SECTIONS.items():
        yield f"## {title}"
        for file in files:
            tree = _tree(file)
            classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
            for node, after in zip(tree.body, [*tree.body[1:], None]):
                if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in names:
                    yield from _described(node, classes)
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                if isinstance(target, ast.Name) and target.id in names:
                    yield f"### {target.id}"
                    yield _docstring(after)
                    yield f"```python\n{ast.unparse(node)}\n```"


def _described(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, classes: Dict[str, ast.ClassDef]) -> Iterator[str]:
    yield f"### {node.name}"
    told = _told(node)
    if told:
        yield told
    if not isinstance(node, ast.ClassDef):
        yield f"```python\n{_signature(node)}\n```"
        return
    methods = [one for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for one in methods:
        if one.name == "__init__" and node.name in ("Waypost", "InMemoryDeduper"):
            yield f"```python\n{_signature(one).replace('__init__', node.name).split(' -> ')[0]}\n```"
    rows = list(_rows(node, classes))
    if rows:
        yield "\n".join(["| field | type | meaning |", "| --- | --- | --- |", *rows])
    public = [one for one in methods if not one.name.startswith("_")]
    if public:
        yield "\n".join(f"- `{_signature(one)}`: {_told(one)}" for one in public)


def _rows(node: ast.ClassDef, classes: Dict[str, ast.ClassDef]) -> Iterator[str]:
    """What may be left out of a typed dictionary has a question mark; what is required stands in the class that it inherits."""
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    for base in bases:
        if base.startswith("_"):
            yield from _rows(classes[base], classes)
    mark = "?" if any(one.arg == "total" for one in node.keywords) else ""
    for name, kind, told in _fields(node):
        cells = [f"`{name}{mark}`", f"`{kind}`", told]
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _fields(node: ast.ClassDef) -> Iterator[Tuple[str, str, str]]:
    for one, after in zip(node.body, [*node.body[1:], None]):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id, ast.unparse(one.annotation), _docstring(after)


def _fields_of(file: str, name: str) -> List[str]:
    classes = [node for node in _tree(file).body if isinstance(node, ast.ClassDef) and node.name == name]
    return [kind for _, kind, _ in _fields(classes[0])]


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    awaited = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    taken = re.sub(r"^self(, )?", "", ast.unparse(node.args))
    taken = re.sub(r"=(_?[A-Z][A-Z_]+)", lambda match: f"={CONSTANTS[match[1]]}", taken)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{awaited}{node.name}({taken}){returned}"


def _docstring(after: ast.stmt | None) -> str:
    """Of what stands before it."""
    is_told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    return " ".join(str(after.value.value).split()) if is_told else ""


def _told(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return " ".join((ast.get_docstring(node) or "").split())


def _tree(file: str) -> ast.Module:
    return ast.parse((SOURCE / file).read_text("utf-8"))


# By their values: the reader of a signature does not see their names.
CONSTANTS = {
    target.id: ast.unparse(node.value)
    for path in SOURCE.rglob("*.py")
    for node in _tree(path.relative_to(SOURCE).as_posix()).body
    if isinstance(node, ast.Assign)
    for target in node.targets
    if isinstance(target, ast.Name)
}

if __name__ == "__main__":
    sys.stdout.buffer.write("\n\n".join([*page(), ""]).rstrip("\n").encode() + b"\n")
