from functools import cache


class Machine:
    """Runs commands."""

    def __init__(self, limit=10):
        self.limit = limit
        self.stack = []

    def run(self, commands):
        for command in commands:
            match command.split():
                case ["push", number] if number.isdigit():
                    self.stack.append(int(number))
                case ["add"]:
                    if len(self.stack) >= 2:
                        self.stack.append(self.stack.pop() + self.stack.pop())
                    else:
                        raise ValueError("too few")
                case ["drop", *rest]:
                    while rest and self.stack:
                        self.stack.pop()
                        rest = rest[1:]
                case _:
                    raise ValueError(f"unknown {command!r}")
        return self.stack[-1] if self.stack else None


@cache
def primes(limit):
    def is_prime(n):
        return n > 1 and all(n % d for d in range(2, n))

    return [n for n in range(limit) if is_prime(n)]


def size(text):
    if (n := len(text)) > 100:
        return "long"
    elif n > 10:
        return "middle"
    return "short"


twice = lambda x: x * 2
