"""Runs from the wheel, or with PYTHONPATH=python PARSCAN_LIBRARY=/path/to/libparscan.so."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import parscan
from parscan import _host

os.environ.setdefault("JAX_PLATFORMS", "cpu")  # and leaves a GPU's memory alone
settings.register_profile("parscan", deadline=None, max_examples=40, derandomize=True, database=None,
                          suppress_health_check=list(HealthCheck))
settings.load_profile("parscan")


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture(autouse=True)
def _short_arrays_go_to_the_library(monkeypatch):
    """What NumPy's functions do for short arrays is tested by test_short.py."""
    monkeypatch.setattr(_host, "SHORT", -1)


@pytest.fixture(scope="session", autouse=True)
def _library_is_there():
    assert parscan.library_path
