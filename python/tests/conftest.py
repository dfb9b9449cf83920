"""Runs from the wheel, or with PYTHONPATH=python PARSCAN_LIBRARY=/path/to/libparscan.so."""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import parscan

settings.register_profile("parscan", deadline=None, max_examples=40, derandomize=True, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("parscan")


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture(scope="session", autouse=True)
def _library_is_there():
    assert parscan.library_path
