import { readCases } from '@gw/testing';
import { redactMetadata, redactUrl } from './redact';

describe('redactUrl', () => {
  it.each([
    ['/v1/x?key=AIza123&alt=sse', '/v1/x?key=[redacted]&alt=sse'],
    ['/v1/x?api-version=2024-10-21&API_KEY=abc', '/v1/x?api-version=2024-10-21&API_KEY=[redacted]'],
    [
      '/x?access_token=a&refresh-token=b&sig=c&X-Amz-Signature=d',
      '/x?access_token=[redacted]&refresh-token=[redacted]&sig=[redacted]&X-Amz-Signature=[redacted]',
    ],
    ['/x?%6bey=abc&client%5Fsecret=def', '/x?%6bey=[redacted]&client%5Fsecret=[redacted]'],
    ['https://user:pass@host.example/p?a=1#token=x', 'https://host.example/p?a=1'],
  ])('takes the secrets out of %s', (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });

  it.each([
    '/v1/chat/completions',
    '/x?',
    '/x?key=',
    '/x?max_tokens=5&monkey=1&q=a%20b%zz',
    '/x?a=1&a=2&flag',
  ])('leaves %s as it is', (url) => {
    expect(redactUrl(url)).toBe(url);
  });
});

describe('redactMetadata', () => {
  it('replaces what is named as a secret or looks like one, and keeps the rest', () => {
    const metadata = {
      _user: 'u1',
      session_id: 's1',
      api_key: 'short',
      note: 'Bearer abcdefgh12345',
      plan: 'skateboarding-championship',
    };
    expect(redactMetadata(metadata)).toEqual({ ...metadata, api_key: '[redacted]', note: '[redacted]' });
  });

  it('gives the same object when there is nothing to replace', () => {
    const metadata = { _user: 'u1', environment: 'production' };
    expect(redactMetadata(metadata)).toBe(metadata);
  });

  it('knows the planted credentials that have a public shape', () => {
    const { canaries } = readCases('secrets.json') as {
      canaries: { what: string; value: string }[];
    };
    const shaped = canaries.filter(({ value }) =>
      /^(?:gw-|vk-|sk-|AIza|eyJ|hvs\.|-----BEGIN|openai-insecure)/.test(value),
    );
    expect(shaped.length).toBeGreaterThan(7);
    for (const { what, value } of shaped) {
      expect({ what, note: redactMetadata({ note: `use ${value} please` })['note'] }).toEqual({
        what,
        note: '[redacted]',
      });
    }
  });
});
