import { modernRequest } from '@gw/testing';
import type { McpServerDocument } from '@gw/contracts';
import { GatewayHarness } from '../../spec-support/harness';
import { saveServer, serverDocument } from '../spec-support/mcp-server';
import { startLegacyTaskServer, type TaskServer } from '../spec-support/task-servers';

const OTHER_KEY = 'otherKey0000000000000000000000AB';
const EXTENSION: object = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('tasks of a server with sessions for clients without', () => {
  let gateway: GatewayHarness;
  let server: TaskServer;
  let document: McpServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { id: 'key-1', scopes: ['mcp.invoke'] });
    gateway.addKey(OTHER_KEY, { id: 'key-2', scopes: ['mcp.invoke'] });
    server = await startLegacyTaskServer();
    document = await serverDocument(server.url, 'old');
  });
  beforeEach(() => saveServer(gateway, document));
  afterAll(async () => {
    await server.close();
    await gateway.stop();
  });

  /** Forbids a word in results of all tools. */
  function forbid(word: string): void {
    const checks = [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }];
    gateway.addGuardrail('no-pets', checks, { deny: true }, { target: 'mcp_tools' });
    const mapping = {
      guardrailId: 'guardrail-no-pets',
      runOn: ['afterToolCall' as const],
      capabilityIds: [],
    };
    saveServer(gateway, { ...document, guardrails: [mapping] });
  }
  async function send(
    method: string,
    params: { readonly name?: string } & Record<string, unknown>,
    { key = gateway.apiKey, capabilities = EXTENSION } = {},
  ): Promise<{ result?: Record<string, unknown>; error?: { code: number; message: string } }> {
    const request = modernRequest(key, method, params, capabilities);
    if (typeof params['taskId'] === 'string') request.headers['mcp-name'] = params['taskId'];
    return (await (
      await fetch(`http://127.0.0.1:${String(gateway.port)}/main/old/mcp`, request)
    ).json()) as object;
  }
  const call = (text: string, ends: boolean) => ({ name: 'work', arguments: { text, ends } });
  async function make(text: string, ends = true): Promise<string> {
    const { result } = await send('tools/call', call(text, ends));
    expect(result).toMatchObject({
      ...{
        resultType: 'task',
        status: ends ? 'completed' : 'working',
        ttlMs: 60_000,
        pollIntervalMs: 1_000,
      },
    });
    expect(result).not.toHaveProperty('task');
    return String(result?.['taskId']);
  }

  it('are announced as an extension, created, and read with their result', async () => {
    const { result } = await send('server/discover', {});
    expect(result?.['capabilities']).toMatchObject(EXTENSION);
    const task = await make('hello');
    expect(task).toMatch(/^gwt1\./);
    const read = (await send('tasks/get', { taskId: task })).result;
    expect(read).toMatchObject({
      ...{ taskId: task, status: 'completed', ttlMs: 60_000, pollIntervalMs: 1_000 },
      ...{ resultType: 'complete', result: { content: [{ type: 'text', text: 'hello' }] } },
    });
    expect(read).not.toHaveProperty('ttl');
  });

  it('are cancelled, and request no input', async () => {
    const task = await make('never', false);
    expect((await send('tasks/get', { taskId: task })).result).toMatchObject({ status: 'working' });
    for (const method of ['tasks/update', 'tasks/cancel'])
      expect((await send(method, { taskId: task })).result).toMatchObject({ resultType: 'complete' });
    const read = (await send('tasks/get', { taskId: task })).result;
    expect(read).toMatchObject({ taskId: task, status: 'cancelled' });
    expect(read).not.toHaveProperty('result');
  });

  it('have only requests for input, results and errors that rules and guardrails have judged', async () => {
    const hostile = await startLegacyTaskServer({
      inputRequests: { ask: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } },
      result: { content: [{ type: 'text', text: 'a parrot' }] },
      error: { code: -32_000, message: 'a parrot' },
      content: [{ type: 'text', text: 'a parrot' }],
      structuredContent: { bird: 'a parrot' },
    });
    const members = ['inputRequests', 'result', 'error', 'content', 'structuredContent'];
    try {
      saveServer(gateway, { ...document, url: hostile.url.href });
      const { result } = await send('tasks/get', { taskId: await make('never', false) });
      expect(result).toMatchObject({ status: 'working', resultType: 'complete' });
      for (const member of members) expect(result).not.toHaveProperty(member);
    } finally {
      await hostile.close();
    }
  });

  it('[MCP-02] pass the guardrails of their tool, and belong to the caller who made them', async () => {
    forbid('parrot');
    const task = await make('a parrot');
    for (const method of ['tasks/get', 'tasks/cancel'])
      expect((await send(method, { taskId: task }, { key: OTHER_KEY })).error?.code).toBe(-32_602);
    expect((await send('tasks/get', { taskId: task })).error).toMatchObject({
      ...{ code: 31_446, data: { type: 'hooks_failed', phase: 'afterToolCall' } },
    });
  });

  it('are not created for clients without the extension', async () => {
    const { result, error } = await send('tools/call', call('a', true), { capabilities: {} });
    expect(JSON.stringify([result, error])).not.toContain('taskId');
  });
});
