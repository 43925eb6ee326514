"""Whose certificates a client trusts."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from engine.errors import SettingsError
from engine.network import certificates


@pytest.mark.parametrize("of_environment", [True, False])
def test_every_server_must_prove_its_name_and_the_certificates_are_read_once(of_environment: bool) -> None:
    trusted = certificates(of_environment=of_environment)
    assert trusted.verify_mode is ssl.CERT_REQUIRED
    assert trusted.check_hostname
    assert certificates(of_environment=of_environment) is trusted


def test_what_the_environment_names_is_not_read_for_strangers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "not there"))
    certificates.cache_clear()
    try:
        certificates(of_environment=False)
        with pytest.raises(SettingsError, match="SSL_CERT_FILE"):
            certificates(of_environment=True)
    finally:
        certificates.cache_clear()
