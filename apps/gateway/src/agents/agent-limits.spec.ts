import type { AgentServerDocument } from '@gw/contracts';
import { startAgentFixture, type AgentFixture } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';
import { agentDocument, saveAgent } from './spec-support/agent-server';
import { sdkClient, taskOf, textMessage, textOf } from './spec-support/sdk-client';

const CENT = 1_000_000;
const BUDGET = { periodicReset: null, periodicResetDays: null, nextResetAt: null, alertThreshold: null };

describe('limits, charges and guardrails of agents', () => {
  let gateway: GatewayHarness;
  let fixture: AgentFixture;
  let document: AgentServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['agents.invoke'] });
    fixture = await startAgentFixture();
    document = agentDocument(fixture, 'helper');
    saveAgent(gateway, document);
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  const executedSince = async (work: () => Promise<unknown>): Promise<number> => {
    const before = fixture.executor.executed.length;
    await work();
    return fixture.executor.executed.length - before;
  };

  it('spends a budget of 1 USD exactly on 300 concurrent messages at 0.01 USD each [A2A-01]', async () => {
    gateway.addTenant(WORKSPACE_ID, 'main');
    saveAgent(gateway, { ...document, prices: { perMessage: CENT, perTask: 0 } });
    await gateway.takeRecords();
    const clients = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        // The budget is the workspace's; each caller has 50 calls in flight at most.
        const apiKey = `costKey${String(index)}000000000000000000000AB1`;
        gateway.addKey(apiKey, { id: `cost-${String(index)}`, scopes: ['agents.invoke'] });
        return sdkClient(gateway, 'helper', { apiKey });
      }),
    );
    gateway.addTenant(WORKSPACE_ID, 'main', {
      usageLimits: [{ ...BUDGET, type: 'cost', creditLimit: 1, status: 'active' }],
    });
    let results: PromiseSettledResult<unknown>[] = [];
    const executed = await executedSince(async () => {
      results = await Promise.allSettled(
        clients.flatMap((client) =>
          Array.from({ length: 30 }, () => client.sendMessage(textMessage('say hi'))),
        ),
      );
    });
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    expect(executed).toBe(100);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as object] : [],
    );
    expect(refused[0]).toMatchObject({ message: expect.stringContaining('limit of 1 USD') as string });
    const records = (await gateway.records()).filter(({ route }) => route === 'a2a.message.send');
    expect(records).toHaveLength(300);
    const charged = records.flatMap(({ decision }) => decision.charges ?? []);
    expect(charged).toHaveLength(100);
    expect(charged.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(100 * CENT);
    expect(records.filter(({ cost }) => cost === CENT)).toHaveLength(100);
    expect(records.filter(({ outcome }) => outcome === 'denied')).toHaveLength(200);
    gateway.addTenant(WORKSPACE_ID, 'main');
  });

  it('admits exactly 10 of 40 parallel messages under a policy on the agent', async () => {
    const apiKey = 'rateKey0000000000000000000000AB1';
    gateway.addKey(apiKey, { id: 'rate-key', scopes: ['agents.invoke'] });
    gateway.addTenant(WORKSPACE_ID, 'main', {
      policies: {
        usageLimits: [],
        rateLimits: [
          {
            ...{ id: 'policy-1', name: null, target: 'mcp_tools', groupBy: ['api_key'] },
            conditions: [{ key: 'agent', value: 'helper' }],
            limit: { type: 'requests', unit: 'rpd', value: 10 },
          },
        ],
      },
    });
    saveAgent(gateway, document);
    const client = await sdkClient(gateway, 'helper', { apiKey });
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, () => client.sendMessage(textMessage('say hi'))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const response = await fetch(`${gateway.baseUrl}/agent/helper`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-gw-api-key': apiKey },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 'a', method: 'SendMessage' },
        params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say hi' }] } },
      }),
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([
      200,
      expect.stringMatching(/^\d+$/),
    ]);
    expect(await response.json()).toMatchObject({
      ...{ jsonrpc: '2.0', id: 'a' },
      error: {
        code: 31_429,
        data: [{ reason: 'RATE_LIMITED', domain: 'tollgate', metadata: { policy_id: 'policy-1' } }],
      },
    });
    gateway.addTenant(WORKSPACE_ID, 'main');
  });

  it('limits the messages of one context in an hour', async () => {
    // The message that begins the context counts as well.
    saveAgent(gateway, { ...document, limits: { timeoutMs: null, messagesPerContextHour: 3 } });
    const client = await sdkClient(gateway, 'helper');
    const { id: taskId, contextId } = taskOf(await client.sendMessage(textMessage('ask')));
    const again = () => client.sendMessage(textMessage('ask', { taskId, contextId }));
    await again();
    await again();
    await expect(again()).rejects.toThrow('A context may have 3 messages in an hour');
    saveAgent(gateway, document);
  });

  it('applies guardrails to messages before the agent gets them, and to its responses, streams included', async () => {
    const deny = { deny: true };
    const contains = (word: string) => [
      { id: 'default.contains', parameters: { words: [word], operator: 'none' } },
    ];
    gateway.addGuardrail('no-secrets', contains('secret'), deny, { target: 'mcp_tools' });
    gateway.addGuardrail('no-pets', contains('parrot'), deny, { target: 'mcp_tools' });
    saveAgent(gateway, {
      ...document,
      guardrails: [
        { guardrailId: 'guardrail-no-secrets', runOn: ['beforeToolCall'], skillIds: [] },
        { guardrailId: 'guardrail-no-pets', runOn: ['afterToolCall'], skillIds: [] },
      ],
    });
    const client = await sdkClient(gateway, 'helper');
    const executed = await executedSince(() =>
      expect(client.sendMessage(textMessage('say my secret'))).rejects.toThrow(),
    );
    expect(executed).toBe(0);
    await expect(client.sendMessage(textMessage('say a parrot'))).rejects.toThrow();
    const events: (string | undefined)[] = [];
    const stream = async (): Promise<void> => {
      for await (const { payload } of client.sendMessageStream(textMessage('work with a parrot')))
        events.push(payload?.$case);
    };
    await expect(stream()).rejects.toThrow();
    expect(events).not.toContain('artifactUpdate');
    expect(textOf(await client.sendMessage(textMessage('say a dog')))).toBe('a dog');
    const last = (await gateway.records()).at(-1);
    expect(last?.decision.guardrails).toHaveLength(2);
    saveAgent(gateway, document);
  });

  it('redacts personal data in both directions', async () => {
    const redact = [{ id: 'default.regexReplace', parameters: { rule: '\\d{4}', redactText: '[number]' } }];
    gateway.addGuardrail('redact', redact, {}, { target: 'mcp_tools' });
    const runOn = (phase: 'beforeToolCall' | 'afterToolCall') =>
      saveAgent(gateway, {
        ...document,
        guardrails: [{ guardrailId: 'guardrail-redact', runOn: [phase], skillIds: [] }],
      });
    const client = await sdkClient(gateway, 'helper');
    for (const phase of ['beforeToolCall', 'afterToolCall'] as const) {
      runOn(phase);
      expect(textOf(await client.sendMessage(textMessage('say pin 1234')))).toBe('pin [number]');
      expect(fixture.executor.executed.at(-1)?.includes('1234')).toBe(phase === 'afterToolCall');
    }
    saveAgent(gateway, document);
  });
});
