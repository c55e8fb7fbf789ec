"""What a secret looks like: the rules of `--redact`.

They take in the rules of detect-secrets 1.5 (its plugins with the same names; the entropy of hexadecimal strings apart,
by which every digest would be a secret) and tokens that are newer than these. A rule is a pattern and hints, the texts,
in lower case, with which its matches begin: so a rule costs no more than a search for a few letters.

In JSON a span is always inside one string and splits no escape: what is put in its place leaves the JSON whole.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

#: no text with a secret is shorter
_SHORTEST = 8
_capitals = re.compile("[A-Z]+")


class Rule(NamedTuple):
    """`secret` is the group that is the secret, 0 for the whole match; `holds` may still refuse it. Matches begin where
    a hint stands, or anywhere in a text that has a hint if not `anchored`."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    secret: int | str = 0
    holds: Callable[[str], bool] = lambda value: True
    anchored: bool = True

    def spans(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        for found in self._matches(text, lowered):
            if found[self.secret] and self.holds(found[self.secret]):
                yield found.span(self.secret)

    def _matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        if not self.anchored:
            if any(hint in lowered for hint in self.hints):
                yield from self.pattern.finditer(text)
            return
        match = self.pattern.match
        for hint in self.hints:
            at = lowered.find(hint)
            while at >= 0:
                if found := match(text, at):
                    yield found
                at = lowered.find(hint, at + 1)


_PLACEHOLDER = re.compile(
    r"(?i)\[redacted:.*|none|null|nil|true|false|undefined|changeme|password|passwd|secret|token|string|"
    r"(.)\1*|<.*>|\$.*|\{.*\}|%.*%|your[-_ ].*|.*example.*|.*placeholder.*|env[.(:\[].*|os\.environ.*|process\.env.*"
)


def stated(value: str) -> bool:
    """Whether a value that stands by a telling name is one, and no stand-in."""
    return _PLACEHOLDER.fullmatch(value.strip()) is None


def random_looking(value: str) -> bool:
    """A value that no person would type: letters and digits."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and stated(value)


def entropic(value: str) -> bool:
    """Letters of both cases and digits, at more than 4.5 bits a character."""
    if not (any(map(str.isdigit, value)) and any(map(str.islower, value)) and any(map(str.isupper, value))):
        return False
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values()) > 4.5


def _rule(
    name: str, hints: str, pattern: str, secret: int | str = 0, holds: Callable[[str], bool] | None = None,
    anchored: bool = True,
) -> Rule:  # fmt: skip
    """`hints` are parted by spaces; a `~` in one is a space."""
    words = tuple(hint.replace("~", " ") for hint in hints.split())
    return Rule(name, words, re.compile(pattern), secret, holds or (lambda value: True), anchored)


_BEFORE_KEY = (
    "api", "auth", "access", "account", "service", "db", "database", "priv", "private", "client", "encryption",
    "signing", "license", "master",
)  # fmt: skip
#: names that say that what follows is secret
_STRONG = (
    r"(?:passw(?:or)?d|passphrase|passcode|(?<![a-z])pass|pwd|contrase[nñ]a|secret|credentials?|(?:"
    + "|".join(f"(?<={word})|(?<={word}[_-])" for word in _BEFORE_KEY)
    + r")key|(?<=key)_?pass|(?<=db)_?pass|(?<=database)_?pass)[\w-]{0,24}"
)
#: names by which an unusual value is
_WEAK = r"(?:token|cookie|session[_-]?key|oauth|bearer|jwt|signature)[\w-]{0,16}"
_ASSIGNED = r"(?:\[\d*\])?\\*[\"'`\])]{0,2}\s{0,8}(?::=|=>|[=!]==?|[=:])\s{0,8}@?"
_QUOTED = r"(?P<quote>\\*[\"'`])(?P<value>(?:(?!(?P=quote))(?:\\.|[^\"\\\n])){%s,400})(?P=quote)"
_BARE = r"(?P<value>[^\s\"'`\\,;&|<>(){}\[\]$%%@][^\s\"'`\\,;&|<>(){}\[\]]{%s,400})"

_STRONG_HINTS = "pass pwd contrase secret credential key"
_WEAK_HINTS = "token cookie session oauth bearer jwt signature"

RULES: tuple[Rule, ...] = (
    _rule("private-key", "-----begin~", r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
          r"(?:(?:[^{}-]|-(?!----BEGIN)){0,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
          r"|(?:\\[nr]|[A-Za-z0-9+/=\s])*)"),
    _rule("private-key", "private-lines:", r"Private-Lines: \d+((?:\\[nr]|[A-Za-z0-9+/=\s])+)", 1),
    _rule("private-key", "age-secret-key-", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _rule("aws-key", "a3t abia acca akia asia", r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}"),
    _rule("artifactory", "akc ap", r"(?:(?<=[\s=:\"])|(?<![\s\S]))"
          r"(?:AKC[a-zA-Z0-9]{10,}|AP[\dA-F](?=[a-zA-Z]*\d)[a-zA-Z0-9]{8,})(?=[\s\"\\]|$)"),
    _rule("azure-key", "accountkey= sharedaccesskey=", r"(?:Account|SharedAccess)Key=([a-zA-Z0-9+/=]{40,})", 1),
    _rule("azure-signature", "sig=", r"(?<=[?&])sig=([A-Za-z0-9%+/=_-]{20,})", 1),
    _rule("url-password", "://", r"://[^\s:/?#\[\]@\"'\\`]{0,200}:([^\s:/?#\[\]@\"'\\`]{1,400})@", 1, stated),
    _rule("discord-token", ".", r"\b[MNO][a-zA-Z\d_-]{23,25}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27,}", anchored=False),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
          r"gh[pousr]_[A-Za-z0-9_]{36,255}|github_pat_\w{50,255}"),
    _rule("gitlab-token", "glpat- gldt- glft- glsoat- glrt- glimt- glptt- glagent- gloas- glcbt- gr1348941",
          r"(?:gl(?:pat|dt|ft|soat|rt|imt|ptt|agent)-[\w-]{20,1024}|gloas-[\w-]{64}|GR1348941[\w-]{20,50}"
          r"|glcbt-(?:[0-9a-fA-F]{2}_)?[\w-]{20,50})"),
    _rule("mailchimp-key", "-us", r"[0-9a-z]{32}-us[0-9]{1,2}", anchored=False),
    _rule("npm-token", "npm_", r"npm_[A-Za-z0-9]{36,}"),
    _rule("npm-token", "_authtoken=", r"_authToken=\s?([^\s\"'\\$]{8,})", 1),
    _rule("api-key", "sk-", r"\bsk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}"),
    _rule("api-key", "hf_ gsk_ xai- pplx- r8_ tvly- lin_api_ dop_v1_ shpat_ dckr_pat_ glc_ hvs. ntn_ figd_",
          r"\b(?:hf_|gsk_|xai-|pplx-|r8_|tvly-|lin_api_|dop_v1_|shpat_|dckr_pat_|glc_|hvs\.|ntn_|figd_)[A-Za-z0-9_=-]{24,}"),
    _rule("google-key", "aiza ya29. gocspx- 1//0",
          r"\b(?:AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[\w-]{28}|1//0[\w-]{30,})"),
    _rule("pypi-token", "pypi-age", r"pypi-AgE[A-Za-z0-9_-]{60,}"),
    _rule("sendgrid-key", "sg.", r"SG\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9_-]{43}"),
    _rule("slack-token", "xox xapp-", r"(?i)xox[a-z]-(?=[A-Z-]*\d)[A-Z0-9-]{10,}|xapp-\d-[A-Z0-9-]{20,}"),
    _rule("slack-webhook", "hooks.slack.com", r"(?i)hooks\.slack\.com/services/(T\w+/B\w+/\w+)", 1),
    _rule("softlayer", "api.softlayer.com", r"(?i)api\.softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})", 1),
    _rule("square-secret", "sq0csp-", r"sq0csp-[0-9A-Za-z_-]{43}"),
    _rule("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
          r"[rs]k_(?:live|test)_[0-9a-zA-Z]{24,}|whsec_[A-Za-z0-9+/=]{24,}"),
    _rule("telegram-token", ":", r"\b\d{8,10}:[0-9A-Za-z_-]{35}(?![\w-])", anchored=False),
    _rule("twilio-key", "ac sk", r"\b(?:AC|SK)[a-z0-9]{32}\b"),
    _rule("fernet", "gaaaaa", r"gAAAAA[A-Za-z0-9_-]{50,}={0,2}"),
    _rule("jwt", "eyj", r"\beyJ[A-Za-z0-9_=-]{8,}\.[A-Za-z0-9_=-]{2,}(?:\.[A-Za-z0-9_.+/=-]*)?"),
    _rule("authorization", "bearer~ basic~ token~ apikey~",
          r"(?i)\b(?:Bearer|Basic|Token|ApiKey) ([A-Za-z0-9._~+/=-]{12,})", 1, random_looking),
    _rule("cookie", "cookie:", r"(?i)Cookie:\s?([^\s\"'\\]{8,}(?: [^\s\"'\\]+=[^\s\"'\\]+)*)", 1, stated),
    _rule("user-password", "-u --user", r"(?<!\S)(?:-u|--user)[ =]\\*[\"']?[^\s:\"'\\]{1,100}:([^\s\"'\\]{3,200})", 1,
          stated),
    _rule("option", "--", r"--(?:[a-z-]{0,20}-)?(?:password|passwd|passphrase|secret|token|api-?key)(?:=|\s)\\*[\"']?"
          r"([^\s\"'\\$<-][^\s\"'\\]{5,})", 1, stated),
    _rule("keyword", _STRONG_HINTS, "(?i)" + _STRONG + _ASSIGNED + _QUOTED % 3, "value", stated),
    _rule("keyword", _STRONG_HINTS, "(?i)" + _STRONG + _ASSIGNED + _BARE % 5, "value", random_looking),
    _rule("keyword", _WEAK_HINTS, "(?i)" + _WEAK + _ASSIGNED + _QUOTED % 16, "value", random_looking),
    _rule("keyword", _WEAK_HINTS, "(?i)" + _WEAK + _ASSIGNED + _BARE % 19, "value", random_looking),
    _rule("keyword", "ibm iam cloud softlayer sl cl",
          r"(?i)(?:ibm|iam|cloud|softlayer|\bsl|\bcl)[\w-]{0,16}(?:key|pwd|pass|token)[\w-]{0,8}" + _ASSIGNED
          + r"\\*[\"'`]?(?P<value>[a-z0-9_-]{24,64})(?![\w-])", "value", random_looking),
    _rule("high-entropy", "\" ' `", r"[\"'`](?![a-z]{2,8}_)([A-Za-z0-9+/_-]{20,200}={0,2})\\*[\"'`]", 1, entropic,
          anchored=False),
)  # fmt: skip


def spans(text: str, rules: tuple[Rule, ...] = RULES) -> list[tuple[int, int, str]]:
    """Where secrets stand: start, end and rule, in order; of two that overlap the earlier and longer one."""
    if len(text) < _SHORTEST:
        return []
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = _capitals.sub(lambda found: found[0].lower(), text)
    found = sorted({(start, -end, rule.name) for rule in rules for start, end in rule.spans(text, lowered)})
    kept: list[tuple[int, int, str]] = []
    for start, end, name in found:
        if not kept or start >= kept[-1][1]:
            kept.append((start, -end, name))
    return kept
