"""What tests of `watch --certificate` share: its options, its reports, the monitor that it should be, forged states."""

import json
from pathlib import Path

import pacbayes as pb
from pacbayes.cli._watch_state import _checksum


def expected(losses, alpha=0.01):
    monitor = pb.Monitor(pb.Certificate.from_json(Path("certificate.json")), alpha)
    monitor.update(losses)
    return monitor


WATCH = ("--certificate", "certificate.json", "--every", "500")


def records(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def reseal(record):
    record.pop("checksum", None)
    record["checksum"] = _checksum(record)
    return record
