import type { TokenBinding } from '@gw/contracts';
import { useOnce } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { artifactHash } from '@gw/oauth';
import { checkBound, ProofFault } from '@gw/trusts';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { boundTokenOf } from './credentials';

/** How long a used proof is remembered, in seconds; longer than a proof is valid. */
const SECONDS = 400;

/**
 * Checks proofs of possession (DPoP) of access tokens that are bound to a key. Each proof is
 * accepted once in the whole installation.
 */
@Injectable()
export class TokenProofs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /**
   * Throws `unauthenticated` for a bound token without a valid proof, and for an unbound token that
   * is sent with the `DPoP` scheme.
   */
  async assertProofOfPossession(thumbprint: string | null, request: FastifyRequest): Promise<void> {
    const token = boundTokenOf(request);
    if (thumbprint === null && token === null) return;
    const proof = token === null ? null : String(request.headers['dpop'] ?? '');
    const proven = { token: token ?? '', proof, method: request.method, path: request.url };
    try {
      const checked = checkBound(this.bindingTo(thumbprint), proven, Math.floor(Date.now() / 1_000));
      const idHash = artifactHash(this.secrets.oauthPepper, 'Proof', `${checked.thumbprint} ${checked.id}`);
      if (!(await useOnce(this.dataSource.manager, { idHash, seconds: SECONDS })))
        throw new ProofFault('it was used before');
    } catch (error) {
      if (error instanceof ProofFault) throw new GatewayError('unauthenticated', error.refusal);
      throw error;
    }
  }

  private bindingTo(thumbprint: string | null): TokenBinding | null {
    if (thumbprint === null) return null;
    return { thumbprint, origin: new URL(this.settings.PUBLIC_URL ?? '').origin };
  }
}
