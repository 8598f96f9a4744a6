#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: steps.py FILE.jsonl: prints the steps of a run as one JSON document, a line each."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as lines:
    steps = [json.loads(line) for line in lines]
print("[\n" + ",\n".join(json.dumps(step) for step in steps) + "\n]")
