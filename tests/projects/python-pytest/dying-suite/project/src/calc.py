import os


def leave():
    os._exit(0)
