import {
  claimRequest,
  idempotentRequestBinding,
  keepResponse,
  releaseRequest,
  type KnownRequest,
  type RequestClaim,
} from '@gw/entities';
import { GatewayError, seal, unseal } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';

/** Bytes of a response as JSON; a larger one can't be replayed. */
const RESPONSE_MAX = 65_536;
/** The longest wait for a first request in flight. */
const WAIT_MS = 10_000;
/** Between two looks; it doubles up to the second. */
const LOOK_EVERY_MS = 25;
const LOOK_EVERY_MAX_MS = 400;

const PARAM = { param: 'idempotency-key' } as const;

interface KeptResponse {
  readonly status: number;
  /** Absent for a response without a body. */
  readonly body?: unknown;
}

/** First responses by `Idempotency-Key`, in Postgres: one for all processes, and they outlive each of them. */
@Injectable()
export class IdempotentRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /**
   * The response of `handle`, or of the first request under the same claim. Throws `idempotency_key_reused` when the key came
   * with another request, `idempotency_in_flight` when the first is in flight for longer than 10 s, and `conflict` when it was
   * carried out and its response is not there.
   */
  async once(claim: RequestClaim, handle: () => Promise<unknown>, reply: FastifyReply): Promise<unknown> {
    const known = await this.claimOrWait(claim);
    if (known === null) return this.first(claim, handle, reply);
    const { status, body } = this.opened(claim, known);
    void reply.status(status).header('idempotent-replayed', 'true');
    return body;
  }

  /** Null: the claim is ours. */
  private async claimOrWait(claim: RequestClaim): Promise<KnownRequest | null> {
    const until = performance.now() + WAIT_MS;
    for (let waitMs = LOOK_EVERY_MS; ; waitMs = Math.min(waitMs * 2, LOOK_EVERY_MAX_MS)) {
      const known = await claimRequest(this.dataSource.manager, claim);
      if (known.token === claim.token) return null;
      if (known.fingerprint !== claim.fingerprint) throw new GatewayError('idempotency_key_reused', PARAM);
      if (!known.isRunning) return known;
      if (performance.now() + waitMs > until) {
        throw new GatewayError('idempotency_in_flight', { ...PARAM, headers: { 'retry-after': '1' } });
      }
      await pause(waitMs);
    }
  }

  private async first(
    claim: RequestClaim,
    handle: () => Promise<unknown>,
    reply: FastifyReply,
  ): Promise<unknown> {
    let body: unknown;
    try {
      body = await handle();
    } catch (error) {
      // Whether this fails or not, the request failed for `error`; a claim that is not given back ends with its lease.
      await releaseRequest(this.dataSource.manager, claim).catch(() => undefined);
      throw error;
    }
    const sealed = this.sealed(claim, { status: reply.statusCode, body });
    // The request is carried out, and its caller gets the response; a retry learns at least that, from the note of its change.
    await keepResponse(this.dataSource.manager, claim, sealed).catch(() => undefined);
    return body;
  }

  private sealed(claim: RequestClaim, response: KeptResponse): string | null {
    const json = JSON.stringify(response);
    if (Buffer.byteLength(json) > RESPONSE_MAX) return null;
    return seal(this.secrets.sealingKeyring, json, idempotentRequestBinding(claim));
  }

  private opened(claim: RequestClaim, { sealedResponse }: KnownRequest): KeptResponse {
    if (sealedResponse === null) {
      throw new GatewayError('conflict', {
        ...PARAM,
        message: 'The request was carried out under this Idempotency-Key, but its answer could not be kept.',
      });
    }
    const plain = unseal(this.secrets.sealingKeyring, sealedResponse, idempotentRequestBinding(claim));
    return JSON.parse(plain.toString('utf8')) as KeptResponse;
  }
}
