"""Words and tables of the section on inputs of others."""


def shown(words):
    return "kbsim " + " ".join(words)


def percent(share, digits=1):
    return f"{100 * share:.{digits}f} %"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head),
            *("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows), ""]
