"""What is asked in measurements: ordinary shopping questions in English, each different."""

QUESTIONS = (
    "a waterproof jacket for hiking",
    "running shoes for wide feet",
    "a gift for someone who loves coffee",
    "a light backpack for weekend trips",
    "headphones that last a whole flight",
    "a red summer dress",
    "a warm hat for winter walks",
    "a mug that keeps tea hot",
    "a tent for a family of four",
    "a lamp for reading in bed",
    "sunglasses for driving",
    "a thick yoga mat",
    "boots for muddy trails",
    "a quiet keyboard for the office",
    "a pan for pancakes",
    "a leather handbag for work",
    "a watch that survives swimming",
    "a steel water bottle for kids",
    "a soft shirt for hot days",
    "a wooden toy for a toddler",
)
