"""Who may come in."""

import pytest

from heatmap_engine.errors import InvalidSettings
from heatmap_engine.web.doors import CONTENT_SECURITY_POLICY, COOKIE, Doors, Refused
from heatmap_engine.web.pace import Pace

TOKEN = "a-long-enough-token-1234"


@pytest.mark.parametrize("host", ["localhost:8641", "127.0.0.1:8641", "[::1]:8641", "127.0.0.9", "LOCALHOST"])
def test_this_machine_has_several_names(host: str) -> None:
    Doors("127.0.0.1").require_host(host)


@pytest.mark.parametrize(
    "host",
    [None, "", "evil.example", "evil.example:8641", "localhost.evil.example", "192.168.0.7:8641", "[", "a b"],
)
def test_other_names_are_not_answered_to(host: str | None) -> None:
    with pytest.raises(Refused):
        Doors("127.0.0.1").require_host(host)


def test_with_a_host_numbers_and_its_name_are_answered_to() -> None:
    doors = Doors("0.0.0.0", TOKEN)
    doors.require_host("192.168.0.7:8641")
    with pytest.raises(Refused):
        doors.require_host("rebound.example:8641")
    Doors("box.lan", TOKEN).require_host("box.lan:8641")


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:8641", "http://127.0.0.1:8642", ""]
)
def test_pages_of_others_may_not_ask(origin: str | None) -> None:
    with pytest.raises(Refused):
        Doors("127.0.0.1").require_origin(origin, "127.0.0.1:8641")


def test_own_pages_may_ask() -> None:
    Doors("127.0.0.1").require_origin("http://127.0.0.1:8641", "127.0.0.1:8641")


def test_other_machines_need_a_token_that_cannot_be_guessed() -> None:
    with pytest.raises(InvalidSettings, match="needs a token"):
        Doors("0.0.0.0")
    with pytest.raises(InvalidSettings, match="at least 16"):
        Doors("0.0.0.0", "short")
    with pytest.raises(InvalidSettings, match="at least 16"):
        Doors("0.0.0.0", "with; a cookie's end")


def test_the_token_is_in_the_address_once_and_then_in_the_cookie() -> None:
    doors = Doors("0.0.0.0", TOKEN)
    assert doors.gives_token(f"/?token={TOKEN}")
    assert not doors.gives_token(f"/?token={TOKEN}x")
    assert not doors.gives_token("/")
    assert doors.has_token(f"a=b; {COOKIE}={TOKEN}")
    assert not doors.has_token(f"{COOKIE}=wrong")
    assert not doors.has_token(None)
    assert Doors("127.0.0.1").has_token(None)
    assert "HttpOnly" in doors.set_cookie
    assert "SameSite=Strict" in doors.set_cookie


def test_the_policy_lets_nothing_inline_run() -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert CONTENT_SECURITY_POLICY.startswith("default-src 'none'")


def test_pace_lets_some_through_at_once_and_then_so_many_a_second() -> None:
    now = [0.0]
    pace = Pace(10.0, 3, lambda: now[0])
    assert [pace.wait_s() for _ in range(5)] == pytest.approx([0, 0, 0, 0.1, 0.2])
    now[0] = 100.0
    assert pace.wait_s() == 0.0
