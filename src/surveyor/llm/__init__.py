"""A language model at an OpenAI-compatible address, for every stage that asks one.

question   what is sent: instructions, and untrusted text as data between marks that cannot be guessed
endpoint   one question, one answer, or `ModelFailed`
dialect    which parameters an endpoint takes
failures   how an endpoint fails, and the back-off after it
usage      nothing is asked that was not counted before, and nothing twice
asking     all of these behind one call: what a model says of a text, or nothing
postponed  what to ask again later
store      the rows of the usage
"""
