import type { CacheRequest, RedisShare, CachedResponse, Tenant } from '../index';

export const TENANT: Tenant = { workspaceId: 'w1', organisationId: 'o1' };

/** A share of `bytes` of Redis, with its own ledger. */
export const redisShare = (ledger: string, bytes = 10_000_000): RedisShare => ({
  ledger,
  bytesMax: () => bytes,
});

export const sampleRequest = (over: Partial<CacheRequest> = {}): CacheRequest => ({
  organisationId: 'o1',
  workspaceId: 'w1',
  configVersion: 'v1',
  provider: 'openai',
  credential: 'p1@1',
  model: 'gpt-x',
  route: 'chat.completions',
  method: 'POST',
  origin: 'https://api.openai.com',
  path: '/v1/chat/completions',
  headers: ['content-type', 'application/json'],
  body: Buffer.from('{"model":"gpt-x","messages":[]}'),
  namespace: null,
  metadata: {},
  ...over,
});

export const sampleResponse = (text = 'hello', over: Partial<CachedResponse> = {}): CachedResponse => ({
  status: 200,
  headers: ['content-type', 'application/json'],
  chunks: [Buffer.from(text)],
  streamed: false,
  createdAtMs: 1_000_000,
  ...over,
});
