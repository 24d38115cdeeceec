import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext } from '../core/request-context';
import { passedHeaders } from './passed-headers';

const SERVER = {
  ...{ url: 'https://mcp.example', organisationId: 'o', workspaceId: 'w' },
  configurations: { user_identity_forwarding: { method: 'claims_header' } },
};
const CONTEXT = { req: { headers: {} }, gw: { apiKey: null } } as unknown as RequestContext;

const claimsOf = (key: object, resource: object | null = null): unknown => {
  const principal = { key: { defaults: { metadata: {} }, ...key }, resource } as unknown as GatewayPrincipal;
  return JSON.parse(passedHeaders(CONTEXT, SERVER, principal)['x-user-claims'] ?? 'null');
};

describe('passedHeaders with claims about the caller', () => {
  it('names the user and the key of an API key', () => {
    const claims = { sub: 'u', organisation_id: 'o', workspace_id: 'w', api_key_id: 'k' };
    expect(claimsOf({ id: 'k', userId: 'u' })).toEqual(claims);
  });

  it('names no user and no key for a token of a trust, whose subject is a user of its issuer', () => {
    const claims = { sub: null, organisation_id: 'o', workspace_id: 'w', api_key_id: null };
    expect(claimsOf({ id: 'trust', limitsId: 'l', userId: 'u' })).toEqual(claims);
  });

  it('names the user and no key for a client of OAuth', () => {
    const grant = { id: 'g', userId: 'u', defaults: { metadata: { _client: 'editor' } } };
    expect(claimsOf(grant, { path: '/v1', targetId: null })).toMatchObject({ sub: 'u', api_key_id: null });
  });
});
