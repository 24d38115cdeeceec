import { awsFrame, isAwsSigned } from '@gw/testing';
import type { History } from '../history';
import { anyObject, closed, count, either, empty, filled, list, objectSchema, only } from '../schema';
import { halvesOf, INPUT_TOKENS, OUTPUT_TOKENS, wordsOf, type Reply, type ToolCall } from '../scenario';
import { framed, type Body, type StandIn } from '../stand-in';
import { faultOfTurns } from '../turns';

const source = closed({ bytes: filled });
const result = either(closed({ text: filled }), closed({ json: anyObject }));
const block = either(
  closed({ text: filled }),
  closed({ image: closed({ format: only('png', 'jpeg', 'gif', 'webp'), source }) }),
  closed({
    document: closed({
      format: only('pdf'),
      name: { type: 'string', pattern: '^[A-Za-z0-9 ()\\[\\]-]{1,200}$' },
      source,
    }),
  }),
  closed({
    toolUse: closed({
      toolUseId: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
      name: filled,
      input: anyObject,
    }),
  }),
  closed({
    toolResult: closed({ toolUseId: filled, content: list(result) }, { status: only('success', 'error') }),
  }),
);
const REQUEST = closed(
  { messages: list(closed({ role: only('user', 'assistant'), content: list(block) })) },
  {
    system: list(closed({ text: filled })),
    inferenceConfig: closed({}, { maxTokens: count }),
    toolConfig: closed(
      {
        tools: list(
          closed({
            toolSpec: closed(
              {
                name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' },
                inputSchema: closed({ json: objectSchema }),
              },
              { description: filled },
            ),
          }),
        ),
      },
      {
        toolChoice: either(
          closed({ auto: empty }),
          closed({ any: empty }),
          closed({ tool: closed({ name: filled }) }),
        ),
      },
    ),
    // As Nova 2 takes it.
    additionalModelRequestFields: closed(
      {},
      {
        reasoningConfig: closed(
          { type: only('enabled', 'disabled') },
          { maxReasoningEffort: only('low', 'medium', 'high') },
        ),
      },
    ),
  },
);

/** Calls and results need the tools too. */
function lint({ messages, toolConfig }: Body): string | null {
  const hasBlocks = JSON.stringify(messages).includes('"toolUse"');
  if (hasBlocks && toolConfig === undefined) return 'tool blocks without toolConfig';
  return faultOfTurns(messages);
}

interface Block {
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
  readonly toolResult?: { readonly toolUseId: string; readonly content: unknown };
}

function history(body: Body): History {
  const messages = body['messages'] as readonly { readonly content: readonly Block[] }[];
  const blocks = messages.flatMap(({ content }) => content);
  return {
    calls: blocks.flatMap(({ toolUse: call }) =>
      call === undefined ? [] : [{ id: call.toolUseId, name: call.name, input: call.input }],
    ),
    results: blocks.flatMap(({ toolResult: given }) =>
      given === undefined ? [] : [{ id: given.toolUseId, result: given.content }],
    ),
  };
}

const USAGE = {
  inputTokens: INPUT_TOKENS,
  outputTokens: OUTPUT_TOKENS,
  totalTokens: INPUT_TOKENS + OUTPUT_TOKENS,
};
const KEYS = {
  aws_region: 'eu-central-1',
  aws_access_key_id: 'AKIDMATRIX',
  aws_secret_access_key: 'a-secret',
};
const SEAL = 'c2VhbA==';
const stopOf = ({ calls }: Reply): string => (calls.length > 0 ? 'tool_use' : 'end_turn');

function whole(reply: Reply): object {
  const { text: value, reasoning, calls } = reply;
  const content = [
    ...(reasoning === null
      ? []
      : [{ reasoningContent: { reasoningText: { text: reasoning, signature: SEAL } } }]),
    ...(value === null ? [] : [{ text: value }]),
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: stopOf(reply),
    usage: USAGE,
    metrics: { latencyMs: 1 },
  };
}

const frame = (name: string, payload: object): Buffer =>
  awsFrame(
    { ':message-type': 'event', ':event-type': name, ':content-type': 'application/json' },
    Buffer.from(JSON.stringify(payload)),
  );

/** The frames of a block. Blocks of text and reasoning have no start. */
const streamed = (start: object | null, deltas: readonly object[]) => (contentBlockIndex: number) => [
  ...(start === null ? [] : [frame('contentBlockStart', { contentBlockIndex, start })]),
  ...deltas.map((delta) => frame('contentBlockDelta', { contentBlockIndex, delta })),
  frame('contentBlockStop', { contentBlockIndex }),
];

function frames(reply: Reply): Buffer[] {
  const { text: value, reasoning, calls } = reply;
  const thoughts = wordsOf(reasoning).map((thought) => ({ reasoningContent: { text: thought } }));
  const blocks = [
    ...(reasoning === null ? [] : [streamed(null, [...thoughts, { reasoningContent: { signature: SEAL } }])]),
    ...(value === null
      ? []
      : [
          streamed(
            null,
            wordsOf(value).map((word) => ({ text: word })),
          ),
        ]),
    ...calls.map(({ id, name, input }) =>
      streamed(
        { toolUse: { toolUseId: id, name } },
        halvesOf(input).map((half) => ({ toolUse: { input: half } })),
      ),
    ),
  ];
  return [
    frame('messageStart', { role: 'assistant' }),
    ...blocks.flatMap((block, index) => block(index)),
    frame('messageStop', { stopReason: stopOf(reply) }),
    frame('metadata', { usage: USAGE, metrics: { latencyMs: 1 } }),
  ];
}

/**
 * The reply as the arguments of a tool when the body forces one: the model has no other structured
 * output.
 */
function asForced(reply: Reply, { toolConfig }: Body): Reply {
  const { toolChoice } = (toolConfig ?? {}) as { toolChoice?: { tool?: { name: string } } };
  if (toolChoice?.tool === undefined || reply.text === null) return reply;
  const input = JSON.parse(reply.text) as ToolCall['input'];
  return { ...reply, text: null, calls: [{ id: 'tooluse_1', name: toolChoice.tool.name, input }] };
}

/** Not Claude, whose Messages clients get its own form by InvokeModel. */
const MODEL = 'amazon.nova-2-lite-v1:0';

export const bedrockConverse: StandIn = {
  dialect: 'bedrock-converse',
  provider: 'bedrock',
  model: MODEL,
  configurations: (origin) => ({ custom_host: origin, ...KEYS }),
  path: (streams) => `/model/${encodeURIComponent(MODEL)}/${streams ? 'converse-stream' : 'converse'}`,
  request: REQUEST,
  lint,
  requested: {
    reasoning: ['additionalModelRequestFields', 'reasoningConfig'],
    schema: ['toolConfig', 'toolChoice', 'tool', 'name'],
  },
  history,
  hasIds: true,
  isAuthorized: (request) => isAwsSigned(request, 'bedrock', { AKIDMATRIX: { secret: 'a-secret' } }),
  reply: (given, body) => {
    const reply = asForced(given, body);
    return reply.streams
      ? framed(frames(reply), 'application/vnd.amazon.eventstream', reply)
      : { body: whole(reply) };
  },
  error: {
    status: 429,
    headers: { 'x-amzn-errortype': 'ThrottlingException' },
    body: { message: 'Slow down.' },
  },
};
