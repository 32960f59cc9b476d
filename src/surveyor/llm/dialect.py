"""How one endpoint wants to be asked: learned from what it refuses, and remembered while the worker runs.

Services agree on the protocol and not on its parameters. Newer models take `max_completion_tokens` instead of
`max_tokens`, and no temperature but their own.
"""

from __future__ import annotations

from typing import Any, Final

_OLD_LENGTH, _NEW_LENGTH, _TEMPERATURE = "max_tokens", "max_completion_tokens", "temperature"
_REFUSALS: Final = (400, 422)


class Dialect:
    """Of one endpoint."""

    def __init__(self) -> None:
        self._length = _OLD_LENGTH
        self._has_temperature = True

    def parameters(self, answer_tokens: int) -> dict[str, Any]:
        cool = {_TEMPERATURE: 0} if self._has_temperature else {}
        return {self._length: answer_tokens, **cool}

    def learn(self, status: int, data: Any) -> bool:
        """Whether the refusal names a parameter that can be said otherwise: then it is worth asking again."""
        if status not in _REFUSALS:
            return False
        named = _refused_parameter(data)
        if named == _OLD_LENGTH and self._length == _OLD_LENGTH:
            self._length = _NEW_LENGTH
            return True
        if named == _TEMPERATURE and self._has_temperature:
            self._has_temperature = False
            return True
        return False


def _refused_parameter(data: Any) -> str | None:
    """The parameter that an error is about: in its own field, or in quotes in the message."""
    error = data.get("error", data) if isinstance(data, dict) else None
    if not isinstance(error, dict):
        return None
    if error.get("param") in (_OLD_LENGTH, _TEMPERATURE):
        return str(error["param"])
    message = str(error.get("message") or error.get("detail") or "")[:2_000]
    if _NEW_LENGTH in message:
        return _OLD_LENGTH
    return _TEMPERATURE if f"'{_TEMPERATURE}'" in message or f"`{_TEMPERATURE}`" in message else None
