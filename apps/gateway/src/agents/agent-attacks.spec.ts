import type { AgentServerDocument } from '@gw/contracts';
import { agentAuthBinding } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, OTHER_WORKSPACE_ID } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { sdkClient, taskOf, textMessage } from './spec-support/sdk-client';

const OTHER_KEY = 'otherKey000000000000000000000AB1';
const FOREIGN_KEY = 'foreignKey0000000000000000000AB1';
const scopes = ['agents.invoke'];

describe('attacks on agents', () => {
  let gateway: GatewayHarness;
  let fixture: AgentFixture;
  let document: AgentServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    for (const key of [gateway.apiKey, OTHER_KEY]) gateway.addKey(key, { id: key, scopes });
    gateway.addKey(FOREIGN_KEY, { workspaceId: OTHER_WORKSPACE_ID, scopes });
    fixture = await startAgentFixture();
    document = agentDocument(fixture, 'helper');
    saveAgent(gateway, document);
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const post = (body: unknown, headers: Record<string, string> = {}, path = '/v1/agent/helper') =>
    fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': gateway.apiKey },
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const sent = (text: string, message: object = {}, params: object = {}) =>
    rpc('SendMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...message },
      ...params,
    });

  it('treats a task of another caller in every operation as one that does not exist', async () => {
    const owner = await sdkClient(gateway, 'helper');
    const { id, contextId } = taskOf(await owner.sendMessage(textMessage('ask')));
    const requests = fixture.requests.length;
    const other = { 'x-gw-api-key': OTHER_KEY };
    const calls = (taskId: string) => [
      rpc('GetTask', { id: taskId }),
      rpc('CancelTask', { id: taskId }),
      rpc('SubscribeToTask', { id: taskId }),
      sent('work', { taskId }),
      sent('work', { referenceTaskIds: [taskId] }),
      rpc('CreateTaskPushNotificationConfig', { taskId, url: 'https://hooks.example.com/a' }),
      rpc('ListTaskPushNotificationConfigs', { taskId }),
    ];
    for (const [index, call] of calls(id).entries()) {
      const [foreign, unknown] = await Promise.all(
        [call, calls('no-such-task')[index]].map(async (body) => (await post(body, other)).text()),
      );
      expect(foreign).toBe(unknown);
    }
    expect(fixture.requests).toHaveLength(requests);
    expect(await (await post(rpc('ListTasks'), other)).json()).toMatchObject({
      result: { tasks: [], totalSize: 0 },
    });
    // A context of another caller is not continued: the agent begins a new one.
    const begun = (await (await post(sent('ask', { contextId }), other)).json()) as {
      readonly result: { readonly task: { readonly contextId: string } };
    };
    expect(begun.result.task.contextId).not.toBe(contextId);
  });

  it.each<['1.0' | '0.3', string, object]>([
    ['1.0', 'SendMessage', { role: 'ROLE_USER', parts: [{ text: 'ask', file_name: 'x' }] }],
    ['0.3', 'message/send', { role: 'user', kind: 'message', parts: [{ kind: 'text', text: 'ask' }] }],
  ])(
    'passes a message of A2A %s to its agent without members of other names, which agents may read as ids',
    async (version, method, message) => {
      saveAgent(gateway, agentDocument(fixture, 'alike', {}, { version }));
      const owner = await sdkClient(gateway, 'alike');
      const { id, contextId } = taskOf(await owner.sendMessage(textMessage('ask')));
      const { length } = fixture.requests;
      const ids = { task_id: id, context_id: contextId, reference_task_ids: [id] };
      const push = { url: 'https://hooks.example.com/a', token: 'own' };
      const configuration = { task_push_notification_config: push, push_notification_config: push };
      const response = await post(
        rpc(method, { message: { messageId: 'm', ...message, ...ids }, configuration, request: ids }),
        { 'x-gw-api-key': OTHER_KEY, 'a2a-version': version },
        '/v1/agent/alike',
      );
      const begun = (await response.json()) as { readonly result?: unknown };
      expect(begun).toHaveProperty('result');
      expect(JSON.stringify(begun)).not.toContain(id);
      const sent = JSON.stringify(fixture.requests.slice(length));
      for (const text of [id, contextId, 'hooks.example.com', 'file_name']) expect(sent).not.toContain(text);
    },
  );

  it('shares tasks between keys of one user, and not with keys of other users', async () => {
    const keys = ['userKeyA0000000000000000000000AB', 'userKeyB0000000000000000000000AB'] as const;
    for (const key of keys) gateway.addKey(key, { id: key, userId: 'user-1', scopes });
    const [first, second] = [
      await sdkClient(gateway, 'helper', { apiKey: keys[0] }),
      await sdkClient(gateway, 'helper', { apiKey: keys[1] }),
    ];
    const { id } = taskOf(await first.sendMessage(textMessage('work')));
    expect((await second.getTask({ tenant: '', id, historyLength: 0 })).id).toBe(id);
    const stranger = await sdkClient(gateway, 'helper');
    await expect(stranger.getTask({ tenant: '', id, historyLength: 0 })).rejects.toThrow(
      'There is no such task',
    );
  });

  it('returns the same error for an agent of another workspace and one that does not exist', async () => {
    const body = sent('say hi');
    const responses = [
      await post(body, { 'x-gw-api-key': FOREIGN_KEY }),
      await post(body, { 'x-gw-api-key': FOREIGN_KEY }, '/main/agents/helper'),
      await post(body, {}, '/v1/agent/nothing'),
      await post(body, {}, '/other/agents/helper'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(new Set(bodies)).toHaveProperty('size', 1);
    expect((await post(body, {}, '/main/agents/helper')).status).toBe(200);
  });

  it('refuses a disabled skill like an unknown one, wherever a request names it', async () => {
    saveAgent(gateway, { ...document, skills: document.skills.filter(({ skillId }) => skillId !== 'work') });
    const named = (skillId: string) => [
      sent('work', { metadata: { skillId } }),
      sent('work', {}, { metadata: { skillId } }),
      sent('work', { metadata: { skillId } }, { metadata: { skillId: 'say' } }),
    ];
    for (const body of [...named('work'), ...named('nothing')])
      expect(await (await post(body)).json()).toMatchObject({
        error: {
          code: -32_602,
          message: expect.stringMatching(/^Unknown skill: (?:work|nothing)$/) as string,
        },
      });
    expect(await (await post(sent('say hi', { metadata: { skillId: 'say' } }))).json()).toHaveProperty(
      'result',
    );
    saveAgent(gateway, document);
  });

  it('hides an agent from callers to whom its user access or its rules allow nothing', async () => {
    const key = { type: 'key', id: gateway.apiKey } as const;
    saveAgent(gateway, { ...document, userAccess: { isAllowed: false, exceptions: {} } });
    expect((await post(sent('say hi'))).status).toBe(404);
    saveAgent(gateway, { ...document, rules: [{ subject: key, skills: ['*'], effect: 'deny' }] });
    expect((await post(sent('say hi'))).status).toBe(404);
    saveAgent(gateway, {
      ...{ ...document, defaultEffect: 'deny' },
      rules: [{ subject: key, skills: ['say'], effect: 'allow' }],
    });
    expect(await (await post(sent('say hi'))).json()).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('metadata.skillId') as string },
    });
    expect(await (await post(sent('say hi', { metadata: { skillId: 'say' } }))).json()).toHaveProperty(
      'result',
    );
    saveAgent(gateway, document);
  });

  it('sends the caller’s credentials to no agent, and the integration’s credential to no other host', async () => {
    const { id, integrationId } = document;
    const binding = agentAuthBinding(ORGANISATION_ID, integrationId);
    const content = JSON.stringify({ headers: { authorization: 'Bearer of-the-integration' } });
    saveAgent(gateway, {
      ...{ ...document, id, authType: 'headers' },
      sealedAuth: seal(sealingKeyring(gateway.master), content, binding),
      configurations: {
        passthrough_headers: ['x-mine', 'cookie', 'x-gw-api-key', 'x-tenant', 'a2a-extensions'],
        forward_headers: { mode: 'all-except', headers: ['x-hidden'] },
      },
    });
    const mine = { 'x-mine': `a ${gateway.apiKey} b`, cookie: 'a=b', 'x-tenant': 'blue', 'x-hidden': 'no' };
    expect(await (await post(sent('say hi'), mine)).json()).toHaveProperty('result');
    const { headers } = fixture.requests.at(-1) ?? { headers: {} };
    expect(JSON.stringify(fixture.requests)).not.toContain(gateway.apiKey);
    expect(headers).toMatchObject({ authorization: 'Bearer of-the-integration', 'x-tenant': 'blue' });
    for (const name of ['cookie', 'x-hidden', 'x-gw-api-key', 'x-mine'])
      expect(headers).not.toHaveProperty(name);
    saveAgent(gateway, document);
  });

  it('calls no address that the outbound policy refuses, whatever the document of the agent says', async () => {
    for (const url of ['http://169.254.169.254/rpc', 'http://[::1]:1/rpc', 'file:///etc/passwd'])
      for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
        saveAgent(gateway, { ...document, endpoint: { ...document.endpoint, url, binding } });
        const response = (await (await post(sent('say hi'))).json()) as object;
        expect(response).toMatchObject({ error: { code: -32_603 } });
        expect(JSON.stringify(response)).not.toContain('169.254');
      }
    saveAgent(gateway, document);
  });

  it('calls no other tenant of an agent than that of its integration', async () => {
    expect(await (await post(sent('say hi', {}, { tenant: 'acme' }))).json()).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('tenant') as string },
    });
    const rest = await post(sent('say hi').params, {}, '/v1/agent/helper/acme/message:send');
    expect([rest.status, await rest.text()]).toEqual([400, expect.stringContaining('tenant')]);
  });

  it('ends the calls of a key that is revoked', async () => {
    const key = 'goneKey00000000000000000000000AB';
    gateway.addKey(key, { scopes });
    const client = await sdkClient(gateway, 'helper', { apiKey: key });
    const { id } = taskOf(await client.sendMessage(textMessage('work')));
    gateway.removeKey(key);
    expect((await post(rpc('GetTask', { id }), { 'x-gw-api-key': key })).status).toBe(401);
  });

  it.each([
    ['a body that is no JSON', 'nope', 200, -32_700],
    ['a scalar', '5', 200, -32_600],
    ['a batch', '[]', 200, -32_600],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'Nothing' }, 200, -32_601],
    ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'GetTask', params: [] }, 200, -32_602],
    [
      'a message without parts',
      rpc0('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER' } }),
      200,
      -32_602,
    ],
    ['101 parts', rpc0('SendMessage', { message: withParts(101) }), 200, -32_602],
    [
      '65 levels',
      `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":${'{"a":'.repeat(65)}1${'}'.repeat(66)}`,
      200,
      -32_600,
    ],
    ['a body of more than 4 MiB', `"${'x'.repeat(4_194_305)}"`, 413, -32_600],
  ])('refuses %s with an error of JSON-RPC', async (_what, body, status, code) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  it('refuses unsupported versions and content types, and lists the supported ones', async () => {
    expect(await (await post(sent('say hi'), { 'a2a-version': '2.0' })).json()).toMatchObject({
      error: { code: -32_009, data: [{ reason: 'VERSION_NOT_SUPPORTED' }] },
    });
    const response = await post(sent('say hi'), { 'content-type': 'text/plain' });
    expect([response.status, await response.text()]).toEqual([
      415,
      expect.stringContaining('application/json'),
    ]);
  });
});

function rpc0(method: string, params: object): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

function withParts(count: number): object {
  return {
    ...{ messageId: 'm', role: 'ROLE_USER' },
    parts: Array.from({ length: count }, () => ({ text: 'a' })),
  };
}
