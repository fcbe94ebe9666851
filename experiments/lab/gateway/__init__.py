"""The gateway process: the event sink now, the model routes later."""
