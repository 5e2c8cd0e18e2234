"""The owner's side of the gateway: load a feed, change single products. And the products' pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Protocol

from fastapi import Depends, FastAPI, Header
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from retrieval.product import Product
from serving.change import MOST, Applied, Change
from serving.errors import ApiError
from serving.events import picture_name
from serving.job import Job
from serving.owner import is_owner
from serving.settings import Settings
from serving.stages.base import StageError
from ui_assets.demo import PICTURES

FOLDER = "pictures"  # in the home
_MOST_NAME_BYTES = 255  # of a file


class Owner(Protocol):
    """What the owner may ask of the stages. All raise StageError."""

    async def load_catalogue(self, job: Job) -> bool:
        """Begin to load a feed; True if that is over already, else progress is in `status`."""
        ...

    async def update(self, change: Change) -> Applied:
        """Change single products; the next question sees it."""
        ...

    async def products(self, ids: Sequence[str]) -> list[Product]:
        """The records that exist among `ids`."""
        ...


class CatalogueRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: Path = Field(description="a feed on the machine of the service")
    mapping: dict[str, str] = Field(default={}, description="what columns of a plain table mean, by role")
    currency: str = Field(default="USD", pattern="^[A-Z]{3}$", description="of prices that name none")
    keep_missing: bool = Field(default=False, description="keep products that the feed does not hold")


class _Items(BaseModel):
    model_config = ConfigDict(extra="forbid")

    products: list[dict[str, Any]] = Field(min_length=1, max_length=MOST)


class _Ids(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ids: list[str] = Field(min_length=1, max_length=MOST)


def add_routes(app: FastAPI, backend: Owner, settings: Settings) -> None:
    """Those below /v1/catalogue."""

    def owner(authorization: Annotated[str | None, Header()] = None) -> None:
        if not is_owner(settings.home, authorization):
            raise ApiError(
                401, "owner_key_required", "Send 'Authorization: Bearer KEY' with the key in owner.key of the home."
            )

    _load_route(app, backend, Depends(owner))
    _product_routes(app, backend, Depends(owner))

    @app.get("/v1/catalogue/pictures/{name}", include_in_schema=False)
    async def picture(name: str) -> Response:
        """A product's picture: the shop's own, else the demo catalogue's."""
        if file := _picture_file(settings.home, name):
            headers = {"Cache-Control": "public, max-age=86400", "X-Content-Type-Options": "nosniff"}
            return FileResponse(file, media_type="image/webp", headers=headers)
        raise ApiError(404, "not_found", f"There is no picture {name!r}.")


def _load_route(app: FastAPI, backend: Owner, owner: Any) -> None:
    @app.post("/v1/catalogue", status_code=202, dependencies=[owner])
    async def load_catalogue(request: CatalogueRequest) -> dict[str, str]:
        """Load a feed. Asks for the owner's key, which lies in the home of the service."""
        try:
            over = await backend.load_catalogue(Job(**dict(request)))
        except StageError as error:
            raise ApiError(400, "feed_unusable", str(error), param="path") from error
        return {"status": "loaded" if over else "loading", "progress": "/readyz"}


def _product_routes(app: FastAPI, backend: Owner, owner: Any) -> None:
    @app.put("/v1/catalogue/products", dependencies=[owner])
    async def put_products(request: _Items) -> dict[str, Any]:
        """Add products or replace them whole; records as in Daogou's own JSON. Asks for the owner's key."""
        return await _changed(backend, Change(put=request.products))

    @app.patch("/v1/catalogue/products", dependencies=[owner])
    async def patch_products(request: _Items) -> dict[str, Any]:
        """Change fields of products, by id; a price may be an amount alone. Asks for the owner's key."""
        return await _changed(backend, Change(patch=request.products))

    @app.delete("/v1/catalogue/products", dependencies=[owner])
    async def delete_products(request: _Ids) -> dict[str, Any]:
        """Remove products. Asks for the owner's key."""
        return await _changed(backend, Change(delete=request.ids))

    @app.get("/v1/catalogue/products/{product:path}", dependencies=[owner], response_model=None)
    async def product(product: str) -> dict[str, Any]:
        """A record as it is stored. Asks for the owner's key."""
        try:
            found = await backend.products([product])
        except StageError as error:
            raise ApiError(503, "catalogue_unavailable", str(error), retry_after=2) from error
        if not found:
            raise ApiError(404, "not_found", f"There is no product {product!r}.")
        return found[0].model_dump(mode="json")


async def _changed(backend: Owner, change: Change) -> dict[str, Any]:
    """Good items are applied, the others told. Raises ApiError, 400 where no item could be taken."""
    try:
        applied = await backend.update(change)
    except StageError as error:
        raise ApiError(503, "catalogue_unavailable", str(error), retry_after=2) from error
    problems = [asdict(problem) for problem in applied.problems]
    if not applied.put + applied.patched + applied.deleted:
        first = applied.problems[0] if applied.problems else "nothing to do"
        raise ApiError(400, "nothing_changed", f"Nothing was changed. {first}.", param="products")
    return {"put": applied.put, "patched": applied.patched, "deleted": applied.deleted, "problems": problems}


def _picture_file(home: Path, name: str) -> Path | None:
    if Path(name).name != name or not name.endswith(".webp") or len(name.encode()) > _MOST_NAME_BYTES:
        return None
    kept = home / FOLDER
    places = (kept / name, PICTURES / name, kept / picture_name(name))
    return next((place for place in places if place.is_file()), None)
