"""Times in columns, lets, finds and state."""

from __future__ import annotations

from pathlib import Path

from tests.run.walking import Walked, log


def times(found: Walked) -> list[tuple[str, str, str]]:
    return [(row["timestamp_utc"], row["time_basis"], row["time_raw"]) for row in found.rows]


def test_a_let_may_hold_a_time_and_utc_tells_it(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        let: {at: {time: record.ts, unit: ms}}
        columns: {time: at}
        steps: [{emit: said, turn: user, text: {text: 'at {utc(at)} = {at}'}}]
        """,
        '{"ts": 1767225600123}',
    )
    assert found.texts == ["at 2026-01-01T00:00:00.123Z = 2026-01-01T00:00:00.123Z"]
    assert times(found) == [("2026-01-01T00:00:00.123Z", "utc", "1767225600123")]


def test_the_first_time_that_parses_stands(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {time: [{time: record.a, unit: s}, {time: record.b, unit: iso, offset: record.off}, file.mtime]}
        steps: [{emit: said, turn: user, text: {const: x}}]
        """,
        '{"a": 1767225600, "b": "2027-01-01T00:00:00"}',
        '{"a": "x", "b": "2027-01-01T00:00:00"}',
        '{"b": "2027-01-01T00:00:00", "off": 3600}',
        "{}",
    )
    assert times(found)[:3] == [
        ("2026-01-01T00:00:00.000Z", "utc", "1767225600"),
        ("2027-01-01T00:00:00.000Z", "local_as_utc", "2027-01-01T00:00:00"),
        ("2026-12-31T23:00:00.000Z", "local_corrected", "2027-01-01T00:00:00"),
    ]
    assert found.rows[3]["time_basis"] == "file_mtime"


def test_earliest_compares_exact_times_only(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {time: {earliest: [{time: record.a, unit: iso}, {time: record.b, unit: iso}]}}
        steps: [{emit: said, turn: user, text: {const: x}}]
        """,
        '{"a": "2026-01-02T00:00:00Z", "b": "2026-01-01T00:00:00Z"}',
        '{"a": "2026-01-02T00:00:00Z", "b": "2026-01-01T00:00:00"}',
        '{"a": "", "b": "2026-01-01T00:00:00"}',
        "{}",
    )
    assert found.column("timestamp_utc") == ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z",
                                             "2026-01-01T00:00:00.000Z", ""]  # fmt: skip


def test_state_may_hold_a_time(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - set: {at: {time: record.at, unit: iso}}
          - {emit: said, turn: user, text: record.t, time: state.at}
        """,
        '{"t": "a", "at": "2026-01-01T00:00:05Z"}',
        '{"t": "b"}',
    )
    assert found.column("timestamp_utc") == ["2026-01-01T00:00:05.000Z"] * 2
