"""A Scrapy project as it may be today; the last three lines bring the register."""

BOT_NAME = "newsroom"
SPIDER_MODULES = ["newsroom.spiders", "surveyor.contrib.scrapy.spiders"]
USER_AGENT = "newsroom (+https://newsroom.example/bot)"
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 1

ADDONS = {"surveyor.contrib.scrapy.Addon": 500}
SURVEYOR_WORKSPACE = "../register"  # a folder made by `surveyor init`; the environment may name another
ENABLE_DOMAIN_TRACKING = True
