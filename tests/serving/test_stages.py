"""What every transport must be able to carry."""

from __future__ import annotations

import pickle

from serving.stages.base import StageError


def test_a_stage_error_survives_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(StageError("catalogue", "shop.csv does not exist")))
    assert isinstance(error, StageError)
    assert (error.stage, str(error)) == ("catalogue", "shop.csv does not exist")
