"""The closed table of functions that expressions may call: JMESPath's own, and those of the spec language.

Every function gives null for null, and null where an argument has a wrong type; none raises. Where JMESPath's own
functions take null without an error (`type`, `to_string`, `to_array`, `not_null`), they keep their meaning.
"""

from __future__ import annotations

from engine.lang import functions_jmespath, functions_json, functions_objects, functions_text, functions_values
from engine.lang.function import Function

__all__ = ["FUNCTIONS", "Function"]

#: name → function, in the order of the language reference
FUNCTIONS: dict[str, Function] = {
    function.name: function
    for module in (functions_objects, functions_json, functions_text, functions_values, functions_jmespath)
    for function in module.FUNCTIONS
}
