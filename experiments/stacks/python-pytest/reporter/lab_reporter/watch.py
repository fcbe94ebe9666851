"""Waits for the import of a test runner and hands its module to the part that hooks it."""

import sys


def _hook_pytest(module):
    from lab_reporter import pytest_hook

    pytest_hook.hook(module)


def _hook_unittest(module):
    from lab_reporter import unittest_hook

    unittest_hook.hook(module)


HOOKS = {"_pytest.config": _hook_pytest, "unittest.main": _hook_unittest}


class Watcher:
    """A finder that finds nothing itself: it asks the others and wraps the loader they name."""

    def find_spec(self, name, path=None, target=None):
        if name not in HOOKS:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                _wrap(spec, HOOKS[name])
                return spec
        return None


def _wrap(spec, hook):
    loader = spec.loader
    original = loader.exec_module

    def exec_module(module):
        original(module)
        attempt(hook, module)

    loader.exec_module = exec_module


def attempt(function, *arguments):
    """Call a part of the reporter; its fault is told to the lab and kept from the agent's run."""
    try:
        return function(*arguments)
    except Exception as error:
        from lab_reporter import outlet

        outlet.tell_fault(function.__name__, error)
        return None


def install():
    """Watch imports from now on; a runner that is loaded already is hooked at once."""
    sys.meta_path.insert(0, Watcher())
    for name, hook in HOOKS.items():
        if name in sys.modules:
            attempt(hook, sys.modules[name])
