import {
  GUARDRAIL_LIMITS,
  ResponseTooLong,
  type GuardrailResponse,
  type GuardrailCall,
  type GuardrailPort,
} from '@gw/guardrails';
import type { AddressPolicy } from '@gw/kernel';
import { BufferedClient, ResponseTooLarge } from '@gw/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { lookup } from 'node:dns/promises';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';

/**
 * Makes the outbound calls of checks that run in the control plane. Applies the address policy and
 * follows no redirects.
 */
@Injectable()
export class OutboundGuardrailPort implements GuardrailPort {
  constructor(
    private readonly client: BufferedClient,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  async call({
    url,
    method,
    headers,
    body,
    signal,
    responseBytesMax,
  }: GuardrailCall): Promise<GuardrailResponse> {
    const call = this.client.fetchBuffered({
      url,
      method,
      headers,
      ...(body === null ? {} : { body }),
      signal,
      // This is an upper bound; the check's own timeout is at most as long.
      totalTimeoutMs: GUARDRAIL_LIMITS.timeoutMsMax,
      bytesMax: responseBytesMax,
    });
    const response = await call.catch((error: unknown) => {
      throw error instanceof ResponseTooLarge ? new ResponseTooLong(responseBytesMax, error.status) : error;
    });
    const { 'content-type': contentType = '' } = response.headers;
    return { status: response.status, contentType, body: response.body };
  }

  /**
   * Whether a name resolves. Returns false for a name with only disallowed addresses, so that
   * callers cannot discover internal hosts.
   */
  async resolves(hostname: string): Promise<boolean> {
    if (!this.addresses.checkUrl(`http://${hostname}/`).ok) return false;
    try {
      const found = await lookup(hostname, { all: true });
      return found.some(({ address }) => this.addresses.checkAddress(address, hostname).ok);
    } catch {
      return false;
    }
  }

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return performance.now();
  }
}
