"""What a back end gets besides a source; the same for every source of a run with one plan."""

from __future__ import annotations

from msgspec import Struct, field

from engine.lang.plan import Plan
from engine.read.folders import Listings
from engine.read.limits import Limits
from engine.read.reader import Opened
from engine.read.sources import Source
from engine.run.lookups import Lookups
from engine.run.once import Owners


class RunContext(Struct, frozen=True):
    """The plan, and what the passes before the walk found out.

    lookups  values of other stores
    owners   which file keeps records that several hold, from `engine.run.once.gather`
    limits   sizes beyond which evidence is not read
    hashing  whether the bytes of every file that is read are hashed
    listings record files of folders, as far as the passes have listed them
    """

    plan: Plan
    lookups: Lookups = field(default_factory=Lookups)
    owners: Owners = field(default_factory=Owners)
    limits: Limits = field(default_factory=Limits)
    hashing: bool = True
    listings: Listings = field(default_factory=Listings)

    def open(self, source: Source) -> Opened:
        """A source, to be walked."""
        return Opened(source, self.plan, self.limits, self.hashing, self.listings)
