"""Starts a Chromium that has no network, and talks to it through two pipes that nobody else can open.

When this process ends, however it ends, the pipes close, and the browser with them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from surveyor.render.devtools import Devtools

# Megabytes for the objects of a page's scripts.
_SCRIPT_MEGABYTES = 256
# The browser reads commands here, and writes answers there.
_COMMANDS, _ANSWERS = 3, 4
# Without a network, and without a way to use one that nobody thought of.
GUARD: Final = (
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--enforce-webrtc-ip-permission-check",
    "--dns-prefetch-disable",
    "--disable-quic",
    "--block-new-web-contents",
    "--disable-background-networking",
    "--disable-speech-api",
    "--deny-permission-prompts",
    "--site-per-process",
    # A process kept ready for the next page is one too many where each page has a context of its own.
    "--disable-features=Prerender2,SpeculationRulesPrefetchFuture,WebUSB,WebBluetooth,MediaRouter,FedCm,"
    "HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding,OptimizationHints,"
    "NetworkTimeServiceQuerying,DestroyProfileOnBrowserClose,ThirdPartyStoragePartitioning,"
    "SpareRendererForSitePerProcess,Translate,AcceptCHFrame,AutofillServerCommunication,"
    "CertificateTransparencyComponentUpdater,DialMediaRouteProvider,GlobalMediaControls,LensOverlay,"
    "ImprovedCookieControls,DeferRendererTasksAfterInput,AvoidUnnecessaryBeforeUnloadCheckSync",
)
_OTHERS: Final = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--mute-audio",
    "--lang=en-US",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-field-trial-config",
    "--disable-breakpad",
    "--disable-sync",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-back-forward-cache",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    f"--js-flags=--max-old-space-size={_SCRIPT_MEGABYTES}",
)


class Launched(NamedTuple):
    process: int
    devtools: Devtools


async def launch(program: str, folder: Path, port: int, agent: str) -> Launched:
    """With its files in `folder`, and a proxy on this port. Raises OSError."""
    arguments = [
        program,
        *GUARD,
        *_OTHERS,
        *(() if os.geteuid() else ("--no-sandbox",)),  # as root it refuses to run with one
        f"--proxy-server=http://127.0.0.1:{port}",
        f"--user-agent={agent}",
        profile_switch(folder),
    ]
    commands, our_commands = os.pipe()
    our_answers, answers = os.pipe()
    try:
        process = os.posix_spawn(  # noqa: ASYNC221 it returns at once
            program,
            arguments,
            _environment(folder),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, 1, 2),
                # Above those first: one of ours may have the number that another is to get.
                (os.POSIX_SPAWN_DUP2, commands, 60),
                (os.POSIX_SPAWN_DUP2, answers, 61),
                (os.POSIX_SPAWN_DUP2, 60, _COMMANDS),
                (os.POSIX_SPAWN_DUP2, 61, _ANSWERS),
                (os.POSIX_SPAWN_CLOSE, 60),
                (os.POSIX_SPAWN_CLOSE, 61),
            ],
            setpgroup=0,  # in our session: elsewhere the kernel may give it as much as all of ours
        )
    except BaseException:
        os.close(our_commands)
        os.close(our_answers)
        raise
    finally:
        os.close(commands)
        os.close(answers)
    return Launched(process, await _talk(our_commands, our_answers))


def profile_switch(folder: Path) -> str:
    return f"--user-data-dir={folder / 'profile'}"


async def wait_for(process: int) -> None:
    """Until it has ended, so that nothing of it is left in the table of processes."""
    with suppress(ChildProcessError):
        await asyncio.to_thread(os.waitpid, process, 0)


def _environment(folder: Path) -> Mapping[str, str]:
    """Ours without our secrets."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SURVEYOR_")}
    return kept | {"TMPDIR": str(folder), "TZ": "UTC"}


async def _talk(commands: int, answers: int) -> Devtools:
    loop, devtools = asyncio.get_running_loop(), Devtools()
    sender, _ = await loop.connect_write_pipe(asyncio.Protocol, open(commands, "wb", buffering=0))  # noqa: ASYNC230, SIM115
    devtools.connect(sender)
    await loop.connect_read_pipe(lambda: _Answers(devtools), open(answers, "rb", buffering=0))  # noqa: ASYNC230, SIM115
    return devtools


class _Answers(asyncio.Protocol):
    def __init__(self, devtools: Devtools) -> None:
        self._devtools = devtools

    def data_received(self, data: bytes) -> None:
        self._devtools.received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._devtools.close()
