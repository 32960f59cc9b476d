"""A language model at an OpenAI-compatible address, for every stage that asks one.

question   what is sent: orders, and strangers' text as data between marks that nobody can guess
endpoint   one question, one answer, or `ModelFailed`
dialect    which parameters an endpoint takes
troubles   how an endpoint fails, and how long it is left alone
books      nothing is asked that was not counted before, and nothing twice
asking     all of these behind one call: what a model says of a text, or nothing
store      the rows of the books
"""
