"""Settings from `DAOGOU_*` variables and `.env`. Everything else is in the profile."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from serving.messages import UserError, both
from serving.profiles import PROFILES, Profile, ProfileName

Port = int

# Set by `daogou up` for the processes that it starts: their temporary folder lies inside the one that this names.
RUN_DIR_VARIABLE = "DAOGOU_RUN_DIR"
_MOST_RUN_DIR_BYTES = 39  # a socket's path holds 107, and Ray's adds up to 68


class SettingsError(ValueError):
    """A setting has a value that cannot be used; the message names the variable, the value and what is allowed."""


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="DAOGOU_", env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    profile: ProfileName = "embedded"
    home: Path = Field(default=Path("~/.daogou"), description="folder with the shop's data")
    cache: Path | None = Field(default=None, description="prepared weights; default: HOME/models")
    ui_host: str = "127.0.0.1"
    ui_port: int = Field(default=7860, ge=1, le=65535)
    api_host: str = "127.0.0.1"
    api_port: int = Field(default=8000, ge=1, le=65535)
    api_url: str | None = Field(default=None, description="where the page finds the service; default: API_HOST:PORT")
    qdrant_url: str | None = Field(default=None, description="a Qdrant server; default: embedded, in HOME")
    qdrant_key: str | None = None
    llm_url: str | None = Field(default=None, description="an OpenAI-compatible main model elsewhere, up to /v1")
    llm_key: str | None = None
    llm_model: str | None = None
    cells: int = Field(default=1, ge=1, le=64, description="gateway, encoders and engine, so many times")
    stages: Literal["cell", "serve_graph"] = Field(default="cell", description="how the models are joined")
    catalogue: Path | None = Field(default=None, description="loaded on first start; default: the demo catalogue")
    pictures: Literal["all", "local", "off"] = Field(
        default="all", description="product pictures that are kept: also from the web, those beside the feed, none"
    )
    private_addresses: bool = Field(
        default=False, description="pictures and feeds also by http and from private networks"
    )
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("home", "cache", "catalogue")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else Path(os.path.abspath(value.expanduser()))

    @field_validator("llm_url", "qdrant_url", "api_url")
    @classmethod
    def _http(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise ValueError("an address that begins with http:// or https://")
        return None if value is None else value.rstrip("/")

    @property
    def models(self) -> Profile:
        return PROFILES[self.profile]

    @property
    def weights_dir(self) -> Path:
        return self.cache or self.home / "models"

    @property
    def service_url(self) -> str:
        return self.api_url or address(self.api_host, self.api_port)

    @property
    def ray_address(self) -> str | None:
        """The Ray cluster to join; None: Ray is started here, for this run alone. Ray's own variable."""
        given = os.environ.get("RAY_ADDRESS", "").strip()
        return given if given not in ("", "local") else None

    @property
    def run_dir(self) -> Path:
        """Sockets, Ray's session, temporary files; one for each home. In /tmp where TMPDIR is too long for sockets."""
        if given := os.environ.get(RUN_DIR_VARIABLE):
            return Path(given)
        digest = hashlib.sha256(str(self.home).encode()).hexdigest()[:10]
        name = f"daogou-{os.getuid()}-{digest}"
        folder = Path(tempfile.gettempdir()) / name
        return folder if len(os.fsencode(folder)) <= _MOST_RUN_DIR_BYTES else Path("/tmp") / name


def address(host: str, port: int) -> str:
    """Where a server that listens on `host` is reached from its own machine."""
    here = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    return f"http://[{here}]:{port}" if ":" in here else f"http://{here}:{port}"


def load_settings() -> Settings:
    """The settings of this process. Raises SettingsError, one line for each wrong variable."""
    try:
        return Settings()
    except ValidationError as error:
        lines = []
        for problem in error.errors():
            name = "DAOGOU_" + "_".join(str(part) for part in problem["loc"]).upper()
            message = problem["msg"].removeprefix("Value error, ")
            lines.append(f"{name}={problem['input']!r} cannot be used: {message[:1].lower()}{message[1:]}")
        raise SettingsError("\n".join(lines)) from error


def settings_or_told() -> Settings:
    """As `load_settings`, for a command. Raises UserError."""
    try:
        return load_settings()
    except SettingsError as error:
        mend = both("correct it in the environment or in .env.", "请在环境变量或 .env 中改正。")
        raise UserError(str(error), mend=mend) from error
