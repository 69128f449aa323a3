// The index is that of search.py: `words` has each word's stem, and `found` for each stem the numbers of pages, each before its
// score. A word that only begins with what was typed counts half.

function find(index, query) {
    const terms = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
    const hits = new Map();
    for (const term of terms) {
        const weights = new Map();
        for (const [word, stem] of Object.entries(index.words)) {
            if (word === term) weights.set(stem, 1);
            else if (word.startsWith(term) && !weights.has(stem)) weights.set(stem, 0.5);
        }
        // The best of the words that a term stands for, so that a page with many of them does not win.
        const best = new Map();
        for (const [stem, weight] of weights) {
            const found = index.found[stem];
            for (let at = 0; at < found.length; at += 2) {
                best.set(found[at], Math.max(best.get(found[at]) ?? 0, found[at + 1] * weight));
            }
        }
        for (const [page, score] of best) {
            const hit = hits.get(page) ?? { page, terms: 0, score: 0 };
            hits.set(page, { page, terms: hit.terms + 1, score: hit.score + score });
        }
    }
    // Pages with all terms come before those with some.
    return [...hits.values()]
        .sort((one, other) => other.terms - one.terms || other.score - one.score || one.page - other.page)
        .map(({ page }) => {
            const [title, above, address, abstract] = index.pages[page];
            return { title, above, address, abstract };
        });
}
