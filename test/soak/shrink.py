"""Makes a failing case smaller for as long as it fails in the same way."""
import re
import time


def kind_of(found):
    """Failures are of one kind if, numbers and places aside, they begin with the same words."""
    return re.sub(r"[\d.]+|sip\S*|\w+\.yaml\S*", "#", re.sub(r"\([^)]*\)", "", found))[:60].strip()


def smaller_values(part):
    """The part with one of its numbers halved."""
    for at, word in enumerate(part):
        value = re.fullmatch(r"(.*=)?(\d{2,})", word)
        if value and part[at - 1] not in ("--shuffle-ties", "--max-events"):
            yield part[:at] + [(value[1] or "") + str(int(value[2]) // 2)] + part[at + 1:]


def shrink(case, found, judge, seconds):
    end = time.monotonic() + seconds
    fails = lambda smaller: time.monotonic() < end and kind_of(judge.judge(smaller)) == kind_of(found)
    shrunk = True
    while shrunk and time.monotonic() < end:
        shrunk = False
        for i in reversed(range(len(case.parts))):
            smaller = case.with_parts(case.parts[:i] + case.parts[i + 1:])
            if fails(smaller):
                case, shrunk = smaller, True
        for i, part in enumerate(case.parts):
            options = [part[:j] + part[j + 2:] for j in range(0, len(part), 2)] if len(part) > 2 else []
            for option in options + list(smaller_values(part)):
                smaller = case.with_parts(case.parts[:i] + [option] + case.parts[i + 1:])
                if fails(smaller):
                    case, shrunk = smaller, True
                    break
    return case
