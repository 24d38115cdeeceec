import { builtinSteps } from '@gw/testing';
import { checkRegistration, readClientDocument } from './index';

const REDIRECTS = ['https://app.example.org/cb'];
const many = (count: number, text: string): string[] => Array.from({ length: count }, () => text);

/**
 * Builders of registration bodies by size; the sizes of this test stay within the bounds of
 * requests.
 */
const BODIES: Readonly<Record<string, (size: number) => object>> = {
  scope: (size) => ({ redirect_uris: REDIRECTS, scope: many(size, 'mcp.invoke').join(' ').slice(0, 4_096) }),
  scopes: (size) => ({ redirect_uris: REDIRECTS, scopes: many(size, 'x') }),
  addresses: (size) => ({ redirect_uris: many(size, 'https://app.example.org/cb') }),
  'a long address': (size) => ({ redirect_uris: [`https://app.example.org/${'/.a'.repeat(size)}`] }),
  'a long host': (size) => ({ redirect_uris: [`https://${'a.'.repeat(size)}org/`] }),
  'a long name': (size) => ({ redirect_uris: REDIRECTS, client_name: ' \u200b'.repeat(size) }),
  grants: (size) => ({ redirect_uris: REDIRECTS, grant_types: many(size, 'authorization_code') }),
};

describe('the work of checkRegistration', () => {
  it.each(Object.entries(BODIES))('is linear in %s', (_what, bodyOf) => {
    const stepsOf = (size: number): number => {
      const body = bodyOf(size);
      return builtinSteps(() => checkRegistration(body));
    };
    expect(stepsOf(1_000)).toBeLessThan(2.5 * stepsOf(500) + 100);
    expect(stepsOf(100_000)).toBeLessThan(250_000);
  });

  it('readClientDocument does not parse a document that is too large', () => {
    const document = Buffer.from('['.repeat(1_000_000));
    expect(builtinSteps(() => readClientDocument('https://app.example.org/c', document))).toBeLessThan(1_000);
  });
});
