import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { INTERNAL, type McpListsChanged } from '@gw/contracts';

/** A control plane that reads servers whose lists changed, as the admin API does. */
export interface ListReader {
  readonly url: string;
  /** Integrations that gateways asked the control plane to read, once for each request. */
  readonly asked: readonly string[];
  /** Sets the function that reads the server of an integration and saves its document. */
  reads(integrationId: string, read: () => Promise<void>): void;
  close(): Promise<void>;
}

export async function startListReader(): Promise<ListReader> {
  const readers = new Map<string, () => Promise<void>>();
  const asked: string[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      if (req.url === INTERNAL.mcpListsChanged) {
        const { integrationId } = JSON.parse(Buffer.concat(chunks).toString()) as McpListsChanged;
        asked.push(integrationId);
        // A server that has stopped cannot be read.
        await readers
          .get(integrationId)?.()
          .catch(() => undefined);
      }
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end('{}');
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked,
    reads: (integrationId, read) => readers.set(integrationId, read),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
