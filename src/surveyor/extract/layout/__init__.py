"""How a page is laid out: its boxes, the pieces of text in them, and which of them are its content.

walk        the tree of a page -> boxes and pieces, in the order of reading
regions     boxes and pieces -> what belongs to the content, what to navigation, margin, footer
opinion     learned trees that overrule where that choice looks wrong
titles      what the page and the site are called
"""
