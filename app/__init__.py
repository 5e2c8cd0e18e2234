"""What the shopper sees: the chat page. It reaches the service only over HTTP."""
