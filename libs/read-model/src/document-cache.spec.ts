import type { OrganisationDocument } from '@gw/contracts';
import { DocumentCache, EXAMINED_MAX, type CacheEntry } from './document-cache';

const document = {} as OrganisationDocument;
const entry = (size = 10): CacheEntry => ({ document, size, epoch: 0, verifiedAt: 0, changedAt: 0 });

describe('DocumentCache', () => {
  it('never holds more than its maximum number of documents', () => {
    const cache = new DocumentCache({ documentsMax: 100, sizeMax: 1e9 });
    for (let i = 0; i < 10_000; i += 1) {
      cache.set(`k${String(i)}`, entry());
      expect(cache.entries).toBeLessThanOrEqual(100);
    }
  });

  it('never holds more than its maximum size', () => {
    const cache = new DocumentCache({ documentsMax: 1e6, sizeMax: 10_000 });
    for (let i = 0; i < 1_000; i += 1) {
      cache.set(`k${String(i)}`, entry(900));
      const size = [...cache.all()].reduce((sum, [, one]) => sum + one.size, 0);
      expect(size).toBeLessThanOrEqual(10_000);
    }
  });

  it('keeps used documents while others come and go', () => {
    const cache = new DocumentCache({ documentsMax: 10, sizeMax: 1e9 });
    const used = entry();
    cache.set('used', used);
    for (let i = 0; i < 1_000; i += 1) {
      cache.set(`k${String(i)}`, entry());
      expect(cache.get('used')).toBe(used);
    }
  });

  it('deletes a document in either generation', () => {
    const cache = new DocumentCache({ documentsMax: 4, sizeMax: 1e9 });
    for (const key of ['a', 'b', 'c']) cache.set(key, entry());
    cache.delete('a');
    cache.delete('c');
    expect([...cache.all()].map(([key]) => key)).toEqual(['b']);
  });
});

describe('DocumentCache.under', () => {
  const cacheOf = (count: number): DocumentCache => {
    const cache = new DocumentCache({ documentsMax: 100_000, sizeMax: 1e9 });
    for (let at = 0; at < count; at += 1) {
      const entry = { document: { at } as never, size: 1, epoch: 0, verifiedAt: 0, changedAt: 0 };
      cache.set(`config:${at % 2 === 0 ? 'mine' : 'theirs'}:${String(at)}`, entry);
    }
    return cache;
  };

  it('returns only documents with the prefix', () => {
    expect(cacheOf(5).under('config:mine:')).toEqual([{ at: 0 }, { at: 2 }, { at: 4 }]);
  });

  it('examines a bounded number of keys, however many there are', () => {
    expect(cacheOf(20_000).under('config:mine:')).toHaveLength(EXAMINED_MAX / 2);
  });
});
