import type { AddressPolicy } from '@gw/kernel';
import { headerFields, SANDBOX_MCP_URL, sandboxMcpResponse } from '@gw/mcp';
import { PlayedCall, type OutboundClient, type OutboundRequest, type PlayedResponse } from '@gw/outbound';

/** How upstream servers are reached. */
export interface UpstreamNetwork {
  readonly client: Pick<OutboundClient, 'dispatch'>;
  readonly policy: AddressPolicy;
}

const SANDBOX = new URL(SANDBOX_MCP_URL);

/**
 * Returns a policy that additionally allows exactly `SANDBOX_MCP_URL`. Its host does not resolve,
 * so nothing is sent there.
 */
export const sandboxPolicy = (policy: AddressPolicy): AddressPolicy => ({
  checkUrl: (url) => (url === SANDBOX_MCP_URL ? { ok: true, url: SANDBOX } : policy.checkUrl(url)),
  checkAddress: (ip, host) => policy.checkAddress(ip, host),
});

/**
 * Returns a network in which this process responds to requests to the sandbox's MCP server, at
 * exactly `SANDBOX_MCP_URL`. All other requests go to the given network.
 */
export const withSandbox = ({ client, policy }: UpstreamNetwork): UpstreamNetwork => ({
  client: {
    dispatch: (request, handler) =>
      request.origin === SANDBOX.origin && request.path === SANDBOX.pathname
        ? new PlayedCall(responseTo(request), handler)
        : client.dispatch(request, handler),
  },
  policy: sandboxPolicy(policy),
});

function responseTo({ method, headers, body }: OutboundRequest): PlayedResponse {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const response = sandboxMcpResponse({
    ...{ method, headers: headerFields(headers), body: bytes },
    now: new Date(),
  });
  return { ...response, chunks: response.body === null ? [] : [response.body] };
}
