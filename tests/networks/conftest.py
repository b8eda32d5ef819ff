"""Tests of the extra `torch`: where it is not installed, they are not collected."""

from importlib.util import find_spec

HAS_TORCH = find_spec("torch") is not None and find_spec("safetensors") is not None
collect_ignore_glob = [] if HAS_TORCH else ["test_*.py"]

if HAS_TORCH:
    import torch

    torch.set_num_threads(1)
