"""The extract stage: new and changed versions of pages become text, relevance, records and contacts.

`reading` is what a page says, pure: parsing, text, records, contacts. `worker` is the process: it claims
versions, has them read in `child` processes, and `commit` writes groups of readings in one transaction.
`merging` and `record_set` say what is one thing on several pages; `ends` judges domains that are read whole;
`look` is for those who want to see it; `training` learns from what people decided.
"""
