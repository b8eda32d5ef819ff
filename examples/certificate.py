"""The main job: a model and a number one can sign, from a table; written, read back, verified and rechecked."""

from pathlib import Path
from tempfile import TemporaryDirectory

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import pacbayes as pb
from pacbayes.verification import recheck


def main() -> None:
    """Fit, certify, verify; then a random forest, by its snapshots."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)

    model = pb.CertifiedClassifier(random_state=0).fit(X, y)
    print(model.certificate_)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        model.certificate_.to_json(path)
        certificate = pb.Certificate.from_json(path)
    print("\nVerified from the file alone:")
    print(certificate.verify())
    print("\nRechecked with the data and the model:")
    print(recheck(certificate, X, y, model))

    forest = pb.OnlineCertifiedClassifier(RandomForestClassifier(50, random_state=0), random_state=0).fit(X, y)
    print("\nA random forest:")
    print(forest.certificate_.sentence())


if __name__ == "__main__":
    main()
