import { Buffer } from 'node:buffer';
import { lookup } from 'node:dns/promises';
import { performance } from 'node:perf_hooks';
import {
  ResponseTooLong,
  type GuardrailResponse,
  type GuardrailCall,
  type GuardrailPort,
} from '@gw/guardrails';
import type { AddressPolicy } from '@gw/kernel';
import { OutboundError, type OutboundClient, type OutboundHandler } from '@gw/outbound';

const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Maximum milliseconds of a call of any check; a check's own timeout is usually shorter and aborts
 * the call's signal.
 */
const TOTAL_TIMEOUT_MS = 60_000;

/**
 * Makes the outbound calls of guardrails. It calls only hosts that the address policy allows, and
 * returns redirects as responses.
 */
export class OutboundPort implements GuardrailPort {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly policy: AddressPolicy,
  ) {}

  call(call: GuardrailCall): Promise<GuardrailResponse> {
    return new Promise((resolve, reject) => {
      const verdict = this.policy.checkUrl(call.url);
      if (!verdict.ok) throw new OutboundError('refused', verdict.rule);
      call.signal.throwIfAborted();
      const { origin, pathname, search } = verdict.url;
      const collector = new ResponseCollector(call, resolve, reject);
      collector.call = this.outbound.dispatch(
        {
          origin,
          path: pathname + search,
          method: call.method,
          headers: Object.entries(call.headers).flat(),
          body: call.body === null ? null : Buffer.from(call.body),
          poolClass: 'guardrails',
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          headersTimeoutMs: TOTAL_TIMEOUT_MS,
          idleTimeoutMs: TOTAL_TIMEOUT_MS,
          totalTimeoutMs: TOTAL_TIMEOUT_MS,
        },
        collector,
      );
    });
  }

  async resolves(hostname: string, signal: AbortSignal): Promise<boolean> {
    if (!this.policy.checkUrl(`https://${hostname}/`).ok) return false;
    const addresses = await lookup(hostname, { all: true });
    signal.throwIfAborted();
    return addresses.some(({ address }) => this.policy.checkAddress(address, hostname).ok);
  }

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    return performance.now();
  }
}

/** Collects one whole response, up to the size that the call allows. */
class ResponseCollector implements OutboundHandler {
  call: { abort(): void } | null = null;
  private status = 0;
  private contentType = '';
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private readonly abort = (): void => this.call?.abort();

  constructor(
    private readonly requested: GuardrailCall,
    private readonly resolve: (response: GuardrailResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {
    requested.signal.addEventListener('abort', this.abort, { once: true });
  }

  onHeaders(status: number, headers: readonly string[]): void {
    this.status = status;
    const at = headers.indexOf('content-type');
    if (at >= 0 && at % 2 === 0) this.contentType = headers[at + 1] ?? '';
  }

  onData(chunk: Buffer): void {
    const { responseBytesMax } = this.requested;
    this.bytes += chunk.length;
    if (this.bytes <= responseBytesMax) {
      this.chunks.push(chunk);
      return;
    }
    // Rejects before the abort, which rejects with another error.
    this.reject(new ResponseTooLong(responseBytesMax, this.status));
    this.abort();
  }

  onEnd(): void {
    this.requested.signal.removeEventListener('abort', this.abort);
    const { status, contentType } = this;
    this.resolve({ status, contentType, body: Buffer.concat(this.chunks) });
  }

  onError(error: OutboundError): void {
    this.requested.signal.removeEventListener('abort', this.abort);
    this.reject(error);
  }
}
