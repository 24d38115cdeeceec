import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export interface SseServer {
  readonly url: URL;
  /** Number of streams opened so far. */
  readonly streams: () => number;
  close(): Promise<void>;
}

/** Starts a server with only the transport of 2024-11-05: GET `/sse` and POST `/messages`. */
export async function startSseServer(): Promise<SseServer> {
  const transports = new Map<string, SSEServerTransport>();
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    const url = new URL(req.url ?? '/', 'http://sse.example');
    const transport = transports.get(url.searchParams.get('sessionId') ?? '');
    if (req.method === 'GET' && url.pathname === '/sse') {
      const opened = new SSEServerTransport('/messages', res);
      transports.set(opened.sessionId, opened);
      void tools().connect(opened);
    } else if (req.method === 'POST' && transport !== undefined) void transport.handlePostMessage(req, res);
    else res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/sse`),
    streams: () => transports.size,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function tools(): McpServer {
  const server = new McpServer({ name: 'old', version: '1' });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  server.registerTool('greet', {}, async () => {
    const { content } = await server.server.elicitInput({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return { content: [{ type: 'text', text: `Hello, ${String(content?.['name'])}!` }] };
  });
  return server;
}
