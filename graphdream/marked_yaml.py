"""YAML that remembers its lines: mappings are read key by key, values are built only when asked for.

Reading on demand keeps a hostile file harmless: what nobody asks for is never built, however often its aliases
multiply it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml


class YamlFault(ValueError):
    """A text is not YAML, or a value of it is not plain data. `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Marked:
    """A value of the file with the key it stands under ("" for the document) and that key's line, from 1."""

    key: str
    line: int
    _node: yaml.Node

    def entries(self) -> list[Marked] | None:
        """Return the entries of a mapping in file order, or None when the value is not one.

        A key given twice comes twice; a merge key (`<<`) comes as a key; a key that is a list or a mapping comes as
        "(sequence)" or "(mapping)".
        """
        if not isinstance(self._node, yaml.MappingNode):
            return None
        return [
            Marked(key.value if isinstance(key, yaml.ScalarNode) else f"({key.id})", key.start_mark.line + 1, value)
            for key, value in self._node.value
        ]

    def is_null(self) -> bool:
        """Say whether nothing stands there, or `null`."""
        return bool(self._node.tag == "tag:yaml.org,2002:null")

    def data(self) -> Any:
        """Build the value as plain data.

        Raises:
            YamlFault: it has a tag beyond plain data, or is no value (the 31st of February).
        """
        try:
            return yaml.constructor.SafeConstructor().construct_document(self._node)
        except yaml.MarkedYAMLError as error:
            raise _fault(error) from None
        except (ValueError, RecursionError) as error:
            # The constructor lets impossible dates and numbers past Python's limit of digits through as they are.
            raise YamlFault(f"not a value: {error}", self._node.start_mark.line + 1) from None


def parse_yaml(text: str) -> Marked | None:
    """Return the one document of a text, or None when there is none.

    Raises:
        YamlFault: the text is not YAML, is nested too deep to be read, or holds several documents.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        raise _fault(error) from None
    except yaml.YAMLError as error:
        raise YamlFault(str(error).splitlines()[0], 1) from None
    except RecursionError:
        raise YamlFault("nested too deep", 1) from None
    return None if node is None else Marked("", 1, node)


def _fault(error: yaml.MarkedYAMLError) -> YamlFault:
    mark = error.problem_mark or error.context_mark
    return YamlFault(error.problem or "not YAML", mark.line + 1 if mark else 1)
