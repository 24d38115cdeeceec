import type { AuthenticatedGrant } from './access-tokens';

/** Whom signed tokens of other issuers stand for. */
export abstract class TokenIdentities {
  /** Null for a token that is not of another issuer. Throws `unauthenticated`, and `unavailable` when keys cannot be read. */
  abstract find(token: string, clientAddress: string): Promise<AuthenticatedGrant | null>;
}
