import fc from 'fast-check';
import { canonicalResource, resourceAt, resourcePathOfAuthorize, sameResource } from './index';

const PUBLIC_URL = 'https://gateway.example.com';
const PIECES = [
  ...[
    'https://',
    'HTTP://',
    'gateway.example.com',
    'GATEWAY',
    ':443',
    ':80',
    ':8443',
    '/',
    '//',
    'mcp',
    'v1',
    'agents',
  ],
  ...['team', 'Server', '-', '..', '%2e', '%6D', '?', '#', '@', '\\', ' ', '\t', '.', '0x7f.1', '[::1]', 'é'],
];
const url = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'HTTPS://', ''),
    fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }),
  )
  .map(([scheme, pieces]) => scheme + pieces.join(''));

describe('canonicalResource and sameResource', () => {
  it('return a canonical URL that is stable and equal for a URL parser', () => {
    fc.assert(
      fc.property(url, (requested) => {
        const canonical = canonicalResource(requested);
        if (canonical === undefined) return;
        expect(canonicalResource(canonical)).toBe(canonical);
        expect(new URL(canonical).href.replace(/\/$/, '')).toBe(canonical);
        expect(new URL(requested).href.replace(/\/$/, '')).toBe(canonical);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['HTTPS://Gateway.Example.com:443/Team/server/mcp/', 'https://gateway.example.com/Team/server/mcp'],
    ['https://gateway.example.com/', 'https://gateway.example.com'],
    ['https://gateway.example.com', 'https://gateway.example.com'],
    ['http://localhost:80/mcp', 'http://localhost/mcp'],
    ['https://gateway.example.com:80/mcp', 'https://gateway.example.com:80/mcp'],
    ['http://[::1]:8787/mcp', 'http://[::1]:8787/mcp'],
  ])('convert %s to %s', (requested, canonical) => {
    expect(canonicalResource(requested)).toBe(canonical);
  });

  it.each([
    'https://gateway.example.com/mcp?a=1',
    'https://gateway.example.com/mcp#',
    'https://gateway.example.com/mcp//',
    'https://gateway.example.com/team//mcp',
    'https://gateway.example.com/a/../mcp',
    'https://gateway.example.com/a/%2E%2e/mcp',
    'https://gateway.example.com./mcp',
    'https://user@gateway.example.com/mcp',
    'https://gateway.example.com\\@evil.example/mcp',
    'https://gateway.example.com:/mcp',
    'https://gateway.example.com:0443/mcp',
    ' https://gateway.example.com/mcp',
    'https://gateway.example.com/m\ncp',
    'ftp://gateway.example.com/mcp',
    '/mcp',
    `https://gateway.example.com/${'a'.repeat(2_048)}`,
  ])('return undefined for %j', (requested) => {
    expect(canonicalResource(requested)).toBeUndefined();
  });

  it('compare whole URLs, not prefixes', () => {
    const base = `${PUBLIC_URL}/team/server/mcp`;
    expect(sameResource(base, `${base.replace('gateway', 'GATEWAY')}/`)).toBe(true);
    for (const other of [
      `${base}/x`,
      base.replace('server', 'Server'),
      `${base}2`,
      `${PUBLIC_URL}:8443/team/server/mcp`,
    ])
      expect(sameResource(base, other)).toBe(false);
    expect(sameResource('nothing', 'nothing')).toBe(false);
  });
});

describe('resourceAt', () => {
  it.each([
    ['/v1', { kind: 'control_plane' }],
    ['/mcp/admin', { kind: 'control_plane_mcp' }],
    ['/mcp', { kind: 'mcp', workspace: null, server: null }],
    ['/team/-/mcp', { kind: 'mcp', workspace: 'team', server: null }],
    ['/server/mcp', { kind: 'mcp', workspace: null, server: 'server' }],
    ['/team/server/mcp', { kind: 'mcp', workspace: 'team', server: 'server' }],
    ['/v1/agent/helper', { kind: 'agent', workspace: null, server: 'helper' }],
    ['/team/agents/helper', { kind: 'agent', workspace: 'team', server: 'helper' }],
  ])('parses the path %s', (path, place) => {
    expect(resourceAt(PUBLIC_URL + path, PUBLIC_URL)).toEqual(place);
  });

  it.each([
    ...[
      '',
      '/',
      '/v2',
      '/v1/chat/completions',
      '/-/mcp',
      '/mcp/mcp',
      '/mcp/admin/x',
      '/mcp/Admin',
      '/v1/mcp',
      '/oauth/server/mcp',
      '/invite/server/mcp',
      '/v1beta/server/mcp',
      '/reset/mcp',
      '/team/all/mcp',
    ],
    ...[
      '/a/b/c/mcp',
      '/team/server/mcp/x',
      '/team/agents',
      '/v2/agents/helper',
      '/team/agents/helper/x',
      '/te%61m/s/mcp',
    ],
    ...['/a/b/c/d/e/mcp', '/-/agents/helper', '/v1/agent/hel.per'],
  ])('returns undefined for %s', (path) => {
    expect(resourceAt(PUBLIC_URL + path, PUBLIC_URL)).toBeUndefined();
  });

  it('returns undefined for another origin [oauth-135]', () => {
    for (const origin of [
      'https://evil.example.org',
      'https://gateway.example.com.evil.example',
      `${PUBLIC_URL}:8443`,
    ])
      expect(resourceAt(`${origin}/v1`, PUBLIC_URL)).toBeUndefined();
    expect(resourceAt('https://evil.example.org/', PUBLIC_URL)).toBeUndefined();
  });
});

describe('resourcePathOfAuthorize', () => {
  it.each([
    ['/oauth/team/server/authorize', '/team/server/mcp'],
    ['/oauth/server/authorize', '/server/mcp'],
    ['/oauth/team/-/authorize', '/team/-/mcp'],
  ])('returns the resource of %s', (path, resource) => {
    expect(resourcePathOfAuthorize(path)).toBe(resource);
    expect(resourceAt(PUBLIC_URL + resource, PUBLIC_URL)).toMatchObject({ kind: 'mcp' });
  });

  it.each([
    ...[
      '/oauth/authorize',
      '/oauth//authorize',
      '/oauth/-/authorize',
      '/oauth/a/b/c/authorize',
      '/oauth/../authorize',
    ],
    ...[
      '/v2/oauth/server/authorize',
      '/oauth/server/authorize/',
      '/oauth/oauth/server/authorize',
      'oauth/x/authorize',
    ],
  ])('returns undefined for %s', (path) => {
    expect(resourcePathOfAuthorize(path)).toBeUndefined();
  });
});
