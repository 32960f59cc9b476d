"""Spiders to use as they are: add `surveyor.contrib.scrapy.spiders` to `SPIDER_MODULES`."""
