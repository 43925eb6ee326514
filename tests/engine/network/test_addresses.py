from __future__ import annotations

import asyncio
import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.errors import InputError
from engine.network import checked_url, is_public, is_reachable, resolve

# Where the five large clouds tell a machine its secrets, beside 169.254.169.254.
SECRETS = ("168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254")
NOT_PUBLIC = (
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.0.1", "169.254.169.254", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
    "fe80::1", "fc00::1", "ff02::1", "2001:db8::1", "2002:7f00:1::", "2001:0:7f00:1::",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "3fff::1", "192.88.99.1",
    *SECRETS, "::ffff:168.63.129.16", "64:ff9b::a83f:8110",
)  # fmt: skip
PUBLIC = ("1.1.1.1", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808")


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_private_addresses_are_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))
    brackets = f"[{address}]" if ":" in address else address
    with pytest.raises(InputError, match="not a public server"):
        checked_url(f"https://{brackets}/v1", private=False)


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@given(some.ip_addresses(v=4))
def test_writing_an_address_another_way_makes_it_no_more_public(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    for prefix in ("::ffff:0:0", "64:ff9b::", "::", "2002::"):
        wrapped = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | number)
        assert is_public(address) or not is_public(wrapped)


def test_the_private_network_may_be_opened_but_never_to_where_clouds_keep_secrets() -> None:
    for address in ("127.0.0.1", "10.0.0.1", "::1", "8.8.8.8"):
        assert is_reachable(ipaddress.ip_address(address), private=True)
    never = ("169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fe80::1", "224.0.0.1")
    for address in (*never, *SECRETS, "::ffff:168.63.129.16"):
        assert not is_reachable(ipaddress.ip_address(address), private=True)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "write a full address"),
        ("api.example.com/v1", "write a full address"),
        ("ftp://example.com/v1", "write a full address"),
        ("file:///etc/passwd", "write a full address"),
        ("https:///v1", "write a full address"),
        ("https://example.com:0/v1", "write a full address"),
        ("https://example.com:99999/v1", "cannot be read"),
        ("https://[::1/v1", "cannot be read"),
        ("https://exa mple.com/v1", "cannot be read"),
        ("https://example.com/v1\r\nHost: other", "cannot be read"),
        ("https://example.com/" + "a" * 500, "cannot be read"),
        ("https://sk-secret@example.com/v1", "must not contain"),
        ("https://user:sk-secret@example.com/v1", "must not contain"),
        ("https://example.com\\@127.0.0.1/v1", "must not contain"),
        ("https://example.com/v1?key=sk-secret", "end with its path"),
        ("https://example.com/v1#sk-secret", "end with its path"),
        ("https://example.com/v1?", "end with its path"),
        ("https://@example.com/v1", "must not contain"),
        ("http://example.com/v1", "must begin with https"),
        ("https://example.com:22/v1", "port 22"),
    ],
)
def test_an_unusable_address_is_refused_with_the_reason_and_not_repeated(url: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as refused:
        checked_url(url, private=False)
    assert "secret" not in str(refused.value)


def test_good_addresses_are_kept() -> None:
    assert checked_url(" https://api.example.com/v1/ ", private=False) == "https://api.example.com/v1"
    assert checked_url("https://api.example.com:8443/v1", private=False) == "https://api.example.com:8443/v1"
    assert checked_url("http://localhost:11434/v1", private=True) == "http://localhost:11434/v1"


@pytest.mark.parametrize(
    "host", ["localhost", "2130706433", "0x7f000001", "017700000001", "127.1", "::1", "0"]
)
def test_names_and_numbers_that_mean_this_machine_are_refused_when_they_are_looked_up(host: str) -> None:
    with pytest.raises(InputError, match="not a public server"):
        asyncio.run(resolve(host, 443, private=False))
