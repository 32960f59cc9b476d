"""Settings: typed sections, read once from surveyor.toml and, stronger, the environment.

`SURVEYOR_CRAWL__DELAY_SECONDS=0.5` sets `delay_seconds` in `[crawl]`. An unknown
name, in the file or in the environment, is an error: a setting with a typing
mistake must not be silently ignored.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from surveyor.errors import BadSettings
from surveyor.settings import environment
from surveyor.settings.environment import PREFIX as ENV_PREFIX
from surveyor.settings.environment import merged
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


class Settings(BaseModel):
    """All sections. Build with `load`."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    profile: str = Field("funding", description="A built-in profile, or the path of your own.")
    database: DatabaseSettings = Field(default_factory=DatabaseSettings)
    frontier: FrontierSettings = Field(default_factory=FrontierSettings)
    names: NamesSettings = Field(default_factory=NamesSettings)
    net: NetSettings = Field(default_factory=NetSettings)
    providers: ProvidersSettings = Field(default_factory=ProvidersSettings)
    crawl: CrawlSettings = Field(default_factory=CrawlSettings)
    render: RenderSettings = Field(default_factory=RenderSettings)
    archive: ArchiveSettings = Field(default_factory=ArchiveSettings)
    judge: JudgeSettings = Field(default_factory=JudgeSettings)
    extract: ExtractSettings = Field(default_factory=ExtractSettings)
    model: ModelSettings = Field(default_factory=ModelSettings)
    review: ReviewSettings = Field(default_factory=ReviewSettings)
    listeners: ListenerSettings = Field(default_factory=ListenerSettings)
    mail: MailSettings = Field(default_factory=MailSettings)
    notify: NotifySettings = Field(default_factory=NotifySettings)
    web: WebSettings = Field(default_factory=WebSettings)
    schedule: ScheduleSettings = Field(default_factory=ScheduleSettings)
    keep: KeepSettings = Field(default_factory=KeepSettings)
    log: LogSettings = Field(default_factory=LogSettings)


def load(workspace: Path) -> Settings:
    """Settings of a workspace; a missing file means defaults."""
    stronger = environment.values(Settings, os.environ)
    try:
        given = merged(_read_file(workspace / FILE_NAME), stronger)
        return Settings.model_validate(merged(_empty(Settings), given))
    except ValidationError as error:
        raise BadSettings(_message(error)) from None


def _empty(model: type[BaseModel]) -> dict[str, Any]:
    """Every section with nothing in it: what is left out is then filled in by the whole, built once."""
    kinds = {name: field.annotation for name, field in model.model_fields.items()}
    return {name: _empty(kind) for name, kind in kinds.items() if environment.is_section(kind)}


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError:
        raise BadSettings(f"{path.name} is not UTF-8; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise BadSettings(f"{path.name} is not valid TOML: {error}") from None
    except OSError as error:
        raise BadSettings(f"{path} cannot be read: {error.strerror}") from None


def _message(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        meant = environment.nearest(name, environment.names(Settings)) or "; remove it"
        return f"{name} in {FILE_NAME} is not a setting{meant}{more}"
    return f"{name}: {first['msg']}{more}"
