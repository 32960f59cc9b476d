"""Ways to programs and people: webhooks, listeners, mail, each with its secret."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from surveyor import entry_points
from surveyor.entry_points import Group
from surveyor.errors import BadInput, BadSettings
from surveyor.registry.events import EventKind

if TYPE_CHECKING:
    from surveyor.bootstrap.workspace import Workspace
    from surveyor.listeners import Dispatcher, Webhook
    from surveyor.notify.channels import Channel


@asynccontextmanager
async def webhooks_of(workspace: Workspace) -> AsyncIterator[list[Webhook]]:
    """The receivers that the settings name, each with its secret."""
    from surveyor.listeners import Webhook

    chosen, made = workspace.settings.listeners, []
    try:
        for name, url in chosen.webhooks.items():
            secrets = _secrets(workspace, name)
            kinds = _known_kinds(name, chosen.kinds.get(name, []))
            made.append(Webhook(name, url, secrets, workspace.settings.net, kinds=kinds))
        yield made
    finally:
        for webhook in made:
            await webhook.close()


@asynccontextmanager
async def channels_of(workspace: Workspace) -> AsyncIterator[dict[str, Channel]]:
    """The ways to people that are set up, by name."""
    from surveyor.net.smtp import SmtpServer
    from surveyor.notify.channels import MailChannel, PluggedChannel, SlackChannel, WebhookChannel

    mail, chosen, net = workspace.settings.mail, workspace.settings.notify, workspace.settings.net
    found: dict[str, Channel] = {}
    try:
        if mail.server and mail.sender:
            password = _secret_line(workspace, mail.password_file, "mail.password_file")
            server = SmtpServer(
                mail.server, mail.port, mail.security, mail.user, password, mail.timeout_seconds
            )
            found["mail"] = MailChannel(server, mail.sender)
        if chosen.webhook:
            found["webhook"] = WebhookChannel(chosen.webhook, net)
        if chosen.slack_file:
            found["slack"] = SlackChannel(
                _secret_line(workspace, chosen.slack_file, "notify.slack_file"), net
            )
        for name, notifier in entry_points.load(Group.NOTIFIERS).objects.items():
            found[name] = PluggedChannel(name, notifier)
        yield found
    finally:
        for channel in found.values():
            await channel.close()


def plugged_dispatchers(workspace: Workspace) -> list[Dispatcher]:
    """Listeners that other packages bring; each keeps its own place in the feed."""
    from surveyor.listeners import Dispatcher, plugged

    return [Dispatcher(workspace.db, name, tell) for name, tell in plugged.listeners().items()]


def _secret_line(workspace: Workspace, file: str, setting: str) -> str:
    """The one line of a file that holds a secret; nothing if none is named."""
    if not file:
        return ""
    try:
        return (workspace.path / file).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{setting}: {file} cannot be read: {error}") from None


def _secrets(workspace: Workspace, name: str) -> list[str]:
    """One secret a line: several while one is changed, the newest first."""
    from surveyor.listeners.webhooks import key_of

    file = workspace.settings.listeners.secret_files.get(name)
    if file is None:
        raise BadSettings(f"the webhook {name} has no secret; name a file with one in listeners.secret_files")
    try:
        lines = (workspace.path / file).read_text(encoding="utf-8-sig").split()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"the secret of the webhook {name} cannot be read from {file}: {error}") from None
    try:
        for secret in lines or [""]:
            key_of(secret)
    except BadInput as error:
        raise BadSettings(f"the secret of the webhook {name} in {file} cannot be used: {error}") from None
    return lines


def _known_kinds(name: str, kinds: list[str]) -> list[str]:
    known = {kind.value for kind in EventKind}
    if unknown := sorted(set(kinds) - known):
        raise BadSettings(
            f"listeners.kinds.{name}: there is no event {unknown[0]}; docs/reference lists them"
        )
    return kinds
