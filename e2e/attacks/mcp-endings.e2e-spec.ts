import { mcpConnectionBinding } from '@gw/entities';
import { seal, sealingKeyring, uuidv7 } from '@gw/kernel';
import {
  environmentOf,
  eventually,
  modernRequest,
  queryDatabase,
  startMcpFixture,
  startRedis,
  type McpFixture,
} from '@gw/testing';
import { PUBLIC_URL } from '../../apps/admin-api/src/platform/oauth/spec-support/oauth-journey';
import { Callers, type Person } from '../spec-support/callers';
import { FleetProcess } from '../spec-support/fleet';
import { expectEndInOutage } from '../spec-support/outages';
import { CHANGE_MS, withProduct } from '../spec-support/workbench';

jest.setTimeout(600_000);

/** Time limit for the fastest ending while change events arrive. */
const BY_EVENTS_MS = 4_000;

let redis: Awaited<ReturnType<typeof startRedis>>;
const bench = withProduct(async () => {
  redis = await startRedis();
  return { redisUrl: redis.url, environment: { PUBLIC_URL } };
});
afterAll(() => redis.stop());

describe('three gateways refuse calls of MCP servers, by events while Redis is up', () => {
  let callers: Callers;
  let fixture: McpFixture;
  let fleet: FleetProcess[];
  let integration: string;
  let server: string;
  /** Milliseconds from the begin of each ending to its effect, while change events arrived. */
  const took: number[] = [];

  const admin = <T>(method: string, path: string, body?: object): Promise<T> =>
    bench().manage(method, path, { key: bench().adminKey, ...(body && { body }) });

  beforeAll(async () => {
    callers = new Callers(bench());
    fixture = await startMcpFixture({
      authorization: { tokens: ['good'], authorizationServer: 'https://as.example', scopes: [] },
    });
    const { workspace_id: workspaceId } = bench().product.credentials;
    ({ id: integration } = await admin<{ id: string }>('POST', '/mcp-integrations', {
      ...{ name: 'Mail', url: fixture.url.href, transport: 'http', auth_type: 'oauth_auto' },
    }));
    await share(true);
    await admin('POST', `/mcp-integrations/${integration}/sync`, {
      server_info: { name: 'mail', version: '1' },
      capabilities: [
        { type: 'tool', name: 'echo', description: 'Returns the text.', inputSchema: { type: 'object' } },
      ],
    });
    ({ id: server } = await admin<{ id: string }>('POST', '/mcp-servers', {
      ...{ name: 'Mail', slug: 'mail', mcp_integration_id: integration, workspace_id: workspaceId },
    }));
    fleet = await Promise.all(['two', 'three'].map((name) => FleetProcess.start('gateway', bench(), name)));
  });
  afterAll(async () => {
    await Promise.all(fleet.map((gateway) => gateway.stop()));
    await fixture.close();
  });

  const share = (enabled: boolean): Promise<unknown> =>
    admin('PUT', `/mcp-integrations/${integration}/workspaces`, {
      workspaces: [{ id: bench().product.credentials.workspace_id, enabled }],
    });

  /** Creates a person with a key and a connection to the server, as the connect page stores it. */
  async function connected(): Promise<{ readonly person: Person; readonly key: string }> {
    const person = await callers.person('member');
    const { key } = await bench().manage<{ key: string }>('POST', '/api-keys/workspace/user', {
      key: null,
      headers: { authorization: `Bearer ${person.session}` },
      body: { name: 'Mine', workspace_id: person.workspaceId, scopes: ['mcp.invoke'] },
    });
    const { ENCRYPTION_KEY = '' } = environmentOf(bench().product.pidOf('worker') ?? 0);
    const { organisation_id: organisationId } = bench().product.credentials;
    const owner = { organisationId, serverId: server, userId: person.id };
    const tokens = {
      ...{ accessToken: 'good', refreshToken: null, tokenEndpoint: 'https://as.example/token' },
      ...{ client: { id: 'c', secret: null, authMethod: 'none' }, revocationEndpoint: null },
      resource: fixture.url.href,
    };
    const sealed = seal(
      sealingKeyring(Buffer.from(ENCRYPTION_KEY, 'base64')),
      JSON.stringify(tokens),
      mcpConnectionBinding(owner),
    );
    await queryDatabase(
      bench(),
      `INSERT INTO mcp_connections (id, organisation_id, server_id, user_id, sealed_tokens, status)
       VALUES ($1, $2, $3, $4, $5, 'connected')`,
      [uuidv7(), organisationId, server, person.id, sealed],
    );
    return { person, key };
  }

  /** Returns the outcome of one call through each gateway. */
  const outcomes = (key: string): Promise<string[]> =>
    Promise.all(
      [bench().baseUrl, ...fleet.map(({ baseUrl }) => baseUrl)].map(async (baseUrl) => {
        const echo = { name: 'echo', arguments: { text: 'hi' } };
        const response = await fetch(
          `${new URL(baseUrl).origin}/mail/mcp`,
          modernRequest(key, 'tools/call', echo),
        );
        const text = await response.text();
        if (response.status !== 200) return String(response.status);
        if (text.includes('"text":"hi"')) return 'called';
        return /mcp_connection_required|Unknown tool/.exec(text)?.[0] ?? text;
      }),
    );

  /** Returns the status of a list of tools at each gateway. */
  const statuses = (path: string, credential: string): Promise<string[]> =>
    Promise.all(
      [bench().baseUrl, ...fleet.map(({ baseUrl }) => baseUrl)].map(async (baseUrl) => {
        const request = modernRequest(credential, 'tools/list', {});
        const response = await fetch(new URL(path, baseUrl), request);
        await response.arrayBuffer();
        return String(response.status);
      }),
    );

  /**
   * Fails unless all gateways serve the key before `ending`, and each of them returns `outcome`
   * after it. Returns the milliseconds that this took.
   */
  async function timeOfEnd(key: string, ending: () => Promise<unknown>, outcome: string): Promise<number> {
    const become = (each: string): Promise<true> =>
      eventually(async () => {
        expect(await outcomes(key)).toEqual([each, each, each]);
        return true;
      });
    await become('called');
    await ending();
    const endedAt = performance.now();
    await become(outcome);
    const ms = performance.now() - endedAt;
    expect(await outcomes(key)).toEqual([outcome, outcome, outcome]);
    return ms;
  }
  async function expectEnd(key: string, ending: () => Promise<unknown>, outcome: string): Promise<void> {
    let begunAt = 0;
    const timed = (): Promise<unknown> => {
      begunAt = performance.now();
      return ending();
    };
    await timeOfEnd(key, timed, outcome);
    took.push(performance.now() - begunAt);
  }

  it('after the connection of a user to the server was ended', async () => {
    const { person, key } = await connected();
    const path = `/mcp-servers/${server}/connections?user_id=${person.id}`;
    await expectEnd(key, () => admin('DELETE', path), 'mcp_connection_required');
  });

  it('after a user lost the access to the server', async () => {
    const { person, key } = await connected();
    const user_access = [{ user_id: person.id, enabled: false }];
    await expectEnd(
      key,
      () => admin('PUT', `/mcp-servers/${server}/user-access`, { user_access }),
      'Unknown tool',
    );
  });

  it('after a user was removed, which deletes the connection', async () => {
    const { person, key } = await connected();
    await expectEnd(key, () => admin('DELETE', `/admin/users/${person.id}`), '401');
    const rows = await queryDatabase(bench(), 'SELECT 1 FROM mcp_connections WHERE user_id = $1', [
      person.id,
    ]);
    expect(rows).toEqual([]);
  });

  it('after the identity provider deactivated a user', async () => {
    const { person, key } = await connected();
    const { deactivate } = await callers.managed(person);
    await expectEnd(key, deactivate, '401');
  });

  it('after a user left the workspace', async () => {
    const { person, key } = await connected();
    const path = `/admin/workspaces/${person.workspaceId}/users/${person.id}`;
    await expectEnd(key, () => admin('DELETE', path), '401');
  });

  it('after the tool was switched off', async () => {
    const { key } = await connected();
    const off = { capabilities: [{ type: 'tool', name: 'echo', enabled: false }] };
    await expectEnd(key, () => admin('PUT', `/mcp-servers/${server}/capabilities`, off), 'Unknown tool');
    await admin('PUT', `/mcp-servers/${server}/capabilities`, {
      capabilities: [{ type: 'tool', name: 'echo', enabled: true }],
    });
  });

  it('after the server of an OAuth token was deleted, even if another server gets its slug', async () => {
    const { person } = await connected();
    const workspace_id = person.workspaceId;
    const make = (kind: string, more: object): Promise<{ id: string }> =>
      admin('POST', kind, { name: 'Passing', slug: 'passing', workspace_id, ...more });
    const passing = await make('/mcp-servers', { mcp_integration_id: integration });
    const requested = { resource: `${PUBLIC_URL}/passing/mcp`, scope: 'mcp.invoke' };
    const { accessToken } = await callers.access(person, requested);
    const { key } = await bench().newKey({ scopes: ['mcp.invoke'] });
    const listed = (credential: string): Promise<string[]> => statuses('/passing/mcp', credential);
    await eventually(async () => (await listed(accessToken)).every((status) => status === '200'));
    await admin('DELETE', `/mcp-servers/${passing.id}`);
    await make('/mcp-toolsets', { members: [{ server: 'mail' }] });
    await eventually(async () => (await listed(key)).every((status) => status === '200'), {
      timeoutMs: CHANGE_MS,
    });
    expect(await listed(accessToken)).toEqual(['401', '401', '401']);
    const fresh = await callers.access(person, requested);
    await eventually(async () => (await listed(fresh.accessToken)).every((status) => status === '200'));
  });

  it('within ten seconds while Redis is down, after a connection was ended', async () => {
    const outage = async (): Promise<number> => {
      const { person, key } = await connected();
      const path = `/mcp-servers/${server}/connections?user_id=${person.id}`;
      const end = async (): Promise<void> => {
        await redis.kill();
        await admin('DELETE', path);
      };
      const ms = await timeOfEnd(key, end, 'mcp_connection_required');
      await redis.start();
      return ms;
    };
    await expectEndInOutage(outage);
  });

  it('after the workspace lost the integration', async () => {
    const { key } = await connected();
    await expectEnd(key, () => share(false), '404');
  });

  it('learn of endings by events, not by their own checks', () => {
    expect(Math.min(...took)).toBeLessThan(BY_EVENTS_MS);
  });
});
