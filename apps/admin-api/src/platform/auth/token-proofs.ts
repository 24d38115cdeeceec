import { useOnce } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { artifactHash } from '@gw/oauth';
import { checkProof, PROOF_ALGORITHMS, ProofFault } from '@gw/trusts';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { boundTokenOf } from './credentials';

/** Longer than a proof is valid. */
const SECONDS = 400;

/** Proofs of possession (DPoP) of access tokens that are bound to a key. Each proof works once in the installation. */
@Injectable()
export class TokenProofs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'PUBLIC_URL'>,
  ) {}

  /** Throws `unauthenticated` for a bound token without a proof of its own, and for an unbound one that is sent as a bound one. */
  async assertProven(thumbprint: string | null, request: FastifyRequest): Promise<void> {
    const token = boundTokenOf(request);
    if (thumbprint === null && token === null) return;
    if (thumbprint === null)
      throw refused('invalid_token', 'The token is not bound to a key; send it as Bearer.');
    if (token === null)
      throw refused('invalid_token', 'The token is bound to a key; send it as DPoP with a proof.');
    try {
      const { origin } = new URL(this.settings.PUBLIC_URL ?? '');
      const { id } = checkProof(
        String(request.headers['dpop'] ?? ''),
        { token, thumbprint, method: request.method, url: origin + (request.url.split('?')[0] ?? '') },
        Math.floor(Date.now() / 1_000),
      );
      const idHash = artifactHash(this.secrets.oauthPepper, 'Proof', `${thumbprint} ${id}`);
      if (!(await useOnce(this.dataSource.manager, { idHash, seconds: SECONDS })))
        throw new ProofFault('it was used before');
    } catch (error) {
      if (error instanceof ProofFault)
        throw refused('invalid_dpop_proof', `The header DPoP is not accepted: ${error.message}.`);
      throw error;
    }
  }
}

/** RFC 9449, section 7.1. */
const refused = (error: string, message: string): GatewayError =>
  new GatewayError('unauthenticated', {
    message,
    headers: { 'www-authenticate': `DPoP error="${error}", algs="${PROOF_ALGORITHMS.join(' ')}"` },
  });
