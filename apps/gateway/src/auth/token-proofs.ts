import type { TokenBinding } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { checkBound, ProofFault, type ProvenRequest } from '@gw/trusts';
import { LRUCache } from 'lru-cache';
import type { UsedTokens } from './used-tokens';

const ORGANISATIONS_MAX = 10_000;
const PERIOD_MS = 300_000;

/** The caller of a token, and the key that the token is bound to. */
export interface ProvenCaller {
  readonly boundTo: TokenBinding | null;
  readonly organisation: { readonly id: string };
}

/**
 * Checks proofs of possession (DPoP) for tokens that are bound to a key. Each proof is accepted
 * once by all gateways that share a Redis.
 */
export class TokenProofs {
  /** Number of proofs that each organisation has used in its current period of `PERIOD_MS`. */
  private readonly counts = new LRUCache<string, number>({ max: ORGANISATIONS_MAX, ttl: PERIOD_MS });

  /**
   * `proofsMax` is the maximum number of proofs of one organisation in a period, so that none fills
   * the shared store of used proofs.
   */
  constructor(
    private readonly used: UsedTokens,
    private readonly proofsMax: number,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Checks the proof of a request. Rejects with `api_key_invalid` for a bound token without a valid
   * proof and for an unbound token with the scheme DPoP, with `rate_limited` for an organisation
   * with too many proofs, and with `unavailable` when it is not known whether the proof was used
   * before.
   */
  async assertProven({ boundTo, organisation }: ProvenCaller, request: ProvenRequest): Promise<void> {
    try {
      const now = Math.floor(this.now() / 1_000);
      const { thumbprint, id, usableUntil } = checkBound(boundTo, request, now);
      this.count(organisation.id);
      const { id: organisationId } = organisation;
      const once = { organisationId, trustId: `dpop ${thumbprint}`, jti: id, expiresAt: usableUntil };
      if (!(await this.used.take(once))) throw new ProofFault('it was used before');
    } catch (error) {
      if (error instanceof ProofFault) throw new GatewayError('api_key_invalid', error.refusal);
      throw error;
    }
  }

  private count(organisationId: string): void {
    const count = (this.counts.get(organisationId) ?? 0) + 1;
    if (count > this.proofsMax)
      throw new GatewayError('rate_limited', {
        message: `The organisation has sent ${String(this.proofsMax)} proofs in five minutes; wait, or use bearer tokens.`,
        headers: { 'retry-after': '60' },
      });
    // The period begins with the first proof, and later ones do not move it.
    this.counts.set(organisationId, count, { noUpdateTTL: true });
  }

  close(): void {
    this.used.close();
  }
}
