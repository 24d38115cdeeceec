import type { TokenBinding } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { checkProof, PROOF_ALGORITHMS, ProofFault } from '@gw/trusts';
import type { UsedTokens } from './used-tokens';

/** What a request brings to prove that it has the key of its token. */
export interface ProvenRequest {
  readonly token: string;
  /** The header `DPoP`; null when the token was sent as a bearer token. */
  readonly proof: string | null;
  readonly method: string;
  /** Path of the request, with or without its query. */
  readonly path: string;
}

/** Proofs of possession (DPoP) of the tokens that are bound to a key. Each proof works once for all gateways that share a Redis. */
export class TokenProofs {
  constructor(
    private readonly used: UsedTokens,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Throws `api_key_invalid` for a bound token without a proof of its own and for an unbound one with the scheme DPoP, and `unavailable`
   * when it is not known whether the proof was used before.
   */
  async assertProven(
    boundTo: TokenBinding | null,
    { token, proof, method, path }: ProvenRequest,
  ): Promise<void> {
    if (boundTo === null)
      throw refused('invalid_token', 'The token is not bound to a key; send it as Bearer.');
    const { thumbprint, origin } = boundTo;
    if (proof === null)
      throw refused('invalid_token', 'The token is bound to a key; send it as DPoP with a proof.');
    const url = origin + (path.split('?')[0] ?? '');
    try {
      const { id, usableUntil } = checkProof(
        proof,
        { token, thumbprint, method, url },
        Math.floor(this.now() / 1_000),
      );
      const once = { trustId: `dpop ${thumbprint}`, jti: id, expiresAt: usableUntil };
      if (!(await this.used.take(once))) throw new ProofFault('it was used before');
    } catch (error) {
      if (error instanceof ProofFault)
        throw refused('invalid_dpop_proof', `The header DPoP is not accepted: ${error.message}.`);
      throw error;
    }
  }

  close(): void {
    this.used.close();
  }
}

/** RFC 9449, section 7.1. */
const refused = (error: string, message: string): GatewayError =>
  new GatewayError('api_key_invalid', {
    message,
    headers: { 'www-authenticate': `DPoP error="${error}", algs="${PROOF_ALGORITHMS.join(' ')}"` },
  });
