"""Adds the full-text search and the page for unknown addresses to the site that Scripts/docs has built, and tries the search.

usage: search.py SITE
"""
import json
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path

from lunr.builder import Builder
from lunr.stemmer import porter_stemmer, stemmer
from py_mini_racer import MiniRacer

here, site = Path(__file__).parent, Path(sys.argv[1])

# A page with the word in its title comes before one that mentions it; an article before a type, and that before its members.
field_boosts = {"title": 10, "headings": 4, "abstract": 3, "text": 1}
article_boost, type_boost = 2, 1.5

# What a reader types, and the pages that must be among the first three.
wanted = {
    "mTLS": ["mutualtls"],
    "pagination": ["recipes"],
    "OpenAI": ["languagemodels"],
    "rotate": ["authentication", "mutualtls"],
    "channel": ["channel", "channels"],
    "retrypol": ["retrypolicy"],
    "way of a request": ["thewayofarequest"],
}


def text_of(value, references):
    """Yields the texts of a part of a page, depth first: prose, code, and the titles of what it links to."""
    if isinstance(value, list):
        for item in value:
            yield from text_of(item, references)
    elif isinstance(value, dict):
        if value.get("type") == "reference":
            yield references.get(value["identifier"], {}).get("title", "")
        for key, item in value.items():
            if key in ("text", "title") and isinstance(item, str):
                yield item
            elif key == "code":
                yield item if isinstance(item, str) else "\n".join(item)
            elif isinstance(item, (list, dict)):
                yield from text_of(item, references)


def is_heading(value):
    return isinstance(value, dict) and value.get("type") == "heading"


def read_page(path):
    """None for the lists that docc makes, such as "LocalizedError Implementations"."""
    page = json.loads(path.read_text(encoding="utf-8"))
    if page["metadata"]["role"] == "collectionGroup":
        return None
    references = page.get("references", {})
    text = lambda value: re.sub(r"\s+", " ", " ".join(text_of(value, references)))
    # Declarations repeat the title, and the types in them are found by their own pages.
    sections = [section for section in page.get("primaryContentSections", []) if section["kind"] != "declarations"]
    content = [item for section in sections for item in section.get("content", [section])]
    above = [references[identifier]["title"] for path in page["hierarchy"]["paths"][:1] for identifier in path]
    return {
        "address": page["variants"][0]["paths"][0].strip("/"),
        "above": above,
        "boost": article_boost if page["kind"] == "article" else type_boost if len(above) < 2 else 1,
        "title": page["metadata"]["title"],
        "headings": text([item for item in content if is_heading(item)]),
        "abstract": "".join(text_of(page.get("abstract", []), references)).strip(),
        "text": text([item for item in content if not is_heading(item)]),
    }


def words_of(text):
    """RetryPolicy is found by "retrypolicy", by "retry" and by "policy"."""
    for word in re.findall(r"[^\W_]+", text):
        yield word.lower()
        parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", word)
        yield from (part.lower() for part in parts if len(parts) > 1 and len(part) > 1)


def index(pages):
    """The words with their stems, and for each stem the pages with lunr's scores."""
    builder = Builder()
    builder.pipeline.add(stemmer)
    for name, boost in field_boosts.items():
        builder.field(name, boost)
    words = set()
    for number, page in enumerate(pages):
        fields = {name: list(words_of(page[name])) for name in field_boosts}
        words.update(*fields.values())
        builder.add({"id": number, **fields}, {"boost": page["boost"]})
    vectors = builder.build().field_vectors
    scores = defaultdict(lambda: defaultdict(float))
    for field, vector in vectors.items():
        number = int(field.partition("/")[2])
        for stem, score in zip(vector.elements[::2], vector.elements[1::2]):
            scores[stem][number] += score
    return {
        "pages": [[page["title"], " › ".join(page["above"]), page["address"], page["abstract"]] for page in pages],
        "words": {word: builder.inverted_index[porter_stemmer.stem(word)]["_index"] for word in sorted(words)},
        # Whole numbers, because thousands of fractions would double the size.
        "found": [[part for number, score in scores[stem].items() for part in (number, round(score * 10))]
                  for stem in range(len(scores))],
    }


def add_link():
    """DocC's pages show this element above their own header."""
    link = '<template id="custom-header"><style>a{display:block;padding:.5em 1.5em;font:14px system-ui,sans-serif;color:#06c;'
    link += 'text-align:end}a:hover{text-decoration:underline}:host([data-color-scheme="dark"]) a{color:#2997ff}'
    link += '@media(prefers-color-scheme:dark){:host([data-color-scheme="auto"]) a{color:#2997ff}}'
    link += '</style><a href="/search.html">Search the text of all pages</a></template>'
    for path in (site / "documentation").rglob("index.html"):
        before, body, after = path.read_text(encoding="utf-8").partition('<body data-color-scheme="auto">')
        if not body:
            yield f"{path.relative_to(site)} has no body to put the link to the search into"
        path.write_text(before + body + link + after, encoding="utf-8")


def misses():
    """Runs the page's own script, on the index that a browser loads."""
    browser = MiniRacer()
    browser.eval((site / "search.js").read_text(encoding="utf-8"))
    browser.eval(f"const index = {(site / 'search.json').read_text(encoding='utf-8')}; null")
    for query, pages in wanted.items():
        found = browser.eval(f"JSON.stringify(find(index, {json.dumps(query)}))")
        first = [page["address"] for page in json.loads(found)[:3]]
        for page in pages:
            if f"documentation/coreapi/{page}" not in first:
                yield f"the search for {query} finds {first}, and not {page} among its first three"


for name in ["search.html", "search.js", "404.html"]:
    shutil.copy(here / name, site)
pages = [page for path in sorted((site / "data/documentation").rglob("*.json")) if (page := read_page(path))]
(site / "search.json").write_text(json.dumps(index(pages), ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
wrong = [*add_link(), *misses()]
for line in wrong:
    print(f"docs: {line}", file=sys.stderr)
sys.exit(1 if wrong else 0)
