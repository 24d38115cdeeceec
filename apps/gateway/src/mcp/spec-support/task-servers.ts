import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export interface TaskServer {
  readonly url: URL;
  close(): Promise<void>;
}

async function listening(
  handle: (body: unknown, req: IncomingMessage, res: ServerResponse) => Promise<void>,
  stop: () => void = () => undefined,
): Promise<TaskServer> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      await handle(text === '' ? undefined : JSON.parse(text), req, res);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`),
    close: () => {
      stop();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Starts a server of 2025-11-25 whose sessions share their tasks, like a server that identifies
 * callers only by a credential. It adds the members of `more` to each task that is read.
 */
export async function startLegacyTaskServer(more: object = {}): Promise<TaskServer> {
  const taskStore = new (class extends InMemoryTaskStore {
    override async getTask(taskId: string, sessionId?: string): ReturnType<InMemoryTaskStore['getTask']> {
      const task = await super.getTask(taskId, sessionId);
      return task && { ...task, ...more };
    }
  })();
  const transports = new Map<string, StreamableHTTPServerTransport>();
  return listening(
    async (body, req, res) => {
      const id = req.headers['mcp-session-id'];
      let transport = typeof id === 'string' ? transports.get(id) : undefined;
      if (transport === undefined) {
        transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (session) =>
            void transports.set(session, transport as StreamableHTTPServerTransport),
        });
        await taskTools(taskStore).connect(transport);
      }
      await transport.handleRequest(req, res, body);
    },
    () => taskStore.cleanup(),
  );
}

function taskTools(taskStore: InMemoryTaskStore): McpServer {
  const server = new McpServer(
    { name: 'tasks', version: '1' },
    {
      taskStore,
      capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    },
  );
  server.experimental.tasks.registerToolTask(
    'work',
    {
      description: 'Returns the text at once, or never.',
      inputSchema: { text: z.string(), ends: z.boolean() },
      execution: { taskSupport: 'required' },
    },
    {
      createTask: async ({ text, ends }, extra) => {
        const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 });
        if (ends)
          await extra.taskStore.storeTaskResult(task.taskId, 'completed', {
            content: [{ type: 'text', text }],
          });
        return { task };
      },
      getTask: (_args, extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (_args, extra) => (await extra.taskStore.getTaskResult(extra.taskId)) as never,
    },
  );
  return server;
}

interface ModernTask {
  status: string;
  readonly text: string;
  answers: unknown;
}

const EXTENSION = 'io.modelcontextprotocol/tasks';

interface ModernRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** Undefined for a task that does not exist. */
  readonly task: ModernTask | undefined;
  readonly hasExtension: boolean;
}

/**
 * Starts a server of 2026-07-28 that creates a task for each call of a client with the extension.
 * The text `ask` requests input. Texts that begin with `created:`, `status:`, `error:` and
 * `refused:` appear in that part of the task. A call with `no:` fails.
 */
export async function startModernTaskServer(): Promise<TaskServer> {
  const tasks = new Map<string, ModernTask>();
  return listening(async (body, req, res) => {
    const { id, method, params } = body as { id: number; method: string; params: Record<string, unknown> };
    const meta = params['_meta'] as Record<string, { extensions?: Record<string, object> }>;
    const capabilities = meta['io.modelcontextprotocol/clientCapabilities'];
    const task = tasks.get(String(params['taskId']));
    const isNamed =
      !method.startsWith('tasks/') || (task !== undefined && req.headers['mcp-name'] === params['taskId']);
    const hasExtension = capabilities?.extensions?.[EXTENSION] !== undefined;
    const refusal = refusalOf(method, params, task);
    if (refusal !== null) {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: refusal } }));
      return;
    }
    const result = isNamed ? MODERN[method]?.({ params, task, hasExtension }, tasks) : undefined;
    const error = { code: isNamed ? -32_601 : -32_602, message: 'Refused.' };
    const part = result === undefined ? { error } : { result: { resultType: 'complete', ...result } };
    res.writeHead(200, { 'content-type': 'application/json' });
    await new Promise<void>((resolve) => {
      res.end(JSON.stringify({ jsonrpc: '2.0', id, ...part }), resolve);
    });
  });
}

/** Returns the error that a text causes; null if it causes none. */
function refusalOf(
  method: string,
  params: ModernRequest['params'],
  task: ModernTask | undefined,
): string | null {
  const { text = '' } = (params['arguments'] ?? {}) as { text?: string };
  if (text.startsWith('no:')) return text;
  return method === 'tasks/get' && task?.text.startsWith('refused:') === true ? task.text : null;
}

const CACHE = { ttlMs: 0, cacheScope: 'private' };
const contentOf = (text: string): object => ({ content: [{ type: 'text', text }] });
const QUESTION = {
  name: {
    method: 'elicitation/create',
    params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
  },
};

type Handler = (request: ModernRequest, tasks: Map<string, ModernTask>) => object;

const MODERN: Readonly<Record<string, Handler>> = {
  'server/discover': () => ({
    ...{ supportedVersions: ['2026-07-28'], ...CACHE },
    capabilities: { tools: {}, extensions: { [EXTENSION]: {} } },
  }),
  'tools/list': () => ({ tools: [{ name: 'work', inputSchema: { type: 'object' } }], ...CACHE }),
  'tools/call': ({ params, hasExtension }, tasks) => {
    if (!hasExtension) return contentOf('sync');
    const { text } = params['arguments'] as { text: string };
    const taskId = randomUUID();
    tasks.set(taskId, { status: text === 'ask' ? 'input_required' : 'completed', text, answers: null });
    const shown = text.startsWith('created:') && { statusMessage: text };
    return { resultType: 'task', taskId, status: 'working', ...TIMES, ...shown };
  },
  'tasks/get': ({ params: { taskId }, task }) => ({
    ...{ taskId, status: task?.status, ...TIMES },
    ...(task?.text.startsWith('status:') === true && { status: 'working', statusMessage: task.text }),
    ...(task?.text.startsWith('error:') === true && {
      ...{ status: 'failed', error: { code: -32_000, message: task.text } },
    }),
    ...(task?.status === 'input_required' && { inputRequests: QUESTION }),
    ...(task?.status === 'completed' &&
      !/^(?:status|error):/.test(task.text) && {
        result: { ...contentOf(task.text), answers: task.answers },
      }),
  }),
  'tasks/update': ({ params, task }) => {
    if (task !== undefined) [task.status, task.answers] = ['completed', params['inputResponses']];
    return {};
  },
  'tasks/cancel': ({ task }) => {
    if (task !== undefined) task.status = 'cancelled';
    return {};
  },
};

const TIMES = {
  ...{ createdAt: '2026-11-28T00:00:00Z', lastUpdatedAt: '2026-11-28T00:00:00Z' },
  ...{ ttlMs: 60_000, pollIntervalMs: 50 },
};
