"""The jmespath package's parser, with errors that have an offset."""

from __future__ import annotations

from typing import Any

import jmespath.exceptions
import jmespath.parser


class ExpressionError(Exception):
    def __init__(self, message: str, offset: int):
        self.offset = offset
        super().__init__(message)


def parse(source: str) -> dict[str, Any]:
    try:
        return jmespath.parser.Parser().parse(source).parsed
    except jmespath.exceptions.ParseError as error:
        raise ExpressionError(error.msg, max(error.lex_position, 0)) from error
    except (jmespath.exceptions.JMESPathError, RecursionError) as error:
        raise ExpressionError(str(error).splitlines()[0], 0) from error
