"""What the command line says, in English or 简体中文, and the one shape of its errors."""

from __future__ import annotations

import os


def chinese() -> bool:
    """Whether the terminal asks for Chinese: the first of LC_ALL, LC_MESSAGES, LANG that is set decides."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value.lower().startswith("zh")
    return False


def both(en: str, zh: str) -> str:
    """The text in the language of the terminal."""
    return zh if chinese() else en


class UserError(Exception):
    """Something the user can mend. Shown as one block: what happened, where, how to mend it.

    `code` is the exit code: 1 error, 2 usage, 3 no service, 130 interrupted.
    """

    def __init__(self, what: str, *, where: str = "", mend: str = "", code: int = 1) -> None:
        super().__init__(what)
        self.what, self.where, self.mend, self.code = what, where, mend, code

    def __str__(self) -> str:
        """The block, without a line break at its end."""
        rows = (
            (both("Error", "错误"), self.what),
            (both("Where", "位置"), self.where),
            (both("Mend", "办法"), self.mend),
        )
        return "\n".join(f"{name + ':':<6} " + text.replace("\n", "\n       ") for name, text in rows if text)


def examples(*lines: str) -> str:
    """Examples under a command's help, one a line."""
    return both("Examples:", "示例：") + "\n\n" + "\n\n".join(f"  {line}" for line in lines)
