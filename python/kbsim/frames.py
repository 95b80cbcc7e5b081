"""Results as pandas frames, with units in the names of columns."""
from __future__ import annotations

from typing import Any, Iterable, Mapping

import pandas

# Columns of nccl-tests' form, whose names have no unit.
_CCL_UNITS = {"size": "size_bytes", "time": "time_us", "alg_bw": "alg_bw_gbs", "bus_bw": "bus_bw_gbs"}


def flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """A document's leaves by their paths: latency_ns.mean. Lists stay as they are."""
    leaves: dict[str, Any] = {}
    for key, item in value.items():
        name = f"{before}{key}"
        if isinstance(item, Mapping):
            leaves.update(flat(item, f"{name}."))
        else:
            leaves[name] = item
    return leaves


def rows_frame(rows: Iterable[Mapping[str, Any]], renamed: Mapping[str, str] | None = None) -> pandas.DataFrame:
    """A row for each row, a column for each number and text; nested lists are left out."""
    table = [{key: item for key, item in flat(row).items() if not isinstance(item, list)} for row in rows]
    return pandas.DataFrame(table).rename(columns=dict(renamed or {}))


def evaluation_frame(document: Mapping[str, Any]) -> pandas.DataFrame:
    return rows_frame(document.get("rows", []), _CCL_UNITS if document.get("bench") == "ccl" else None)


def nested_frame(rows: Iterable[Mapping[str, Any]], name: str, keys: Mapping[str, str]) -> pandas.DataFrame:
    """The rows of a list within each row, with columns of the outer row before them: {column: its key there}."""
    table = [{**{column: row.get(key) for column, key in keys.items()}, **flat(inner)}
             for row in rows for inner in row.get(name, [])]
    return pandas.DataFrame(table)


def shares_frame(path: Mapping[str, Any]) -> pandas.DataFrame:
    """Where the time of a critical path went: columns by, name, time_ns, share, count."""
    length = path["length_ps"] or 1
    table = [{"by": kind[:-1], "name": share["name"], "time_ns": share["ps"] / 1000, "share": share["ps"] / length,
              "count": share["count"]}
             for kind in ("reasons", "waits", "kinds", "places", "lines") for share in path.get(kind, [])]
    return pandas.DataFrame(table, columns=["by", "name", "time_ns", "share", "count"])


def keys_frame(path: Mapping[str, Any]) -> pandas.DataFrame:
    """Settings along a path: their value and unit, time_ns of the path, slope_ns per unit, elasticity."""
    columns = ["key", "value", "unit", "time_ns", "slope_ns_per_unit", "elasticity"]
    table = [[key["key"], key["value"], key["unit"], key["ps"] / 1000, key["slope_ns"], key["elasticity"]]
             for key in path.get("keys", [])]
    return pandas.DataFrame(table, columns=columns)
