import type { AuthenticatedGrant } from './access-tokens';

/** Authenticates callers by signed tokens of other issuers. */
export abstract class TokenIdentities {
  /**
   * Returns the caller of a token; null for a token that Tollgate issued itself or that is not a
   * signed token. Throws `unauthenticated`, and `unavailable` when the issuer's keys cannot be
   * read.
   */
  abstract find(token: string, clientAddress: string): Promise<AuthenticatedGrant | null>;
}
