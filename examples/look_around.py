"""A look around a workspace, cell by cell: python examples/look_around.py FOLDER

Editors that know `# %%` run the cells one after another, as a notebook does.
"""

# %%
import asyncio
import sys
from collections import Counter

import surveyor

folder = sys.argv[1]


# %% How far the domains have come
async def stages() -> Counter[str]:
    async with surveyor.open_workspace(folder) as workspace:
        return Counter([domain.stage async for domain in workspace.domains()])


for stage, count in asyncio.run(stages()).most_common():
    print(f"{count:>5}  {stage}")


# %% Which languages the pages speak that were found relevant
async def languages() -> Counter[str]:
    async with surveyor.open_workspace(folder) as workspace:
        return Counter([page.language or "unknown" async for page in workspace.pages() if page.is_relevant])


print("relevant pages:", ", ".join(f"{count} in {name}" for name, count in asyncio.run(languages()).items()))


# %% What the profile thinks of a search result; nothing is stored
async def judged() -> surveyor.Judgment:
    async with surveyor.open_workspace(folder) as workspace:
        return await workspace.judge("https://fund.example/apply", "Small grants for village libraries")


found = asyncio.run(judged())
print(f"{found.domain}: {found.confidence}, {'worth a crawl' if found.should_crawl else 'not worth a crawl'}")
for judge, why in found.explanations.items():
    print(f"  {judge}: {why}")


# %% What would be read from a page in memory; nothing is stored
PAGE = b"""<html lang=en><title>Seed Grants</title><main><h1>Seed Grants</h1>
<p>The foundation funds projects of non-profit organisations in villages. Grants of up to EUR 5,000 are
awarded twice a year. Who can apply: registered charities and community groups.
<p>How to apply: send the application form by the deadline.<p>Deadline: 1 May 2027.</main>"""


async def read() -> surveyor.Document:
    async with surveyor.open_workspace(folder) as workspace:
        return await workspace.extract(PAGE, "https://fund.example/apply")


document = asyncio.run(read())
print(f"{document.title} ({document.language}), relevance {document.relevance}")
for record in document.records:
    print(f"  {record.kind}: {dict(record.fields)}")
