import { knownCaller } from './known-caller';
import type { GatewayPrincipal } from './principals';

/** A user key or the grant of an OAuth client, whose metadata names a client. */
const principal = (resource: GatewayPrincipal['resource']): GatewayPrincipal =>
  ({
    key: { id: 'k', userId: 'u', defaults: { metadata: { _client: 'editor' } } },
    workspace: { id: 'w' },
    scopes: new Set(),
    resource,
  }) as unknown as GatewayPrincipal;

describe('knownCaller', () => {
  it('treats a key as a key, whatever client its metadata names', () => {
    const { access, binding } = knownCaller(principal(null), null);
    expect(access).toMatchObject({ keyId: 'k', clientId: null });
    expect(binding).not.toBe(knownCaller(principal({ path: '/v1', targetId: null }), null).binding);
  });

  it('reads the client of an access token', () => {
    const { access } = knownCaller(principal({ path: '/v1', targetId: null }), null);
    expect(access).toMatchObject({ keyId: null, clientId: 'editor' });
  });
});
