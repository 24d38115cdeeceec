import type { AuthenticatedGrant } from './access-tokens';
import type { AuthenticatedKey } from './api-key.authenticator';
import type { AuthenticatedSession } from './session.strategy';

/** The API key, session or OAuth grant that authenticated the request. */
export type Identity =
  | { readonly kind: 'api_key'; readonly key: AuthenticatedKey }
  | { readonly kind: 'session'; readonly session: AuthenticatedSession }
  | { readonly kind: 'grant'; readonly grant: AuthenticatedGrant };

declare module 'fastify' {
  interface FastifyRequest {
    /** Identity of a request that the access gate admitted; absent on public and service routes. */
    identity?: Identity;
  }
}

/** Id of the key, session or grant: it stays the same when a key is rotated or a token renewed. */
export function credentialIdOf(identity: Identity): string {
  switch (identity.kind) {
    case 'api_key':
      return identity.key.id;
    case 'session':
      return identity.session.id;
    case 'grant':
      return identity.grant.id;
  }
}
