import { cachePolicy, isCacheable, readCacheControls } from './cache-policy';

const none = readCacheControls(undefined, undefined, undefined);

describe('cachePolicy', () => {
  it('does nothing without a cache in the config, whatever the headers ask for', () => {
    expect(cachePolicy(null, readCacheControls('n', 'true', 'max-age=100'))).toBeNull();
  });

  it('keeps for a week when the config says nothing, for as long as the request asks for otherwise', () => {
    expect(cachePolicy({ mode: 'simple' }, none)?.maxAgeMs).toBe(604_800_000);
    expect(cachePolicy({ mode: 'simple', max_age: 5 }, none)?.maxAgeMs).toBe(5_000);
    const asked = readCacheControls(undefined, undefined, 'no-transform, max-age=90');
    expect(cachePolicy({ mode: 'simple', max_age: 500 }, asked)?.maxAgeMs).toBe(90_000);
    expect(cachePolicy({ mode: 'simple', max_age: 500 }, none, 300)?.maxAgeMs).toBe(300_000);
  });

  it.each(['max-age=0', 'max-age=59', 'max-age=7776001', 'no-cache', 's-maxage=100', 'max-age=x'])(
    'takes %s for not sent, because clients send that header on their own',
    (value) => {
      expect(readCacheControls(undefined, undefined, value).maxAgeS).toBeNull();
    },
  );

  it('compares by meaning only in semantic mode, and from a high similarity on', () => {
    expect(cachePolicy({ mode: 'simple', threshold: 0.5 }, none)?.threshold).toBeNull();
    expect(cachePolicy({ mode: 'semantic' }, none)?.threshold).toBe(0.95);
    expect(cachePolicy({ mode: 'semantic', threshold: 0.8 }, none)?.threshold).toBe(0.8);
  });

  it('lets the request’s namespace win over the config’s', () => {
    const policy = cachePolicy(
      { mode: 'simple', namespace: 'config' },
      readCacheControls('mine', 'true', undefined),
    );
    expect(policy).toMatchObject({ namespace: 'mine', refresh: true, coalesce: false });
  });

  it('refuses a namespace and a force-refresh that cannot be meant', () => {
    expect(() => readCacheControls('', undefined, undefined)).toThrow('1 to 255 characters');
    expect(() => readCacheControls('x'.repeat(256), undefined, undefined)).toThrow('1 to 255 characters');
    expect(() => readCacheControls(undefined, 'yes', undefined)).toThrow('true or false');
  });
});

describe('isCacheable', () => {
  it.each([
    'files',
    'batches',
    'fine_tuning',
    'images.edits',
    'audio.speech',
    'audio.transcriptions',
    'threads',
    'realtime',
  ])('never stores an answer of %s', (route) => {
    expect(isCacheable('POST', route)).toBe(false);
  });

  it('stores answers to questions, and never to reads and deletions', () => {
    expect(isCacheable('POST', 'chat.completions')).toBe(true);
    expect(isCacheable('POST', 'passthrough')).toBe(true);
    expect(isCacheable('GET', 'responses')).toBe(false);
    expect(isCacheable('DELETE', 'passthrough')).toBe(false);
  });
});
