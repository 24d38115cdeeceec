import { McpFault } from '../fault';
import type { EndpointFacts } from '../http/local-response';
import { receive, type LegacySession, type McpHttpRequest } from '../http/receive';
import { unsupported } from '../http/modern-request';
import type { JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { fittingResponses, type InputRequest } from '../sealed/request-state';
import { inputRequired, mayRequest, missingCapability } from '../sealed/retry';
import { ownResult, readOwnRequest, type OwnTool, type Posted } from '../server/own-server';
import type { ClientCapabilities } from '../http/client-capabilities';

/**
 * URL of the built-in server of the sandbox. Its host name never resolves (RFC 2606): processes
 * with the sandbox respond to these requests themselves.
 */
export const SANDBOX_MCP_URL = 'https://mcp.sandbox.invalid/mcp';

/** Facts that the server reports about itself. */
export const SANDBOX_MCP_FACTS: EndpointFacts = {
  serverInfo: { name: 'sandbox', title: 'Sandbox', version: '1.0.0' },
  capabilities: { tools: {} },
  instructions: 'Tools to try out MCP. They need no account and change nothing.',
  ttlMs: 300_000,
};

/** A request to the built-in server. */
export interface SandboxRequest extends McpHttpRequest {
  readonly now: Date;
}

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; null for no body. */
  readonly body: string | null;
}

interface SandboxCall {
  readonly params: JsonObject;
  readonly arguments: JsonObject;
  readonly capabilities: ClientCapabilities;
  readonly now: Date;
}

interface SandboxTool extends OwnTool {
  /** Returns a result of `tools/call`. */
  readonly run: (call: SandboxCall) => JsonObject;
}

const result = (text: string, structuredContent: JsonObject): JsonObject => ({
  content: [{ type: 'text', text }],
  structuredContent,
});
const failure = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });

const objectOf = (properties: Readonly<Record<string, JsonObject>>): JsonObject => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
});

const tool = (
  name: string,
  texts: { readonly title: string; readonly description: string },
  schemas: { readonly input: JsonObject; readonly output: JsonObject },
  run: SandboxTool['run'],
): SandboxTool => ({
  definition: {
    ...{ name, ...texts, inputSchema: schemas.input, outputSchema: schemas.output },
    annotations: { title: texts.title, readOnlyHint: true, openWorldHint: false },
  },
  run,
});

const add = tool(
  'add',
  { title: 'Add', description: 'Adds two numbers.' },
  {
    input: objectOf({ a: { type: 'number' }, b: { type: 'number' } }),
    output: objectOf({ sum: { type: 'number' } }),
  },
  ({ arguments: { a, b } }) => {
    if (typeof a !== 'number' || typeof b !== 'number') return failure('a and b must be numbers.');
    const sum = a + b;
    return Number.isFinite(sum) ? result(String(sum), { sum }) : failure('The sum is too large.');
  },
);

const echo = tool(
  'echo',
  { title: 'Echo', description: 'Returns the text that it receives.' },
  { input: objectOf({ text: { type: 'string' } }), output: objectOf({ text: { type: 'string' } }) },
  ({ arguments: { text } }) =>
    typeof text === 'string' ? result(text, { text }) : failure('text must be a string.'),
);

const now = tool(
  'now',
  { title: 'Now', description: 'Returns the current time in UTC.' },
  { input: objectOf({}), output: objectOf({ time: { type: 'string', format: 'date-time' } }) },
  (call) => result(call.now.toISOString(), { time: call.now.toISOString() }),
);

const QUESTION: InputRequest = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'What is your name?',
    requestedSchema: {
      ...{ type: 'object', properties: { name: { type: 'string', title: 'Name' } }, required: ['name'] },
    },
  },
};
/**
 * State of the call that requests input. It is constant: the server stores nothing between the two
 * requests, and a client gains nothing by forging it.
 */
const STATE = 'greet';

const greet = tool(
  'greet',
  { title: 'Greet', description: 'Asks the user for a name by elicitation, and greets them.' },
  { input: objectOf({}), output: objectOf({ greeting: { type: 'string' } }) },
  ({ params, capabilities }) => {
    if (!mayRequest(capabilities, QUESTION)) throw missingCapability(QUESTION);
    const responses = fittingResponses({ name: QUESTION }, params);
    if (responses === null) return inputRequired({ name: QUESTION }, STATE);
    const response = ownObject(responses, 'name');
    const name = own(ownObject(response, 'content'), 'name');
    const greeting =
      own(response, 'action') === 'accept' && typeof name === 'string'
        ? `Hello, ${name}!`
        : 'Hello, stranger!';
    return result(greeting, { greeting });
  },
);

const TOOLS: ReadonlyMap<string, SandboxTool> = new Map(
  [add, echo, now, greet].map((each) => [String(each.definition['name']), each]),
);

/** The tools as `tools/list` shows them. */
export const SANDBOX_MCP_TOOLS: readonly JsonObject[] = [...TOOLS.values()].map(
  ({ definition }) => definition,
);

/**
 * Returns the response of the built-in MCP server, which supports revisions without sessions. Never
 * throws for an invalid request.
 */
export function sandboxMcpResponse(request: SandboxRequest): SandboxResponse {
  try {
    const received = receive<LegacySession>(request, () => null);
    if (received.kind === 'stream' || received.kind === 'end')
      throw new McpFault(-32_600, 'Use POST.', { status: 405 });
    return respond(received, request.now);
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    const { status, body, headers } = written(error.status, error.body());
    return { status, body, headers: { ...headers, ...error.headers } };
  }
}

function respond(received: Posted<LegacySession>, at: Date): SandboxResponse {
  if (received.kind !== 'modern') throw unsupported('', idOf(received));
  const request = readOwnRequest(received, { facts: SANDBOX_MCP_FACTS, tools: TOOLS });
  if (request.kind === 'respond') {
    const { status, body } = request.response;
    return written(status, body);
  }
  const { call, message } = request;
  const { params } = message;
  try {
    const { capabilities } = received;
    const made = call.tool.run({ params, arguments: call.arguments, capabilities, now: at });
    return written(200, ownResult(received, SANDBOX_MCP_FACTS, message, made));
  } catch (error) {
    throw error instanceof McpFault ? error.of(message.id) : error;
  }
}

const idOf = (
  received: Exclude<Posted<LegacySession>, { readonly kind: 'modern' }>,
): string | number | null => {
  const message = received.kind === 'legacy' ? received.messages[0] : received.message;
  return message.kind === 'request' ? message.id : null;
};

const written = (status: number, body: JsonObject | null): SandboxResponse => ({
  status,
  headers: body === null ? {} : { 'content-type': 'application/json' },
  body: body === null ? null : JSON.stringify(body),
});
