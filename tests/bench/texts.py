"""Seeded text of realistic sizes: prose, code and shell output with a natural density of escapes and UTF-8."""

from __future__ import annotations

import base64
import datetime
import random
from functools import cache

_ODD = ("naïve", "—", "“quoted”", "über", "→", "例え", "проверка", "✓", "🚀", "it's", "“ok”")
_POOL = 2_000_000
PROJECTS = tuple(f"/home/dev/src/{name}" for name in ("atlas", "billing-api", "web-shop", "infra", "notes", "parser"))
BRANCHES = ("main", "feature/login", "fix/1423-timeouts", "dev")


class Texts:
    """Text, ids and times of one format. The same seed gives the same corpus."""

    def __init__(self, seed: str, salt: str):
        self.random = random.Random(f"{seed}:{salt}")
        self.now = datetime.datetime(2026, 3, 2, 8, 0, 0)
        self.words, self._pool = _built(seed)

    def text(self, kind: str, size: int) -> str:
        pool = self._pool[kind]
        at = self.random.randrange(len(pool) - size - 1)
        return pool[at : at + size]

    def size(self, median: float, spread: float, low: int, high: int) -> int:
        return max(low, min(high, int(median * 2.718281828 ** self.random.gauss(0, spread))))

    def prose(self, median: float, spread: float = 0.8, low: int = 1, high: int = 6000) -> str:
        return self.text("prose", self.size(median, spread, low, high))

    def message(self) -> str:
        return self.prose(500, 0.9, 10)

    def output(self) -> str:
        """What a tool prints: mostly below 4 kB, one in twenty from 10 to 200 kB."""
        size = (
            int(10_000 * 20 ** self.random.random()) if self.random.random() < 0.05 else self.size(900, 1.0, 20, 9000)
        )
        return self.text(self.random.choice(("shell", "shell", "code")), size)

    def command(self) -> str:
        word = self.random.choice(self.words)
        form = (
            "rg -n '%s' src/ | head -50",
            "sed -n '1,200p' src/%s.py",
            "pytest -q tests/test_%s.py",
            "git diff -- %s",
        )
        return self.random.choice(form) % word

    def hex(self, digits: int) -> str:
        return f"{self.random.getrandbits(4 * digits):0{digits}x}"

    def uuid(self) -> str:
        digits = self.hex(32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def blob(self, size: int) -> str:
        return base64.b64encode(self.random.randbytes(size * 3 // 4)).decode()

    def tick(self) -> datetime.datetime:
        self.now += datetime.timedelta(milliseconds=int(1000 * self.random.uniform(0.05, 9.0)))
        return self.now

    def utc(self) -> str:
        return self.tick().isoformat(timespec="milliseconds") + "Z"

    def local(self) -> str:
        return (self.tick() + datetime.timedelta(microseconds=self.random.randrange(1000))).isoformat(
            timespec="microseconds"
        )


@cache
def _built(seed: str) -> tuple[list[str], dict[str, str]]:
    """The words and the pools of text of a seed."""
    chance = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(chance.choices(letters, k=chance.choice((2, 3, 3, 4, 4, 5, 6, 7, 8, 10)))) for _ in range(6000)]
    words += list(_ODD) * 3
    ranks = [min(int(chance.paretovariate(0.55)) - 1, len(words) - 1) for _ in range(100_000)]

    def some(count: int) -> list[str]:
        return [words[rank] for rank in chance.choices(ranks, k=count)]

    def prose() -> str:
        return " ".join(some(chance.randint(6, 22))).capitalize() + chance.choice(
            (". ", ". ", ".\n\n", ":\n- ", ", `f()`. ")
        )

    def code() -> str:
        a, b, c, d = some(4)
        forms = (
            f'    def {a}_{b}(self, {c}: str = "{d}") -> dict[str, int]:\n',
            f"        if {a}.{b}['{c}'] != None and not {d}:\n",
            f'    return {{ "{a}": {b}, "{c}": [{chance.randint(0, 999)}] }}\n',
            f"\t\t{a} := {b}({c}, &{d})\n",
            "\n",
        )
        return chance.choice(forms)

    def shell() -> str:
        a, b, c, d = some(4)
        forms = (
            f"-rw-r--r--  1 dev dev {chance.randint(10, 999999):>7} Mar 10:42 {a}/{b}.py\n",
            f"src/{a}/{b}.ts:{chance.randint(1, 900)}:7: error TS2345: {c} '{d}'\n",
            f"tests/test_{a}.py::test_{b}_{c} \x1b[32mPASSED\x1b[0m [ 42%]\n",
            f'{chance.randint(1, 2000):>6}\t    {a} = {b}("{c}", {d})\n',
            f"diff --git a/{a}.py b/{a}.py\n@@ -1,7 +2,9 @@ {b}\n-{c}\n+{d}\n",
        )
        return chance.choice(forms)

    return words, {"prose": _pool(prose), "code": _pool(code), "shell": _pool(shell)}


def _pool(line: object) -> str:
    parts: list[str] = []
    size = 0
    while size < _POOL:
        parts.append(line())  # type: ignore[operator]
        size += len(parts[-1])
    return "".join(parts)
