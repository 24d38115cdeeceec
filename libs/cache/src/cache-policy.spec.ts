import { cachePolicy, isCacheable, readCacheControls, type CacheRules } from './cache-policy';

const none = readCacheControls(undefined, undefined, undefined);

const settings = (over: Partial<CacheRules> = {}): CacheRules => ({
  mode: 'simple',
  maxAgeSeconds: null,
  namespace: null,
  forceRefresh: false,
  coalesce: false,
  threshold: 0.95,
  ...over,
});

describe('cachePolicy', () => {
  it('stores for a week by default, or for max_age of the config or max-age of the request', () => {
    expect(cachePolicy(settings(), none).maxAgeMs).toBe(604_800_000);
    expect(cachePolicy(settings({ maxAgeSeconds: 5 }), none).maxAgeMs).toBe(5_000);
    const requested = readCacheControls(undefined, undefined, 'no-transform, max-age=90');
    expect(cachePolicy(settings({ maxAgeSeconds: 500 }), requested).maxAgeMs).toBe(90_000);
  });

  it.each(['max-age=0', 'max-age=59', 'max-age=7776001', 'no-cache', 's-maxage=100', 'max-age=x'])(
    'ignores %s, because clients send that header on their own',
    (value) => {
      expect(readCacheControls(undefined, undefined, value).maxAgeS).toBeNull();
    },
  );

  it('returns the threshold only in semantic mode', () => {
    expect(cachePolicy(settings({ threshold: 0.5 }), none).threshold).toBeNull();
    expect(cachePolicy(settings({ mode: 'semantic', threshold: 0.8 }), none).threshold).toBe(0.8);
  });

  it('prefers the namespace of the request, and refreshes when the request or the config forces it', () => {
    const requested = readCacheControls('mine', 'true', undefined);
    expect(cachePolicy(settings({ namespace: 'config' }), requested)).toMatchObject({
      namespace: 'mine',
      refresh: true,
      coalesce: false,
    });
    expect(cachePolicy(settings({ forceRefresh: true }), none).refresh).toBe(true);
    expect(cachePolicy(settings(), none).refresh).toBe(false);
  });

  it('refuses an invalid namespace and an invalid force-refresh', () => {
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
  ])('returns false for route family %s', (route) => {
    expect(isCacheable('POST', route, '/x')).toBe(false);
  });

  it.each([
    ['responses', '/responses/resp_1/cancel'],
    ['passthrough', '/files'],
    ['passthrough', '/messages/batches'],
    ['passthrough', '/audio/speech'],
    ['passthrough', '/v1/threads/t/runs'],
    ['passthrough', '/images/edits'],
    ['passthrough', '/v1/images/variations'],
  ])('returns false for %s at %s, where the provider keeps state', (route, path) => {
    expect(isCacheable('POST', route, path)).toBe(false);
  });

  it('returns true for POST requests of stateless routes, and false for GET and DELETE', () => {
    expect(isCacheable('POST', 'chat.completions', '/chat/completions')).toBe(true);
    expect(isCacheable('POST', 'passthrough', '/profiles')).toBe(true);
    expect(isCacheable('GET', 'responses', '/responses/r')).toBe(false);
    expect(isCacheable('DELETE', 'passthrough', '/profiles')).toBe(false);
  });
});
