import { isObject } from '@gw/kernel';
import { checkCall } from '../protocol/check-call';
import { A2aError } from '../protocol/errors';
import {
  callOf,
  readRpcRequest,
  rpcErrorResponse,
  type A2aCall,
  type RequestId,
} from '../protocol/read-call';
import type { Members } from '../shapes/members';

/**
 * Origin of the built-in agent. Its host name never resolves (RFC 2606), so no request for it
 * leaves a process.
 */
export const SANDBOX_AGENT_ORIGIN = 'https://agent.sandbox.invalid';
const CARD_PATH = '/.well-known/agent-card.json';
const CALL_PATH = '/a2a';
const VERSION = '1.0';

/** The card of the agent, which speaks JSON-RPC of A2A 1.0. */
export const SANDBOX_AGENT_CARD: Members = {
  name: 'Sandbox',
  description: 'Repeats what it receives. It needs no account.',
  version: '1.0.0',
  supportedInterfaces: [
    { url: SANDBOX_AGENT_ORIGIN + CALL_PATH, protocolBinding: 'JSONRPC', protocolVersion: VERSION },
  ],
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      ...{ id: 'echo', name: 'Echo', description: 'Repeats the text of a message.' },
      ...{ tags: ['sandbox'], examples: ['Hello'] },
    },
  ],
};

/** A request to the agent. */
export interface SandboxAgentRequest {
  readonly method: string;
  readonly path: string;
  /** `A2A-Version` of the request. */
  readonly version: string | null;
  readonly body: Buffer;
  /** Makes the ids of tasks and messages. */
  readonly newId: () => string;
  readonly now: Date;
}

export interface SandboxAgentResponse {
  readonly status: number;
  readonly contentType: string;
  /** Pieces of the body; those of a stream are one event each. */
  readonly chunks: readonly string[];
}

/**
 * Returns the response of the agent: a card, one JSON object, or a stream of events. Never throws
 * for an invalid request.
 */
export function sandboxAgentResponse(request: SandboxAgentRequest): SandboxAgentResponse {
  const { method, path } = request;
  if (method === 'GET' && path === CARD_PATH) return written(200, SANDBOX_AGENT_CARD);
  if (method !== 'POST' || path !== CALL_PATH) return written(404, { error: 'not_found' });
  let id: RequestId = null;
  try {
    const rpc = readRpcRequest(request.body);
    ({ id } = rpc);
    const call = callOf(rpc, { header: request.version });
    if (call.version !== VERSION) throw new A2aError('versionNotSupported');
    checkCall(call);
    return respond(call, id, request);
  } catch (error) {
    if (!(error instanceof A2aError)) throw error;
    return written(200, rpcErrorResponse(id, error, VERSION));
  }
}

function respond(call: A2aCall, id: RequestId, request: SandboxAgentRequest): SandboxAgentResponse {
  const text = textOf(call.params);
  if (call.operation === 'sendMessage')
    return written(200, resultOf(id, { task: completed(text, call.params, request) }));
  if (call.operation === 'sendStreamingMessage')
    return {
      ...{ status: 200, contentType: 'text/event-stream' },
      chunks: events(text, call.params, request).map(
        (event) => `data: ${JSON.stringify(resultOf(id, event))}\n\n`,
      ),
    };
  // The agent stores no tasks.
  throw new A2aError(OF_TASKS.has(call.operation) ? 'taskNotFound' : 'unsupportedOperation');
}

const OF_TASKS: ReadonlySet<string> = new Set<A2aCall['operation']>([
  ...(['getTask', 'cancelTask', 'subscribeToTask'] as const),
]);

const resultOf = (id: RequestId, result: Members): Members => ({ jsonrpc: '2.0', id, result });

const written = (status: number, body: object): SandboxAgentResponse => ({
  ...{ status, contentType: 'application/json', chunks: [JSON.stringify(body)] },
});

/** Returns the texts of the message, joined by line breaks. */
function textOf({ message }: Members): string {
  const parts = isObject(message) && Array.isArray(message['parts']) ? (message['parts'] as unknown[]) : [];
  return parts
    .map((part) => (isObject(part) ? part['text'] : undefined))
    .filter((text) => typeof text === 'string')
    .join('\n');
}

interface Ids {
  readonly id: string;
  readonly contextId: string;
}

function idsOf({ message }: Members, newId: () => string): Ids {
  const contextId = isObject(message) ? message['contextId'] : undefined;
  return { id: newId(), contextId: typeof contextId === 'string' && contextId !== '' ? contextId : newId() };
}

const status = (state: string, now: Date): Members => ({ state, timestamp: now.toISOString() });
const artifact = (text: string, newId: () => string): Members => ({
  ...{ artifactId: newId(), name: 'echo', parts: [{ text }] },
});

function completed(text: string, params: Members, { newId, now }: SandboxAgentRequest): Members {
  return {
    ...idsOf(params, newId),
    status: status('TASK_STATE_COMPLETED', now),
    artifacts: [artifact(text, newId)],
  };
}

/** Returns the events of a task: working, its artifact, and completed. */
function events(text: string, params: Members, { newId, now }: SandboxAgentRequest): readonly Members[] {
  const { id, contextId } = idsOf(params, newId);
  const task = { taskId: id, contextId };
  return [
    { task: { id, contextId, status: status('TASK_STATE_WORKING', now) } },
    { artifactUpdate: { ...task, artifact: artifact(text, newId), lastChunk: true } },
    { statusUpdate: { ...task, status: status('TASK_STATE_COMPLETED', now) } },
  ];
}
