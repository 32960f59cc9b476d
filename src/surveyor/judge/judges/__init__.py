"""Four judges over one reading: each gives hundredths of 1.00 and a sentence that says why.

keywords      does it offer what the profile looks for?
credibility   is the host believed?
geography     is it for people here?
organisation  is it written by somebody who would?
"""
