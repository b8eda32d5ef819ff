"""The rules of the house that no other tool holds: private imports, cycles, sizes of files and functions, bare Any.

Run by ``make lint``; exits with 1 and says where, if a rule is broken.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "src" / "pacbayes"
MEDIAN_LINES, MOST_LINES, MOST_FUNCTION_LINES, MOST_ANY = 160, 350, 40, 0.08


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """Yield every module of the package with its syntax tree."""
    for path in sorted(ROOT.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"), str(path))


def room(dotted: str) -> str:
    """Return the room that a dotted name of ours lies in."""
    return dotted.split(".")[1] if "." in dotted else ""


def imported(node: ast.stmt) -> list[str]:
    """Return the dotted names of ours that a statement imports."""
    if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("pacbayes"):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name.startswith("pacbayes")]
    return []


def private_imports(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the imports of an underscore module or name of another room; ``_core`` is everybody's."""
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for node in ast.walk(tree):
        for name in imported(node) if isinstance(node, ast.stmt) else ():
            inner = name.split(".")[2:] if room(name) == "_core" else name.split(".")[1:]
            hidden = any(part.startswith("_") and not part.startswith("__") for part in inner)
            if hidden and room(name) != own:
                yield f"{path.relative_to(ROOT)}:{node.lineno} imports {name}"


def module_name(path: Path) -> str:
    """Return the dotted name of a module of ours."""
    parts = ("pacbayes", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def real_imports(tree: ast.Module) -> Iterator[str]:
    """Yield what is imported at any time, also inside functions; what only type checkers read does not count."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.stmt):
            yield from imported(node)
        waiting.extend(ast.iter_child_nodes(node))


def cycles(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Yield each way round from a module back to itself, late imports included; a package counts as its modules."""
    graph: dict[str, set[str]] = {}
    for name, tree in trees.items():
        found = {each if each in trees else each.rpartition(".")[0] for each in real_imports(tree)}
        graph[name] = {each for each in found if each in trees and each != name and not name.startswith(f"{each}.")}
    done: set[str] = set()

    def walk(name: str, trail: tuple[str, ...]) -> Iterator[str]:
        if name in trail:
            yield "a cycle of imports: " + " -> ".join((*trail[trail.index(name) :], name))
            return
        if name in done:
            return
        for each in sorted(graph[name]):
            yield from walk(each, (*trail, name))
        done.add(name)

    for name in sorted(graph):
        yield from walk(name, ())


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring; of a command without its options, which are a list."""
    first = function.body[0]
    text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    documented = (first.end_lineno or 0) - first.lineno + 1 if text else 0
    options = sum(isinstance(each, ast.Name) and each.id == "tidy" for each in function.decorator_list)
    options *= len(function.args.args)
    return (function.end_lineno or 0) - function.lineno + 1 - documented - options


def annotations(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield every annotation: of arguments, results and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            yield from (each.annotation for each in every if each is not None and each.annotation is not None)
            if node.returns is not None:
                yield node.returns
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation


def main() -> int:
    """Measure the package, print what was found, and return the exit status."""
    broken: list[str] = []
    sizes, found_any, found_all = [], 0, 0
    for path, tree in modules():
        where = path.relative_to(ROOT)
        broken += private_imports(path, tree)
        lines = len(path.read_text(encoding="utf-8").splitlines())
        sizes.append(lines)
        if lines > MOST_LINES:
            broken.append(f"{where} has {lines} lines (at most {MOST_LINES})")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and code_lines(node) > MOST_FUNCTION_LINES:
                broken.append(f"{where}:{node.lineno} {node.name} has {code_lines(node)} lines of code")
        every = list(annotations(tree))
        bare = sum(isinstance(each, ast.Name) and each.id == "Any" for each in every)
        found_any, found_all = found_any + bare, found_all + len(every)
        if "--any" in sys.argv and bare:
            sys.stdout.write(f"{bare:4} of {len(every):4} bare Any in {where}\n")
    broken += cycles({module_name(path): tree for path, tree in modules()})
    median, share = statistics.median(sizes), found_any / found_all
    if median > MEDIAN_LINES:
        broken.append(f"the median file has {median:g} lines (at most {MEDIAN_LINES})")
    if share > MOST_ANY:
        broken.append(f"{share:.1%} of all annotations are a bare Any (at most {MOST_ANY:.0%})")
    sys.stdout.write(
        f"{len(sizes)} files, median {median:g} lines, longest {max(sizes)}; "
        f"bare Any in {found_any} of {found_all} annotations ({share:.1%})\n"
    )
    sys.stdout.writelines(f"broken: {each}\n" for each in broken)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
