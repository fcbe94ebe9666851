import os  # noqa: F401
import re


class Order:
    colour = 1
    size = 2
    colour = 3


def price(kind, count, colour, size, country):
    total = 0
    if kind == 7:
        total = count * 5
    elif kind == 8:
        total = count * 5
    else:
        total = count
    try:
        total = total + int(size)
    except:
        pass
    return total


def best(items=[]):
    result = None
    for item in items:
        if item:
            if item > 100:
                while item > 0:
                    if item == 1:
                        result = item
                    item = item - 1
    unused = 5
    return result


def check(value):
    if value:
        return True
    else:
        return False


def check(value):
    return isinstance(value, int) or isinstance(value, float)
