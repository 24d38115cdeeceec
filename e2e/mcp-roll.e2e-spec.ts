import {
  eventually,
  startMcpFixture,
  startNginx,
  startRedis,
  type McpFixture,
  type TestNginx,
} from '@gw/testing';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { FleetProcess } from './spec-support/fleet';
import { withProduct } from './spec-support/workbench';

jest.setTimeout(600_000);

const SESSIONS = 200;
/** Number of sessions that call concurrently. */
const AT_ONCE = 20;

let redis: Awaited<ReturnType<typeof startRedis>>;
const bench = withProduct(async () => {
  redis = await startRedis();
  return { redisUrl: redis.url };
});
afterAll(() => redis.stop());

describe('MCP sessions over three gateways behind nginx', () => {
  let fixture: McpFixture;
  let fleet: FleetProcess[];
  let nginx: TestNginx;
  let key: string;

  beforeAll(async () => {
    fixture = await startMcpFixture();
    const admin = <T>(method: string, path: string, body: object = {}): Promise<T> =>
      bench().manage(method, path, { key: bench().adminKey, body });
    const { workspace_id: workspaceId } = bench().product.credentials;
    const { id } = await admin<{ id: string }>('POST', '/mcp-integrations', {
      ...{ name: 'Tools', url: fixture.url.href, transport: 'http', auth_type: 'none' },
      workspace_id: workspaceId,
    });
    await admin('POST', `/mcp-integrations/${id}/sync`);
    await admin('POST', '/mcp-servers', {
      ...{ name: 'Tools', slug: 'tools', mcp_integration_id: id, workspace_id: workspaceId },
    });
    key = (await bench().newKey({ scopes: ['mcp.invoke'] })).key;
    fleet = await Promise.all(
      ['one', 'two', 'three'].map((name) => FleetProcess.start('gateway', bench(), name)),
    );
    nginx = await startNginx(fleet.map(({ port }) => port));
  });
  afterAll(async () => {
    await nginx.stop();
    await Promise.all(fleet.map((gateway) => gateway.stop()));
    await fixture.close();
  });

  async function post(
    body: object,
    session?: string,
  ): Promise<{ status: number; text: string; session: string }> {
    const response = await fetch(`${nginx.origin}/tools/mcp`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...{ 'x-gw-api-key': key, connection: 'close' },
        ...(session !== undefined && { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
    const text = await response.text();
    return { status: response.status, text, session: response.headers.get('mcp-session-id') ?? '' };
  }
  const initialize = {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'roll', version: '1' } },
  };

  /** Calls tools in all sessions until `isOver` returns true, and counts the outcomes in `seen`. */
  async function callers(
    sessions: readonly string[],
    seen: { right: number; lost: number; failed: number },
    isOver: () => boolean,
  ) {
    const wrong: string[] = [];
    let next = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (!isOver()) {
          const at = (next += 1);
          const text = `call-${String(at)}`;
          const call = { method: 'tools/call', params: { name: 'echo', arguments: { text } } };
          const reply = await post(call, sessions[at % sessions.length]).catch(() => null);
          // Counts a failure for no response, an error status, and an error of the gateway about
          // the server.
          if (reply === null || reply.status >= 500 || reply.text.includes('gw/error')) seen.failed += 1;
          else if (reply.status === 404) seen.lost += 1;
          else if (reply.text.includes(`"text":"${text}"`)) seen.right += 1;
          else wrong.push(reply.text.slice(0, 500));
        }
      }),
    );
    return { wrong, sent: next };
  }

  it('deliver responses of clients to their call, whichever gateway receives them', async () => {
    const results = await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, at) => {
        const client = new Client({ name: 'roll', version: '1' }, { capabilities: { elicitation: {} } });
        client.setRequestHandler(ElicitRequestSchema, () => ({
          ...{ action: 'accept', content: { response: `answer ${String(at)}` } },
        }));
        const requestInit = { headers: { 'x-gw-api-key': key } };
        await client.connect(
          new StreamableHTTPClientTransport(new URL(`${nginx.origin}/tools/mcp`), { requestInit }),
        );
        const call = { name: 'test_elicitation', arguments: { message: 'Who?' } };
        const result = await client.callTool(call);
        await client.close();
        return JSON.stringify(result);
      }),
    );
    const answers = results.map((_, at) => expect.stringContaining(`answer ${String(at)}\\"`) as string);
    expect(results).toEqual(answers);
  });

  it('continue while each gateway is restarted and then killed, and call no tool twice', async () => {
    // A gateway that waits too long for Redis, as on a busy machine, opens no session.
    const open = (): Promise<string> =>
      eventually(async () => {
        const { status, session } = await post(initialize);
        return status === 200 && session !== '' && session;
      });
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, open));
    expect(new Set(sessions)).toHaveProperty('size', SESSIONS);
    const before = fixture.calls.get('echo') ?? 0;
    const seen = { right: 0, lost: 0, failed: 0 };
    let isOver = false;
    const calling = callers(sessions, seen, () => isOver);
    for (const end of ['stop', 'kill'] as const)
      for (const gateway of fleet) {
        await gateway[end]();
        await gateway.start();
        await eventually(async () => (await fetch(`${gateway.origin}/v1/health/ready`)).ok, {
          timeoutMs: 120_000,
        });
      }
    await eventually(() => seen.right > SESSIONS, { timeoutMs: 120_000 });
    isOver = true;
    const { wrong, sent } = await calling;
    const { right, lost, failed } = seen;
    expect({ lost, wrong }).toEqual({ lost: 0, wrong: [] });
    const called = (fixture.calls.get('echo') ?? 0) - before;
    expect([called >= right, called <= sent]).toEqual([true, true]);
    // A slow machine sends few calls, of which each end of a gateway may fail all.
    expect(failed).toBeLessThan(Math.max(sent / 10, 2 * fleet.length * AT_ONCE));
    const call = { method: 'tools/call', params: { name: 'echo', arguments: { text: 'still' } } };
    const continues = (session: string): Promise<true> =>
      eventually(async () => {
        expect((await post(call, session)).status).toBe(200);
        return true;
      });
    await Promise.all(sessions.map(continues));
  });
});
