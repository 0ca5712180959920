"""The days of recurrence rules by python-dateutil, as digests of a hundred rules each.

    node scripts/recurrence/seeded.ts | python3 scripts/recurrence/reference.py > test/time/dateutil.txt

Needs python-dateutil (Debian's package python3-dateutil, 2.8.2 for the recorded file).

With --days it prints the days of each rule instead. Where RFC 5545 and python-dateutil differ, the rule is
written so that python-dateutil reads it as RFC 5545 says: a plain weekday beside a numbered one becomes all
its numbers, and a week of BYSETPOS begins on its first day.
"""
import datetime
import hashlib
import sys

from dateutil import rrule

YEARS = 40
MOST = 12
NAMES = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]


class Passed(Exception):
    pass


rebuild = rrule._iterinfo.rebuild
last_year = 0


def bounded(self, year, month):
    if year > last_year:
        raise Passed
    return rebuild(self, year, month)


rrule._iterinfo.rebuild = bounded


def days_of(first, text):
    global last_year
    last_year = first.year + YEARS
    parts = dict(part.split("=") for part in text.split(";"))
    frequency = parts["FREQ"]
    count = int(parts.pop("COUNT", MOST))
    start = first
    byday = parts.get("BYDAY", "").split(",") if "BYDAY" in parts else []
    if frequency == "WEEKLY" and "BYSETPOS" in parts:
        byday = byday or [NAMES[first.weekday()]]
        start = first - datetime.timedelta((first.weekday() - NAMES.index(parts.get("WKST", "MO"))) % 7)
    if any(len(day) > 2 for day in byday):
        most = 53 if frequency == "YEARLY" and "BYMONTH" not in parts else 5
        numbers = range(1, most + 1)
        byday = [each for day in byday for each in ([f"{n}{day}" for n in numbers] if len(day) == 2 else [day])]
    if byday:
        parts["BYDAY"] = ",".join(byday)
    rule = rrule.rrulestr(";".join(f"{name}={value}" for name, value in parts.items()), dtstart=start)
    days = []
    try:
        for day in rule:
            if day.year > last_year or len(days) >= min(count, MOST):
                break
            if day >= first:
                days.append(day)
    except Passed:
        pass
    return ",".join(day.strftime("%Y-%m-%d") for day in days)


group = []
digests = []
for line in sys.stdin:
    date, text = line.split()
    found = f"{date} {text} {days_of(datetime.datetime.fromisoformat(date), text)}\n"
    if "--days" in sys.argv:
        sys.stdout.write(found)
        continue
    group.append(found)
    if len(group) == 100:
        digests.append(hashlib.sha256("".join(group).encode()).hexdigest()[:8])
        group = []
for start in range(0, len(digests), 12):
    print(" ".join(digests[start : start + 12]))
