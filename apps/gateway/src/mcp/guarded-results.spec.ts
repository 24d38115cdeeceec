import { modernRequest } from '@gw/testing';
import type { McpServerDocument } from '@gw/contracts';
import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { startScriptedServer, type ScriptedServer } from './spec-support/scripted-server';

describe('guardrails of MCP servers', () => {
  let gateway: GatewayHarness;
  let server: ScriptedServer;
  let document: McpServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    server = await startScriptedServer('modern');
    document = await serverDocument(server.url, 'tools');
    const checks = [{ id: 'default.regexMatch', parameters: { rule: 'xyzzy', not: true } }];
    gateway.addGuardrail('no-magic', checks, { deny: true }, { target: 'mcp_tools' });
    const guardrails = [
      {
        ...{ guardrailId: 'guardrail-no-magic', capabilityIds: [] },
        runOn: ['beforeToolCall' as const, 'afterToolCall' as const],
      },
    ];
    saveServer(gateway, { ...document, guardrails });
  });
  afterAll(async () => {
    await server.close();
    await gateway.stop();
  });

  async function ask(method: string, params: object): Promise<string> {
    const request = modernRequest(gateway.apiKey, method, params);
    const response = await fetch(`http://127.0.0.1:${String(gateway.port)}/main/tools/mcp`, request);
    return response.text();
  }
  const call = (args: object = {}): Promise<string> => ask('tools/call', { name: 'work', arguments: args });
  /** A text after as many empty ones as the gateway collects texts. */
  const last = (text: string): readonly string[] => [...Array<string>(50_000).fill(''), text];

  it('judge a text that follows many empty ones', async () => {
    server.script = { result: { content: [], structuredContent: { list: last('xyzzy') } } };
    expect(await call()).not.toContain('xyzzy');
    server.script = { error: { code: -32_000, message: 'Failed.', data: last('xyzzy') } };
    expect(await call()).not.toContain('xyzzy');
    server.script = { result: { content: [{ type: 'text', text: 'sent' }] } };
    expect(await call({ list: last('xyzzy') })).not.toContain('sent');
    expect(await call({ list: last('a') })).toContain('sent');
  });

  it('judge the arguments of prompts and of completions', async () => {
    server.script = { result: { messages: [], completion: { values: ['sent'] }, description: 'sent' } };
    const prompt = (topic: string): Promise<string> =>
      ask('prompts/get', { name: 'work', arguments: { topic } });
    expect(await prompt('xyzzy')).toContain('guardrail');
    expect(await prompt('a')).toContain('sent');
    const complete = (value: string, tone: string): Promise<string> =>
      ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'work' },
        argument: { name: 'topic', value },
        context: { arguments: { tone } },
      });
    expect(await complete('xyzzy', 'a')).toContain('guardrail');
    expect(await complete('a', 'xyzzy')).toContain('guardrail');
    expect(await complete('a', 'b')).toContain('sent');
  });
});
