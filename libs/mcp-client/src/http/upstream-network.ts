import type { AddressPolicy } from '@gw/kernel';
import { headerFields, SANDBOX_MCP_URL, sandboxMcpResponse, type SandboxResponse } from '@gw/mcp';
import {
  OutboundError,
  type OutboundCall,
  type OutboundClient,
  type OutboundHandler,
  type OutboundRequest,
} from '@gw/outbound';

/** How upstream servers are reached. */
export interface UpstreamNetwork {
  readonly client: Pick<OutboundClient, 'dispatch'>;
  readonly policy: AddressPolicy;
}

const SANDBOX = new URL(SANDBOX_MCP_URL);

/** A policy that allows exactly `SANDBOX_MCP_URL` as well. Its name does not resolve, so nothing is sent there. */
export const sandboxPolicy = (policy: AddressPolicy): AddressPolicy => ({
  checkUrl: (url) => (url === SANDBOX_MCP_URL ? { ok: true, url: SANDBOX } : policy.checkUrl(url)),
  checkAddress: (ip, host) => policy.checkAddress(ip, host),
});

/**
 * A network in which this process answers requests to the sandbox's own MCP server, at `SANDBOX_MCP_URL` exactly. All
 * other requests go to `network`.
 */
export const withSandbox = ({ client, policy }: UpstreamNetwork): UpstreamNetwork => ({
  client: {
    dispatch: (request, handler) =>
      request.origin === SANDBOX.origin && request.path === SANDBOX.pathname
        ? new SandboxCall(request, handler)
        : client.dispatch(request, handler),
  },
  policy: sandboxPolicy(policy),
});

/** Plays a response as a connection would deliver it: later, and not while it is paused. */
class SandboxCall implements OutboundCall {
  private isOver = false;
  private isPaused = false;
  /** It was paused between two steps, so `resume` must go on. */
  private isWaiting = false;
  private readonly steps: (() => void)[];

  constructor(
    request: OutboundRequest,
    private readonly handler: OutboundHandler,
  ) {
    this.steps = stepsOf(responseTo(request), handler);
    this.next();
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.handler.onError(new OutboundError('aborted', 'The call was cancelled.'));
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (this.isWaiting) this.next();
  }

  private next(): void {
    this.isWaiting = false;
    setImmediate(() => {
      if (this.isOver) return;
      if (this.isPaused) this.isWaiting = true;
      else {
        const step = this.steps.shift();
        this.isOver = this.steps.length === 0;
        step?.();
        if (!this.isOver) this.next();
      }
    });
  }
}

const stepsOf = ({ status, headers, body }: SandboxResponse, handler: OutboundHandler): (() => void)[] => [
  () => handler.onHeaders(status, Object.entries(headers).flat()),
  ...(body === null ? [] : [() => handler.onData(Buffer.from(body))]),
  () => handler.onEnd(),
];

function responseTo({ method, headers, body }: OutboundRequest): SandboxResponse {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  return sandboxMcpResponse({ method, headers: headerFields(headers), body: bytes, now: new Date() });
}
