import { createAddressPolicy, keyringOf, seal, unseal } from '@gw/kernel';
import { vectors } from '../spec-support/vectors';
import {
  callbackVerdict,
  connectionBinding,
  refreshVerdict,
  ticketVerdict,
  type PendingAuthorization,
} from './connect';
import { checkResourceMetadata, checkServerMetadata, clientWay, issuerVerdict } from './metadata';
import { isMetadataUrlAllowed, readChallenge, resourceMetadataUrls, serverMetadataUrls } from './well-known';

const policy = createAddressPolicy({ trustedHosts: [] });

interface ResourceCase {
  readonly input: { readonly server: string; readonly document: unknown };
  readonly expect: 'accept' | 'reject' | 'either';
}

describe('checkResourceMetadata', () => {
  it.each(vectors<ResourceCase>('resource-metadata'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const serverUrl = new URL(input.server);
    const { ok } = checkResourceMetadata(input.document, { serverUrl, policy, pinnedIssuer: null });
    if (wanted !== 'either') expect(ok).toBe(wanted === 'accept');
  });

  it.each([
    'https://mcp.vendor.example/mc',
    'https://mcp.vendor.example.evil.example/mcp',
    'https://mcp.vendor.example/other',
    'https://mcp.vendor.example/mcp/deeper',
    'https://mcp.vendor.example/mcp?x=1',
    'http://mcp.vendor.example/mcp',
    'https://a@mcp.vendor.example/mcp',
    '',
    1,
  ])('refuses the resource %j', (resource) => {
    const document = { resource, authorization_servers: ['https://as.vendor.example'] };
    const serverUrl = new URL('https://mcp.vendor.example/mcp');
    expect(checkResourceMetadata(document, { serverUrl, policy, pinnedIssuer: null }).ok).toBe(false);
  });

  it('accepts the URL of the server itself, also with a query', () => {
    const ok = (resource: string): boolean => {
      const document = { resource, authorization_servers: ['https://as.vendor.example'] };
      const serverUrl = new URL('https://mcp.vendor.example/mcp?tenant=a');
      return checkResourceMetadata(document, { serverUrl, policy, pinnedIssuer: null }).ok;
    };
    expect(ok('https://mcp.vendor.example/mcp?tenant=a')).toBe(true);
    expect(ok('https://mcp.vendor.example/mcp')).toBe(true);
    expect(ok('https://mcp.vendor.example/mcp?tenant=b')).toBe(false);
    expect(ok('https://mcp.vendor.example/mcp?tenant=a#x')).toBe(false);
  });

  it('returns the pinned authorization server, or refuses the metadata', () => {
    const document = {
      resource: 'https://mcp.vendor.example',
      authorization_servers: ['http://a.example', 'https://b.example', 'https://c.example'],
    };
    const check = (pinnedIssuer: string | null) =>
      checkResourceMetadata(document, {
        serverUrl: new URL('https://mcp.vendor.example/mcp'),
        policy,
        pinnedIssuer,
      });
    expect(check(null)).toMatchObject({ ok: true, issuer: 'https://b.example' });
    expect(check('https://c.example')).toMatchObject({ issuer: 'https://c.example' });
    expect(check('https://d.example').ok).toBe(false);
  });
});

interface ServerCase {
  readonly input: { readonly asked: string; readonly document: unknown };
  readonly expect: string;
}

const WAYS: Readonly<Record<string, string>> = {
  document: 'accept: document client is used',
  register: 'accept: registered',
  none: 'error: ask for a client',
};

describe('checkServerMetadata', () => {
  it.each(vectors<ServerCase>('as-metadata'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const checked = checkServerMetadata(input.document, { issuer: input.asked, policy });
    if (!checked.ok) expect(wanted).toBe('reject');
    else if (wanted === 'accept') expect(clientWay(checked, true)).toBe('configured');
    else expect(WAYS[clientWay(checked, false)]).toBe(wanted);
  });

  it.each(['registration_endpoint', 'revocation_endpoint', 'jwks_uri'])('refuses a private %s', (name) => {
    const endpoint = 'https://as.example/x';
    const document = {
      issuer: 'https://as.example',
      authorization_endpoint: endpoint,
      token_endpoint: endpoint,
      code_challenge_methods_supported: ['S256'],
      [name]: 'https://192.168.1.1/x',
    };
    expect(checkServerMetadata(document, { issuer: 'https://as.example', policy }).ok).toBe(false);
  });
});

const PENDING: PendingAuthorization = {
  state: 's'.repeat(43),
  issuer: 'https://as.example',
  sendsIssuer: true,
  browser: 'b1',
  expiresAt: 1_000,
};
const QUERY = { state: PENDING.state, iss: PENDING.issuer, code: 'c' };
const visit = { browser: 'b1', now: 1 };
const ticket = { userId: 'u1', serverId: 's1', createdAt: 0, usedAt: null };
const open = (user: string): string => {
  const ring = keyringOf('connections/v1', Buffer.alloc(32, 1));
  const owner = { organisationId: 'o1', serverId: 's1' };
  const sealed = seal(ring, 'token', connectionBinding({ ...owner, userId: 'u1' }));
  try {
    return unseal(ring, sealed, connectionBinding({ ...owner, userId: user })).toString();
  } catch {
    return 'does not open';
  }
};

/** Result of each event; events that need a store or several processes are left out. */
const EVENTS: Readonly<Record<string, () => string>> = {
  'other user opens the link': () => ticketVerdict(ticket, { userId: 'u2', serverId: 's1', now: 1 }),
  'link twice': () => ticketVerdict({ ...ticket, usedAt: 1 }, { userId: 'u1', serverId: 's1', now: 2 }),
  'link after 10 min': () => ticketVerdict(ticket, { userId: 'u1', serverId: 's1', now: 600_000 }),
  'callback in another browser': () => callbackVerdict(QUERY, PENDING, { ...visit, browser: 'b2' }).kind,
  'callback with iss of another server': () =>
    callbackVerdict({ ...QUERY, iss: 'https://other.example' }, PENDING, visit).kind,
  'callback with error access_denied': () => {
    const { state, iss } = QUERY;
    const verdict = callbackVerdict({ state, iss, error: 'access_denied' }, PENDING, visit);
    return verdict.kind === 'needs_consent' ? `${verdict.kind} ${verdict.message}` : verdict.kind;
  },
  'refresh answers invalid_grant': () => refreshVerdict(400, { error: 'invalid_grant' }).kind,
  'row copied to another user': () => open('u2'),
  'server names another authorization server than before': () =>
    issuerVerdict('https://as.example', 'https://other.example'),
};

/** Outcomes by the sentence of a case. */
const WANTED: Readonly<Record<string, RegExp>> = {
  'refused, audited': /^other_user$/,
  refused: /^(?:used|expired|refused)$/,
  'status needs_consent, message': /^needs_consent The connection was declined\.$/,
  'needs_consent, calls ask the user': /^needs_consent$/,
  'does not open': /^does not open$/,
  'status error until an admin confirms': /^error$/,
};

const NEED_PROCESSES = ['mcp-333', 'mcp-337'];

interface ConnectCase {
  readonly input: { readonly event: string };
  readonly expect: string;
}

describe('connecting an account', () => {
  it.each(vectors<ConnectCase>('connect', NEED_PROCESSES))(
    '%s %s',
    (_id, _reason, { input, expect: wanted }) => {
      expect(EVENTS[input.event]?.() ?? 'no event').toMatch(WANTED[wanted] ?? /no outcome/);
    },
  );

  it('continues only for the user, browser and server that started it', () => {
    expect(ticketVerdict(ticket, { userId: 'u1', serverId: 's1', now: 1 })).toBe('ok');
    expect(ticketVerdict(ticket, { userId: 'u1', serverId: 's2', now: 1 })).toBe('unknown');
    expect(callbackVerdict(QUERY, PENDING, visit)).toEqual({ kind: 'exchange', code: 'c' });
    expect(open('u1')).toBe('token');
    expect(issuerVerdict(null, 'https://as.example')).toBe('ok');
  });

  it('refuses callbacks without the announced issuer, with another state, and expired ones', () => {
    const { iss: _iss, ...withoutIssuer } = QUERY;
    expect(callbackVerdict(withoutIssuer, PENDING, visit).kind).toBe('refused');
    expect(callbackVerdict(withoutIssuer, { ...PENDING, sendsIssuer: false }, visit).kind).toBe('exchange');
    expect(callbackVerdict({ ...QUERY, state: '' }, { ...PENDING, state: '' }, visit).kind).toBe('refused');
    expect(callbackVerdict(QUERY, PENDING, { ...visit, now: 1_000 }).kind).toBe('refused');
    expect(callbackVerdict(QUERY, null, visit).kind).toBe('refused');
  });

  it('keeps the grant when a refresh fails for another reason', () => {
    expect(refreshVerdict(503, {}).kind).toBe('failed');
    expect(refreshVerdict(400, { error: 'invalid_request' }).kind).toBe('failed');
    expect(refreshVerdict(200, { access_token: 'a\r\nb' }).kind).toBe('failed');
    expect(refreshVerdict(200, { access_token: 'a', expires_in: 60 })).toEqual({
      kind: 'refreshed',
      accessToken: 'a',
      refreshToken: null,
      expiresIn: 60,
    });
  });

  it.each([
    ['60', 60],
    [2 ** 40, 31_536_000],
    ['6e1', 3_600],
    ['', 3_600],
    [-1, 3_600],
    [null, 3_600],
  ])('reads the lifetime %j as %d seconds', (sent, expiresIn) => {
    expect(refreshVerdict(200, { access_token: 'a', expires_in: sent })).toMatchObject({ expiresIn });
  });
});

describe('metadata addresses', () => {
  it('follow RFC 9728 and RFC 8414, with the path first', () => {
    expect(resourceMetadataUrls(new URL('https://m.example/a/mcp'))).toEqual([
      'https://m.example/.well-known/oauth-protected-resource/a/mcp',
      'https://m.example/.well-known/oauth-protected-resource',
    ]);
    expect(serverMetadataUrls(new URL('https://as.example/t1'))).toEqual([
      'https://as.example/.well-known/oauth-authorization-server/t1',
      'https://as.example/.well-known/openid-configuration/t1',
      'https://as.example/t1/.well-known/openid-configuration',
    ]);
    expect(serverMetadataUrls(new URL('https://as.example'))).toHaveLength(2);
  });

  it('are read from a Bearer challenge, and fetched only on the origin of the server', () => {
    const url = 'https://m.example/.well-known/oauth-protected-resource/mcp';
    const header = `Basic realm="x", Bearer error="invalid_token", resource_metadata="${url}", scope="a b"`;
    expect(readChallenge(header)).toEqual({ resourceMetadata: url, scope: 'a b', error: 'invalid_token' });
    expect(readChallenge('Basic realm="bearer x"')).toBeNull();
    const plain = { resourceMetadata: null, scope: null, error: null };
    expect(readChallenge('Bearer, DPoP algs="ES256"')).toEqual(plain);
    expect(readChallenge('DPoP, Basic realm="x"')).toEqual({ ...plain, demandsProof: true });
    expect(isMetadataUrlAllowed(url, new URL('https://m.example/mcp'), [])).toBe(true);
    expect(isMetadataUrlAllowed(url, new URL('https://n.example/mcp'), [])).toBe(false);
    expect(isMetadataUrlAllowed(url, new URL('https://n.example/mcp'), [url])).toBe(true);
  });
});
