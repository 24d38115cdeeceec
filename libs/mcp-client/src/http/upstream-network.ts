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
 * A policy that allows exactly `SANDBOX_MCP_URL` as well. Its name does not resolve, so nothing is
 * sent there.
 */
export const sandboxPolicy = (policy: AddressPolicy): AddressPolicy => ({
  checkUrl: (url) => (url === SANDBOX_MCP_URL ? { ok: true, url: SANDBOX } : policy.checkUrl(url)),
  checkAddress: (ip, host) => policy.checkAddress(ip, host),
});

/**
 * A network in which this process answers requests to the sandbox's own MCP server, at
 * `SANDBOX_MCP_URL` exactly. All other requests go to `network`.
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
