"""The options of a command from a TOML file, and as one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

import typer

from ._errors import WrongUsage
from ._suggest import did_you_mean

__all__ = ["config_text", "given_again", "read_config"]

_NOT_OF_FIT = ("data", "target", "database", "sql", "table", "ordinal", "output", "as_json")
_LEFT_OUT = ("config", "print-config", "help")
_PINNED = ("model", "seed", "output")  # printed even if they have their defaults


def read_config(context: typer.Context, path: str | None) -> str | None:
    """Callback of --config: the values of the file become the defaults of the command."""
    if path is None:
        return None
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        _refuse(context, f"--config: {error.strerror} ({path}).")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        _refuse(context, f"{path} is not a TOML file: {error}.")
    known = _parameters(context.command)
    defaults: dict[str, Any] = {}
    for key, value in found.items():
        name = key.replace("_", "-")
        if name not in known:
            _refuse(context, f"{path} has the key {key!r}, which is no option of fit; {did_you_mean(key, list(known))}")
        parameter = known[name]
        try:
            defaults[parameter.name] = _value(name, value, parameter)
        except WrongUsage as error:
            _refuse(context, f"{path}: {error}")
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


def _refuse(context: typer.Context, sentence: str) -> Any:
    """An error in a callback is outside of the command, so that it is told here."""
    import sys

    from ._errors import WRONG_USAGE
    from ._printable import printable

    print(printable(f"rankforest: {sentence}"), file=sys.stderr)
    raise typer.Exit(WRONG_USAGE)


def _parameters(command: Any) -> dict[str, Any]:
    """The parameters by the names of their long options; an argument has its own name."""
    found = {}
    for parameter in command.params:
        longs = [option for option in parameter.opts if option.startswith("--")]
        name = longs[0].removeprefix("--") if longs else parameter.name
        if name not in _LEFT_OUT:
            found[name.replace("_", "-")] = parameter
    return found


def _value(name: str, value: Any, parameter: Any) -> Any:
    if name == "set" and isinstance(value, Mapping):
        return [f"{key}={text if isinstance(text, str) else repr(text)}" for key, text in value.items()]
    if isinstance(value, Mapping):
        raise WrongUsage(f"{name} is a table; only [set] is one.")
    if getattr(parameter, "is_flag", False):
        if not isinstance(value, bool):
            raise WrongUsage(f"{name} is {value!r}; give true or false.")
        return value
    if getattr(parameter, "multiple", False):
        return [_text(one) for one in value] if isinstance(value, list) else [_text(value)]
    if isinstance(value, list):
        raise WrongUsage(f"{name} is a list; give one value.")
    return _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def config_text(context: typer.Context) -> str:
    """The command as TOML, without the options that have their defaults, and without the password of a database."""
    from ..data.database import without_password
    from ._kinds import settings

    lines, table = [], []
    for name, parameter in _parameters(context.command).items():
        value = context.params.get(parameter.name)
        source = context.get_parameter_source(parameter.name)
        given = source is not None and source.name in ("COMMANDLINE", "DEFAULT_MAP", "ENVIRONMENT", "PROMPT")
        if value is None or value in ((), []) or not (given or name in _PINNED):
            continue
        if name == "set":
            table = [f"{_key(key)} = {_written(of)}" for key, of in settings(value).items()]
        elif name == "database":
            lines.append(f"{name} = {_toml(without_password(value))}")
        else:
            lines.append(f"{name} = {_toml(value)}")
    return "\n".join([*lines, *(["", "[set]", *table] if table else [])])


def given_again(context: typer.Context) -> list[str]:
    """The options of `check` that `fit` needs too, as they were given."""
    found: list[str] = []
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        source = context.get_parameter_source(name)
        if name in _NOT_OF_FIT or source is None or source.name != "COMMANDLINE":
            continue
        option = next(one for one in parameter.opts if one.startswith("--"))
        if value is True:
            found.append(option)
        else:
            values = value if isinstance(value, list | tuple) else [value]
            found += [part for one in values for part in (option, str(one))]
    return found


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _toml(name)


def _written(value: Any) -> str:
    """A value of --set: what TOML has no word for is the text that follows the equals sign."""
    try:
        return _toml(value)
    except TypeError:
        return _toml(repr(value))


def _toml(value: Any) -> str:
    """A value as TOML; TypeError if TOML has no such value.

    Examples
    --------
    >>> print(_toml(["a", 'b"']), _toml(True), _toml(0.5))
    ["a", "b\\""] true 0.5
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    raise TypeError(f"TOML has no {type(value).__name__}")
