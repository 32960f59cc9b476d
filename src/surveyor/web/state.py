"""What pages need from the process they run in: the workspace, password hashing, figures, templates."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request

from surveyor.bootstrap import Workspace
from surveyor.db import Database
from surveyor.people import Hasher
from surveyor.web.figures import Figures


@dataclass(frozen=True, slots=True)
class AppState:
    workspace: Workspace
    hasher: Hasher
    figures: Figures

    @classmethod
    def of(cls, workspace: Workspace) -> AppState:
        return cls(workspace, Hasher(), Figures(workspace.db))

    @property
    def db(self) -> Database:
        return self.workspace.db

    async def close(self) -> None:
        await self.figures.close()
        self.hasher.close()


def state_of(request: Request) -> AppState:
    found: AppState = request.app.state.surveyor
    return found


def address_of(request: Request) -> str:
    """Where the visitor comes from, for limits; behind a proxy the server has put it right."""
    return request.client.host if request.client else ""
