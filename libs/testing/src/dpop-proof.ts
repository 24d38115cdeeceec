import { createHash, randomUUID } from 'node:crypto';
import { ecKeyPair, signedToken, type TokenKeyPair } from './token-issuer';

export interface ProofOf {
  readonly token: string;
  readonly method: string;
  readonly url: string;
}

/** A key to which tokens are bound. It creates DPoP proofs like a client. */
export class ProofKey {
  constructor(readonly pair: TokenKeyPair = ecKeyPair('unused')) {}

  /** Thumbprint of the public key (RFC 7638). */
  get thumbprint(): string {
    const { crv, kty, x, y } = this.pair.jwk;
    return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  }

  /**
   * Returns a proof for a request. `claims` and `header` replace members; undefined removes one.
   */
  proof({ token, method, url }: ProofOf, claims: object = {}, header: object = {}): string {
    const { kid: _kid, use: _use, ...jwk } = this.pair.jwk;
    return signedToken(
      this.pair,
      {
        ...{ jti: randomUUID(), iat: Math.floor(Date.now() / 1_000), htm: method, htu: url },
        ath: createHash('sha256').update(token).digest('base64url'),
        ...claims,
      },
      { typ: 'dpop+jwt', alg: this.pair.algorithm, jwk, ...header },
    );
  }
}
