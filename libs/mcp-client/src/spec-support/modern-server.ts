import type { ServerResponse } from 'node:http';
import { json, result, rpcError, type Answer, type Received } from './fixture';

type Handler = (received: Received, res: ServerResponse) => void | Promise<void>;

const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  instructions: 'Be brief.',
  ttlMs: 1_000,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '1' } },
};

/**
 * Returns a handler for a server of 2026-07-28 that checks the headers and `_meta` of each request.
 */
export const modernServer =
  (handlers: Readonly<Record<string, Handler>>): Answer =>
  async (received, res) => {
    const meta = ((received.message['params'] as Record<string, unknown> | undefined)?.['_meta'] ??
      {}) as Record<string, unknown>;
    const version = meta['io.modelcontextprotocol/protocolVersion'];
    const isModern =
      received.verb === 'POST' &&
      version === received.headers['mcp-protocol-version'] &&
      received.headers['mcp-method'] === received.method &&
      meta['io.modelcontextprotocol/clientCapabilities'] !== undefined;
    if (!isModern) {
      json(res, rpcError(received, -32_602, 'The keys of _meta are missing.'), 400);
      return;
    }
    const handler = handlers[received.method];
    if (handler !== undefined) await handler(received, res);
    else if (received.method === 'server/discover') json(res, result(received, DISCOVERED));
    else json(res, rpcError(received, -32_601, 'Method not found'), 404);
  };
