import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documentKey, type AgentServerDocument } from '@gw/contracts';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import { eventually, freePort, startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { sdkClient, taskOf, textMessage, type SdkClientOptions } from './spec-support/sdk-client';

interface Notification {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const SECRETS = {
  token: 'clients-token',
  authentication: { scheme: 'Bearer', credentials: 'clients-secret' },
};

describe('push notifications of agents', () => {
  let gateway: GatewayHarness;
  let fixture: AgentFixture;
  let document: AgentServerDocument;
  let hook: Server;
  let hookUrl: string;
  const notifications: Notification[] = [];
  /** Statuses of the next responses of the client's server; 200 when there are none. */
  const statuses: number[] = [];

  beforeAll(async () => {
    hook = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        notifications.push({ headers: req.headers, body: Buffer.concat(chunks).toString('utf8') });
        res.writeHead(statuses.shift() ?? 200, { location: 'http://127.0.0.1:1/' }).end();
      });
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    hookUrl = `http://127.0.0.1:${String((hook.address() as AddressInfo).port)}/hook`;
    const proxied = await freePort();
    gateway = await GatewayHarness.start({ PUBLIC_GATEWAY_URL: `http://127.0.0.1:${String(proxied)}` });
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    // The public address of the gateway leads to it.
    await new Promise<void>((resolve) => publicDoor().listen(proxied, '127.0.0.1', resolve));
    fixture = await startAgentFixture();
    document = agentDocument(fixture, 'helper');
    saveAgent(gateway, document);
    saveAgent(gateway, agentDocument(fixture, 'old', {}, { version: '0.3' }));
  });
  let door: Server;
  const publicDoor = (): Server => {
    door = createServer((req, res) => gateway.plane.door.handle(req, res));
    return door;
  };
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
    for (const server of [door, hook]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  beforeEach(() => {
    notifications.length = statuses.length = 0;
  });

  const configured = (url = hookUrl) => ({
    configuration: {
      ...{ acceptedOutputModes: [], returnImmediately: true, historyLength: undefined },
      taskPushNotificationConfig: { tenant: '', id: '', taskId: '', url, ...SECRETS },
    },
  });
  const statesOf = (list: readonly Notification[]) =>
    list.flatMap(({ body }) => {
      const event = JSON.parse(body) as {
        readonly statusUpdate?: { readonly status: { readonly state: string } };
        readonly task?: { readonly status: { readonly state: string } };
        readonly status?: { readonly state: string };
      };
      const { status } = event.statusUpdate ?? event.task ?? event;
      return status === undefined ? [] : [status.state];
    });

  it.each<[string, string, SdkClientOptions, string]>([
    ['1.0', '1.0', { version: '1.0' }, 'helper'],
    ['1.0', '0.3', { version: '1.0' }, 'old'],
    ['0.3', '1.0', { version: '0.3' }, 'helper'],
  ])(
    'notify a client of %s about tasks of an agent of %s, in its version',
    async (version, _agent, options, slug) => {
      const client = await sdkClient(gateway, slug, options);
      const requests = fixture.requests.length;
      const { id } = taskOf(await client.sendMessage(textMessage('wait', {}, configured())));
      await eventually(() => fixture.executor.waitingTasks.includes(id));
      fixture.executor.release();
      const last = version === '1.0' ? 'TASK_STATE_COMPLETED' : 'completed';
      await eventually(() => statesOf(notifications).includes(last));
      for (const { headers, body } of notifications) {
        expect(headers).toMatchObject({
          'x-a2a-notification-token': 'clients-token',
          authorization: 'Bearer clients-secret',
          'x-gw-signature': `sha256=${createHmac('sha256', 'clients-token').update(body).digest('hex')}`,
        });
      }
      // The agent saw the address of the gateway and a token of its own, and nothing of the
      // client's.
      const seen = JSON.stringify(fixture.requests.slice(requests));
      expect(seen).toContain('/v1/agent-push/');
      for (const secret of [hookUrl, 'clients-token', 'clients-secret']) expect(seen).not.toContain(secret);
    },
  );

  it('are configured for a running task, listed without their secrets, and deleted', async () => {
    const client = await sdkClient(gateway, 'helper');
    const { id: taskId } = taskOf(
      await client.sendMessage(
        textMessage(
          'wait',
          {},
          {
            configuration: {
              ...{ acceptedOutputModes: [], returnImmediately: true, historyLength: undefined },
              taskPushNotificationConfig: undefined,
            },
          },
        ),
      ),
    );
    const config = { tenant: '', id: 'mine', taskId, url: hookUrl, ...SECRETS };
    const created = await client.createTaskPushNotificationConfig(config);
    expect(created).toMatchObject({ id: 'mine', taskId, url: hookUrl, token: '' });
    const { configs } = await client.listTaskPushNotificationConfig({
      tenant: '',
      taskId,
      pageSize: 0,
      pageToken: '',
    });
    expect(configs).toHaveLength(1);
    expect(JSON.stringify(configs)).not.toContain('clients-');
    await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' });
    await expect(client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })).rejects.toThrow(
      'no such push notification config',
    );
    await eventually(() => fixture.executor.waitingTasks.includes(taskId));
    fixture.executor.release();
    await eventually(async () => {
      const task = await client.getTask({ tenant: '', id: taskId, historyLength: 0 });
      return task.artifacts.length > 0;
    });
    // Notifications of tasks of other tests may still arrive.
    expect(notifications.filter(({ body }) => body.includes(taskId))).toEqual([]);
  });

  it('leave no secret of the client in the log', async () => {
    await gateway.takeRecords();
    const client = await sdkClient(gateway, 'helper');
    const { id: taskId } = taskOf(await client.sendMessage(textMessage('work', {}, configured())));
    await client.createTaskPushNotificationConfig({
      tenant: '',
      id: 'mine',
      taskId,
      url: hookUrl,
      ...SECRETS,
    });
    const old = await sdkClient(gateway, 'helper', { version: '0.3', binding: 'HTTP+JSON' });
    await old.sendMessage(textMessage('work', {}, configured()));
    const bodies = (await gateway.records()).map(({ requestBody }) => requestBody?.toString('utf8') ?? '');
    expect(bodies.filter((body) => body.includes(hookUrl))).toHaveLength(3);
    for (const body of bodies) expect(body).not.toContain('clients-');
  });

  it('end with the key that configured them', async () => {
    const apiKey = 'goneKey00000000000000000000000AB';
    gateway.addKey(apiKey, { scopes: ['agents.invoke'] });
    const client = await sdkClient(gateway, 'helper', { apiKey });
    const { id } = taskOf(await client.sendMessage(textMessage('wait', {}, configured())));
    await eventually(() => fixture.executor.waitingTasks.includes(id));
    gateway.removeKey(apiKey);
    fixture.executor.release();
    const owner = await sdkClient(gateway, 'helper');
    // A later task of another caller, whose notifications arrive.
    await owner.sendMessage(textMessage('work', {}, configured()));
    await eventually(() => statesOf(notifications).includes('TASK_STATE_COMPLETED'));
    expect(statesOf(notifications.filter(({ body }) => body.includes(id)))).not.toContain(
      'TASK_STATE_COMPLETED',
    );
  });

  it.each<[string, Partial<AgentServerDocument>]>([
    ['its user access', { userAccess: { isAllowed: true, exceptions: { 'push-user': false } } }],
    [
      'a rule about its user',
      {
        rules: [{ subject: { type: 'user', id: 'push-user' }, skills: ['*'], effect: 'deny' }],
      },
    ],
    [
      'a rule about its group',
      {
        rules: [{ subject: { type: 'group', id: 'leavers' }, skills: ['*'], effect: 'deny' }],
      },
    ],
  ])('end for a caller to whom %s allows the agent no longer', async (_what, change) => {
    const apiKey = 'userKey00000000000000000000000AB';
    gateway.addKey(apiKey, { id: 'push-key', userId: 'push-user', scopes: ['agents.invoke'] });
    gateway.documents.set(documentKey.user(ORGANISATION_ID, 'push-user'), {
      ...{ kind: 'user', version: 'v', id: 'push-user', organisationId: ORGANISATION_ID },
      ...{ organisationRole: 'member', workspaceRoles: {}, groups: ['leavers'] },
    } as never);
    const client = await sdkClient(gateway, 'helper', { apiKey });
    const { id } = taskOf(await client.sendMessage(textMessage('wait', {}, configured())));
    await eventually(() => fixture.executor.waitingTasks.includes(id));
    saveAgent(gateway, { ...document, ...change });
    fixture.executor.release();
    const owner = await sdkClient(gateway, 'helper');
    const before = notifications.length;
    // A later task of another caller, whose notifications arrive.
    await owner.sendMessage(textMessage('work', {}, configured()));
    await eventually(() => statesOf(notifications.slice(before)).includes('TASK_STATE_COMPLETED'));
    expect(statesOf(notifications.filter(({ body }) => body.includes(id)))).not.toContain(
      'TASK_STATE_COMPLETED',
    );
    saveAgent(gateway, document);
  });

  it('end with the OAuth grant that configured them, and not with its tokens', async () => {
    const token = `pat_${'p'.repeat(43)}`;
    const hash = accessTokenHash(oauthPepper(gateway.master), token) ?? '';
    const facts = {
      ...{ version: 'v', organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID },
      ...{ scopes: ['agents.invoke'], expiresAt: new Date(Date.now() + 60_000).toISOString() },
    };
    const grant = documentKey.oauthGrant('grant');
    gateway.documents.set(grant, { kind: 'oauth_grant', id: 'grant', ...facts });
    const begun: string[] = [];
    for (const _ of ['goes on', 'ends']) {
      gateway.documents.set(documentKey.accessToken(hash), {
        ...{ kind: 'access_token', grantId: 'grant', userId: 'user', clientId: 'c', clientName: 'C' },
        ...{ resourcePath: '/v1/agent/helper', targetId: document.id, ...facts },
      });
      const client = await sdkClient(gateway, 'helper', { apiKey: token });
      const { id } = taskOf(await client.sendMessage(textMessage('wait', {}, configured())));
      await eventually(() => fixture.executor.waitingTasks.includes(id));
      gateway.documents.remove(documentKey.accessToken(hash));
      if (begun.push(id) === 2) gateway.documents.remove(grant);
      fixture.executor.release();
      const waiting = begun.length === 1 ? notifications : [];
      await eventually(() => begun.length === 2 || statesOf(waiting).includes('TASK_STATE_COMPLETED'));
    }
    const [first = '', second = ''] = begun;
    const owner = await sdkClient(gateway, 'helper');
    const before = notifications.length;
    // A later task of another caller, whose notifications arrive.
    await owner.sendMessage(textMessage('work', {}, configured()));
    await eventually(() => statesOf(notifications.slice(before)).includes('TASK_STATE_COMPLETED'));
    const statesAbout = (id: string) => statesOf(notifications.filter(({ body }) => body.includes(id)));
    expect(statesAbout(first)).toContain('TASK_STATE_COMPLETED');
    expect(statesAbout(second)).not.toContain('TASK_STATE_COMPLETED');
  });

  it.each([
    ['of the cloud metadata', 'https://169.254.169.254/latest'],
    ['of a private network', 'https://10.0.0.1/hook'],
    ['with a user', 'https://user:pass@hooks.example.com/'],
    ['without encryption', 'http://hooks.example.com/'],
    ['of another scheme', 'file:///etc/passwd'],
  ])('refuse an address %s when it is saved', async (_what, url) => {
    const client = await sdkClient(gateway, 'helper');
    const executed = fixture.executor.executed.length;
    await expect(client.sendMessage(textMessage('wait', {}, configured(url)))).rejects.toThrow();
    expect(fixture.executor.executed).toHaveLength(executed);
  });

  it('do not follow a redirect, whose address was never checked', async () => {
    statuses.push(307, 307, 307, 307);
    const client = await sdkClient(gateway, 'helper');
    await client.sendMessage(textMessage('work', {}, configured()));
    await eventually(() => statesOf(notifications).includes('TASK_STATE_COMPLETED'));
    expect(new Set(notifications.map(({ headers }) => headers.host))).toEqual(
      new Set([new URL(hookUrl).host]),
    );
  });

  it('are refused without the token and for another task', async () => {
    const client = await sdkClient(gateway, 'helper');
    const { id } = taskOf(await client.sendMessage(textMessage('wait', {}, configured())));
    const registered = JSON.parse(
      fixture.requests.findLast(({ body }) => body.includes('agent-push'))?.body ?? '{}',
    ) as {
      readonly params: {
        readonly configuration: {
          readonly taskPushNotificationConfig: { readonly url: string; readonly token: string };
        };
      };
    };
    const { url, token } = registered.params.configuration.taskPushNotificationConfig;
    await eventually(() => fixture.executor.waitingTasks.includes(id));
    await eventually(() => statesOf(notifications).includes('TASK_STATE_WORKING'));
    notifications.length = 0;
    const notify = async (to: string, headers: Record<string, string>, body: unknown): Promise<number> =>
      (await fetch(to, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    const event = (taskId: string) => ({
      statusUpdate: { taskId, contextId: 'c', status: { state: 'TASK_STATE_FAILED' } },
    });
    const right = { 'x-a2a-notification-token': token };
    expect(await notify(url, {}, event(id))).toBe(401);
    expect(await notify(url, { 'x-a2a-notification-token': 'guess' }, event(id))).toBe(401);
    expect(await notify(`${url.slice(0, -4)}AAAA`, right, event(id))).toBe(404);
    expect(await notify(url, right, event('another'))).toBe(404);
    expect(await notify(url, right, { nothing: true })).toBe(400);
    expect(await notify(url, right, `"${'x'.repeat(1_048_577)}"`)).toBe(413);
    // The agent itself may still notify of the running task.
    expect(notifications.filter(({ body }) => !body.includes('TASK_STATE_WORKING'))).toEqual([]);
    fixture.executor.release();
  });

  it('have no contents while guardrails judge the responses of the agent', async () => {
    gateway.addGuardrail(
      'no-pets',
      [{ id: 'default.contains', parameters: { words: ['parrot'], operator: 'none' } }],
      { deny: true },
      { target: 'mcp_tools' },
    );
    saveAgent(gateway, {
      ...document,
      guardrails: [{ guardrailId: 'guardrail-no-pets', runOn: ['afterToolCall'], skillIds: [] }],
    });
    const client = await sdkClient(gateway, 'helper');
    // Without its history the task does not say what the client wrote.
    const { configuration } = configured();
    const request = { configuration: { ...configuration, historyLength: 0 } };
    const { id } = taskOf(await client.sendMessage(textMessage('wait a parrot', {}, request)));
    await eventually(() => fixture.executor.waitingTasks.includes(id));
    fixture.executor.release();
    await eventually(() => statesOf(notifications).includes('TASK_STATE_COMPLETED'));
    expect(JSON.stringify(notifications)).not.toContain('parrot');
    saveAgent(gateway, document);
  });

  it('are unavailable if the gateway has no public address', async () => {
    const other = await GatewayHarness.start();
    other.addKey(other.apiKey, { scopes: ['agents.invoke'] });
    saveAgent(other, document);
    const client = await sdkClient(other, 'helper');
    await expect(client.sendMessage(textMessage('work', {}, configured()))).rejects.toThrow(/push/i);
    await other.stop();
  });
});
