import { NEW_COLUMN } from '../search';
import { replayOf } from './replay';

const body = { model: 'text-embedding-3-small', input: 'Hello' };
const log = {
  ...{ route: 'embeddings', config_id: null, credential: 'openai' },
  ...{ request_method: 'POST', request_url: '/v1/embeddings?trace=1' },
  request: { body, encoding: 'json' as const, truncated: false },
};

describe('replayOf', () => {
  it('makes a raw call of a request whose API has no inputs of its own', () => {
    const text = JSON.stringify(body, null, 2);
    expect(replayOf(log)).toMatchObject({
      api: 'raw',
      column: { ...NEW_COLUMN, target: '@openai' },
      draft: { raw: { method: 'POST', path: '/embeddings?trace=1', body: text } },
    });
    const list = { body: null, encoding: null, truncated: false };
    expect(
      replayOf({ ...log, request_method: 'GET', request_url: '/v1/models', request: list }),
    ).toMatchObject({ api: 'raw', draft: { raw: { method: 'GET', path: '/models', body: '' } } });
  });

  it('sends numbers unchanged that the inputs of the page cannot hold', () => {
    const chat = (numbers: object) =>
      replayOf({
        ...{ ...log, route: 'chat.completions' },
        request: { ...log.request, body: { model: 'm', messages: [], ...numbers } },
      });
    expect(chat({ temperature: 0.25, max_tokens: 80 })).toMatchObject({
      column: { temperature: 0.25, maxTokens: 80 },
      draft: { rest: {} },
    });
    expect(chat({ temperature: 0.333, max_tokens: 2_000_000 })).toMatchObject({
      column: { temperature: null, maxTokens: null },
      draft: { rest: { temperature: 0.333, max_tokens: 2_000_000 } },
    });
  });

  it.each([
    ['absent', { request: { body: null, encoding: null, truncated: false } }],
    ['cut', { request: { ...log.request, truncated: true } }],
    ['route', { request_url: '/mcp/acme/search' }],
    ['route', { request: { body: 'AAEC', encoding: 'base64' as const, truncated: false } }],
  ])('tells why a request cannot be replayed: %s', (reason, change) => {
    expect(replayOf({ ...log, ...change })).toBe(reason);
  });
});
