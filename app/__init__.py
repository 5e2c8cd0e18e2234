"""What the shopper sees: the chat page. It reaches the service only over HTTP."""

import os

# Read when gradio and huggingface_hub are imported, so they are said before any module of ours imports them.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
# Gradio counts calls for a page of statistics that is switched off here, with pandas and after every call.
os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = "1000000000"
