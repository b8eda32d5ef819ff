"""The sample that certificates in these tests are issued for."""

import pacbayes as pb

SAMPLE = pb.datasets.make_known_risk(600, d=3, random_state=1)
