"""Certificates: what was proved, under which assumptions, from which numbers; and how anyone can check it."""

from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes.certificate._certificate import Certificate, Choice
from pacbayes.certificate._verification import Check, Verification

__all__ = ["Certificate", "Check", "Choice", "Verification", "data_digest", "digest_of_arrays"]
