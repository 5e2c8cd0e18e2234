"""The page's own settings, from `DAOGOU_*` variables and `.env`."""

from __future__ import annotations

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class SettingsError(ValueError):
    """A setting has a value that cannot be used; the message names the variable, the value and what is allowed."""


class UiSettings(BaseSettings):
    model_config = SettingsConfigDict(env_prefix="DAOGOU_", env_file=".env", extra="ignore", frozen=True)

    ui_host: str = "127.0.0.1"
    ui_port: int = Field(default=7860, ge=1, le=65535)
    api_url: str | None = Field(default=None, description="where the service is; default: API_HOST:API_PORT")
    api_host: str = "127.0.0.1"
    api_port: int = Field(default=8000, ge=1, le=65535)
    share: bool = Field(default=False, description="open a public link, behind a password")
    ui_picture_hosts: str = Field(
        default="", description="hosts that product pictures may come from, e.g. 'cdn.shop.example'; commas between"
    )

    @field_validator("api_url")
    @classmethod
    def _http(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("an address that begins with http:// or https://")
        return None if value is None else value.rstrip("/")

    @field_validator("ui_picture_hosts")
    @classmethod
    def _hosts(cls, value: str) -> str:
        for host in filter(None, (part.strip() for part in value.split(","))):
            if not host.replace(".", "").replace("-", "").isalnum() or not host.isascii():
                raise ValueError(f"{host!r} is not a host name such as cdn.shop.example")
        return value

    @property
    def service_url(self) -> str:
        host = "127.0.0.1" if self.api_host in ("0.0.0.0", "::") else self.api_host
        return self.api_url or f"http://{host}:{self.api_port}"

    @property
    def picture_hosts(self) -> frozenset[str]:
        return frozenset(part.strip().lower() for part in self.ui_picture_hosts.split(",") if part.strip())


def load_settings() -> UiSettings:
    """The settings of this process. Raises SettingsError, one line for each wrong variable."""
    try:
        return UiSettings()
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            name = "DAOGOU_" + "_".join(str(part) for part in problem["loc"]).upper()
            wanted = problem["msg"].removeprefix("Value error, ")
            lines.append(f"{name}={problem['input']!r} cannot be used: {wanted[:1].lower()}{wanted[1:]}")
        raise SettingsError("\n".join(lines)) from error
