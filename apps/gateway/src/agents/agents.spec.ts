import { TaskState } from '@a2a-js/sdk';
import { startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { sdkClient, taskOf, textMessage, textOf } from './spec-support/sdk-client';

const CENT = 1_000_000;

describe('A2A through the gateway', () => {
  let gateway: GatewayHarness;
  let fixture: AgentFixture;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { id: 'caller', scopes: ['agents.invoke'] });
    fixture = await startAgentFixture();
    saveAgent(gateway, agentDocument(fixture, 'helper', { prices: { perMessage: CENT, perTask: 2 * CENT } }));
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  it('sends a message with the official client, and counts, prices and logs it [A2A-01, SCP-01]', async () => {
    await gateway.takeRecords();
    const client = await sdkClient(gateway, 'helper');
    const said = await client.sendMessage(textMessage('say hello'));
    expect(textOf(said)).toBe('hello');
    const worked = taskOf(await client.sendMessage(textMessage('work on it')));
    expect([worked.status?.state, textOf(worked)]).toEqual([TaskState.TASK_STATE_COMPLETED, 'on it']);
    const records = await gateway.records();
    expect(records).toHaveLength(2);
    expect(records[1]).toMatchObject({
      ...{ route: 'a2a.message.send', outcome: 'ok', status: 200, apiKeyId: 'caller', cost: 3 * CENT },
      ...{ provider: 'a2a', credential: 'helper', spanName: 'invoke_agent helper' },
      decision: {
        agent: {
          ...{ agent: 'helper', operation: 'SendMessage', version: '1.0', binding: 'JSONRPC' },
          ...{ taskId: worked.id, contextId: worked.contextId, state: 'TASK_STATE_COMPLETED' },
          ...{ skill: null, artifacts: 1, parts: { text: 1, file: 0, data: 0 } },
        },
      },
    });
    expect(records[0]).toMatchObject({ cost: CENT, decision: { agent: { taskId: null, artifacts: 0 } } });
  });

  it('refuses a key without the scope agents.invoke, and one without any credential [SCP-01]', async () => {
    const apiKey = 'noScopeKey00000000000000000000AB';
    gateway.addKey(apiKey, { scopes: ['mcp.invoke', 'completions.write'] });
    const post = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${String(gateway.port)}/v1/agent/helper`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }),
      });
    const executed = fixture.executor.executed.length;
    const refused = await post({ 'x-gw-api-key': apiKey });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope", scope="agents\.invoke", resource_metadata=".*\/\.well-known\/oauth-protected-resource\/v1\/agent\/helper"/,
    );
    expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { code: -32_600 } });
    const unknown = await post({});
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('www-authenticate')).toContain('Bearer resource_metadata=');
    expect(fixture.executor.executed).toHaveLength(executed);
  });
});
