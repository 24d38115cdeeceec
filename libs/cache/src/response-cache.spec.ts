import type { CachePolicy } from './cache-policy';
import { ResponseCache, type Embedder, type Lookup, type SemanticSource } from './response-cache';
import { MemoryVectorStore } from './semantic/memory-vector-store';
import { sampleResponse, sampleRequest } from './spec-support/samples';
import { UNAVAILABLE } from './stores/blob-store';
import { MemoryBlobStore } from './stores/memory-blob-store';
import type { CacheRequest } from './cache-request';

const exact: CachePolicy = {
  maxAgeMs: 10_000,
  namespace: null,
  refresh: false,
  coalesce: false,
  threshold: null,
};
const semantic: CachePolicy = { ...exact, threshold: 0.9 };

/**
 * Embeds two meanings: texts about cats and others. A third component slightly separates texts of
 * one meaning.
 */
class MeaningEmbedder implements Embedder {
  readonly requested: string[] = [];
  constructor(readonly id = 'stub/one') {}

  embed(texts: readonly string[]): Promise<number[][]> {
    this.requested.push(...texts);
    return Promise.resolve(
      texts.map((text) => [text.includes('cat') ? 1 : 0, text.includes('cat') ? 0 : 1, text.length / 1_000]),
    );
  }
}

describe('ResponseCache', () => {
  let now: number;
  let entries: MemoryBlobStore;
  let cache: ResponseCache;
  let embedder: MeaningEmbedder;

  beforeEach(() => {
    now = 1_000_000;
    entries = new MemoryBlobStore({ bytesMax: 1_000_000, entryBytesMax: 100_000 });
    const vectors = new MemoryVectorStore({ bytesMax: 1_000_000 });
    cache = new ResponseCache(entries, vectors, { now: () => now });
    embedder = new MeaningEmbedder();
  });

  const requestOf = (text: string, over: Partial<CacheRequest> = {}): CacheRequest =>
    sampleRequest({ body: Buffer.from(JSON.stringify(bodyOf(text))), ...over });
  const bodyOf = (text: string) => ({ model: 'm', messages: [{ role: 'user', content: text }] });
  const source = (text: string, by: Embedder = embedder): SemanticSource => ({
    embedder: by,
    body: () => bodyOf(text),
  });
  /** Looks a text up, and stores a response after a miss. */
  async function lookUpAndStore(
    text: string,
    policy = semantic,
    over: Partial<CacheRequest> = {},
  ): Promise<Lookup> {
    const lookup = await cache.lookUp(requestOf(text, over), policy, source(text));
    if (lookup.response === null)
      cache.keep(lookup, policy, sampleResponse(`on: ${text}`, { createdAtMs: now }));
    return lookup;
  }

  it('returns a stored response synchronously', () => {
    const request = sampleRequest();
    const first = cache.lookUp(request, exact, null) as Lookup;
    expect(first).toMatchObject({ status: 'MISS', response: null });
    cache.keep(first, exact, sampleResponse());
    expect(cache.lookUp(request, exact, null)).toEqual({
      ...first,
      status: 'HIT',
      response: sampleResponse(),
    });
  });

  it('does not read the stored response on a forced refresh, and replaces it', () => {
    const request = sampleRequest();
    cache.keep(cache.lookUp(request, exact, null) as Lookup, exact, sampleResponse('old'));
    const refresh = cache.lookUp(request, { ...exact, refresh: true }, null) as Lookup;
    expect(refresh).toMatchObject({ status: 'REFRESH', response: null });
    cache.keep(refresh, exact, sampleResponse('new'));
    const { response } = cache.lookUp(request, exact, null) as Lookup;
    expect(response?.chunks.toString()).toBe('new');
  });

  it("returns no response older than the request's max-age, even if it was stored for longer", () => {
    const request = sampleRequest();
    cache.keep(
      cache.lookUp(request, exact, null) as Lookup,
      exact,
      sampleResponse('x', { createdAtMs: now }),
    );
    now += 5_000;
    const statusFor = (maxAgeMs: number) =>
      (cache.lookUp(request, { ...exact, maxAgeMs }, null) as Lookup).status;
    expect([statusFor(5_000), statusFor(5_001)]).toEqual(['MISS', 'HIT']);
  });

  it('treats a damaged entry as missing', () => {
    const request = sampleRequest();
    const lookup = cache.lookUp(request, exact, null) as Lookup;
    entries.set(lookup.tenant, lookup.key, Buffer.from('damaged'), 60_000);
    expect(cache.lookUp(request, exact, null)).toMatchObject({ status: 'MISS', response: null });
  });

  it('returns the response to a text of the same meaning, with the similarity', async () => {
    expect((await lookUpAndStore('What is a cat?')).status).toBe('SEMANTIC MISS');
    const found = await lookUpAndStore('Tell me what a cat is');
    expect(found).toMatchObject({ status: 'SEMANTIC HIT' });
    expect(found.similarity).toBeGreaterThan(0.99);
    expect(found.response?.chunks.toString()).toBe('on: What is a cat?');
    expect((await lookUpAndStore('What is a dog?')).status).toBe('SEMANTIC MISS');
  });

  it('reports an unreachable store, and then does not call the embedder', async () => {
    const away = new ResponseCache(
      { get: () => Promise.resolve(UNAVAILABLE), set: () => undefined, delete: () => undefined },
      new MemoryVectorStore({ bytesMax: 1_000 }),
    );
    const failed = { response: null, place: null, failure: 'store_unavailable' };
    expect(await away.lookUp(requestOf('cat'), exact, null)).toMatchObject({ status: 'MISS', ...failed });
    const lookup = await away.lookUp(requestOf('cat'), semantic, source('cat'));
    expect(lookup).toMatchObject({ status: 'SEMANTIC MISS', ...failed });
    expect(embedder.requested).toEqual([]);
  });

  it('returns an exact hit without calling the embedder', async () => {
    await lookUpAndStore('What is a cat?');
    expect((await lookUpAndStore('What is a cat?')).status).toBe('HIT');
    expect(embedder.requested).toEqual(['What is a cat?']);
  });

  it.each([
    ['organisation', { organisationId: 'o2' }],
    ['workspace', { workspaceId: 'w2' }],
    ['config version', { configVersion: 'v2' }],
    ['credential', { credential: 'p2@1' }],
    ['model', { model: 'other' }],
    ['namespace', { namespace: 'n' }],
    ['user in the metadata', { metadata: { _user: 'u2' } }],
  ])('returns no semantic hit for another %s', async (_name, over) => {
    await lookUpAndStore('What is a cat?');
    expect((await lookUpAndStore('Tell me what a cat is', semantic, over)).status).toBe('SEMANTIC MISS');
  });

  it('never compares vectors of different embedders', async () => {
    await lookUpAndStore('What is a cat?');
    const other = source('Tell me what a cat is', new MeaningEmbedder('stub/two'));
    const lookup = await cache.lookUp(requestOf('Tell me what a cat is'), semantic, other);
    expect(lookup.status).toBe('SEMANTIC MISS');
  });

  it('looks up only the exact entry without a threshold, and calls no embedder', async () => {
    await lookUpAndStore('What is a cat?', exact);
    expect((await lookUpAndStore('Tell me what a cat is', exact)).status).toBe('MISS');
    expect(embedder.requested).toEqual([]);
  });

  it('stores the response of a forced refresh for semantic hits', async () => {
    const refreshed = await lookUpAndStore('What is a cat?', { ...semantic, refresh: true });
    expect(refreshed.status).toBe('REFRESH');
    expect((await lookUpAndStore('Tell me what a cat is')).status).toBe('SEMANTIC HIT');
  });

  it('returns a miss when the embedder fails, the body is unreadable or has no single text to compare', async () => {
    const failing: Embedder = { id: 'x', embed: () => Promise.reject(new Error('away')) };
    const request = requestOf('What is a cat?');
    expect(await cache.lookUp(request, semantic, source('cat', failing))).toMatchObject({
      status: 'SEMANTIC MISS',
      failure: 'embeddings_failed',
    });
    const unreadable: SemanticSource = {
      embedder,
      body: () => {
        throw new Error('no JSON');
      },
    };
    expect(await cache.lookUp(request, semantic, unreadable)).toMatchObject({ status: 'MISS', place: null });
    const tools: SemanticSource = { embedder, body: () => ({ ...bodyOf('cat'), tools: [] }) };
    expect(await cache.lookUp(request, semantic, tools)).toMatchObject({ status: 'MISS', place: null });
  });

  it('returns a miss when the entry of the nearest vector was deleted', async () => {
    const first = await lookUpAndStore('What is a cat?');
    entries.delete(first.key);
    expect((await lookUpAndStore('Tell me what a cat is')).status).toBe('SEMANTIC MISS');
  });
});
