"""A language model as the last reader of a page: optional, with a budget, believed only where it can show it.

`prompt` makes the question and `answer` takes what is well formed of the reply; `proof` keeps what stands on
the page, in the page's own words. `reader` is all of it behind one call; how a model is asked, counted and
left alone is in `surveyor.llm`.

What a page says is data: nothing a page or a model writes can do more than fill in a record of that page.
"""
