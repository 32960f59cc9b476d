"""A judge that was trained on real search results: a small linear model over words, address and signs.

features   what the model looks at, as numbered features with a strength; pure
model      weights, the probability that a result is wanted, and the strongest reasons for it
training   from labelled results to a model, the same one every time; with its quality on what it has not seen
weights/   the models that come with the program, one per profile, made by `tools.judge_train`
"""
