"""The models themselves: load, warm up, batch. Nothing in here knows Ray or HTTP."""
