"""Judges domains by what search engines say of them: metadata in, a confidence and a candidate out.

panel       the judges of a profile over one search result; pure
values      what a search engine says about a page, and the panel's word, with every judge's score and why
candidates  judges the results that wait, one domain per transaction
rejudge     judges stored results with the present version; writes only where asked to
"""
