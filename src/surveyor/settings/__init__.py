"""Settings: typed sections, read once from surveyor.toml and, stronger, the environment.

`SURVEYOR_CRAWL__DELAY_SECONDS=0.5` sets `delay_seconds` in `[crawl]`. An unknown
name, in the file or in the environment, is an error: a setting with a typing
mistake must not be silently ignored.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from surveyor import entry_points
from surveyor.entry_points import Group
from surveyor.errors import BadSettings
from surveyor.settings.sections import (
    ArchiveSettings,
    CrawlSettings,
    DatabaseSettings,
    ExtractSettings,
    FrontierSettings,
    JudgeSettings,
    KeepSettings,
    ListenerSettings,
    LogSettings,
    MailSettings,
    ModelSettings,
    NamesSettings,
    NetSettings,
    NotifySettings,
    ProviderSettings,
    ProvidersSettings,
    RenderSettings,
    ReviewSettings,
    ScheduleSettings,
    SearxngSettings,
    Section,
    SerperSettings,
    WebSettings,
)

FILE_NAME = "surveyor.toml"
ENV_PREFIX = "SURVEYOR_"
# Environment names that begin with the prefix and are not settings.
_NOT_SETTINGS = {
    "SURVEYOR_WORKSPACE",
    "SURVEYOR_FAILPOINT",
    "SURVEYOR_DEBUG",
    "SURVEYOR_TEST_PROCESSES",
    "SURVEYOR_TEST_BROWSER",
}

__all__ = [
    "ENV_PREFIX",
    "FILE_NAME",
    "ArchiveSettings",
    "CrawlSettings",
    "DatabaseSettings",
    "ExtractSettings",
    "FrontierSettings",
    "JudgeSettings",
    "KeepSettings",
    "ListenerSettings",
    "LogSettings",
    "MailSettings",
    "ModelSettings",
    "NamesSettings",
    "NetSettings",
    "NotifySettings",
    "ProviderSettings",
    "ProvidersSettings",
    "RenderSettings",
    "ReviewSettings",
    "ScheduleSettings",
    "SearxngSettings",
    "Section",
    "SerperSettings",
    "Settings",
    "WebSettings",
    "load",
]


class Settings(BaseSettings):
    """All sections. Build with `load`."""

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    profile: str = Field("funding", description="A built-in profile, or the path of your own.")
    database: DatabaseSettings = DatabaseSettings()
    frontier: FrontierSettings = FrontierSettings()
    names: NamesSettings = NamesSettings()
    net: NetSettings = NetSettings()
    providers: ProvidersSettings = ProvidersSettings()
    crawl: CrawlSettings = CrawlSettings()
    render: RenderSettings = RenderSettings()
    archive: ArchiveSettings = ArchiveSettings()
    judge: JudgeSettings = JudgeSettings()
    extract: ExtractSettings = ExtractSettings()
    model: ModelSettings = ModelSettings()
    review: ReviewSettings = ReviewSettings()
    listeners: ListenerSettings = ListenerSettings()
    mail: MailSettings = MailSettings()
    notify: NotifySettings = NotifySettings()
    web: WebSettings = WebSettings()
    schedule: ScheduleSettings = ScheduleSettings()
    keep: KeepSettings = KeepSettings()
    log: LogSettings = LogSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, InitSettingsSource(settings_cls, _file_values.get())


# What `load` read of the file, for as long as it makes settings of it. A class of its own for each file
# would have the whole schema built a second time, which every start would wait for.
_file_values: ContextVar[dict[str, Any]] = ContextVar("file_values", default={})  # noqa: B039 - never changed


@contextmanager
def _from_file(path: Path) -> Iterator[None]:
    token = _file_values.set(_read_file(path))
    try:
        yield
    finally:
        _file_values.reset(token)


def load(workspace: Path) -> Settings:
    """Settings of a workspace; a missing file means defaults."""
    stray = _stray_environment()
    if stray:
        raise BadSettings(f"{stray} is not a setting; docs/reference lists the names; unset it")
    try:
        with _from_file(workspace / FILE_NAME):
            return Settings()
    except ValidationError as error:
        raise BadSettings(_message(error)) from None
    except SettingsError as error:  # it names the section and never what was given
        raise BadSettings(f"{error}; in the environment a whole section is written as JSON") from None


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        raise BadSettings(f"{path.name} is not UTF-8; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{path.name} is not valid TOML: {error}") from None
    except OSError as error:
        raise BadSettings(f"{path} cannot be read: {error.strerror}") from None


def _stray_environment() -> str | None:
    """An environment name with our prefix that sets nothing: most likely a typing mistake."""
    known = {ENV_PREFIX + name.upper() for name in _names(Settings)}
    names = (name for name in os.environ if name.startswith(ENV_PREFIX))
    stray = (name for name in names if name not in known | _NOT_SETTINGS)
    return next((name for name in stray if name not in _of_plugged_providers()), None)


def _of_plugged_providers() -> set[str]:
    """Looked up only for a name that is not known otherwise: finding packages takes a while."""
    section, plugged = f"{ENV_PREFIX}PROVIDERS__", entry_points.names(Group.PROVIDERS)
    below = [name.upper() for name in _names(ProviderSettings)]
    return {f"{section}{name.upper()}__{one}" for name in plugged for one in below}


def _names(model: type[BaseModel]) -> Iterator[str]:
    """Every setting of a model, with `__` between the names of sections within sections."""
    for name, field in model.model_fields.items():
        yield name
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from (f"{name}__{below}" for below in _names(field.annotation))


def _message(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        return f"{name} is not a setting; remove it from {FILE_NAME}{more}"
    return f"{name}: {first['msg']}{more}"
