import { GatewayError } from '@gw/kernel';
import type { JsonObject } from '../call';
import type { ProviderContext } from '../codec';
import type { ModelResponse } from '../response';
import { awsFrame } from '@gw/testing';
import { framed } from '../spec-support/framing';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { decodeResponse } from './decode-response';
import { decodeStream } from './decode-stream';
import {
  responded,
  delta,
  frame,
  message,
  OPUS,
  response,
  SONNET,
  stop,
  streamedChat,
  toolDelta,
  toolStart,
} from './spec-facts';

const contextFor = (model = SONNET, outputTool = false): ProviderContext => ({
  call: { model, stream: false, system: [], turns: [], paths: {} },
  target: targetOf({ provider: 'bedrock', dialect: 'bedrock-converse', model }),
  requestId: 'req_1',
  createdAt: 1,
  outputTool,
  headers: { 'x-amzn-requestid': 'aws-1' },
});

function folded(frames: readonly JsonObject[], model = SONNET, outputTool = false): ModelResponse {
  const decoder = decodeStream(contextFor(model, outputTool));
  return fold([...decoder.write(framed('bedrock-converse', frames, 'complete')), ...decoder.end()]);
}

const SCHEMA = { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } };
const OUTPUT = { response_format: SCHEMA };
const CITATION = {
  title: 'T',
  source: 's',
  sourceContent: [{ text: 'cited' }],
  location: { web: { url: 'https://example.com/a', domain: 'example.com' } },
};

describe('streams and unstreamed responses', () => {
  const cases: readonly (readonly [string, JsonObject, readonly JsonObject[], string?])[] = [
    [
      'text',
      response([{ text: 'Hello' }]),
      message([delta(0, { text: 'He' }), delta(0, { text: 'llo' }), stop(0)]),
    ],
    [
      'parallel calls',
      response(
        [
          { text: 'x' },
          { toolUse: { toolUseId: 'a', name: 'f', input: { a: 1 } } },
          { toolUse: { toolUseId: 'b', name: 'g', input: {} } },
        ],
        'tool_use',
      ),
      message(
        [
          delta(0, { text: 'x' }),
          stop(0),
          toolStart(1, 'a', 'f'),
          toolDelta(1, '{"a"'),
          toolDelta(1, ':1}'),
          stop(1),
          toolStart(2, 'b', 'g'),
          stop(2),
        ],
        'tool_use',
      ),
    ],
    [
      'reasoning',
      response([
        { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
        { reasoningContent: { redactedContent: 'AAEC' } },
        { text: 'ok' },
      ]),
      message([
        delta(0, { reasoningContent: { text: 'hm' } }),
        delta(0, { reasoningContent: { signature: 's' } }),
        delta(1, { reasoningContent: { redactedContent: 'AAEC' } }),
        delta(2, { text: 'ok' }),
      ]),
    ],
    [
      'citations',
      response([{ text: 'a' }, { citationsContent: { content: [{ text: 'bcd' }], citations: [CITATION] } }]),
      message([
        delta(0, { text: 'a' }),
        stop(0),
        delta(1, { text: 'bc' }),
        delta(1, { citation: CITATION }),
        delta(1, { text: 'd' }),
        stop(1),
      ]),
    ],
    [
      'a tool of Nova',
      response([
        { toolUse: { toolUseId: 'a', name: 'nova_grounding', type: 'server_tool_use', input: { q: 'x' } } },
        { toolResult: { toolUseId: 'a', type: 'nova_grounding_result', content: [{ json: {} }] } },
        { text: 'y' },
      ]),
      message([
        frame('contentBlockStart', {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: 'a', name: 'nova_grounding', type: 'server_tool_use' } },
        }),
        toolDelta(0, '{"q":"x"}'),
        stop(0),
        frame('contentBlockStart', {
          contentBlockIndex: 1,
          start: { toolResult: { toolUseId: 'a', type: 'nova_grounding_result' } },
        }),
        delta(1, { toolResult: [{ json: {} }] }),
        stop(1),
        delta(2, { text: 'y' }),
        stop(2),
      ]),
      'amazon.nova-pro-v1:0',
    ],
  ];

  it.each(cases.map(([what, ...rest]) => [what, rest] as const))(
    'decodes a stream and an unstreamed response equally: %s',
    (_what, [body, frames, model]) => {
      expect(folded(frames, model)).toEqual(decodeResponse(body, contextFor(model)));
    },
  );

  it('have the id of the request, and sum the cached tokens of one hour', () => {
    const usage = {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadInputTokens: 20,
      cacheWriteInputTokens: 30,
      cacheDetails: [
        { ttl: '1h', inputTokens: 12 },
        { ttl: '5m', inputTokens: 18 },
        { ttl: '1h', inputTokens: 3 },
      ],
    };
    const body = { ...response([{ text: 'x' }]), usage, serviceTier: { type: 'flex' } };
    expect(decodeResponse(body, contextFor())).toMatchObject({
      id: 'aws-1',
      serviceTier: 'flex',
      usage: { input: 60, output: 5, cacheRead: 20, cacheWrite: 30, cacheWrite1h: 15 },
    });
  });

  it('name the stop sequence of Claude', () => {
    const body = {
      ...response([{ text: 'x' }], 'stop_sequence'),
      additionalModelResponseFields: { stop_sequence: 'END' },
    };
    expect(decodeResponse(body, contextFor()).candidates[0]?.finish).toEqual({
      reason: 'stop',
      raw: 'stop_sequence',
      stopSequence: 'END',
    });
  });

  it('never report a usage that is not a count', () => {
    const body = { ...response([{ text: 'x' }]), usage: { inputTokens: -1, outputTokens: 'many' } };
    expect(decodeResponse(body, contextFor())).not.toHaveProperty('usage');
  });
});

describe('output of a forced tool', () => {
  const tool = { toolUse: { toolUseId: 'a', name: 'json_output', input: { a: 1 } } };

  it('is the text of a response', () => {
    const body = responded(response([{ text: 'Sure:' }, tool], 'tool_use'), OUTPUT, OPUS);
    expect(body['choices']).toMatchObject([{ message: { content: '{"a":1}' }, finish_reason: 'stop' }]);
  });

  it('is the text of a stream', () => {
    const frames = message(
      [
        delta(0, { text: 'Sure:' }),
        stop(0),
        toolStart(1, 'a', 'json_output'),
        toolDelta(1, '{"a"'),
        toolDelta(1, ':1}'),
        stop(1),
      ],
      'tool_use',
    );
    const { folded: found, end } = streamedChat(frames, { request: OUTPUT, model: OPUS });
    expect(found).toMatchObject({ choices: [{ message: { content: '{"a":1}' }, finish_reason: 'stop' }] });
    expect(end).toBe('[DONE]');
  });

  it('is the text that a guardrail wrote instead', () => {
    const frames = message([delta(0, { text: 'Blocked.' }), stop(0)], 'guardrail_intervened');
    const { folded: found } = streamedChat(frames, { request: OUTPUT, model: OPUS });
    expect(found).toMatchObject({
      choices: [{ message: { content: 'Blocked.' }, finish_reason: 'content_filter' }],
    });
  });
});

describe('broken responses', () => {
  const VALUES: readonly unknown[] = [null, 0, -1, 1e300, '', 'x', true, [], {}, [null], { a: null }];

  it('are refused as invalid, whatever their members are', () => {
    for (const value of VALUES) {
      const bodies: JsonObject[] = [
        { output: value },
        { output: { message: value } },
        response(value as JsonObject[]),
        response([value as JsonObject]),
        {
          ...response([{ text: 'x' }]),
          usage: value,
          stopReason: value,
          additionalModelResponseFields: value,
        },
        ...['text', 'toolUse', 'reasoningContent', 'citationsContent', 'toolResult', 'image'].map((name) =>
          response([{ [name]: value }]),
        ),
      ];
      for (const body of bodies) {
        try {
          decodeResponse(body, contextFor());
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
        }
      }
    }
  });

  it('end a stream once, whatever its events are', () => {
    const names = [
      'messageStart',
      'contentBlockStart',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
      'x',
    ];
    for (const value of VALUES) {
      const members = {
        contentBlockIndex: value,
        start: value,
        delta: value,
        stopReason: value,
        usage: value,
      };
      const inner = {
        delta: { text: value, reasoningContent: value, toolUse: value, citation: value, toolResult: value },
        start: { toolUse: value, toolResult: value },
      };
      for (const payload of [members, inner]) {
        const decoder = decodeStream(contextFor());
        const bytes = framed(
          'bedrock-converse',
          names.map((name) => frame(name, payload)),
          'complete',
        );
        const events = [...decoder.write(bytes), ...decoder.end(), ...decoder.write(bytes), ...decoder.end()];
        expect(events.filter(({ t }) => t === 'done' || t === 'error')).toHaveLength(1);
        expect(['done', 'error']).toContain(events.at(-1)?.t);
      }
    }
  });

  it.each([
    ['no JSON', awsFrame({ ':message-type': 'event', ':event-type': 'messageStart' }, Buffer.from('x'))],
    ['no frames', Buffer.from('<html></html>')],
    ['nothing', Buffer.alloc(0)],
  ])('fails a stream with %s', (_what, bytes) => {
    const decoder = decodeStream(contextFor());
    expect([...decoder.write(bytes), ...decoder.end()].map(({ t }) => t)).toEqual(['error']);
  });

  it('are buffered up to 1 MiB for each block', () => {
    const signature = 's'.repeat(400_000);
    const frames = [0, 1, 2].map(() => delta(0, { reasoningContent: { signature } }));
    const decoder = decodeStream(contextFor());
    const events = decoder.write(framed('bedrock-converse', [frame('messageStart'), ...frames], 'cut'));
    expect(events.at(-1)).toMatchObject({ t: 'error', fault: { code: 'provider_answer_invalid' } });
  });
});
