#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts the cases of TAP files (*.tap) and of meson's test logs (*.json).

Names what failed and what was skipped, and why; ends with "N passed, N failed, N skipped". A test
program that ends early or badly is a failed case. Exit status 1 if a case failed or none passed.
"""
import json
import os
import re
import sys

CASE = re.compile(r"(not )?ok\b\s*\d*\s*(?:- )?([^#]*)(?:#\s*(SKIP|TODO)\b\s*(.*))?", re.I)
PLAN = re.compile(r"1\.\.(\d+)\s*(?:#\s*SKIP\b\s*(.*))?", re.I)
REASON = re.compile(r"#\s*SKIP\b\s*(.*)", re.I)


class Count:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def tap(self, program, text):
        """Returns how many cases there were, how many failed, and how many the plan names."""
        cases, failed, planned, reason = 0, 0, None, ""
        for line in text.splitlines():
            if match := PLAN.fullmatch(line.strip()):
                planned = int(match[1])
                if planned == 0:
                    self.skipped.append((program, match[2] or ""))
            elif match := REASON.fullmatch(line.strip()):
                # cmocka's skip() takes no reason: tests print it in a line of its own before.
                reason = match[1]
            elif match := CASE.match(line):
                cases += 1
                name = match[2].strip()
                if (match[3] or "").upper() == "SKIP":
                    # "not ok 2 # SKIP name" (cmocka), or "ok 2 - name # SKIP reason"
                    what, why = (name, match[4]) if name else (match[4], reason)
                    self.skipped.append((f"{program}: {what}", why or reason))
                elif match[1]:
                    failed += 1
                    self.failed.append(f"{program}: {name}")
                else:
                    self.passed += 1
                reason = ""
        return cases, failed, planned

    def program(self, test, build):
        """One test program, as meson's log has it, run in that build directory."""
        # "project:suite / name"
        name = f"{build}/{test['name'].split(' / ')[-1]}"
        result, status = test["result"], test.get("returncode", 0)
        cases, failed, planned = self.tap(name, test.get("stdout", ""))
        if planned is None and cases == 0:
            if result == "OK":
                self.passed += 1
            elif result == "SKIP":
                lines = (test.get("stdout", "") + test.get("stderr", "")).strip().splitlines()
                self.skipped.append((name, lines[-1] if lines else ""))
            else:
                self.failed.append(f"{name}: {result}, exit status {status}")
        elif planned is not None and cases < planned:
            self.failed.append(
                f"{name}: ended after {cases} of {planned} cases ({result}, exit status {status})")
        elif result not in ("OK", "SKIP") and not failed:
            self.failed.append(f"{name}: {result}, exit status {status}, though no case failed")


def main(paths):
    count = Count()
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                if path.endswith(".json"):
                    build = os.path.basename(os.path.abspath(os.path.join(path, "../..")))
                    for line in file:
                        count.program(json.loads(line), build)
                else:
                    count.tap("check", file.read())
        except (OSError, ValueError, KeyError) as error:
            count.failed.append(f"{path}: {error}")
    for what, why in count.skipped:
        print(f"skipped: {what}" + (f" ({why})" if why else ""))
    for what in count.failed:
        print(f"failed: {what}")
    print(f"{count.passed} passed, {len(count.failed)} failed, {len(count.skipped)} skipped")
    return 1 if count.failed or not count.passed else 0


sys.exit(main(sys.argv[1:]))
