"""Parquet, compressed with zstd: one file, or a folder partitioned by agent and date."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.rows import COLUMNS
from engine.write.arrow import LONG, Columns, RowTuple, needs
from engine.write.files import aside
from engine.write.sink import Facts, RowSink

#: from how many rows, or bytes of their texts, on they are a row group
_ROWS, _SIZE = 32_768, 4 << 20
#: bounds of the others would cost and help nobody
_SHORT = [name for at, name in enumerate(COLUMNS) if at not in LONG]
#: what few rows share is smaller without a dictionary
_SINGLE = ("timestamp_utc", "time_raw", "tool_use_id", "source_line")
#: partitions that are open at once
_OPEN = 64
_DATE, _AGENT = 0, 3


class _File:
    """One Parquet file that is being written, without the column `left` where its folder's name says it."""

    def __init__(self, path: Path, left: str | None = None, most: int = _SIZE):
        parquet = needs("pyarrow.parquet")
        self._columns, self._left, self._most = Columns(), left, most
        schema = self._columns.schema
        if left is not None:
            schema = schema.remove(schema.get_field_index(left))
        short = [name for name in _SHORT if name != left]
        shared = [name for name in short if name not in _SINGLE]
        self._writer = parquet.ParquetWriter(
            path, schema, compression="zstd", compression_level=1, use_dictionary=shared, write_statistics=short
        )

    @property
    def replaced(self) -> int:
        return self._columns.replaced

    def add(self, rows: list[RowTuple]) -> None:
        self._columns.add(rows)
        if self._columns.count >= _ROWS or self._columns.size > self._most:
            self.flush()

    def flush(self) -> None:
        if count := self._columns.count:
            table = self._columns.taken()
            self._writer.write_table(table if self._left is None else table.drop_columns([self._left]), count)

    def close(self, facts: dict[str, str] | None = None) -> None:
        self.flush()
        if facts:
            self._writer.add_key_value_metadata(facts)
        self._writer.close()

    def abort(self) -> None:
        with contextlib.suppress(Exception):
            self._writer.close()


class Parquet(RowSink):
    """One file that stands under its name only when it is whole. `replaced` counts rows with lone surrogates."""

    def __init__(self, path: Path):
        self.path = path
        self._real, self._part = aside(path)
        self._file: _File | None = None
        self._facts: dict[str, str] = {}

    @property
    def replaced(self) -> int:
        return self._file.replaced if self._file is not None else 0

    def open(self) -> None:
        with _faults(self.path):
            self._real.parent.mkdir(parents=True, exist_ok=True)
            self._file = _File(self._part)

    def write_rows(self, rows: list[RowTuple]) -> None:
        assert self._file is not None
        with _faults(self.path):
            self._file.add(rows)

    def flush(self) -> None:
        assert self._file is not None
        with _faults(self.path):
            self._file.flush()

    def keep(self, facts: Facts) -> None:
        self._facts = {"run": json.dumps(facts.run())}

    def close(self) -> None:
        assert self._file is not None
        with _faults(self.path):
            self._file.close(self._facts)
            self._part.replace(self._real)

    def abort(self) -> None:
        if self._file is not None:
            self._file.abort()
        self._part.unlink(missing_ok=True)


class PartitionedParquet(RowSink):
    """`agent=<agent>/date=<YYYY-MM-DD>/part-<n>.parquet` below a folder, `date=undated` for rows without a time. The
    folder stands under its name when it is whole; it must not exist before, or be empty. The parts have no column
    `agent`: readers take it from the folders' names, as is the custom. `_run.json` holds the run."""

    def __init__(self, path: Path):
        self.path = path
        self._real, self._part = aside(path)
        self._files: dict[tuple[str, str], _File] = {}
        self._parts: dict[tuple[str, str], int] = {}
        self._replaced = 0

    @property
    def replaced(self) -> int:
        return self._replaced + sum(file.replaced for file in self._files.values())

    def open(self) -> None:
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise UsageError(f"{self.path} exists and is not an empty folder")
        with _faults(self.path):
            self._part.mkdir(parents=True)

    def write_rows(self, rows: list[RowTuple]) -> None:
        groups: dict[tuple[str, str], list[RowTuple]] = {}
        for row in rows:
            groups.setdefault((row[_AGENT], row[_DATE][:10] or "undated"), []).append(row)
        with _faults(self.path):
            for key, some in groups.items():
                self._file(key).add(some)

    def _file(self, key: tuple[str, str]) -> _File:
        """The open file of a partition; the one that was used longest ago is closed when there are many."""
        file = self._files.pop(key, None)
        if file is None:
            if len(self._files) >= _OPEN:
                oldest = self._files.pop(next(iter(self._files)))
                oldest.close()
                self._replaced += oldest.replaced
            number = self._parts.get(key, 0)
            self._parts[key] = number + 1
            folder = self._part / f"agent={key[0]}" / f"date={key[1]}"
            folder.mkdir(parents=True, exist_ok=True)
            file = _File(folder / f"part-{number}.parquet", "agent", _SIZE // 8)
        self._files[key] = file
        return file

    def flush(self) -> None:
        with _faults(self.path):
            for file in self._files.values():
                file.flush()

    def keep(self, facts: Facts) -> None:
        with _faults(self.path):
            (self._part / "_run.json").write_text(json.dumps(facts.run(), indent=2) + "\n", encoding="utf-8")

    def close(self) -> None:
        with _faults(self.path):
            for file in self._files.values():
                file.close()
            if self._real.exists():
                self._real.rmdir()
            self._part.replace(self._real)

    def abort(self) -> None:
        for file in self._files.values():
            file.abort()
        shutil.rmtree(self._part, ignore_errors=True)


@contextlib.contextmanager
def _faults(path: Path) -> Any:
    try:
        yield
    except OSError as error:
        raise UsageError(f"can't write {path}: {error.strerror or error}") from None
