"""YAML of agents, read as plain values: no tags, times left as text, keys as they are written."""

from __future__ import annotations

from typing import Any

import yaml

from engine.lang import jsontext


class NoYaml(Exception):
    """Why a text is no YAML, in a few words that quote nothing of it."""


class _Loader(yaml.CSafeLoader):
    """The safe loader, with times left as text, keys as they are written, and no merging of mappings."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        return {self._name(key): self.construct_object(value, deep=deep) for key, value in node.value}

    def _name(self, key: yaml.Node) -> str:
        if isinstance(key, yaml.ScalarNode):
            return str(key.value)
        return jsontext.dumps(self.construct_object(key, deep=True))


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regex) for tag, regex in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def load(data: bytes) -> Any:
    """The document. Raises NoYaml."""
    try:
        return yaml.load(data, Loader=_Loader)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        words = (fault.problem or fault.context or "no YAML").partition("'")[0].strip()
        raise NoYaml(words + place) from None
    except (yaml.YAMLError, ValueError, TypeError, AttributeError):
        raise NoYaml("no YAML") from None
