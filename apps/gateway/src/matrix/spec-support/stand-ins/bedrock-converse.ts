import { awsFrame, isAwsSigned } from '@gw/testing';
import { anyObject, closed, count, either, filled, list, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, type Reply } from '../scenario';
import { framed, type StandIn } from '../stand-in';

const source = closed({ bytes: filled });
const result = either(closed({ text: filled }), closed({ json: anyObject }), closed({ image: anyObject }));
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
  closed({ toolResult: closed({ toolUseId: filled, content: list(result) }, { status: text }) }),
  closed({ reasoningContent: anyObject }),
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
              { name: filled, inputSchema: closed({ json: anyObject }) },
              { description: filled, strict: { type: 'boolean' } },
            ),
          }),
        ),
      },
      { toolChoice: anyObject },
    ),
    outputConfig: anyObject,
    additionalModelRequestFields: anyObject,
    additionalModelResponseFieldPaths: list(text),
  },
);

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
const stopOf = ({ calls }: Reply): string => (calls.length > 0 ? 'tool_use' : 'end_turn');

function whole(reply: Reply): object {
  const { text: value, reasoning, calls } = reply;
  const content = [
    ...(reasoning === null
      ? []
      : [{ reasoningContent: { reasoningText: { text: reasoning, signature: 'c2VhbA==' } } }]),
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

const frames = (reply: Reply): Buffer[] => [
  frame('messageStart', { role: 'assistant' }),
  ...(reply.text ?? '')
    .split(/(?= )/)
    .map((word) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: word } })),
  frame('contentBlockStop', { contentBlockIndex: 0 }),
  frame('messageStop', { stopReason: stopOf(reply) }),
  frame('metadata', { usage: USAGE, metrics: { latencyMs: 1 } }),
];

/** Not Claude, whose Messages clients get its own form by InvokeModel. */
const MODEL = 'amazon.nova-2-lite-v1:0';

export const bedrockConverse: StandIn = {
  dialect: 'bedrock-converse',
  provider: 'bedrock',
  model: MODEL,
  configurations: (origin) => ({ custom_host: origin, ...KEYS }),
  path: (streams) => `/model/${encodeURIComponent(MODEL)}/${streams ? 'converse-stream' : 'converse'}`,
  request: REQUEST,
  isAuthorized: (request) => isAwsSigned(request, 'bedrock', { AKIDMATRIX: { secret: 'a-secret' } }),
  reply: (reply) =>
    reply.streams
      ? framed(frames(reply), 'application/vnd.amazon.eventstream', reply)
      : { body: whole(reply) },
  error: {
    status: 429,
    headers: { 'x-amzn-errortype': 'ThrottlingException' },
    body: { message: 'Slow down.' },
  },
};
