import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerDocument } from '@gw/contracts';
import { modernRequest } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { saveCatalogue } from '../spec-support/aggregate';
import { saveServer, serverDocument } from '../spec-support/mcp-server';
import { startLegacyTaskServer, startModernTaskServer, type TaskServer } from '../spec-support/task-servers';

const INFO = { name: 'spec', version: '1' };
const OTHER_KEY = 'otherKey0000000000000000000000AB';
const EXTENSION = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

const WITH_TASKS: object = { elicitation: {}, ...EXTENSION };

describe('tasks of MCP servers', () => {
  let gateway: GatewayHarness;
  let servers: Record<'old' | 'new', TaskServer>;
  let documents: Record<'old' | 'new', McpServerDocument>;
  const clients: Client[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { id: 'key-1', scopes: ['mcp.invoke'] });
    gateway.addKey(OTHER_KEY, { id: 'key-2', scopes: ['mcp.invoke'] });
    servers = { old: await startLegacyTaskServer(), new: await startModernTaskServer() };
    documents = {
      old: await serverDocument(servers.old.url, 'old'),
      new: await serverDocument(servers.new.url, 'new'),
    };
  });
  beforeEach(() => {
    for (const document of Object.values(documents)) saveServer(gateway, document);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  afterAll(async () => {
    await Promise.all([servers.old.close(), servers.new.close()]);
    await gateway.stop();
  });
  const address = (path: string): URL => new URL(`http://127.0.0.1:${String(gateway.port)}${path}`);

  /** Forbids a word in results of all tools. */
  function forbid(word: string): void {
    const checks = [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }];
    gateway.addGuardrail('no-pets', checks, { deny: true }, { target: 'mcp_tools' });
    const guardrails = [
      { guardrailId: 'guardrail-no-pets', runOn: ['afterToolCall' as const], capabilityIds: [] },
    ];
    for (const document of Object.values(documents)) saveServer(gateway, { ...document, guardrails });
  }

  /** Replaces email addresses in results of all tools. */
  function redact(): void {
    const checks = [{ id: 'default.regexReplace', parameters: { rule: '[a-z]+@[a-z.]+', redactText: '…' } }];
    gateway.addGuardrail('no-mail', checks, {}, { target: 'mcp_tools' });
    const guardrails = [
      { guardrailId: 'guardrail-no-mail', runOn: ['afterToolCall' as const], capabilityIds: [] },
    ];
    for (const document of Object.values(documents)) saveServer(gateway, { ...document, guardrails });
  }

  describe('with sessions', () => {
    async function connected(key = gateway.apiKey, path = '/main/old/mcp'): Promise<Client> {
      const client = new Client(INFO);
      const requestInit = { headers: { 'x-gw-api-key': key } };
      await client.connect(new StreamableHTTPClientTransport(address(path), { requestInit }));
      clients.push(client);
      await client.listTools();
      return client;
    }
    /** Creates a task and returns its id, without waiting for its end. */
    async function made(client: Client, text: string, ends: boolean, name = 'work'): Promise<string> {
      const call = { name, arguments: { text, ends } };
      const stream = client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
        task: { ttl: 60_000 },
      });
      for await (const message of stream) if (message.type === 'taskCreated') return message.task.taskId;
      throw new Error('No task was made.');
    }

    it('are created, read, listed and cancelled', async () => {
      const client = await connected();
      expect(client.getServerCapabilities()?.tasks).toEqual({
        ...{ list: {}, cancel: {}, requests: { tools: { call: {} } } },
      });
      const { tasks } = client.experimental;
      const done = await made(client, 'hello', true);
      expect(done).toMatch(/^gwt1\./);
      expect(await tasks.getTask(done)).toMatchObject({
        taskId: done,
        status: 'completed',
        pollInterval: 1_000,
      });
      const result = await tasks.getTaskResult(done, CallToolResultSchema);
      expect(result).toMatchObject({
        content: [{ text: 'hello' }],
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: done } },
      });
      const running = await made(client, 'never', false);
      expect((await tasks.listTasks()).tasks.map(({ taskId }) => taskId)).toEqual([running, done]);
      expect(await tasks.cancelTask(running)).toMatchObject({ taskId: running, status: 'cancelled' });
    });

    it('are listed for their caller at most five times a second', async () => {
      const key = 'listsKey0000000000000000000000AB';
      gateway.addKey(key, { id: 'key-3', scopes: ['mcp.invoke'] });
      const client = await connected(key);
      await made(client, 'hello', true);
      const begun = performance.now();
      const lists = await Promise.allSettled(
        Array.from({ length: 40 }, () => client.experimental.tasks.listTasks()),
      );
      const refused = lists.filter(({ status }) => status === 'rejected');
      const seconds = Math.floor((performance.now() - begun) / 1_000) + 1;
      expect(lists.length - refused.length).toBeLessThanOrEqual(5 * seconds);
      expect(String((refused[0] as PromiseRejectedResult).reason)).toContain('lists of tasks per second');
    });

    it('end with their result where the client streams the whole call', async () => {
      const client = await connected();
      const kinds: string[] = [];
      const call = { name: 'work', arguments: { text: 'streamed', ends: true } };
      for await (const message of client.experimental.tasks.callToolStream(call)) {
        kinds.push(message.type);
        if (message.type === 'result')
          expect(message.result).toMatchObject({ content: [{ text: 'streamed' }] });
      }
      expect(kinds).toEqual(['taskCreated', 'taskStatus', 'result']);
    });

    it('belong to the caller who made them, in each of its sessions', async () => {
      const [owner, again, other] = [await connected(), await connected(), await connected(OTHER_KEY)];
      const task = await made(owner, 'mine', true);
      expect(await again.experimental.tasks.getTask(task)).toMatchObject({ status: 'completed' });
      const theirs = other.experimental.tasks;
      for (const read of [theirs.getTask(task), theirs.getTaskResult(task), theirs.cancelTask(task)])
        await expect(read).rejects.toThrow('Unknown task');
      expect((await theirs.listTasks()).tasks).toEqual([]);
      await expect(theirs.getTask(`${task.slice(0, -1)}_`)).rejects.toThrow('Unknown task');
    });

    it('are refused to callers who lost the tool', async () => {
      const client = await connected();
      const task = await made(client, 'mine', true);
      saveServer(gateway, { ...documents.old, capabilities: [] });
      await expect(client.experimental.tasks.getTask(task)).rejects.toThrow('Unknown task');
      expect((await client.experimental.tasks.listTasks()).tasks).toEqual([]);
    });

    it('work at the address of all servers, and are charged once', async () => {
      saveServer(gateway, { ...documents.old, prices: { default: 1_000_000, tools: {} } });
      saveCatalogue(gateway, Object.values(documents));
      const client = await connected(gateway.apiKey, '/mcp');
      const task = await made(client, 'paid', true, 'old__work');
      await client.experimental.tasks.getTask(task);
      await client.experimental.tasks.getTaskResult(task, CallToolResultSchema);
      const records = (await gateway.records()).filter(({ mcpCapability }) => mcpCapability === 'work');
      const costs = records.slice(-3).map(({ mcpMethod, cost }) => [mcpMethod, cost]);
      expect(costs).toEqual([
        ['tools/call', 1_000_000],
        ['tasks/get', null],
        ['tasks/result', null],
      ]);
    });

    it('[MCP-02] pass the guardrails of their tool when their result is read', async () => {
      forbid('parrot');
      const client = await connected();
      const task = await made(client, 'a parrot', true);
      await expect(client.experimental.tasks.getTaskResult(task, CallToolResultSchema)).rejects.toMatchObject(
        {
          ...{ code: -32_446, data: { type: 'hooks_failed', phase: 'afterToolCall' } },
        },
      );
    });

    it('are read five times a second at most', async () => {
      const client = await connected();
      const task = await made(client, 'polled', true);
      const begun = performance.now();
      const reads = await Promise.allSettled(
        Array.from({ length: 20 }, () => client.experimental.tasks.getTask(task)),
      );
      // A busy machine may spread them over several seconds.
      const seconds = Math.floor((performance.now() - begun) / 1_000) + 1;
      const accepted = reads.filter(({ status }) => status === 'fulfilled');
      expect(accepted.length).toBeLessThanOrEqual(5 * seconds);
    });
  });

  describe('without sessions', () => {
    async function send(
      method: string,
      params: { readonly name?: string } & Record<string, unknown>,
      { key = gateway.apiKey, capabilities = WITH_TASKS } = {},
    ): Promise<{
      status: number;
      result?: Record<string, unknown>;
      error?: { code: number; message: string };
    }> {
      const request = modernRequest(key, method, params, capabilities);
      if (typeof params['taskId'] === 'string') request.headers['mcp-name'] = params['taskId'];
      const response = await fetch(address('/main/new/mcp'), request);
      return { status: response.status, ...((await response.json()) as object) };
    }
    const make = async (text: string): Promise<string> => {
      const { result } = await send('tools/call', { name: 'work', arguments: { text } });
      expect(result).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 1_000 });
      return String(result?.['taskId']);
    };

    it('are announced as an extension, and created only for clients that declare it', async () => {
      const { result } = await send('server/discover', {});
      expect(result?.['capabilities']).toMatchObject(EXTENSION);
      expect(result?.['capabilities']).not.toHaveProperty('tasks');
      const call = { name: 'work', arguments: { text: 'a' } };
      const plain = await send('tools/call', call, { capabilities: {} });
      expect(plain.result).toMatchObject({ resultType: 'complete', content: [{ text: 'sync' }] });
      const task = await make('a');
      const undeclared = await send('tasks/get', { taskId: task }, { capabilities: {} });
      expect([undeclared.status, undeclared.error?.code]).toEqual([400, -32_021]);
    });

    it('are read with their result, answered and cancelled', async () => {
      const done = await make('hello');
      expect(done).toMatch(/^gwt1\./);
      expect((await send('tasks/get', { taskId: done })).result).toMatchObject({
        ...{ taskId: done, status: 'completed', resultType: 'complete' },
        result: { content: [{ text: 'hello' }] },
      });
      const asking = await make('ask');
      expect((await send('tasks/get', { taskId: asking })).result).toMatchObject({
        ...{ status: 'input_required', inputRequests: { name: { method: 'elicitation/create' } } },
      });
      const inputResponses = { name: { action: 'accept', content: {} } };
      expect((await send('tasks/update', { taskId: asking, inputResponses })).result).toMatchObject({
        resultType: 'complete',
      });
      expect((await send('tasks/get', { taskId: asking })).result).toMatchObject({
        result: { answers: inputResponses },
      });
      const cancelled = await make('ask');
      expect((await send('tasks/cancel', { taskId: cancelled })).result).toMatchObject({
        resultType: 'complete',
      });
      expect((await send('tasks/get', { taskId: cancelled })).result).toMatchObject({ status: 'cancelled' });
    });

    it('[MCP-02] pass the guardrails of their tool when they are read with their result', async () => {
      forbid('parrot');
      const task = await make('a parrot');
      expect((await send('tasks/get', { taskId: task })).error).toMatchObject({
        ...{ code: 31_446, data: { type: 'hooks_failed', phase: 'afterToolCall' } },
      });
    });

    it('[MCP-02] pass the guardrails of their tool with their status message, error and errors', async () => {
      forbid('parrot');
      const denied = { code: 31_446, data: { type: 'hooks_failed', phase: 'afterToolCall' } };
      for (const text of ['status: a parrot', 'error: a parrot', 'refused: a parrot']) {
        const task = await make(text);
        expect((await send('tasks/get', { taskId: task })).error).toMatchObject(denied);
      }
      for (const text of ['created: a parrot', 'no: a parrot'])
        expect((await send('tools/call', { name: 'work', arguments: { text } })).error).toMatchObject(denied);
    });

    it('[MCP-02] have the texts of their status message and error as guardrails change them', async () => {
      redact();
      const status = await make('status: +49 170 1234567 and a@example.com');
      expect((await send('tasks/get', { taskId: status })).result?.['statusMessage']).not.toContain('@');
      const error = await make('error: a@example.com');
      const failed = (await send('tasks/get', { taskId: error })).result;
      expect(failed).toMatchObject({ status: 'failed', error: { code: -32_000 } });
      expect(JSON.stringify(failed)).not.toContain('@');
      const refused = await make('refused: a@example.com');
      const { error: shown } = await send('tasks/get', { taskId: refused });
      expect(shown?.code).toBe(-32_000);
      expect(shown?.message).not.toContain('@');
    });

    it('omit input requests that the client cannot answer', async () => {
      const asking = await make('ask');
      const { result } = await send('tasks/get', { taskId: asking }, { capabilities: EXTENSION });
      expect(result).toMatchObject({ status: 'input_required' });
      expect(result).not.toHaveProperty('inputRequests');
    });

    it('belong to the caller who made them', async () => {
      const task = await make('mine');
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        expect((await send(method, { taskId: task }, { key: OTHER_KEY })).error).toEqual({
          ...{ code: -32_602, message: 'Unknown task.' },
        });
      expect((await send('tasks/get', { taskId: 'guessed' })).error?.code).toBe(-32_602);
      expect((await send('tasks/list', {})).error?.code).toBe(-32_601);
    });
  });
});
