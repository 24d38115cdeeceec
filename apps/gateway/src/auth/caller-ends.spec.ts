import { documentKey, type ApiKeyDocument, type DocumentKey, type ReadModelDocument } from '@gw/contracts';
import { CallerEnds, type CallerOrigin } from './caller-ends';

const [EARLIER, CURRENT] = ['a', 'b'].map((letter) => documentKey.apiKey(letter.repeat(64))) as [
  DocumentKey,
  DocumentKey,
];
const [WORKSPACE, ORGANISATION] = [documentKey.workspace('w'), documentKey.organisation('o')];
const CALLER = {};

describe('end of an admitted caller', () => {
  const documents = new Map<DocumentKey, ReadModelDocument>();
  const key = (more: Partial<ApiKeyDocument> = {}): ReadModelDocument =>
    ({ kind: 'api_key', id: 'k', status: 'active', expiresAt: null, ...more }) as ApiKeyDocument;
  const place = (kind: 'workspace' | 'organisation'): never => ({ kind, status: 'active' }) as never;
  let load: (key: DocumentKey) => Promise<ReadModelDocument | null>;

  /** Watches a caller whose document has its earlier or its current key. */
  function watching(source: ReadModelDocument, more: Partial<CallerOrigin> = {}): CallerEnds<object> {
    documents.clear();
    const [workspace, organisation] = [place('workspace'), place('organisation')];
    documents.set(WORKSPACE, workspace).set(ORGANISATION, organisation).set(EARLIER, source);
    load = (at) => Promise.resolve(documents.get(at) ?? null);
    const ends = new CallerEnds<object>({
      get: (at) => documents.get(at),
      load: (at) => load(at),
      known: () => [],
    });
    ends.watch(CALLER, {
      ...{ id: 'k', source, workspace, organisation },
      ...{ workspaceKey: WORKSPACE, organisationKey: ORGANISATION },
      ...{ at: EARLIER, others: [CURRENT], expiresAtMs: Infinity, ...more },
    });
    return ends;
  }

  it('is detected once its document is removed, and not before', async () => {
    const ends = watching(key());
    expect(ends.hasEnded(CALLER)).toBe(false);
    documents.delete(EARLIER);
    expect(await ends.hasEnded(CALLER)).toBe(true);
  });

  it('is not reported for a key whose document moved, as after a replacement of the master key', async () => {
    const ends = watching(key());
    documents.delete(EARLIER);
    documents.set(CURRENT, key());
    expect(await ends.hasEnded(CALLER)).toBe(false);
    documents.set(CURRENT, key({ id: 'another' }));
    expect(await ends.hasEnded(CALLER)).toBe(true);
  });

  it('is not reported at the known end of a key’s validity, and is reported before it', async () => {
    const ends = watching(key());
    documents.set(EARLIER, key({ expiresAt: new Date(0).toISOString() }));
    expect(await ends.hasEnded(CALLER)).toBe(false);
    documents.delete(EARLIER);
    expect(await ends.hasEnded(CALLER)).toBe(false);

    const early = watching(key());
    documents.set(EARLIER, key({ expiresAt: '2999-01-01T00:00:00Z' }));
    expect(await early.hasEnded(CALLER)).toBe(false);
    documents.delete(EARLIER);
    expect(await early.hasEnded(CALLER)).toBe(true);
  });

  it('is not reported for an expired token, until its workspace is removed', async () => {
    const ends = watching({ kind: 'access_token' } as ReadModelDocument, { expiresAtMs: 0 });
    documents.delete(EARLIER);
    expect(await ends.hasEnded(CALLER)).toBe(false);
    documents.delete(WORKSPACE);
    expect(await ends.hasEnded(CALLER)).toBe(true);
  });

  it('is not reported while the documents cannot be read', async () => {
    const ends = watching(key());
    documents.delete(EARLIER);
    load = () => Promise.reject(new Error('away'));
    expect(await ends.hasEnded(CALLER)).toBe(false);
  });

  it.each([
    ['exists without the trust', [], true],
    ['exists with the trust', [{ id: 'k' }], false],
  ])('is detected by the trust where the document of the issuer %s', async (_, trusts, ended) => {
    const of = (list: object[]): ReadModelDocument => ({ kind: 'trusts', trusts: list }) as never;
    const ends = watching(of([{ id: 'k' }]));
    documents.set(EARLIER, of(trusts));
    expect(await ends.hasEnded(CALLER)).toBe(ended);
  });
});
