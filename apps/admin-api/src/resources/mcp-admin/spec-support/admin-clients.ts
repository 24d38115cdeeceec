import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { TestAdminApi } from '../../../spec-support/admin-api';

const INFO = { name: 'spec-client', version: '1.0.0' };

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Operations that both SDKs support. */
export interface AdminClient {
  names(): Promise<string[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolResult>;
}

/**
 * Connects clients of the official SDKs to `/mcp/admin`, over HTTP on loopback. Create it at the
 * top of a `describe`.
 */
export class AdminClients {
  private url: URL | undefined;
  private readonly open: { close(): Promise<void> }[] = [];

  constructor(admin: TestAdminApi) {
    beforeAll(async () => {
      await admin.api.app.listen(0, '127.0.0.1');
      this.url = new URL('/mcp/admin', await admin.api.app.getUrl());
    });
    afterEach(async () => {
      for (const client of this.open.splice(0)) await client.close();
    });
  }

  get endpoint(): URL {
    if (this.url === undefined) throw new Error('The endpoint is available from beforeAll on.');
    return this.url;
  }

  /** Connects a client of SDK 1, which uses revision 2025-11-25. */
  async legacy(headers: Readonly<Record<string, string>>): Promise<AdminClient> {
    const client = new Client(INFO);
    await client.connect(new StreamableHTTPClientTransport(this.endpoint, { requestInit: { headers } }));
    this.open.push(client);
    return {
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as ToolResult,
    };
  }

  /** Connects a client of SDK 2, which negotiates the era and uses revision 2026-07-28. */
  async modern(headers: Readonly<Record<string, string>>): Promise<AdminClient> {
    const client = new ModernClient(INFO, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new ModernTransport(this.endpoint, { requestInit: { headers } }));
    this.open.push(client);
    return {
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args = {}) =>
        (await client.callTool({ name, arguments: args })) as unknown as ToolResult,
    };
  }

  of(sdk: 1 | 2, key: string): Promise<AdminClient> {
    const headers = { 'x-gw-api-key': key };
    return sdk === 1 ? this.legacy(headers) : this.modern(headers);
  }

  /** Posts a message unchanged. */
  post(message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(message),
    });
  }
}
