"""Commands: parse options, call one function, print."""
