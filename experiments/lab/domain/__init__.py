"""The words of the lab: question, cell, run, event, metric, plan. Pure data, pure rules."""
