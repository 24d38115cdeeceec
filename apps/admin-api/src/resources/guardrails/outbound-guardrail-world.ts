import {
  GUARDRAIL_LIMITS,
  type GuardrailResponse,
  type GuardrailCall,
  type GuardrailPort,
} from '@gw/guardrails';
import type { AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { lookup } from 'node:dns/promises';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';

/** Calls of checks that run in the control plane: under the address policy, without redirects. */
@Injectable()
export class OutboundGuardrailWorld implements GuardrailPort {
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
    answerBytesMax,
  }: GuardrailCall): Promise<GuardrailResponse> {
    const answer = await this.client.fetchBuffered({
      url,
      method,
      headers,
      ...(body === null ? {} : { body }),
      signal,
      // The check's own time ends it before.
      totalTimeoutMs: GUARDRAIL_LIMITS.timeoutMsMax,
      bytesMax: answerBytesMax,
    });
    const { 'content-type': contentType = '' } = answer.headers;
    return { status: answer.status, contentType, body: answer.body };
  }

  /** A name that leads only to addresses that are not allowed has none, so that a caller learns nothing of the inside. */
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
