import { randomUUID } from 'node:crypto';
import {
  SANDBOX_AGENT_ORIGIN,
  sandboxAgentResponse,
  VERSION_HEADER,
  type SandboxAgentResponse,
} from '@gw/a2a';
import type { AddressPolicy } from '@gw/kernel';
import { PlayedCall, type BufferedClient, type OutboundRequest } from '@gw/outbound';
import type { AgentClientOptions } from './agent-client';

const isSandbox = (url: unknown): url is string =>
  typeof url === 'string' && URL.canParse(url) && new URL(url).origin === SANDBOX_AGENT_ORIGIN;

/**
 * Returns a policy that additionally allows the addresses of the sandbox's agent. Its host does not
 * resolve, so nothing is sent there.
 */
export const sandboxAgentPolicy = (policy: AddressPolicy): AddressPolicy => ({
  checkUrl: (url) => (isSandbox(url) ? { ok: true, url: new URL(url) } : policy.checkUrl(url)),
  checkAddress: (ip, host) => policy.checkAddress(ip, host),
});

/**
 * Returns a network in which this process responds as the sandbox's agent. All other calls go to
 * `client`.
 */
export const withSandboxAgent = ({ client, policy }: AgentClientOptions): AgentClientOptions => ({
  client: {
    dispatch: (request, handler) => {
      if (request.origin !== SANDBOX_AGENT_ORIGIN) return client.dispatch(request, handler);
      const { status, contentType, chunks } = responseTo(request);
      return new PlayedCall({ status, headers: { 'content-type': contentType }, chunks }, handler);
    },
  },
  policy: sandboxAgentPolicy(policy),
});

/** Like `withSandboxAgent`, for clients that buffer whole responses. */
export const withSandboxCalls = (
  http: Pick<BufferedClient, 'fetchBuffered'>,
): Pick<BufferedClient, 'fetchBuffered'> => ({
  fetchBuffered: (request) => {
    const { url, method = 'GET', headers = {}, body = '' } = request;
    if (!isSandbox(url)) return http.fetchBuffered(request);
    const { status, contentType, chunks } = responseTo({
      ...{ path: new URL(url).pathname, method, headers: Object.entries(headers).flat() },
      body: Buffer.from(body),
    });
    const sent = Buffer.from(chunks.join(''));
    return Promise.resolve({ status, url, headers: { 'content-type': contentType }, body: sent });
  },
});

function responseTo({
  method,
  path,
  headers,
  body,
}: Pick<OutboundRequest, 'method' | 'path' | 'headers' | 'body'>): SandboxAgentResponse {
  const at = headers.findIndex(
    (text, index) => index % 2 === 0 && text.toLowerCase() === VERSION_HEADER.toLowerCase(),
  );
  return sandboxAgentResponse({
    ...{ method, path, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) },
    version: at < 0 ? null : (headers[at + 1] ?? null),
    newId: randomUUID,
    now: new Date(),
  });
}
