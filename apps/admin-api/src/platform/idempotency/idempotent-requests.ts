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

/**
 * Maximum size of a stored response, in bytes of JSON. A larger response is not stored and cannot
 * be returned again.
 */
const RESPONSE_MAX = 65_536;
/** Maximum wait for the first request to finish, in milliseconds. */
const WAIT_MS = 10_000;
/** Initial wait between two queries, in milliseconds; it doubles up to `LOOK_EVERY_MAX_MS`. */
const LOOK_EVERY_MS = 25;
const LOOK_EVERY_MAX_MS = 400;

const PARAM = { param: 'idempotency-key' } as const;

interface KeptResponse {
  readonly status: number;
  /** Body of the response; absent when it has none. */
  readonly body?: unknown;
  /** ETag header of a created resource. */
  readonly etag?: string;
}

/**
 * Stores first responses by `Idempotency-Key` in Postgres, where all processes share them and
 * restarts do not lose them.
 */
@Injectable()
export class IdempotentRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Returns the response of `handle`, or that of the first request under the same claim. Throws
   * `idempotency_key_reused` when the key was used for another request, `idempotency_in_flight`
   * when the first request runs for longer than 10 s, and `conflict` when it was executed but its
   * response was not stored.
   */
  async once(claim: RequestClaim, handle: () => Promise<unknown>, reply: FastifyReply): Promise<unknown> {
    const known = await this.claimOrWait(claim);
    if (known === null) return this.first(claim, handle, reply);
    const { status, body, etag } = this.opened(claim, known);
    void reply.status(status).header('idempotent-replayed', 'true');
    if (etag !== undefined) void reply.header('etag', etag);
    return body;
  }

  /**
   * Returns null when this process has claimed the key; otherwise the stored outcome of the first
   * request.
   */
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
      // The request failed with `error`, whether or not the release succeeds; a claim that is not
      // released expires with its lease.
      await releaseRequest(this.dataSource.manager, claim).catch(() => undefined);
      throw error;
    }
    const etag = reply.getHeader('etag');
    const sealed = this.sealed(claim, {
      status: reply.statusCode,
      body,
      ...(typeof etag === 'string' ? { etag } : {}),
    });
    // The request was executed and its caller gets the response. If storing it fails, the record
    // that committed with the change still tells a repeated request that it was executed.
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
        message:
          'The request was executed under this Idempotency-Key, but its response was not stored; read the resource instead.',
      });
    }
    const plain = unseal(this.secrets.sealingKeyring, sealedResponse, idempotentRequestBinding(claim));
    return JSON.parse(plain.toString('utf8')) as KeptResponse;
  }
}
