import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpServerDocument } from '@gw/contracts';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { startMcpFixture, type McpFixture } from '@gw/testing';

/** 0.01 USD in units of 1e-8. */
const CENT = 1_000_000;

describe('limits, charges and guardrails of tool calls', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let document: McpServerDocument;
  const clients: Client[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    fixture = await startMcpFixture();
    document = await serverDocument(fixture.url, 'tools');
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  async function connected(apiKey: string): Promise<Client> {
    const client = new Client({ name: 'spec', version: '1' });
    const url = new URL(`http://127.0.0.1:${String(gateway.port)}/tools/mcp`);
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-gw-api-key': apiKey } } }),
    );
    clients.push(client);
    return client;
  }
  const callsOf = (tool: string): number => fixture.calls.get(tool) ?? 0;
  const idOf = (tool: string): string =>
    document.capabilities.find(({ type, name }) => type === 'tool' && name === tool)?.id ?? '';
  const echo = (client: Client, text = 'hi') => client.callTool({ name: 'echo', arguments: { text } });

  it('[MCP-02] admits exactly 10 of 50 parallel calls under a policy of the target mcp_tools', async () => {
    const apiKey = 'rateKey0000000000000000000000AB1';
    gateway.addKey(apiKey, { id: 'rate-key', scopes: ['mcp.invoke'] });
    gateway.addTenant(WORKSPACE_ID, 'main', {
      policies: {
        usageLimits: [],
        rateLimits: [
          {
            ...{ id: 'policy-1', name: null, target: 'mcp_tools', groupBy: ['api_key'] },
            conditions: [
              { key: 'mcp_tool', value: 'echo' },
              { key: 'api_key', value: 'rate-key' },
            ],
            limit: { type: 'requests', unit: 'rpd', value: 10 },
          },
        ],
      },
    });
    saveServer(gateway, document);
    const client = await connected(apiKey);
    const before = callsOf('echo');
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => echo(client)));
    const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(40);
    expect(refused[0]?.reason).toMatchObject({
      code: -32_029,
      data: { type: 'rate_limited', policy_id: 'policy-1', limit: { value: 10 } },
    });
    expect(callsOf('echo') - before).toBe(10);
    expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } })).toHaveProperty('content');
  });

  it('counts destructive tools of each user under a policy of mcp_annotation and user_id', async () => {
    const keys = ['Ada', 'Bob'].map((user) => {
      const apiKey = `userKey${user}000000000000000000AB1`;
      gateway.addKey(apiKey, { id: `key-${user}`, userId: user, scopes: ['mcp.invoke'] });
      return apiKey;
    });
    gateway.addTenant(WORKSPACE_ID, 'main', {
      policies: {
        usageLimits: [],
        rateLimits: [
          {
            ...{ id: 'policy-2', name: null, target: 'mcp_tools', groupBy: ['user_id'] },
            conditions: [{ key: 'mcp_annotation', value: 'destructive' }],
            limit: { type: 'requests', unit: 'rpd', value: 1 },
          },
        ],
      },
    });
    const annotated = document.capabilities.map((each) => ({
      ...each,
      definition: { ...each.definition, annotations: { readOnlyHint: each.name === 'add' } },
    }));
    saveServer(gateway, { ...document, capabilities: annotated });
    const [ada, bob] = await Promise.all(keys.map(connected));
    await echo(ada as Client);
    await expect(echo(ada as Client)).rejects.toMatchObject({ data: { policy_id: 'policy-2' } });
    await echo(bob as Client);
    for (let i = 0; i < 2; i += 1)
      expect(await (ada as Client).callTool({ name: 'add', arguments: { a: 1, b: 1 } })).toHaveProperty(
        'content',
      );
    gateway.addTenant(WORKSPACE_ID, 'main');
  });

  it('[MCP-02] spends a budget of 1 USD exactly on 300 concurrent calls of a tool for 0.01 USD', async () => {
    const apiKey = 'costKey0000000000000000000000AB1';
    const budget = { periodicReset: null, periodicResetDays: null, nextResetAt: null, alertThreshold: null };
    gateway.addKey(apiKey, {
      ...{ id: 'cost-key', scopes: ['mcp.invoke'] },
      usageLimits: [{ ...budget, type: 'cost', creditLimit: 1, status: 'active' }],
    });
    gateway.addTenant(WORKSPACE_ID, 'main');
    saveServer(gateway, { ...document, prices: { default: 0, tools: { echo: CENT } } });
    await gateway.takeRecords();
    const before = callsOf('echo');
    const callers = await Promise.all(Array.from({ length: 10 }, () => connected(apiKey)));
    const results = await Promise.allSettled(
      callers.flatMap((client) => Array.from({ length: 30 }, () => echo(client))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    expect(callsOf('echo') - before).toBe(100);
    const records = (await gateway.records()).filter(({ route }) => route === 'mcp.tools.call');
    expect(records).toHaveLength(300);
    const charged = records.flatMap(({ decision }) => decision.charges ?? []);
    expect(charged).toHaveLength(100);
    expect(charged.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(100 * CENT);
    expect(records.filter(({ cost }) => cost === CENT)).toHaveLength(100);
    expect(records.filter(({ outcome }) => outcome === 'denied')).toHaveLength(200);
  });

  it('[MCP-02] applies guardrails to arguments before a call and to texts of its result after it', async () => {
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    const deny = { deny: true };
    const contains = (word: string) => [
      { id: 'default.contains', parameters: { words: [word], operator: 'none' } },
    ];
    gateway.addGuardrail('no-secrets', contains('secret'), deny, { target: 'mcp_tools' });
    gateway.addGuardrail('no-pets', contains('parrot'), deny, { target: 'mcp_tools' });
    saveServer(gateway, {
      ...document,
      guardrails: [
        { guardrailId: 'guardrail-no-secrets', runOn: ['beforeToolCall'], capabilityIds: [idOf('echo')] },
        { guardrailId: 'guardrail-no-pets', runOn: ['afterToolCall'], capabilityIds: [] },
      ],
    });
    const client = await connected(gateway.apiKey);
    const before = callsOf('echo');
    await expect(echo(client, 'my secret')).rejects.toMatchObject({
      code: -32_446,
      data: { type: 'hooks_failed', guardrail_id: 'no-secrets', phase: 'beforeToolCall' },
    });
    expect(callsOf('echo')).toBe(before);
    await expect(echo(client, 'a parrot')).rejects.toMatchObject({
      code: -32_446,
      data: { guardrail_id: 'no-pets', phase: 'afterToolCall' },
    });
    expect(callsOf('echo')).toBe(before + 1);
    expect(await echo(client, 'a dog')).toMatchObject({ content: [{ text: 'a dog' }] });
    const [last] = (await gateway.records()).slice(-1);
    expect(last?.decision.guardrails).toHaveLength(2);
  });

  it('redacts personal data in arguments and in both forms of a result', async () => {
    const redact = [{ id: 'default.regexReplace', parameters: { rule: '\\d{4}', redactText: '[number]' } }];
    gateway.addGuardrail('redact', redact, {}, { target: 'mcp_tools' });
    saveServer(gateway, {
      ...document,
      guardrails: [
        {
          guardrailId: 'guardrail-redact',
          runOn: ['beforeToolCall', 'afterToolCall'],
          capabilityIds: [],
        },
      ],
    });
    const client = await connected(gateway.apiKey);
    expect(await echo(client, 'pin 1234')).toMatchObject({ content: [{ text: 'pin [number]' }] });
    const sent = fixture.requests.filter(({ message }) => JSON.stringify(message).includes('pin'));
    expect(JSON.stringify(sent.at(-1)?.message)).not.toContain('1234');
    await client.callTool({ name: 'echo', arguments: { text: 'pin', pin: 1_234, 'no 5678': true } });
    const last = fixture.requests.at(-1)?.message;
    expect(JSON.stringify(last)).toContain('"pin":"[number]","no [number]":true');
  });
});
