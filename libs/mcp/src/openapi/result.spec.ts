import type { JsonObject } from '../protocol';
import { openApiResult } from './result';

describe('openApiResult', () => {
  const of = (body: string, contentType = 'application/json', status = 200): JsonObject =>
    openApiResult(
      { status, contentType, body: Buffer.from(body), retryAfter: status === 429 ? 7 : null },
      { era: 'modern', uri: 'x', promisesObject: true },
    ).result;

  it('returns an empty object for a response without content if the tool promises an object', () => {
    expect(of('', '', 204)).toMatchObject({
      structuredContent: {},
      content: [{ text: expect.stringContaining('204') }],
    });
  });

  it('returns only text for JSON beyond the bounds of messages', () => {
    expect(of(`${'['.repeat(100)}${']'.repeat(100)}`)).not.toHaveProperty('structuredContent');
    expect(of('{"a":1e400}')).not.toHaveProperty('structuredContent');
    expect(of('{"a":1}')).toHaveProperty('structuredContent', { a: 1 });
  });

  it('returns JSON without the byte order mark in front of it', () => {
    const content = [{ text: '{"a":1}' }];
    expect(of('\ufeff{"a":1}')).toMatchObject({ structuredContent: { a: 1 }, content });
  });

  it('returns a tool error with the wait that the service requests', () => {
    expect(of('slow down', 'text/plain', 429)).toMatchObject({
      isError: true,
      content: [{ text: 'The API answered with status 429. Retry after 7 s.\nslow down' }],
    });
  });
});
