"""The runner: batches, attempts, executors, and the housekeeping around them."""
