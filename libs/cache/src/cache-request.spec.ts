import fc from 'fast-check';
import {
  bucketKey,
  cacheKey,
  inlineConfigVersion,
  ownCredential,
  relevantHeaders,
  type CacheRequest,
} from './cache-request';
import { sampleRequest } from './spec-support/samples';

/**
 * Short texts of few letters, including lone surrogates and the empty text, so that adjacent fields
 * often look alike.
 */
const text = fc
  .array(fc.constantFrom('a', 'b', '\0', '\u00e9', '\ud800', '\ud801'), { maxLength: 3 })
  .map((list) => list.join(''));
const body = fc.uint8Array({ maxLength: 4 });
const request: fc.Arbitrary<CacheRequest> = fc.record({
  organisationId: text,
  workspaceId: text,
  configVersion: text,
  provider: text,
  credential: text,
  model: fc.option(text),
  route: text,
  method: text,
  origin: text,
  path: text,
  headers: fc.array(text, { maxLength: 4 }),
  body,
  namespace: fc.option(text),
  metadata: fc.dictionary(text, text, { maxKeys: 2 }),
});
const run = { seed: 7, numRuns: 3_000 };

/** The fields that the key must distinguish. */
const distinguished = (it: CacheRequest): string =>
  JSON.stringify({
    ...it,
    body: [...it.body],
    metadata: it.namespace === null ? Object.entries(it.metadata).sort(([a], [b]) => (a < b ? -1 : 1)) : null,
  });

describe('cacheKey', () => {
  it('differs for requests that differ in any field, so that tenants never share a response', () => {
    fc.assert(
      fc.property(request, request, fc.nat(), (one, other, pick) => {
        const fields = Object.keys(one) as (keyof CacheRequest)[];
        const field = fields[pick % fields.length] as keyof CacheRequest;
        const changed = { ...one, [field]: other[field] };
        expect(cacheKey(one) === cacheKey(changed)).toBe(distinguished(one) === distinguished(changed));
      }),
      run,
    );
  });

  it('distinguishes text that moves from one field to its neighbour', () => {
    fc.assert(
      fc.property(request, request, (one, other) => {
        expect(cacheKey(one) === cacheKey(other)).toBe(distinguished(one) === distinguished(other));
      }),
      run,
    );
    const keyOf = (organisationId: string, workspaceId: string): string =>
      cacheKey(sampleRequest({ organisationId, workspaceId }));
    expect(keyOf('ab', 'c')).not.toBe(keyOf('a', 'bc'));
  });

  it('is equal for equal bodies larger than the shared buffer, and differs when the last byte differs', () => {
    const large = Buffer.alloc(100_000, 'x');
    const other = Buffer.from(large);
    other[99_999] = 1;
    const key = cacheKey(sampleRequest({ body: large }));
    expect(cacheKey(sampleRequest({ body: Buffer.from(large) }))).toBe(key);
    expect(cacheKey(sampleRequest({ body: other }))).not.toBe(key);
  });

  it('ignores the order of metadata, and all metadata under a namespace', () => {
    const keyOf = (metadata: Record<string, string>, namespace: string | null): string =>
      cacheKey(sampleRequest({ metadata, namespace }));
    expect(keyOf({ a: '1', b: '2' }, null)).toBe(keyOf({ b: '2', a: '1' }, null));
    expect(keyOf({ _user: 'u1' }, null)).not.toBe(keyOf({ _user: 'u2' }, null));
    expect(keyOf({ _user: 'u1' }, 'shared')).toBe(keyOf({ _user: 'u2' }, 'shared'));
    expect(keyOf({}, null)).not.toBe(keyOf({}, ''));
  });

  it('distinguishes a streamed response from a plain one', () => {
    const keyOf = (text: string): string => cacheKey(sampleRequest({ body: Buffer.from(text) }));
    expect(keyOf('{"stream":true}')).not.toBe(keyOf('{"stream":false}'));
  });
});

describe('bucketKey', () => {
  it('differs between tenants, embedders and contexts, and from every cacheKey', () => {
    fc.assert(
      fc.property(request, request, text, text, (one, other, embedder, rest) => {
        const plain = (it: CacheRequest): string => distinguished({ ...it, body: new Uint8Array() });
        const key = bucketKey(one, embedder, rest);
        expect(key === bucketKey(other, embedder, rest)).toBe(plain(one) === plain(other));
        expect(key).not.toBe(bucketKey(one, `${embedder}x`, rest));
        expect(key).not.toBe(cacheKey(one));
      }),
      run,
    );
  });
});

describe('relevantHeaders', () => {
  it('leaves out credential, tracing and transport headers, and keeps headers that a provider may read', () => {
    const sent = [
      ...['User-Agent', 'curl', 'Authorization', 'Bearer s', 'traceparent', '00-1', 'x-gw-trace-id', '1'],
      ...[
        'X-Stainless-Lang',
        'js',
        'cookie',
        'a=b',
        'content-length',
        '5',
        'x-own',
        '1',
        'Accept',
        'text/html',
      ],
    ];
    expect(relevantHeaders(sent)).toEqual(['accept', 'text/html', 'x-own', '1']);
  });

  it('ignores the order of header names, and keeps the order of the values of one name', () => {
    expect(relevantHeaders(['b', '1', 'a', '2'])).toEqual(relevantHeaders(['a', '2', 'b', '1']));
    expect(relevantHeaders(['a', '1', 'a', '2'])).not.toEqual(relevantHeaders(['a', '2', 'a', '1']));
  });

  it('includes every forwarded header, credentials too, because the provider reads them', () => {
    const keyOf = (secret: string): string =>
      cacheKey(sampleRequest({ headers: relevantHeaders([], ['Authorization', secret]) }));
    expect(keyOf('one')).not.toBe(keyOf('two'));
  });
});

it('ownCredential and inlineConfigVersion return digests that do not reveal their input', () => {
  expect(ownCredential('sk-secret')).not.toContain('secret');
  expect(ownCredential(null)).not.toBe(ownCredential(''));
  expect(inlineConfigVersion('{}')).not.toBe(inlineConfigVersion('{ }'));
});
