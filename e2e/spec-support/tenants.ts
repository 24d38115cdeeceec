import { connect, type Socket } from 'node:net';
import type { StubProvider } from '@gw/testing';
import type { Workbench } from './workbench';

/** Creates a workspace with the provider `@main` and a key. */
export interface Tenant {
  readonly workspaceId: string;
  readonly key: string;
}

export async function newTenant(bench: Workbench, name: string, stub: StubProvider): Promise<Tenant> {
  const { id: workspaceId } = await bench.manage<{ id: string }>('POST', '/workspaces', {
    key: bench.adminKey,
    body: { name },
  });
  await bench.manage('POST', '/integrations', {
    key: bench.adminKey,
    body: {
      name,
      slug: `${name}-integration`,
      ai_provider_id: 'openai',
      key: `sk-${name}`,
      workspace_id: workspaceId,
      default_provider_slug: 'main',
      configurations: { custom_host: `${stub.origin}/v1` },
    },
  });
  const { key } = await bench.newKey({ workspace_id: workspaceId });
  return { workspaceId, key };
}

/** Requests that are written byte by byte. */
export class RawRequests {
  private readonly sockets: Socket[] = [];

  /**
   * Sends the head and the first bytes of a body, and resolves when the system has accepted them.
   */
  async begin(baseUrl: string, key: string, head: string, body: string): Promise<void> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    this.sockets.push(socket);
    socket.on('error', () => undefined);
    const lines = [
      'POST /v1/chat/completions HTTP/1.1',
      'Host: a',
      `x-gw-api-key: ${key}`,
      'x-gw-provider: @main',
      'content-type: application/json',
      head,
    ];
    await new Promise<void>((resolve) => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`, () => resolve());
    });
  }

  /** Sends an incomplete login request without a key. */
  async beginLogin(baseUrl: string): Promise<void> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    this.sockets.push(socket);
    socket.on('error', () => undefined);
    const head = 'POST /v1/auth/login HTTP/1.1\r\nHost: a\r\ncontent-type: application/json';
    await new Promise<void>((resolve) => {
      socket.write(`${head}\r\ncontent-length: 1000\r\n\r\n{`, () => resolve());
    });
  }

  end(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }
}
