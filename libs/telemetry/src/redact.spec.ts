import { readCases } from '@gw/testing';
import fc from 'fast-check';
import { redactBody, redactJson, redactMetadata, redactUrl } from './redact';

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
  ])('removes the secrets from %s', (url, expected) => {
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

describe('redactJson', () => {
  it('replaces secret members of every depth and credentials in texts, and keeps the rest', () => {
    const value = {
      repo: 'acme/site',
      list: ['Bearer abcdefgh12345', 7, null, true],
      nested: { client_secret: { a: 1 }, password: '', code_verifier: 'v', max_tokens: 5 },
      url: 'https://host.example/a?access_token=x&b=1',
    };
    expect(redactJson(value)).toEqual({
      repo: 'acme/site',
      list: ['[redacted]', 7, null, true],
      nested: { client_secret: '[redacted]', password: '', code_verifier: '[redacted]', max_tokens: 5 },
      url: 'https://host.example/a?access_token=[redacted]&b=1',
    });
    expect(
      redactJson({ 'sk-aaaaaaaaaaaa': 1, '[redacted] 3': 2, 'sk-bbbbbbbbbbbb': 3, 'sk-cccccccccccc': 4 }),
    ).toEqual({ '[redacted]': 1, '[redacted] 3': 2, '[redacted] 4': 3, '[redacted] 5': 4 });
    expect(redactJson(JSON.parse('{"__proto__":{"token":"t"}}'))).toEqual(
      JSON.parse('{"__proto__":{"token":"[redacted]"}}'),
    );
  });

  it('numbers colliding names in linear time', () => {
    const has = jest.spyOn(Map.prototype, 'has');
    const members = Array.from({ length: 500 }, (_, at) => `[redacted] ${String(501 + at)}`).concat(
      Array.from({ length: 500 }, (_, at) => `sk-${String(10_000_000_000 + at)}`),
    );
    redactJson(Object.fromEntries(members.map((name) => [name, 0])));
    expect(has.mock.calls.length).toBeLessThan(3_000);
    has.mockRestore();
  });
});

describe('redactMetadata', () => {
  it('replaces values that are named as a secret or look like one, and keeps the rest', () => {
    const metadata = {
      _user: 'u1',
      session_id: 's1',
      api_key: 'short',
      note: 'Bearer abcdefgh12345',
      plan: 'skateboarding-championship',
    };
    expect(redactMetadata(metadata)).toEqual({ ...metadata, api_key: '[redacted]', note: '[redacted]' });
  });

  it('returns the same object if there is nothing to replace', () => {
    const metadata = { _user: 'u1', environment: 'production' };
    expect(redactMetadata(metadata)).toBe(metadata);
  });

  it('recognises all test credentials that have a public format', () => {
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

describe('redactBody', () => {
  const redacted = (text: string): string => redactBody(Buffer.from(text)).toString();

  it.each([
    ['{"api_key":"CANARYAZURE0123456789abcdef","model":"x"}', '{"api_key":"[redacted]","model":"x"}'],
    ['{"client_secret" : "a\\"b"}', '{"client_secret" : "[redacted]"}'],
    ['{"refresh_token":"CANARYREFRESH0123456789"}', '{"refresh_token":"[redacted]"}'],
    ['my key is sk-CANARYPROVIDER0123456789, ok?', 'my key is [redacted], ok?'],
    ['"Bearer CANARYOAUTH0123456789"', '"[redacted]"'],
    ['eyJhbGciOiJSUzI1NiJ9.CANARYJWT.CANARYSIG ü', '[redacted] ü'],
    ['{"pem":"-----BEGIN PRIVATE KEY-----CANARYGCP\\n-----END"}', '{"pem":"[redacted]"}'],
    ['{"password":"ends with \\\\","b":"c"}', '{"password":"[redacted]","b":"c"}'],
    ['{"password":"cut \\', '{"password":"[redacted]'],
    ['{"password":"","secret" :\n"s"}', '{"password":"","secret" :\n"[redacted]"}'],
  ])('removes credentials from %s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each([1, 2, 3, 4])('replaces members of JSON within %i strings of JSON', (levels) => {
    const within = (args: object): string => {
      let text = JSON.stringify(args);
      for (let level = 0; level < levels; level += 1) text = JSON.stringify({ a: 'x', arguments: text });
      return text;
    };
    const args = { password: 'a"b\\', api_key: 'é\n"', empty: '', secret: '', note: 'stays "here"' };
    expect(redacted(within(args))).toBe(within({ ...args, password: '[redacted]', api_key: '[redacted]' }));
  });

  it('redacts a body that is cut within a character or has binary parts', () => {
    const text = Buffer.from(
      '{"api_key":"CANARYAZURE0123456789abcdef","k":"sk-CANARYPROVIDER0123456789","t":"é',
    );
    expect(redactBody(text.subarray(0, -1)).toString('latin1')).toBe(
      '{"api_key":"[redacted]","k":"[redacted]","t":"\u00c3',
    );
    const binary = Buffer.from([0xff, 0xfe, 0x22, 0x80]);
    const form = Buffer.concat([binary, Buffer.from('sk-CANARYPROVIDER0123456789'), binary]);
    expect(redactBody(form)).toEqual(Buffer.concat([binary, Buffer.from('[redacted]'), binary]));
  });

  it('finds every test credential that has a public format', () => {
    const { canaries } = readCases('secrets.json') as { canaries: { value: string }[] };
    const shaped = canaries
      .map(({ value }) => value)
      .filter((value) => /^(?:gw|vk|sk|hvs|AIza|eyJ|-----)/.test(value));
    expect(shaped.length).toBeGreaterThan(7);
    for (const value of shaped) expect(redacted(`before ${value} after`)).not.toContain(value);
  });

  it.each([
    '{"logprobs":[{"token":"Hello","logprob":-0.1}],"usage":{"total_tokens":12},"max_tokens":5}',
    'The task-list is in risk-management; use scikit-learn.',
  ])('leaves %s as it is', (text) => {
    const body = Buffer.from(text);
    expect(redactBody(body)).toBe(body);
  });

  it('redacts a web token after any character, and keeps words that only start like one', () => {
    const words = '-eyJ'.repeat(1_000);
    expect(redacted(words)).toBe(words);
    expect(redacted(`${words}-eyJhbGciOi.e30.c2ln ok`)).toBe(`-${'[redacted]'} ok`);
    expect(redacted('eyJhbGciOiJSUzI1NiJ9 eyJhbGciOiJub25lIn0.e30.')).toBe('eyJhbGciOiJSUzI1NiJ9 [redacted]');
  });

  it('changes no other byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const clean = text.replaceAll(/[A-Za-z"-]/g, '');
        expect(redacted(`${clean} sk-CANARYPROVIDER0123456789 ${clean}`)).toBe(
          Buffer.from(`${clean} [redacted] ${clean}`).toString(),
        );
      }),
    );
  });
});
