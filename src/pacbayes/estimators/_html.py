"""The certificate below scikit-learn's own diagram of an estimator, in notebooks."""

from __future__ import annotations

from typing import Any

__all__ = ["WithCertificate"]


class WithCertificate:
    """Adds the certificate to the HTML representation of a fitted estimator."""

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + _certificate_of(self)  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += _certificate_of(self)
        return bundle


def _certificate_of(estimator: Any) -> str:
    certificate = getattr(estimator, "certificate_", None)
    return "" if certificate is None else str(certificate._repr_html_())
