"""Who may come in: the names under which the server is asked, where a page is from, and the token.

A page of the internet cannot drive the engine: its Origin is another one. A name of the internet that leads
to this machine (DNS rebinding) is not among the names that are answered to. Where the server listens on more
than this machine, only who knows the token comes in.
"""

import hmac
import ipaddress
from dataclasses import dataclass
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from heatmap_engine.errors import InvalidSettings

COOKIE = "heatmap_engine_token"
# Who guesses a shorter one has too much hope.
_SHORTEST_TOKEN = 16

# Nothing but what this server serves, no script or style inside of a page, in no other page's frame.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """A request that is not answered, and why."""

    status: HTTPStatus
    words: str


@dataclass(frozen=True, slots=True)
class Doors:
    """Decides by a request's headers; `token` is needed unless the host is this machine alone."""

    host: str
    token: str | None = None

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and self.token is None:
            raise InvalidSettings(f"listening on {self.host}, which others can reach, needs a token")
        if self.token is not None and (len(self.token) < _SHORTEST_TOKEN or not _is_plain(self.token)):
            raise InvalidSettings(
                f"expected a token of at least {_SHORTEST_TOKEN} letters and digits, got {len(self.token)}"
            )

    def require_host(self, host: str | None) -> None:
        """Raise Refused unless this is a name under which a server here may be asked."""
        name = _name_of(host)
        if name is None or not self._is_ours(name):
            raise Refused(HTTPStatus.MISDIRECTED_REQUEST, "this server is not asked under that name")

    def _is_ours(self, name: str) -> bool:
        if is_loopback(self.host):
            return is_loopback(name)
        # A number cannot be rebound to another machine; of names only the one that was given counts.
        return name == self.host.lower() or name == "localhost" or _is_address(name)

    def require_origin(self, origin: str | None, host: str | None) -> None:
        """Raise Refused unless a page of this very server asks."""
        if origin is None or host is None or origin.lower() not in (f"http://{host}".lower(),):
            raise Refused(HTTPStatus.FORBIDDEN, "only a page of this server may ask")

    def has_token(self, cookies: str | None) -> bool:
        if self.token is None:
            return True
        try:
            morsel = SimpleCookie(cookies or "").get(COOKIE)
        except CookieError:
            return False
        return morsel is not None and self._is_token(morsel.value)

    def gives_token(self, path: str) -> bool:
        """Whether an address carries the token, as the one that is printed does."""
        given = parse_qs(urlsplit(path).query).get("token", [])
        return self.token is not None and len(given) == 1 and self._is_token(given[0])

    def _is_token(self, text: str) -> bool:
        assert self.token is not None
        return hmac.compare_digest(text.encode(), self.token.encode())

    @property
    def set_cookie(self) -> str:
        return f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"


def is_loopback(host: str) -> bool:
    """Whether a name or an address means this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_plain(token: str) -> bool:
    return token.isascii() and token.replace("-", "").replace("_", "").isalnum()


def _name_of(host: str | None) -> str | None:
    """The host without its port, in small letters; None for what is none."""
    try:
        return urlsplit(f"//{host}").hostname if host else None
    except ValueError:
        return None
