import { checkRegistration, readClientDocument, redirectUriFault, sameRedirectUri } from './index';
import type { Registration, RegistrationFault } from './registration';
import { vectors } from './spec-support/vectors';

interface RegisterCase {
  readonly input: Readonly<Record<string, unknown>>;
  readonly expect: string;
  readonly then?: { readonly authorize_with: string; readonly expect: string };
}

/** Our verdict for vectors that allow both verdicts. */
const EITHER: Readonly<Record<string, 'accept' | 'reject'>> = {
  ...{ 'oauth-040': 'reject', 'oauth-041': 'reject', 'oauth-045': 'reject' }, // dot segments, a private address
  'oauth-054': 'accept', // a query is the client's own
  ...{ 'oauth-055': 'reject', 'oauth-056': 'reject', 'oauth-059': 'reject' }, // not listed by the operator
  ...{ 'oauth-071': 'accept', 'oauth-072': 'accept', 'oauth-073': 'accept' },
  'oauth-077': 'reject', // plain http
  ...{ 'oauth-082': 'reject', 'oauth-086': 'reject' }, // only for clients of an administrator
  ...{ 'oauth-088': 'accept', 'oauth-089': 'accept', 'oauth-090': 'accept' },
  'oc-022': 'accept',
};

const bodyOf = (input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== '<ABSENT>'));
const verdictOf = (result: Registration | RegistrationFault): string =>
  'error' in result ? 'reject' : 'accept';
const clientOf = (result: Registration | RegistrationFault): Registration => {
  if ('error' in result) throw new Error(result.description);
  return result;
};

describe('checkRegistration on vectors', () => {
  const all = [
    ...vectors<RegisterCase>('oauth.json', 'register'),
    ...vectors<RegisterCase>('oauth_clients.json', 'register'),
  ];

  it.each(all)('[CTL-15] %s %s', (id, _reason, { input, expect: wanted, then }) => {
    const result = checkRegistration(bodyOf(input));
    const verdict = wanted === 'either' ? EITHER[id] : wanted.split(',')[0];
    expect(verdictOf(result)).toBe(verdict);
    if ('error' in result) {
      expect(result.description).toMatch(/^[a-z_]+(?:\[\d+\])? \S/);
      const isOfAddress = result.description.startsWith('redirect_uris');
      expect(result.error).toBe(isOfAddress ? 'invalid_redirect_uri' : 'invalid_client_metadata');
      return;
    }
    const { client } = result;
    expect(client.token_endpoint_auth_method).toBe('none');
    expect(client).not.toHaveProperty('scope');
    expect(JSON.stringify(client)).not.toMatch(/chosen|software|desktop/);
    if (then === undefined) return;
    const isAllowed = client.redirect_uris.some((uri) => sameRedirectUri(uri, then.authorize_with));
    expect(isAllowed).toBe(then.expect !== 'reject');
  });

  it('covers every registration of both files', () => {
    expect(all).toHaveLength(85);
  });

  it.each([
    ['oc-001', 'mcp.invoke'],
    ['oc-018', 'mcp.invoke'],
    ['oc-019', ''],
    ['oauth-088', ''],
  ])('returns the scope of %s separately, reduced to registrable scopes', (id, scope) => {
    const [, , { input }] = all.find(([each]) => each === id) ?? fail();
    expect(clientOf(checkRegistration(input)).scope).toBe(scope);
  });

  const fail = (): never => {
    throw new Error('There is no such vector.');
  };
});

interface AuthorizeCase {
  readonly input: {
    readonly registered: readonly string[];
    readonly params: { readonly redirect_uri: unknown };
  };
  readonly expect: string;
}

describe('redirect URIs of authorization requests on vectors', () => {
  const ofAddress = vectors<AuthorizeCase>('oauth.json', 'authorize').filter(([, reason]) =>
    /redirect_uri|loopback|exact match/.test(reason),
  );

  it.each(ofAddress)('[CTL-15] %s %s', (_id, _reason, { input, expect: wanted }) => {
    const requested = input.params.redirect_uri;
    if (typeof requested !== 'string') throw new Error('The address is no text.');
    const isAllowed =
      redirectUriFault(requested) === undefined &&
      input.registered.some((uri) => sameRedirectUri(uri, requested));
    expect(isAllowed).toBe(wanted === 'accept');
  });

  it('covers every redirect URI', () => {
    expect(ofAddress).toHaveLength(16);
  });
});

interface DocumentCase {
  readonly client_id: string;
  readonly document: unknown;
  readonly expect: string;
}

describe('readClientDocument on vectors', () => {
  const bytesOf = (document: unknown): Buffer =>
    Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
  const documents = vectors<DocumentCase>('oauth_clients.json', 'client_document');

  it.each(documents)('%s %s', (_id, _reason, { client_id: clientId, document, expect: wanted }) => {
    expect(verdictOf(readClientDocument(clientId, bytesOf(document)))).toBe(wanted.split(',')[0]);
  });

  // The documents of these cases also name another id, which alone would be refused.
  const ofUrl = documents.filter(
    ([, , { client_id: id }]) => id !== 'https://app.example.org/oauth/client.json',
  );
  it.each(ofUrl)('%s %s, even when the document names the same id', (_id, _reason, vector) => {
    const { client_id: clientId, document } = vector;
    const named = { ...(document as object), client_id: clientId };
    expect(readClientDocument(clientId, bytesOf(named))).toMatchObject({ error: 'invalid_client_metadata' });
  });

  it('covers every document', () => {
    expect(documents).toHaveLength(16);
  });
});

describe('redirectUriFault on redirect URIs of current clients', () => {
  it.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://claude.com/api/mcp/auth_callback',
    'http://localhost:54545/callback',
    'http://127.0.0.1:54545/callback',
    'https://chatgpt.com/connector_platform_oauth_redirect',
    'https://chatgpt.com/connector/oauth/abc123',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'http://localhost:8787/callback',
    'https://www.cursor.com/agents/mcp/oauth/callback',
    'https://vscode.dev/redirect',
    'https://insiders.vscode.dev/redirect',
    'http://127.0.0.1/',
    'http://localhost/',
    'http://127.0.0.1:33418',
    'http://localhost:33418/',
    'http://localhost:6274/oauth/callback',
    'http://127.0.0.1:6274/oauth/callback',
    'http://localhost:3334/oauth/callback',
    'https://www.perplexity.ai/rest/connections/oauth_callback',
  ])('[CTL-15] accepts %s', (uri) => {
    expect(redirectUriFault(uri)).toBeUndefined();
  });
});
