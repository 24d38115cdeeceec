import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** A server of 2026-07-28 whose results are written by hand. */
export class HandWrittenServer {
  result = '{}';
  /** Body of the last request. */
  received = '';
  private readonly server: Server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    void this.responseTo(req).then((body) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
  });

  get url(): URL {
    return new URL(`http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/mcp`);
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async responseTo(req: IncomingMessage): Promise<string> {
    this.received = await text(req);
    const { id, method } = JSON.parse(this.received) as { readonly id: number; readonly method: string };
    return `{"jsonrpc":"2.0","id":${String(id)},"result":${LOCAL[method] ?? this.result}}`;
  }
}

const LOCAL: Readonly<Record<string, string>> = {
  'server/discover': JSON.stringify({
    ...{ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    _meta: { [SERVER_INFO]: { name: 'by-hand', version: '2' } },
  }),
  'tools/list': JSON.stringify({
    ...{ resultType: 'complete', tools: [{ name: 'tool', inputSchema: { type: 'object' } }] },
  }),
};
