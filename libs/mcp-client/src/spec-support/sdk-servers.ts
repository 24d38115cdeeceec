import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Answer } from './fixture';

/**
 * Creates a server of the official SDK 1.x with tools that succeed, report progress, wait, and
 * request input.
 */
export function sdkServer(aborted: string[] = []): McpServer {
  const server = new McpServer(
    { name: 'sdk', version: '1.0.0' },
    {
      ...{ instructions: 'Be kind.', capabilities: { logging: {} } },
    },
  );
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('steps', {}, async (extra) => {
    const progressToken = extra._meta?.progressToken;
    for (const progress of [1, 2])
      if (progressToken !== undefined)
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress },
        });
    return { content: [] };
  });
  server.registerTool('wait', {}, async ({ signal, sendNotification }) => {
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'waiting' } });
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    aborted.push('wait');
    return { content: [] };
  });
  server.registerTool('form', {}, async (extra) => {
    const answer = await server.server.elicitInput(
      {
        mode: 'form',
        message: 'Which city?',
        requestedSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
      { relatedRequestId: extra.requestId },
    );
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  });
  // Sends a request that names no call; streamable HTTP sends it on the GET stream.
  server.registerTool('stray', {}, async () => {
    const answer = await server.server.elicitInput({
      mode: 'form',
      message: 'Which city?',
      requestedSchema: { type: 'object', properties: { city: { type: 'string' } } },
    });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
  });
  server.registerPrompt('greet', {}, () => ({ messages: [] }));
  server.registerResource('readme', 'file:///readme', {}, () => ({ contents: [] }));
  return server;
}

export interface SdkSessions {
  readonly answer: Answer;
  /** Ids of open sessions. */
  readonly open: () => readonly string[];
  /** Drops all sessions, like a restart. */
  restart(): void;
}

/** Creates a streamable HTTP server with sessions. */
export function streamableSdk(make: () => McpServer, enableJsonResponse = false): SdkSessions {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  return {
    open: () => [...sessions.keys()],
    restart: () => sessions.clear(),
    answer: async (received, res, req) => {
      const id = received.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (typeof id === 'string' && known === undefined) {
        const error = { code: -32_001, message: 'Session not found' };
        res.writeHead(404, { 'content-type': 'application/json' });
        res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
        return;
      }
      const transport =
        known ??
        new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          enableJsonResponse,
          onsessioninitialized: (sessionId) => void sessions.set(sessionId, transport),
          onsessionclosed: (sessionId) => void sessions.delete(sessionId),
        });
      if (known === undefined) await make().connect(transport);
      await transport.handleRequest(req, res, received.verb === 'POST' ? received.message : undefined);
    },
  };
}

/** Creates a server of HTTP+SSE: GET `/sse`, POST `/messages`. */
export function sseSdk(make: () => McpServer): Answer {
  const transports = new Map<string, SSEServerTransport>();
  return async (received, res, req) => {
    if (received.verb === 'GET' && received.path === '/sse') {
      const transport = new SSEServerTransport('/messages', res);
      transports.set(transport.sessionId, transport);
      await make().connect(transport);
      return;
    }
    const sessionId = new URL(received.path, 'http://x').searchParams.get('sessionId') ?? '';
    const transport = transports.get(sessionId);
    if (received.verb === 'POST' && transport !== undefined)
      await transport.handlePostMessage(req, res, received.message);
    else res.writeHead(received.path.startsWith('/messages') ? 404 : 405).end();
  };
}
