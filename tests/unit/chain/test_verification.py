"""Which containers make a verification test."""

import pytest
from lab.chain.verification import is_verification


@pytest.mark.parametrize(
    "test",
    [
        ("src/x.spec.ts", "verification", "adds"),
        ("src/x.spec.ts", "Verification Tests", "adds"),
        ("src/verification.spec.ts", "adds"),
        ("tests/test_verification.py", "test_a"),
        ("tests/verification_test.py", "test_a"),
        ("tests/x.py", "TestVerification", "test_a"),
        ("tests/x.py", "VerificationTests", "test_a"),
        ("tests.test_verification", "TestA", "test_a"),
        ("com.example.VerificationTest", "a()"),
        ("com.example.AppTest", "Verification", "a()"),
        ("tests", "verification", "a"),
        ("src/verification.rs#test", "tests", "a"),
    ],
    ids="::".join,
)
def test_a_container_named_verification_makes_a_verification_test(test: tuple[str, ...]) -> None:
    assert is_verification(test)


@pytest.mark.parametrize(
    "test",
    [
        ("t", "test_verification_of_input"),
        ("tests/test_x.py", "verification"),
        ("verification",),
        ("tests/verification/test_x.py", "test_a"),
        ("tests/test_x.py", "TestVerificationOfInput", "test_a"),
        ("src/x.spec.ts", "see 3.2 verification", "adds"),
        ("src/x.spec.ts", "test verification test", "adds"),
    ],
    ids="::".join,
)
def test_nothing_else_does(test: tuple[str, ...]) -> None:
    assert not is_verification(test)
