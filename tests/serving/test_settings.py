from __future__ import annotations

import pytest

from serving.settings import Settings, address


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8000"),
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://127.0.0.1:8000"),
        ("::1", "http://[::1]:8000"),
        ("shop.example", "http://shop.example:8000"),
    ],
)
def test_where_a_server_is_reached(host: str, url: str) -> None:
    assert address(host, 8000) == url
    assert Settings(api_host=host, _env_file=None).service_url == url
