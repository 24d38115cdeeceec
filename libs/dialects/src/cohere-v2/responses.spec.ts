import type { JsonObject } from '../call';
import { decoded, refusal, streamed, streamedText } from '../spec-support/provider-side';
import { fold } from '../stream/fold';
import { cohereProvider } from '.';

const call = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

const MESSAGE_START = { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant' } } };
const content = (index: number, item: JsonObject): JsonObject[] => [
  {
    type: 'content-start',
    index,
    delta: {
      message: {
        content: 'thinking' in item ? { type: 'thinking', thinking: '' } : { type: 'text', text: '' },
      },
    },
  },
  { type: 'content-delta', index, delta: { message: { content: item } } },
];
const messageEnd = (reason: string, more: JsonObject = {}): JsonObject => ({
  type: 'message-end',
  delta: { finish_reason: reason, usage: { tokens: { input_tokens: 9, output_tokens: 4 } }, ...more },
});

describe('cohere: responses and streams', () => {
  const citation = {
    start: 0,
    end: 5,
    text: 'Sales',
    type: 'TEXT_CONTENT',
    content_index: 1,
    sources: [
      { type: 'document', id: 'd1', document: { title: 'Report', url: 'https://e.com/r' } },
      { type: 'tool', id: 't1', tool_output: { rows: '1' } },
    ],
  };
  const whole = {
    id: 'c1',
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      tool_plan: 'I look.',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Sales rose.' },
      ],
      citations: [citation],
      tool_calls: [call('f_1', 'f', '{"a":1}'), call('f_2', 'g', '')],
    },
    usage: { billed_units: { input_tokens: 3 }, tokens: { input_tokens: 9, output_tokens: 4 } },
  };
  const frames = [
    MESSAGE_START,
    ...content(0, { thinking: 'hm' }),
    { type: 'content-end', index: 0 },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I ' } } },
    { type: 'tool-plan-delta', delta: { message: { tool_plan: 'look.' } } },
    ...content(1, { text: 'Sales rose.' }),
    { type: 'content-end', index: 1 },
    { type: 'citation-start', index: 0, delta: { message: { citations: citation } } },
    { type: 'citation-end', index: 0 },
    {
      type: 'tool-call-start',
      index: 0,
      delta: {
        message: { tool_calls: { id: 'f_1', type: 'function', function: { name: 'f', arguments: '' } } },
      },
    },
    {
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: '{"a"' } } } },
    },
    {
      type: 'tool-call-delta',
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: ':1}' } } } },
    },
    { type: 'tool-call-end', index: 0 },
    {
      type: 'tool-call-start',
      index: 1,
      delta: { message: { tool_calls: { id: 'f_2', type: 'function', function: { name: 'g' } } } },
    },
    { type: 'tool-call-end', index: 1 },
    messageEnd('TOOL_CALL'),
  ];

  it('numbers content and calls separately, and reads the same from a stream and a response', () => {
    const events = streamed(cohereProvider, frames);
    expect(fold(events)).toEqual(decoded(cohereProvider, whole));
    expect(fold(events).candidates[0]?.parts.map(({ kind }) => kind)).toEqual([
      'reasoning',
      'text',
      'text',
      'tool_call',
      'tool_call',
    ]);
  });

  it('adds a citation to its text, with a range in the whole text', () => {
    const [candidate] = decoded(cohereProvider, whole).candidates;
    expect(candidate?.parts[2]).toMatchObject({
      kind: 'text',
      text: 'Sales rose.',
      citations: [{ url: 'https://e.com/r', title: 'Report', citedText: 'Sales', start: 7, end: 12 }],
    });
  });

  it('keeps a citation without an address, and one of the plan', () => {
    const message = {
      tool_plan: 'plan',
      content: [{ type: 'text', text: 'x' }],
      citations: [
        { start: 0, end: 4, text: 'plan', type: 'PLAN', sources: [] },
        { start: 0, end: 1, text: 'x', sources: [{ type: 'tool', id: 't' }] },
        { start: 0, end: 1, text: 'hm', type: 'THINKING_CONTENT' },
      ],
    };
    const { candidates } = decoded(cohereProvider, { id: 'c', finish_reason: 'COMPLETE', message });
    expect(candidates[0]?.parts).toMatchObject([
      { text: 'plan', citations: [{ start: 0, end: 4 }] },
      { text: 'x', citations: [{ start: 4, end: 5 }] },
    ]);
  });

  it('returns the stop sequence if the request had only one', () => {
    const body = { ...whole, finish_reason: 'STOP_SEQUENCE', message: { content: [{ text: 'x' }] } };
    expect(decoded(cohereProvider, body, { stop: 'END' }).candidates[0]?.finish).toEqual({
      reason: 'stop',
      raw: 'STOP_SEQUENCE',
      stopSequence: 'END',
    });
    expect(
      decoded(cohereProvider, body, { stop: ['a', 'b'] }).candidates[0]?.finish.stopSequence,
    ).toBeUndefined();
  });

  it('reads cached tokens, and billed units when there are no others', () => {
    const usage = (value: JsonObject): unknown => decoded(cohereProvider, { ...whole, usage: value }).usage;
    expect(usage({ tokens: { input_tokens: 9, output_tokens: 4 }, cached_tokens: 5 })).toMatchObject({
      input: 9,
      output: 4,
      cacheRead: 5,
    });
    expect(usage({ billed_units: { input_tokens: 3, output_tokens: 2, search_units: 1 } })).toMatchObject({
      input: 3,
      output: 2,
      searches: 1,
    });
    expect(usage({})).toBeUndefined();
  });

  it('keeps a failure with content as a finish, and refuses one without', () => {
    const failed = { ...whole, finish_reason: 'TIMEOUT', message: { content: [{ text: 'half' }] } };
    expect(decoded(cohereProvider, failed).candidates[0]?.finish).toEqual({
      reason: 'error',
      raw: 'TIMEOUT',
    });
    const events = streamed(cohereProvider, [MESSAGE_START, messageEnd('ERROR')]);
    expect(events.at(-1)).toMatchObject({ t: 'error', fault: { code: 'provider_answer_invalid' } });
    for (const body of [{}, { message: 'x' }, { message: {}, finish_reason: 'ERROR' }, { error: 'x' }])
      expect(refusal(() => decoded(cohereProvider, body))[0]).toBe('provider_answer_invalid');
  });

  it('reports an error inside the stream with its usage, and nothing after it', () => {
    const events = streamed(cohereProvider, [
      MESSAGE_START,
      ...content(0, { text: 'x' }),
      messageEnd('ERROR', { error: 'boom' }),
      messageEnd('COMPLETE'),
    ]);
    expect(events.slice(-2)).toMatchObject([
      { t: 'usage', usage: { input: 9 } },
      { t: 'error', fault: { message: 'boom' } },
    ]);
    expect(streamedText(cohereProvider, 'data: {"message":"internal error"}\n\n')).toMatchObject([
      { t: 'error', fault: { message: 'internal error' } },
    ]);
  });

  it('a stream without message-end is cut', () => {
    for (const end of ['cut', 'cut-in-frame'] as const) {
      const events = streamed(cohereProvider, frames.slice(0, -1), end);
      expect(events.at(-1)).toMatchObject({ t: 'error', fault: { code: 'stream_interrupted' } });
      expect(events.some(({ t }) => t === 'finish' || t === 'done')).toBe(false);
    }
  });

  it('accepts [DONE] after the end, unknown events and pings', () => {
    const text = [
      MESSAGE_START,
      { type: 'debug', prompt: 'p' },
      { type: 'new-event' },
      messageEnd('COMPLETE'),
    ]
      .map(
        (frame: JsonObject) =>
          `: ping\n\nevent: ${String(frame['type'])}\ndata: ${JSON.stringify(frame)}\n\n`,
      )
      .join('');
    expect(streamedText(cohereProvider, `${text}data: [DONE]\n\n`).map(({ t }) => t)).toEqual([
      'start',
      'finish',
      'usage',
      'done',
    ]);
  });

  it('reads the probabilities of tokens', () => {
    const logprobs = { text: 'Hi', token_ids: [1, 2], logprobs: [-0.1, -0.2] };
    const expected = [
      { token: 'Hi', logprob: -0.1 },
      { token: '', logprob: -0.2 },
    ];
    expect(decoded(cohereProvider, { ...whole, logprobs: [logprobs] }).candidates[0]?.logprobs).toEqual(
      expected,
    );
    const events = streamed(cohereProvider, [
      MESSAGE_START,
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } }, logprobs },
      messageEnd('COMPLETE'),
    ]);
    expect(fold(events).candidates[0]?.logprobs).toEqual(expected);
  });
});
