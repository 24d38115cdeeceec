import type { JsonObject, Part } from '../call';
import type { ClientContext } from '../codec';
import { LossLedger } from '../losses';
import { openAiResponsesClient } from '../openai-responses';
import { NO_TOKENS, type Finish, type ModelResponse, type StreamEvent } from '../response';

export function contextOf(request: JsonObject = {}): ClientContext {
  const body = { model: 'm', input: 'x', ...request };
  return {
    call: openAiResponsesClient.decodeCall(body),
    request: body,
    provider: 'p',
    model: 'm',
    requestId: 'req_1',
    createdAt: 1_700_000_000,
    losses: new LossLedger('strict', { provider: 'p', model: 'm' }),
  };
}

export const USAGE = { ...NO_TOKENS, input: 8, output: 2, reasoning: 1 };

/** Returns the events of a stream of these parts, each filled in two fragments. */
export function eventsOf(parts: readonly Part[], finish: Finish = { reason: 'stop' }): StreamEvent[] {
  const blocks = parts.flatMap((part, i): StreamEvent[] => {
    const base = { c: 0, i };
    const halves = (text: string): string[] =>
      [text.slice(0, 1), text.slice(1)].filter((half) => half !== '');
    switch (part.kind) {
      case 'text':
        return [
          { t: 'open', ...base, part: { ...part, text: '', citations: [] } },
          ...halves(part.text).map((text): StreamEvent => ({ t: 'text', ...base, text })),
          ...(part.citations ?? []).map((citation): StreamEvent => ({ t: 'cite', ...base, citation })),
          { t: 'close', ...base },
        ];
      case 'refusal':
      case 'reasoning':
        return [
          { t: 'open', ...base, part: { ...part, text: '' } },
          ...halves(part.text).map((text): StreamEvent => ({ t: 'text', ...base, text })),
          { t: 'close', ...base },
        ];
      case 'tool_call':
        return [
          { t: 'open', ...base, part: { ...part, args: '' } },
          ...halves(part.args).map((json): StreamEvent => ({ t: 'args', ...base, json })),
          { t: 'close', ...base },
        ];
      case 'media':
      case 'hosted_call':
      case 'hosted_result':
      case 'opaque':
      case 'search_result':
      case 'tool_result':
        return [
          { t: 'open', ...base, part },
          { t: 'close', ...base },
        ];
    }
  });
  return [
    { t: 'start', id: 'resp_1', model: 'm', created: 1_700_000_000 },
    ...blocks,
    { t: 'finish', c: 0, finish },
    { t: 'usage', usage: USAGE },
    { t: 'done' },
  ];
}

export const responseOf = (parts: readonly Part[], finish: Finish = { reason: 'stop' }): ModelResponse => ({
  id: 'resp_1',
  model: 'm',
  created: 1_700_000_000,
  candidates: [{ index: 0, parts, finish }],
  usage: USAGE,
});

export function streamed(events: readonly StreamEvent[], request?: JsonObject): string {
  const encoder = openAiResponsesClient.encodeStream(contextOf(request));
  return events.map((event) => encoder.write([event])).join('');
}

export const CASES: readonly (readonly [string, readonly Part[]])[] = [
  ['a text', [{ kind: 'text', text: 'Hello' }]],
  [
    'two texts',
    [
      { kind: 'text', text: 'Hello' },
      { kind: 'text', text: ' there' },
    ],
  ],
  ['a refusal', [{ kind: 'refusal', text: 'I cannot.' }]],
  [
    'a citation of the second text',
    [
      { kind: 'text', text: 'abc' },
      {
        kind: 'text',
        text: 'def',
        citations: [
          { url: 'https://a', title: 'A' },
          { url: 'https://b', start: 4, end: 5 },
        ],
      },
    ],
  ],
  [
    'reasoning, text and calls',
    [
      { kind: 'reasoning', text: 'hm', seal: { by: 'anthropic', value: 'c2ln' } },
      { kind: 'text', text: 'ok' },
      { kind: 'tool_call', id: 'c1', name: 'f', args: '{"a":1}' },
      { kind: 'tool_call', id: 'c2', name: 'g', args: '' },
      { kind: 'text', text: 'after' },
    ],
  ],
  [
    'redacted and omitted reasoning',
    [
      { kind: 'reasoning', text: '', seal: { by: 'anthropic', value: 'ZGF0', redacted: true } },
      { kind: 'reasoning', text: '', seal: { by: 'anthropic', value: 'c2ln' } },
      { kind: 'text', text: 'ok' },
    ],
  ],
  [
    'sealed calls and texts',
    [
      { kind: 'text', text: 'ok', seal: { by: 'google', value: 'dGV4dA==' } },
      { kind: 'tool_call', id: 'c1', name: 'f', args: '{}', seal: { by: 'google', value: 'Y2FsbA==' } },
      { kind: 'tool_call', id: 'c2', name: 'f', args: '{}' },
    ],
  ],
  ['a custom tool call', [{ kind: 'tool_call', id: 'c1', name: 'sql', args: 'SELECT 1', custom: true }]],
  [
    'a web search',
    [
      {
        kind: 'hosted_call',
        tool: 'web_search',
        dialect: 'anthropic-messages',
        data: { input: { query: 'q' } },
      },
      { kind: 'text', text: 'found' },
    ],
  ],
  [
    'an image',
    [{ kind: 'media', media: 'image', mime: 'image/png', source: { at: 'base64', data: 'iVBORw0KGgo=' } }],
  ],
  [
    'content of reasoning',
    [
      { kind: 'reasoning', text: 'raw', x: { 'openai-responses': { isContent: true } } },
      { kind: 'text', text: 'ok' },
    ],
  ],
  ['nothing', []],
];
