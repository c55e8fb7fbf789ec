"""Secrets are taken out of rows, and nothing else."""

from __future__ import annotations

import importlib
import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.read.discover import DiscoverOptions, find
from engine.rows import COLUMNS
from engine.run.redaction import Redactor, marker
from engine.run.secret_files import known_secrets
from engine.run.secrets import spans
from tests.run.test_pipeline import SPEC
from tests.run.walking import HEAD, home_of, plan_of

# secrets are put together here, so that this file holds none
AB = "aB3" + "xY7zQ9mK2w"
ALNUM = (AB * 9)[:100]
HEX = "3f786850e387550fdab836ed7e6dc881de23001b" * 2
LOWER = "a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6" * 2

DISCORD = f"M{ALNUM[:23]}.{ALNUM[:6]}.{ALNUM[:27]}"
JWT = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0.abcd"
OPENAI = f"sk-{ALNUM[:20]}T3Blbk" + f"FJ{ALNUM[:20]}"
PYPI = "pypi-AgEIcHlwaS5v" + "cmc" + ALNUM[:70]
ENTROPIC = ALNUM[:26] + "dEfGhIjKlNoPrS"

#: plugin of detect-secrets → a text in which it finds a secret, the secret
FOUND_BY_DETECT_SECRETS = {
    "artifactory.ArtifactoryDetector": ("key=AKC" + ALNUM[:20], "AKC" + ALNUM[:20]),
    "aws.AWSKeyDetector": ("id AKIA" + "A1B2C3D4E5F6G7H8", "AKIA" + "A1B2C3D4E5F6G7H8"),
    "azure_storage_key.AzureStorageKeyDetector": ("AccountKey=" + ALNUM[:86] + "==", ALNUM[:86] + "=="),
    "basic_auth.BasicAuthDetector": ("https://bob:" + "s3cr3t@example.org/x", "s3cr3t"),
    "cloudant.CloudantDetector": ("cloudant_password = " + LOWER, LOWER),
    "discord.DiscordBotTokenDetector": (DISCORD, DISCORD),
    "github_token.GitHubTokenDetector": ("ghp_" + ALNUM[:36], "ghp_" + ALNUM[:36]),
    "gitlab_token.GitLabTokenDetector": ("glpat-" + ALNUM[:20], "glpat-" + ALNUM[:20]),
    "ibm_cloud_iam.IbmCloudIamDetector": (f"ibm_cloud_api_key = {ALNUM[:44]}", ALNUM[:44]),
    "ibm_cos_hmac.IbmCosHmacDetector": (f"secret_access_key={HEX[:48]}", HEX[:48]),
    "jwt.JwtTokenDetector": (JWT, JWT),
    "keyword.KeywordDetector": ('db_password = "' + 'correct horse"', "correct horse"),
    "mailchimp.MailchimpDetector": (LOWER[:32] + "-us12", LOWER[:32] + "-us12"),
    "npm.NpmDetector": ("//packages.example.org/:_authToken=npm_" + ALNUM[:36], "npm_" + ALNUM[:36]),
    "openai.OpenAIDetector": (OPENAI, OPENAI),
    "pypi_token.PypiTokenDetector": (PYPI, PYPI),
    "sendgrid.SendGridDetector": (f"SG.{ALNUM[:22]}.{ALNUM[:43]}", f"SG.{ALNUM[:22]}.{ALNUM[:43]}"),
    "slack.SlackDetector": ("xoxb-" + "123456789012-abcdefABCDEF", "xoxb-" + "123456789012-abcdefABCDEF"),
    "softlayer.SoftlayerDetector": (f"sl_api_key={LOWER}", LOWER),
    "square_oauth.SquareOAuthDetector": ("sq0csp-" + ALNUM[:43], "sq0csp-" + ALNUM[:43]),
    "stripe.StripeDetector": ("sk_live_" + ALNUM[:24], "sk_live_" + ALNUM[:24]),
    "telegram_token.TelegramBotTokenDetector": ("123456789:" + ALNUM[:35], "123456789:" + ALNUM[:35]),
    "twilio.TwilioKeyDetector": ("SK" + LOWER[:32], "SK" + LOWER[:32]),
    "high_entropy_strings.Base64HighEntropyString": (f"x = '{ENTROPIC}'", ENTROPIC),
}  # fmt: skip


@pytest.mark.parametrize("plugin", FOUND_BY_DETECT_SECRETS)
def test_what_detect_secrets_finds_is_taken_out(plugin):
    text, secret = FOUND_BY_DETECT_SECRETS[plugin]
    module, name = plugin.split(".")
    detector = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)()
    assert list(detector.analyze_string(text)), "the sample is one"
    clean, count = Redactor().text(f"before {text} after")
    assert (secret in clean, count) == (False, 1)
    assert clean.startswith("before ") and clean.endswith(" after")


PEM = "-----BEGIN OPENSSH PRIVATE " + "KEY-----\nb3BlbnNz\naC1rZXk=\n-----END OPENSSH PRIVATE " + "KEY-----"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"see\n{PEM}\nend", "see\n<>\nend"),
        (f"cut {PEM[:50]}", "cut <>"),
        (f"export X_TOKEN={ALNUM[:30]}", "export X_TOKEN=<>"),
        (f"curl -H 'Authorization: Bearer {ALNUM[:20]}' x", "curl -H 'Authorization: Bearer <>' x"),
        ("curl -u bob:" + "hunter2 http://x", "curl -u bob:<> http://x"),
        ("mysql --password=" + "hunter22 -e x", "mysql --password=<> -e x"),
        ("Cookie: sid=" + "abcdef123", "Cookie: <>"),
        ("DB_PASS=" + "hunter2abc", "DB_PASS=<>"),
        ("password: '" + "it is long'", "password: '<>'"),
        ('{"api_key": "' + 'ab\\"c"}', '{"api_key": "<>"}'),
        ('{"c": "x --api_key=\\"' + 'abcd9999\\" y"}', '{"c": "x --api_key=\\"<>\\" y"}'),
        ("key sk-ant-" + ALNUM[:60], "key <>"),
        ("github_pat_" + ALNUM[:60], "<>"),
        ("gAAAAA" + ALNUM[:80] + "==", "<>"),
        ("https://x.example/?a=1&sig=" + ALNUM[:40], "https://x.example/?a=1&sig=<>"),
        ("AGE-SECRET-" + "KEY-1" + "Q" * 58, "<>"),
    ],
)
def test_a_secret_gives_way_to_a_marker_and_the_rest_stays(text, clean):
    found, count = Redactor().text(text)
    assert (re.sub(r"\[redacted:[a-z-]+:[0-9a-f]{8}\]", "<>", found), count) == (clean, 1)


@pytest.mark.parametrize(
    "text",
    [
        "commit " + HEX[:40], f"'{HEX[:64]}'", "the password is what you choose", "max_tokens: 4096",
        "token_type: bearer",
        "password: str = None", 'password = request.form["password"]', "API_KEY=$OPENAI_KEY", 'api_key="<your key>"',
        "id: 6f1c0b2e-1111-4bbb-8ccc-000000000001", "/home/alice/projects/a-very-long-name/src/index.ts",
        "https://example.org/a:b@c", "secret: '${SECRET}'", "disk-usage-of-the-year-2026-report-final", "", "x" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_secret_stays(text):
    assert Redactor().text(text) == (text, 0)


def test_equal_secrets_have_equal_markers_and_a_marker_is_no_secret():
    token = "ghp_" + ALNUM[:36]
    clean, count = Redactor().text(f"{token} {token}")
    assert (clean, count) == (f"{marker('github-token', token)} {marker('github-token', token)}", 2)
    assert Redactor().text(f'password="{clean.split()[0]}"')[1] == 0


_secret = st.sampled_from([secret for _, secret in FOUND_BY_DETECT_SECRETS.values()] + [PEM, "a'b\"c"])
_strings = st.text(max_size=8) | _secret | st.builds('pass="{}" token={}'.format, _secret, _secret)
_names = st.sampled_from(["password", "token", "note", "api_key"]) | st.text(max_size=4)
_json = st.recursive(
    _strings | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=3),
)


@given(_json)
def test_arguments_stay_json_of_the_same_form(value):
    clean, _ = Redactor(["a'b\"c"]).text(json.dumps(value))
    assert shape(json.loads(clean)) == shape(value)
    assert not any(
        secret in clean for _, secret in FOUND_BY_DETECT_SECRETS.values() if secret.startswith(("ghp_", "SG."))
    )


def shape(value):
    if isinstance(value, dict):
        return [shape(inner) for inner in value.values()] if len(value) == len(dict.fromkeys(value)) else None
    if isinstance(value, list):
        return [shape(inner) for inner in value]
    return type(value)


def test_a_row_is_redacted_in_text_and_arguments_and_keeps_what_joins_it():
    token = "ghp_" + ALNUM[:36]
    row = (*(token if name in ("text", "arguments", "session_id") else "" for name in COLUMNS), "key", 3)
    (clean,), (count,) = Redactor()([row])
    assert count == 2
    assert clean[4] == token and clean[22:] == ("key", 3)
    assert clean[11] == clean[21] == marker("github-token", token)


def test_values_of_files_that_a_spec_calls_secret_are_secrets_everywhere(tmp_path):
    head = HEAD + "catalog: {home: [toy], secrets: ['toy/auth/*', 'toy/.env', 'toy/key.txt']}\n"
    plan = plan_of(tmp_path, SPEC, head)
    home = home_of(
        tmp_path,
        {
            "toy/chats/a.jsonl": "",
            "toy/auth/deep/config.json": json.dumps({"a": [{"accessToken": "plain words 1", "model": "a-long-model"}]}),
            "toy/.env": "export SOME_SECRET='swordfish-9'\nMODEL=a-long-model\nSHORT_TOKEN=abc\n",
            "toy/key.txt": "correcthorsebattery\n",
            "toy/other.json": '{"token": "not-a-secret-file"}',
        },
    )
    found = find([home], [plan], DiscoverOptions(as_="home"))
    known = known_secrets(found.sources, [plan], found.trees)
    assert known == {"plain words 1", "swordfish-9", "correcthorsebattery"}
    clean, count = Redactor(known).text('{"say":"swordfish-9 and plain words 1"}')
    assert count == 2
    assert json.loads(clean)["say"].startswith("[redacted:known:")


def test_beginnings_of_keys_without_end_take_no_time():
    text = "-----BEGIN PRIVATE KEY-----\n" * 20_000
    began = time.process_time()
    assert len(spans(text)) == 20_000
    assert time.process_time() - began < 5
