import type { JsonObject } from '../call';
import { LossLedger } from '../losses';
import { readStream, type ReadStream } from '../spec-support/client-streams';
import { awsFrame } from '@gw/testing';
import { mismatches, present } from '../spec-support/matching';
import { VECTORS } from '../spec-support/vectors';
import { targetOf, type Target } from '../target';
import { InvokeStream, invokeCall, invokeEdits, invokeTokensCall } from '.';

const SONNET = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';
const OPUS = 'anthropic.claude-opus-4-8';
const HI = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };

const targetFor = (model: string, settings?: JsonObject): Target =>
  targetOf({
    provider: 'bedrock',
    dialect: 'bedrock-converse',
    model,
    ...(settings === undefined ? {} : { settings }),
  });

function invoked(
  body: JsonObject,
  { model = SONNET, betas, settings }: { model?: string; betas?: string; settings?: JsonObject } = {},
): { path: string; body: JsonObject; losses: string[]; refused: boolean } {
  const target = targetFor(model, settings);
  const losses = new LossLedger('strict', target);
  const call = invokeCall({ ...HI, ...body }, { target, losses, ...(betas === undefined ? {} : { betas }) });
  return {
    ...call,
    losses: losses.losses.map(({ path, code }) => `${path}=${code}`),
    refused: losses.isRefused,
  };
}

describe('members of a body', () => {
  it('may have names that every object inherits', () => {
    const { body } = invoked({ toString: 1, constructor: 2 });
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ toString: 1, constructor: 2 });
  });
});

describe('dialect vectors: Claude on Bedrock', () => {
  const vectors = VECTORS.filter(({ profile, kind }) => profile === 'bedrock-native' && kind === 'request');

  it.each(vectors.map((vector) => [`${vector.id}: ${vector.note}`, vector] as const))(
    '%s',
    (_title, vector) => {
      const { path, body } = invoked(vector.input, { model: vector.model ?? SONNET });
      expect([
        ...mismatches(vector.expect['body'] ?? {}, body),
        ...mismatches(vector.expect['path'], path),
        ...present((vector.expect['absent'] ?? []) as string[], body),
      ]).toEqual([]);
    },
  );
});

describe('invokeCall', () => {
  it('leaves out model and stream, keeps the other members in their order, and adds the version', () => {
    const body = { stream: true, metadata: { user_id: 'u' }, unknown: 1, temperature: 0, top_k: 0 };
    const { path, body: sent } = invoked(body);
    expect(path).toBe('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream');
    expect(Object.keys(sent)).toEqual([
      'max_tokens',
      'messages',
      'metadata',
      'unknown',
      'temperature',
      'top_k',
      'anthropic_version',
    ]);
    expect(sent['anthropic_version']).toBe('bedrock-2023-05-31');
  });

  it('keeps tool calls, tool results, signatures of thinking and cache marks', () => {
    const messages = [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'tool_use', id: 't', name: 'f', input: {}, cache_control: { type: 'ephemeral' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '1' }] },
    ];
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    expect(invoked({ messages, tools }).body).toMatchObject({ messages, tools });
  });

  it('moves known beta flags into the body, reports unknown flags, and ignores flags that are not text', () => {
    const betas =
      'claude-code-20250219, interleaved-thinking-2025-05-14,computer-use-2025-11-24,,oauth-2025-04-20';
    const { body, losses } = invoked({ anthropic_beta: ['context-1m-2025-08-07', 5] }, { betas });
    expect(body['anthropic_beta']).toEqual([
      'interleaved-thinking-2025-05-14',
      'computer-use-2025-11-24',
      'context-1m-2025-08-07',
    ]);
    expect(losses).toEqual(['anthropic-beta=dropped', 'anthropic-beta=dropped']);
  });

  it('sends the flags of the settings unchanged', () => {
    const { body, losses } = invoked({}, { betas: 'new-1', settings: { anthropic_beta: 'new-1,new-2' } });
    expect([body['anthropic_beta'], losses]).toEqual([['new-1', 'new-2'], []]);
  });

  it('refuses a schema of the output, and drops strict tools, on models that take neither on Bedrock', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const tools = [{ name: 'f', strict: true, input_schema: { type: 'object' } }];
    expect(invoked({ output_config: { format } }, { model: OPUS }).refused).toBe(true);
    expect(invoked({ output_config: { format } }).refused).toBe(false);
    const { body, losses } = invoked({ tools }, { model: OPUS });
    expect(body['tools']).toEqual([{ name: 'f', input_schema: { type: 'object' } }]);
    expect(losses).toEqual(['tools.0.strict=dropped']);
  });

  it('replaces eager_input_streaming by its beta flag', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' }, eager_input_streaming: true }];
    const { body } = invoked({ tools });
    expect(body['tools']).toEqual([{ name: 'f', input_schema: { type: 'object' } }]);
    expect(body['anthropic_beta']).toEqual(['fine-grained-tool-streaming-2025-05-14']);
  });

  it.each([
    ['a container', { container: 'c' }],
    ['an MCP server', { mcp_servers: [{ url: 'https://x' }] }],
    [
      "a tool that Anthropic's platform runs",
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    ],
  ])('refuses %s', (_what, body) => {
    expect(invoked(body).refused).toBe(true);
  });

  it('leaves the service tier out, and moves the cache mark of the request to its last block', () => {
    const { body, losses } = invoked({ service_tier: 'standard_only', cache_control: { type: 'ephemeral' } });
    expect(body).toEqual({
      max_tokens: 9,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] },
      ],
      anthropic_version: 'bedrock-2023-05-31',
    });
    expect(losses).toEqual(['cache_control=moved', 'service_tier=dropped']);
  });

  it('returns only the necessary edits of a plain body, so that its bytes can be kept', () => {
    const target = targetFor(SONNET);
    expect(invokeEdits(HI, { target, losses: new LossLedger('strict', target) })).toEqual({
      remove: ['model'],
      set: { anthropic_version: 'bedrock-2023-05-31' },
    });
  });

  it.each(['..', '../x', '', 'a b', 'a%2f', '\ud800'])(
    'refuses the model %j, which is not an id',
    (model) => {
      expect(invoked({}, { model }).refused).toBe(true);
    },
  );
});

describe('invokeTokensCall', () => {
  it('uses the id without region, and a body that InvokeModel accepts', () => {
    const target = targetFor(SONNET);
    const { messages } = HI;
    const { path, body } = invokeTokensCall(
      { model: 'm', messages },
      { target, losses: new LossLedger('strict', target) },
    );
    expect(path).toBe('/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/count-tokens');
    const { input } = body as { input: { invokeModel: { body: string } } };
    expect(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString('utf8'))).toEqual({
      messages,
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 1,
    });
  });
});

describe('InvokeStream', () => {
  const chunk = (json: string): Buffer =>
    awsFrame(
      { ':message-type': 'event', ':event-type': 'chunk', ':content-type': 'application/json' },
      Buffer.from(JSON.stringify({ bytes: Buffer.from(json).toString('base64'), p: 'abc' })),
    );
  const EVENTS: readonly JsonObject[] = [
    {
      type: 'message_start',
      message: { id: 'msg_1', content: [], usage: { input_tokens: 3, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße\n' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 3 } },
  ];
  const frames = EVENTS.map((event) => chunk(JSON.stringify(event)));

  function written(bytes: Buffer, size: number): { read: ReadStream; stream: InvokeStream; text: string } {
    const stream = new InvokeStream('req_1');
    let text = '';
    for (let at = 0; at < bytes.length; at += size) text += stream.write(bytes.subarray(at, at + size));
    text += stream.end();
    return { read: readStream('anthropic-messages', text), stream, text };
  }

  it.each([1, 17, 100_000])('writes the events unchanged, from chunks of %d bytes', (size) => {
    const { read, stream, text } = written(Buffer.concat(frames), size);
    expect(text).toBe(
      EVENTS.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    );
    expect(read.folded).toMatchObject({
      content: [{ type: 'text', text: 'Grüße\n' }],
      stop_reason: 'end_turn',
    });
    expect(stream.complete).toBe(true);
  });

  it('keeps JSON with line ends on one line', () => {
    const { read } = written(
      Buffer.concat([chunk(JSON.stringify(EVENTS[0], null, 2)), ...frames.slice(1)]),
      1_000,
    );
    expect(read.end).toBe('message_stop');
  });

  it('ends with an error when the stream is truncated', () => {
    for (const bytes of [
      Buffer.concat(frames.slice(0, 4)),
      Buffer.concat(frames).subarray(0, -3),
      Buffer.alloc(0),
    ]) {
      const { read, stream } = written(bytes, 50);
      expect([read.end, stream.failed, stream.complete]).toEqual(['error', true, false]);
    }
  });

  it('writes an exception as an error of its class, and nothing after it', () => {
    const exception = awsFrame(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      Buffer.from('{"message":"slow"}'),
    );
    const { read } = written(Buffer.concat([frames[0] ?? exception, exception, ...frames]), 1_000);
    expect(read.error).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slow' },
      request_id: 'req_1',
    });
    expect(read.types).toEqual(['message_start', 'error']);
  });

  it.each([
    ['no base64 of JSON', chunk('nothing')],
    ['no type', chunk('{}')],
    ['a type with a line end', chunk('{"type":"x\\nevent: y"}')],
    ['no frame', Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n')],
  ])('fails for %s', (_what, bytes) => {
    expect(written(bytes, 1_000).read.end).toBe('error');
  });
});
