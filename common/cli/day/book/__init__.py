"""The book: the pages, notebooks and exercises as static files that ask no other host for anything.

contents.py says what is in it, execute.py runs the notebooks, render.py makes HTML of one page,
site.py writes the folder. Needs requirements-book.lock, except contents.py."""
