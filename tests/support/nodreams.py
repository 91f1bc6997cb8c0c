"""An environment in which no pass is ever due, for tests of what would start one."""

from __future__ import annotations

# Not dreaming that is switched off: that leaves a tier which reads sessions.
NO_PASS_IS_DUE = {
    "GRAPHDREAM_DREAMING__BACKFILL_ON_FIRST_RUN": "false",
    "GRAPHDREAM_DREAMING__TOKEN_THRESHOLD": "1000000000",
    "GRAPHDREAM_DREAMING__MAX_INTERVAL": "8760",
}
