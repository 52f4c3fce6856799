"""Findings of a profile: ranks that compute longer than others, links that delay messages, and calls that wait for a
peer to make the matching call.

Thresholds keep healthy runs free of findings: a finding must matter to the whole run and stand out among similar ranks,
links or calls. docs/profile.md lists the kinds.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pysmpi.simulation.instruments.network.network_use import NetworkUse
from pysmpi.simulation.instruments.profile.profile import LinkWait, PeerWait, Profile
from pysmpi.util.quantities import counted, human_seconds

__all__ = ["Finding", "findings"]

OF_THE_RUN = 0.05
"""Least cost of a finding in seconds, as a share of the run's simulated time."""
OF_ALL_TIME = 0.01
"""Least waiting time of a finding, as a share of the simulated time of all ranks together."""
SLOWER = 1.25
"""Least ratio of a slow rank's computation to the median."""
MANY = 0.1
"""Part of the ranks above which slow ranks are reported as one load imbalance."""
MOST = 5
"""Largest number of findings of one kind."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Observation in a profile that may explain why the run takes long.

    Attributes:
        kind: "slow rank" ("load imbalance" for many slow ranks), "hot link", "late sender", "late receiver" or "late to
            a collective".
        subject: number of the slow rank, name of the hot link, or source line of the call that others wait for.
        seconds: cost of the finding: computation above the median, or waiting time of all ranks.
        text: description in one sentence.
    """

    kind: Literal["slow rank", "load imbalance", "hot link", "late sender", "late receiver", "late to a collective"]
    subject: str
    seconds: float
    text: str


def findings(profile: Profile, network: NetworkUse | None = None) -> list[Finding]:
    """Return the findings of a profile, grouped by kind. Network use, if given, adds details about links."""
    length = float((profile.ended - profile.begun).max(initial=0.0))
    if length <= 0:
        return []
    least = max(OF_THE_RUN * length, OF_ALL_TIME * profile.total)
    return [*_slow_ranks(profile, OF_THE_RUN * length), *_hot_links(profile, network, least), *_late(profile, least)]


def _slow_ranks(profile: Profile, least: float) -> list[Finding]:
    median = float(np.median(profile.computation))
    excess = profile.computation - median
    slow = [rank for rank in np.argsort(-excess, kind="stable").tolist()
            if excess[rank] >= least and profile.computation[rank] >= SLOWER * median]  # fmt: skip
    if len(slow) > max(MOST, MANY * len(excess)):
        longest = human_seconds(float(profile.computation[slow[0]]))
        text = (
            f"{len(slow):,} of {len(excess):,} ranks compute for {SLOWER:g} times the median of "
            f"{human_seconds(median)} or longer, rank {slow[0]} longest: {longest}"
        )
        return [Finding("load imbalance", str(slow[0]), float(excess[slow].sum()), text)]
    found = []
    for rank in slow[:MOST]:
        computes = float(profile.computation[rank])
        times = (
            f"{computes / median:.3g} times the median of {human_seconds(median)}"
            if median > 0
            else "others compute nothing"
        )
        waits = f"; others wait {human_seconds(float(profile.caused[rank]))} for it" if profile.caused[rank] > 0 else ""
        text = f"rank {rank} (host {profile.hosts[rank]}) computes for {human_seconds(computes)}, {times}{waits}"
        found.append(Finding("slow rank", str(rank), float(excess[rank]), text))
    if len(slow) > MOST:
        found[-1] = _with_more(found[-1], len(slow) - MOST, "rank")
    return found


def _hot_links(profile: Profile, network: NetworkUse | None, least: float) -> list[Finding]:
    """Return findings on links that delay messages for which calls wait long.

    Such a link must also have waits far above the mean of all links, low bandwidth, or several messages at once.
    """
    waits: dict[str, list[LinkWait]] = defaultdict(list)
    for wait in profile.link_waits:
        waits[wait.link].append(wait)
    use = {link.name: link for link in network.links} if network else {}
    seconds = {link: sum(wait.seconds for wait in own) for link, own in waits.items()}
    mean = sum(seconds.values()) / len(seconds) if seconds else 0.0
    suspect = _suspect_links(network) if network else set()
    hot = [
        link
        for link in sorted(seconds, key=lambda link: (-seconds[link], link))
        if seconds[link] >= least and (seconds[link] >= 3 * mean or link in suspect)
    ]
    found = []
    for link in hot[:MOST]:
        full = ""
        if link in use and network is not None:
            part = use[link].saturated / network.seconds
            full = f" is saturated for {part:.0%} of the run, with {use[link].sharing:.2g} messages at once, and"
        whom = "; ".join(
            f"{wait.place or 'unknown line'} {human_seconds(wait.seconds)} ({_ranks(wait)})" for wait in waits[link][:3]
        )
        text = f"link {link}{full} delays messages; calls wait {human_seconds(seconds[link])} for them: {whom}"
        found.append(Finding("hot link", link, seconds[link], text))
    if len(hot) > MOST:
        found[-1] = _with_more(found[-1], len(hot) - MOST, "link")
    return found


def _suspect_links(network: NetworkUse) -> set[str]:
    """Return the links of low bandwidth, and those that are saturated by several messages at once."""
    median = float(np.median([link.bandwidth for link in network.links])) if network.links else 0.0
    return {
        link.name
        for link in network.links
        if link.bandwidth <= 0.5 * median or (link.sharing >= 1.5 and link.saturated >= OF_THE_RUN * network.seconds)
    }


_WAITS: dict[str, tuple[Literal["late sender", "late receiver", "late to a collective"], str]] = {
    "receive": ("late sender", "the sends"),
    "send": ("late receiver", "the receives"),
    "collective": ("late to a collective", "ranks that arrive later"),
}


def _late(profile: Profile, least: float) -> list[Finding]:
    late = [wait for wait in profile.peer_waits if wait.seconds >= least]
    found = []
    for wait in late[:MOST]:
        kind, awaited = _WAITS[wait.what]
        worst = f"the longest {human_seconds(wait.longest)}, rank {wait.waiting_rank} for rank {wait.awaited_rank}"
        text = (
            f"{wait.place or 'unknown line'} waits {human_seconds(wait.seconds)} ({counted(wait.count, 'time')}, "
            f"{_ranks(wait)}) for {awaited} at {wait.awaited or 'unknown line'}; {worst}"
        )
        found.append(Finding(kind, wait.awaited, wait.seconds, text))
    return found


def _ranks(wait: PeerWait | LinkWait) -> str:
    first, last = wait.first_rank, wait.last_rank
    return f"rank {first}" if first == last else f"ranks {first} to {last}"


def _with_more(finding: Finding, more: int, what: str) -> Finding:
    return Finding(
        finding.kind, finding.subject, finding.seconds, f"{finding.text}; and {counted(more, f'more {what}')}"
    )
