import type { Dialect } from '@gw/guardrails';
import type { JsonObject } from '@gw/providers';
import { EventReader } from './event-reader';
import { dialectFor } from './guarded-stream';
import { guardedStreams } from './spec-support/guarded-streams';

const SECRET = 'ULTRAVIOLET light';
const data = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const named = (type: string, more: object): string => `event: ${type}\n${data({ type, ...more })}`;

const chat = (more: object, choice: object = {}): string =>
  data({ id: 'c', object: 'chat.completion.chunk', ...more, choices: [{ index: 0, delta: {}, ...choice }] });
const said = chat({}, { delta: { content: 'Hi' } });
const chats = (...events: readonly string[]): string => `${said}${events.join('')}data: [DONE]\n\n`;

const answer = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };
const completed = (more: object = {}): string =>
  named('response.completed', { response: { id: 'r', output: [answer], ...more } });
const delta = (more: object = {}): string =>
  named('response.output_text.delta', { output_index: 0, delta: 'Hi', ...more });

const STREAMS: readonly (readonly [string, string, string])[] = [
  ['of a chunk', '/chat/completions', chats(chat({ notice: SECRET }))],
  ['of a choice', '/chat/completions', chats(chat({}, { reason: { text: [SECRET] } }))],
  [
    'of a called function',
    '/chat/completions',
    chats(chat({}, { delta: { tool_calls: [{ hint: SECRET }] } })),
  ],
  ['that usually hold ids', '/chat/completions', chats(chat({ id: SECRET }))],
  ['below those of sources', '/chat/completions', chats(chat({ citations: [{ type: SECRET }] }))],
  ['of a text', '/responses', `${delta({ notice: SECRET })}${completed()}`],
  ['of an unknown event', '/responses', `${delta()}${named('new', { notice: SECRET })}${completed()}`],
  ['of the last event', '/responses', `${delta()}${completed({ notice: SECRET })}`],
];

describe('texts of a stream in members that no dialect has', () => {
  const streams = guardedStreams();

  it.each(STREAMS)('are replaced in members %s', async (_, path, stream) => {
    for (const on_stream of ['mark', 'hold']) {
      const regexReplace = { rule: SECRET, redactText: '[GONE]', scope: ['messages'] };
      const { status, text } = await streams.ask({ guardrail: { regexReplace, on_stream }, stream, path });
      expect([status, text.includes(SECRET), text.split('[GONE]').length]).toEqual([200, false, 2]);
      expect(text).toContain('Hi');
    }
  });

  it.each(STREAMS)('are denied in members %s', async (_, path, stream) => {
    for (const on_stream of ['mark', 'hold']) {
      const contains = { operator: 'none', words: ['ULTRAVIOLET'] };
      const { text } = await streams.ask({ guardrail: { contains, deny: true, on_stream }, stream, path });
      expect(text).not.toContain('ULTRAVIOLET');
      expect(text).toContain('guardrail');
    }
  });

  it('send nothing of a denied one in place of another text', async () => {
    const contains = { operator: 'none', words: ['ULTRAVIOLET'] };
    const notice = `${'It is far beyond the visible. '.repeat(40)}${SECRET}`;
    const stream = chats(chat({ notice }));
    const guardrail = { contains, deny: true, on_stream: 'mark' };
    const { text } = await streams.ask({ guardrail, stream });
    expect(text).not.toContain('visible');
    expect(text).toContain('guardrail');
  });

  it('are judged once when each event repeats them', async () => {
    const stream = chats(...Array.from({ length: 2_100 }, () => chat({ provider: 'Amazon Bedrock' })));
    for (const on_stream of ['mark', 'hold']) {
      const contains = { operator: 'none', words: ['ULTRAVIOLET'] };
      const { status, text } = await streams.ask({ guardrail: { contains, deny: true, on_stream }, stream });
      expect([status, text]).toEqual([200, stream]);
    }
  });

  it('are judged in each of a thousand events, with names of members that are no names', async () => {
    const events = Array.from({ length: 1_000 }, (_, index) => chat({ time: `at ${String(index)} o'clock` }));
    const stream = chats(...events, chat({ [SECRET]: 1 }));
    for (const on_stream of ['mark', 'hold']) {
      const regexReplace = { rule: 'ULTRAVIOLET|999 o', redactText: '[GONE]', scope: ['messages'] };
      const { text } = await streams.ask({ guardrail: { regexReplace, on_stream }, stream });
      expect(text).not.toMatch(/ULTRAVIOLET|999 o/);
      expect(text).toContain('guardrail');
    }
  });

  const textsOf = (dialect: Dialect, body: JsonObject): readonly string[] | null => {
    const found = dialectFor(dialect);
    if (found === null) throw new Error(`no stream of ${dialect}`);
    return new EventReader(found).read(body)?.texts.map(({ text }) => text) ?? null;
  };

  it.each<[string, Dialect, JsonObject]>([
    [
      'the start of a message',
      'messages',
      { type: 'message_start', message: { content: [{ text: 'x 1' }] } },
    ],
    [
      'a delta of a text',
      'messages',
      { type: 'content_block_delta', delta: { type: 'text_delta', more: 'x 1' } },
    ],
    ['a ping', 'messages', { type: 'ping', notice: 'x 1' }],
    ['the reason of the end', 'messages', { type: 'message_delta', delta: { stop_reason: 'x 1' } }],
    ['a candidate', 'gemini', { candidates: [{ finishMessage: 'x 1' }] }],
    ['a part', 'gemini', { candidates: [{ content: { parts: [{ text: 'a', label: 'x 1' }] } }] }],
    [
      'a call',
      'gemini',
      { candidates: [{ content: { parts: [{ functionCall: { args: {}, id: 'x 1' } }] } }] },
    ],
    ['an event', 'gemini', { promptFeedback: { blockReasonMessage: 'x 1' }, candidates: [] }],
    ['a choice', 'completions', { choices: [{ text: 'a', notice: 'x 1' }] }],
  ])('include those in %s of %s', (_, dialect, body) => {
    expect(textsOf(dialect, body)).toContain('x 1');
  });

  it.each<[string, Dialect, JsonObject]>([
    [
      'ids and types',
      'chat',
      { id: 'c-1', object: 'chat.completion.chunk', x_groq: { id: 'req_1' }, choices: [] },
    ],
    ['probabilities', 'chat', { choices: [{ delta: {}, logprobs: { content: [{ token: 'a b' }] } }] }],
    [
      'what repeats the request',
      'responses',
      { type: 'response.created', response: { instructions: 'a b', metadata: { a: 'a b' }, output: [] } },
    ],
    ['errors of the provider', 'chat', { error: { message: 'a b' } }],
    [
      'sealed thoughts',
      'gemini',
      { candidates: [{ content: { parts: [{ thoughtSignature: 'A'.repeat(999) }] } }] },
    ],
  ])('do not include %s of %s', (_, dialect, body) => {
    expect(textsOf(dialect, body)).toEqual([]);
  });

  it('make an event unreadable that has more of them than guardrails can judge', () => {
    expect(textsOf('chat', { choices: [], notices: new Array<string>(20_001).fill('x 1') })).toBeNull();
  });
});
