import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedServer {
  readonly url: URL;
  /** The result or error with which the server responds to each call, prompt and completion. */
  script: { readonly result: object } | { readonly error: object };
  close(): Promise<void>;
}

interface Request {
  readonly id?: number;
  readonly method: string;
}

const CACHE = { ttlMs: 0, cacheScope: 'private' };

/** Starts a server with a tool and a prompt, `work`, whose responses the test writes. */
export async function startScriptedServer(era: 'legacy' | 'modern'): Promise<ScriptedServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    void (async () => {
      const { id, method } = await read(req);
      if (id === undefined) {
        res.writeHead(202).end();
        return;
      }
      const part = { ...FACTS[era][method], ...(SCRIPTED.has(method) && scripted.script) };
      const isKnown = Object.keys(part).length > 0;
      res.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      const error = { code: -32_601, message: 'Method not found.' };
      res.end(JSON.stringify({ jsonrpc: '2.0', id, ...(isKnown ? part : { error }) }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const scripted: ScriptedServer = {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`),
    script: { result: { content: [] } },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return scripted;
}

async function read(req: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? { method: '' } : (JSON.parse(text) as Request);
}

const SCRIPTED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'completion/complete']);
const PROMPTS = { prompts: [{ name: 'work' }] };
const TOOLS = { tools: [{ name: 'work', inputSchema: { type: 'object' } }] };
const COMPLETE = { resultType: 'complete', ...CACHE };
const FACTS: Readonly<Record<'legacy' | 'modern', Readonly<Record<string, object>>>> = {
  modern: {
    'server/discover': {
      result: { ...COMPLETE, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    },
    'tools/list': { result: { ...COMPLETE, ...TOOLS } },
    'prompts/list': { result: { ...COMPLETE, ...PROMPTS } },
  },
  legacy: {
    initialize: {
      result: {
        ...{ protocolVersion: '2025-11-25', capabilities: { tools: {} } },
        serverInfo: { name: 'scripted', version: '1' },
      },
    },
    'tools/list': { result: TOOLS },
    'prompts/list': { result: PROMPTS },
  },
};
