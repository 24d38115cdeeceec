import type { JsonObject, Part } from '../call';
import { accumulated, accumulatedBeforeLast } from '../spec-support/openai-responses-sdk';
import { CASES, contextOf, eventsOf, responseOf, streamed } from '../spec-support/responses-cases';
import { openAiResponsesClient } from '.';

describe('streams of the Responses API read by the official SDK', () => {
  it.each(CASES)('accumulates %s to the unstreamed response', async (_title, parts) => {
    const whole = openAiResponsesClient.encodeResponse(responseOf(parts), contextOf());
    const text = streamed(eventsOf(parts));
    const { response, events } = await accumulated(text);
    expect(response).toMatchObject(JSON.parse(JSON.stringify(whole)));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    // The output that the accumulator builds from the deltas equals that of the last event.
    const before = await accumulatedBeforeLast(text);
    expect(before['output']).toEqual(response['output']);
  });

  it.each(CASES)('announces every item of %s before its events', async (_title, parts) => {
    const { events } = await accumulated(streamed(eventsOf(parts)));
    const announced = new Set<string>();
    for (const event of events) {
      if (event.type === 'response.output_item.added') announced.add(String(event.item.id));
      if ('item_id' in event) expect([...announced]).toContain(event.item_id);
    }
  });

  it.each([
    ['length', 'incomplete', 'max_output_tokens'],
    ['content_filter', 'incomplete', 'content_filter'],
  ] as const)('ends a stream with the reason %s as %s', async (reason, status, detail) => {
    const parts: Part[] = [{ kind: 'text', text: 'Hello' }];
    const { response, events } = await accumulated(streamed(eventsOf(parts, { reason })));
    expect(response).toMatchObject({
      status,
      incomplete_details: { reason: detail },
      output: [{ status: 'incomplete' }],
      usage: { input_tokens: 8, output_tokens: 2, total_tokens: 10 },
    });
    expect(events.at(-1)?.type).toBe('response.incomplete');
    const whole = openAiResponsesClient.encodeResponse(responseOf(parts, { reason }), contextOf());
    expect(response['output']).toMatchObject(whole['output'] as JsonObject[]);
  });

  it('end a failed stream with response.failed, without completing a partial call', async () => {
    const text = streamed([
      { t: 'start', id: 'resp_1', model: 'm', created: 1 },
      { t: 'open', c: 0, i: 0, part: { kind: 'text', text: '' } },
      { t: 'text', c: 0, i: 0, text: 'Hel' },
      { t: 'open', c: 0, i: 1, part: { kind: 'tool_call', id: 'c1', name: 'f', args: '' } },
      { t: 'args', c: 0, i: 1, json: '{"a":' },
      { t: 'error', fault: { class: 'rate', message: 'slow', status: 429 } },
      { t: 'done' },
    ]);
    const { response, events } = await accumulated(text);
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'rate_limit_exceeded', message: 'slow' },
      output: [
        { type: 'message', status: 'incomplete', content: [{ text: 'Hel' }] },
        { type: 'function_call', status: 'incomplete', arguments: '{"a":' },
      ],
    });
    expect(events.at(-1)?.type).toBe('response.failed');
    expect(events.map(({ type }) => type)).not.toContain('response.function_call_arguments.done');
  });

  it('begin with response.created even when the provider fails at once', async () => {
    const { events } = await accumulated(
      streamed([{ t: 'error', fault: { class: 'server', message: 'x', status: 502 } }]),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.failed',
    ]);
  });

  it('write interleaved parallel calls to their own items', async () => {
    const { response } = await accumulated(
      streamed([
        { t: 'start', id: 'resp_1', model: 'm', created: 1 },
        { t: 'open', c: 0, i: 0, part: { kind: 'tool_call', id: 'c1', name: 'f', args: '' } },
        { t: 'open', c: 0, i: 1, part: { kind: 'tool_call', id: 'c2', name: 'g', args: '' } },
        { t: 'args', c: 0, i: 0, json: '{"a"' },
        { t: 'args', c: 0, i: 1, json: '{"b"' },
        { t: 'args', c: 0, i: 0, json: ':1}' },
        { t: 'args', c: 0, i: 1, json: ':2}' },
        { t: 'close', c: 0, i: 0 },
        { t: 'close', c: 0, i: 1 },
        { t: 'finish', c: 0, finish: { reason: 'tool_calls' } },
        { t: 'done' },
      ]),
    );
    expect(response['output']).toMatchObject([
      { call_id: 'c1', arguments: '{"a":1}' },
      { call_id: 'c2', arguments: '{"b":2}' },
    ]);
  });

  it('carry log probabilities in the delta of their text', async () => {
    const items = [{ token: 'Hi', logprob: -0.5, top: [{ token: 'Hi', logprob: -0.5 }] }];
    const encoder = openAiResponsesClient.encodeStream(
      contextOf({ include: ['message.output_text.logprobs'], top_logprobs: 1 }),
    );
    const text = encoder.write([
      { t: 'start', id: 'resp_1', model: 'm', created: 1 },
      { t: 'open', c: 0, i: 0, part: { kind: 'text', text: '' } },
      { t: 'text', c: 0, i: 0, text: 'Hi' },
      { t: 'logprobs', c: 0, i: 0, items },
      { t: 'close', c: 0, i: 0 },
      { t: 'finish', c: 0, finish: { reason: 'stop' } },
      { t: 'done' },
    ]);
    const { events, response } = await accumulated(text);
    const written = [
      {
        token: 'Hi',
        logprob: -0.5,
        bytes: [72, 105],
        top_logprobs: [{ token: 'Hi', logprob: -0.5, bytes: [72, 105] }],
      },
    ];
    expect(events.find(({ type }) => type === 'response.output_text.delta')).toMatchObject({
      logprobs: written,
    });
    expect(response['output']).toMatchObject([{ content: [{ logprobs: written }] }]);
  });

  it('carry the log probabilities of a token without text, or after another event, in a separate event', async () => {
    const of = (token: string) => [{ token, logprob: -0.5, top: [] }];
    const encoder = openAiResponsesClient.encodeStream(
      contextOf({ include: ['message.output_text.logprobs'], top_logprobs: 0 }),
    );
    const text = encoder.write([
      { t: 'start', id: 'resp_1', model: 'm', created: 1 },
      { t: 'open', c: 0, i: 0, part: { kind: 'text', text: '' } },
      { t: 'logprobs', c: 0, i: 0, items: of('half') },
      { t: 'text', c: 0, i: 0, text: 'Hi' },
      { t: 'cite', c: 0, i: 0, citation: { url: 'https://example.com', title: 'Example' } },
      { t: 'logprobs', c: 0, i: 0, items: of('Hi') },
      { t: 'close', c: 0, i: 0 },
      { t: 'finish', c: 0, finish: { reason: 'stop' } },
      { t: 'done' },
    ]);
    const { response } = await accumulated(text);
    const logprobs = [{ token: 'half' }, { token: 'Hi' }];
    expect(response['output']).toMatchObject([{ content: [{ text: 'Hi', logprobs }] }]);
  });
});
