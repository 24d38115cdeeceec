import fc from 'fast-check';
import { privateUseUriFault, redirectUriFault, sameRedirectUri, shownHost } from './index';

/** Pieces of URIs, among them tricks of disguised URIs; the test joins them in any order. */
const PIECES = [
  ...[
    'https:',
    'http:',
    'HTTPS:',
    'com.example.app:',
    'javascript:',
    '//',
    '/',
    '\\',
    '@',
    ':',
    '?',
    '#',
    '*',
    ' ',
  ],
  ...[
    'app.example.org',
    'evil.example',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '8.8.8.8',
    '10.0.0.1',
    '0x7f.1',
    'xn--',
  ],
  ...[
    '[2606:4700::1111]',
    '[::ffff:127.0.0.1]',
    '.',
    '..',
    '%2e',
    '%00',
    '%5C',
    '443',
    '0',
    '65536',
    '\t',
    '\r\n',
  ],
  ...['\u0000', 'é', 'сlient', '。', 'user', '-', 'a', 'cb'],
];
const uri = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 10 }).map((pieces) => pieces.join('')),
  fc
    .tuple(fc.constantFrom('https://', 'http://'), fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }))
    .map(([scheme, pieces]) => scheme + pieces.join('')),
  fc.webUrl({ withQueryParameters: true }),
  fc.integer({ min: 0, max: 70_000 }).map((port) => `http://127.0.0.1:${String(port)}/cb`),
);
const accepted = uri.filter((each) => redirectUriFault(each) === undefined);

describe('redirectUriFault and sameRedirectUri', () => {
  it('accept only URIs that a browser reads with the same scheme, host and path, and without a user [CTL-15]', () => {
    fc.assert(
      fc.property(accepted, (text) => {
        const { protocol, host, username, password, hash, pathname, search } = new URL(text);
        expect([username, password, hash]).toEqual(['', '', '']);
        expect(['https:', 'http:']).toContain(protocol);
        const authority = text.slice(`${protocol}//`.length).split(/[/?]/)[0]?.toLowerCase();
        expect([host, `${host}:443`, `${host}:80`]).toContain(authority);
        const rest = text.slice(`${protocol}//`.length + (authority?.length ?? 0));
        // A browser encodes quotes in a query, which does not change the server that it calls.
        expect(`${pathname}${search}`.replaceAll('%27', "'")).toBe(
          (rest.startsWith('/') ? rest : `/${rest}`).replaceAll('%27', "'").replace(/^([^?]*)\?$/, '$1'),
        );
        expect(protocol === 'https:' || /^(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?$/.test(host)).toBe(
          true,
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('treat two URIs as the same only if they are equal or differ in the port of a loopback URI [CTL-15]', () => {
    fc.assert(
      fc.property(accepted, accepted, (one, other) => {
        const isSame = sameRedirectUri(one, other);
        expect(sameRedirectUri(other, one)).toBe(isSame);
        expect(sameRedirectUri(one, one)).toBe(true);
        const bare = (text: string): string =>
          text.startsWith('http:') ? text.replace(/:\d+(?=[/?]|$)/, '') : text;
        expect(isSame).toBe(bare(one) === bare(other));
      }),
    );
  });

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:0/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:08/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example/cb'],
    ['http://127.0.0.1', 'http://127.0.0.1/'],
    ['http://localhost/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]/cb', 'http://localhost/cb'],
    ['https://localhost.example:1/cb', 'https://localhost.example:2/cb'],
  ])('do not accept, for the registered URI %s, a request with %s [CTL-15]', (registered, requested) => {
    expect(sameRedirectUri(registered, requested)).toBe(false);
  });

  it.each([
    'https://xn--pple-43d.com/cb', // аpple: a Cyrillic а before Latin letters
    'https://app.xn--ggle-55da.com/cb',
    'https://xn--a/cb',
    'https://xn--.example/cb',
    'https://xn--0.example/cb',
    'https://xn--99999999.example/cb',
    'https://a_b.example/cb',
    'https://-a.example/cb',
    'https://1.2.3/cb',
    'https://127.0.0.1/cb',
    'https://0x7f000001.0x1/cb',
    'https://[::1]/cb',
    'https://[::ffff:8.8.8.8]/cb',
    'https://[2606:4700:0::1111]/cb',
    'https://[fe80::1%25eth0]/cb',
    'https://intranet/cb',
    'https://app.example.org:/cb',
    'https://app.example.org:0443/cb',
    'https://app.example.org/cb#',
    'http://LOCALHOST/cb',
    'http://[0:0:0:0:0:0:0:1]/cb',
    'CHROME-extension://abc/cb',
    `https://app.example.org/${'a'.repeat(2_048)}`,
  ])('refuse %s, also if the operator lists it [CTL-15]', (text) => {
    expect(redirectUriFault(text, { privateUseRedirectUris: [text], isPreRegistered: true })).toMatch(
      /^must /,
    );
  });

  it.each([
    ['https://xn--bcher-kva.example/cb', 'bücher.example (xn--bcher-kva.example)'],
    ['https://App.example.org:8443/cb', 'app.example.org'],
    ['https://8.8.8.8/cb', '8.8.8.8'],
    ['https://[2606:4700::1111]/cb', '[2606:4700::1111]'],
    ['https://xn--80ak6aa92e.com/cb', 'аррӏе.com (xn--80ak6aa92e.com)'],
  ])('accept %s, which consent pages show as %s [CTL-15]', (text, host) => {
    expect(redirectUriFault(text)).toBeUndefined();
    expect(shownHost(text)).toBe(host);
  });

  it.each([
    ['https://app.example.org/*', 'wildcard'],
    ['https://user@app.example.org/cb', 'user or password'],
    ['http://user@localhost/cb', 'user or password'],
    ['https://app.example.org:65536/cb', 'port of 1 to 65535'],
    ['https://app.example.org/%5C', 'encode'],
    ['https://app.example.org/%0A', 'encode'],
    ['https://app.example.org/%0D', 'encode'],
    ['https://app.example.org/a/%2E%2E/cb', 'segments'],
    ['https://app.example.org/a b', 'RFC 3986'],
    ['https://app.example.org/cb#', 'fragment'],
    ['https:app.example.org/cb', '//'],
    ['/cb', 'absolute'],
  ])('refuse %s with an error that contains: %s [CTL-15]', (text, reason) => {
    expect(redirectUriFault(text)).toContain(reason);
  });

  it('accept private-use URIs that the operator lists, or that an administrator registers in reverse-domain form [CTL-15]', () => {
    const privateAddresses = ['com.example.app:/cb', 'app://cb'];
    expect(redirectUriFault('com.example.app:/cb')).toMatch('OAUTH_PRIVATE_SCHEMES');
    expect(
      redirectUriFault('com.example.app:/cb', { privateUseRedirectUris: privateAddresses }),
    ).toBeUndefined();
    expect(redirectUriFault('app://cb', { privateUseRedirectUris: privateAddresses })).toBeUndefined();
    expect(
      redirectUriFault('com.example.app:/other', { privateUseRedirectUris: privateAddresses }),
    ).toBeDefined();
    expect(redirectUriFault('com.example.app:/other', { isPreRegistered: true })).toBeUndefined();
    expect(redirectUriFault('app:/cb', { isPreRegistered: true })).toMatch('reverse-domain');
    expect(redirectUriFault('com.example.app://user@cb', { isPreRegistered: true })).toMatch('user');
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'Intent://x',
    'https://app.example.org/cb',
    'com.example.app:',
    'app://',
  ])('do not let the operator list %s [CTL-15]', (address) => {
    expect(privateUseUriFault(address)).toMatch(/^must /);
    expect(privateUseUriFault('com.example.app:/cb')).toBeUndefined();
  });
});
