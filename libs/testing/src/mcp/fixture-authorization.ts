/** Authorization of a fixture that requires a bearer token. */
export interface FixtureAuthorization {
  /** Accepted tokens. They are read for each request, so that a test can revoke one. */
  readonly tokens: Iterable<string>;
  /** Issuer of the tokens, named by the protected resource metadata. */
  readonly authorizationServer: string;
  /** Scopes that the challenge and the metadata name; none if absent. */
  readonly scopes?: readonly string[];
  /**
   * Tokens without the scopes; they are refused with 403 and `insufficient_scope`. They are read
   * for each request.
   */
  readonly narrowTokens?: Iterable<string>;
}

const METADATA = '/.well-known/oauth-protected-resource';

/**
 * Serves the metadata of RFC 9728 and refuses requests without an accepted token. Returns undefined
 * for a request that is accepted.
 */
export function bearerGate(
  request: Request,
  authorization: FixtureAuthorization | undefined,
): Response | undefined {
  if (authorization === undefined) return undefined;
  const url = new URL(request.url);
  if (request.method === 'GET' && url.pathname.startsWith(METADATA)) return metadata(url, authorization);
  const token = bearerOf(request);
  if (token === null) return challenge(url, authorization, null);
  if (new Set(authorization.tokens).has(token)) return undefined;
  const isNarrow = new Set(authorization.narrowTokens ?? []).has(token);
  return challenge(url, authorization, isNarrow ? 'insufficient_scope' : 'invalid_token');
}

function bearerOf(request: Request): string | null {
  const [scheme = '', token = ''] = (request.headers.get('authorization') ?? '').split(' ');
  return scheme.toLowerCase() === 'bearer' ? token : null;
}

function metadata(
  { origin, pathname }: URL,
  { authorizationServer, scopes = [] }: FixtureAuthorization,
): Response {
  return Response.json({
    resource: `${origin}${pathname.slice(METADATA.length) || '/mcp'}`,
    authorization_servers: [authorizationServer],
    bearer_methods_supported: ['header'],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
  });
}

function challenge(
  { origin, pathname }: URL,
  { scopes = [] }: FixtureAuthorization,
  error: 'invalid_token' | 'insufficient_scope' | null,
): Response {
  const parameters = [
    `resource_metadata="${origin}${METADATA}${pathname}"`,
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(error === null ? [] : [`error="${error}"`]),
  ];
  return Response.json(
    { error: error ?? 'unauthorized' },
    {
      status: error === 'insufficient_scope' ? 403 : 401,
      headers: { 'www-authenticate': `Bearer ${parameters.join(', ')}` },
    },
  );
}
