import type { AuthenticatedGrant } from './access-tokens';

/** Identities of the callers of other issuers' signed tokens. */
export abstract class TokenIdentities {
  /** Null for a token that is not of another issuer. Throws `unauthenticated`, and `unavailable` when keys cannot be read. */
  abstract find(token: string, clientAddress: string): Promise<AuthenticatedGrant | null>;
}
