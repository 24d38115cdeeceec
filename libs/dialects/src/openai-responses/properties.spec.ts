import fc from 'fast-check';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { JsonObject, Part, Seal } from '../call';
import type { StreamEvent } from '../response';
import { contextOf, eventsOf, responseOf } from '../spec-support/responses-cases';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { openAiResponsesClient, openAiResponsesProvider } from '.';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const seal: fc.Arbitrary<Seal> = fc.record({
  by: fc.constantFrom('anthropic', 'google', 'xai', 'openrouter'),
  value: fc.base64String({ minLength: 4, maxLength: 12 }),
});
const maybe = <T extends JsonObject>(found: fc.Arbitrary<T>): fc.Arbitrary<T | object> =>
  fc.oneof(fc.constant({}), found);
const sealed = maybe(fc.record({ seal }));

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.tuple(text, sealed).map(([found, extra]): Part => ({ kind: 'text', text: found, ...extra })),
  text.map((found): Part => ({ kind: 'refusal', text: found })),
  fc.tuple(text, sealed).map(([found, extra]): Part => ({ kind: 'reasoning', text: found, ...extra })),
  fc
    .tuple(fc.string({ minLength: 1, maxLength: 8 }), text, fc.boolean(), sealed)
    .map(([id, args, custom, extra]): Part => ({
      kind: 'tool_call',
      id,
      name: 'f',
      args,
      ...(custom ? { custom } : {}),
      ...extra,
    })),
);

function read(sse: string): ResponseStreamEvent[] {
  return sse
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice(event.indexOf('\ndata: ') + 7)) as ResponseStreamEvent);
}

function encoded(events: readonly StreamEvent[], sizes: readonly number[]): string {
  const encoder = openAiResponsesClient.encodeStream(contextOf());
  let written = '';
  for (let at = 0, turn = 0; at < events.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    written += encoder.write(events.slice(at, at + size));
    at += size;
  }
  return written;
}

const batches = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('Responses API: properties', () => {
  it('a stream folds to the unstreamed response, and its deltas to its last event', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), batches, (parts, sizes) => {
        const whole = openAiResponsesClient.encodeResponse(responseOf(parts), contextOf());
        const events = read(encoded(eventsOf(parts), sizes));
        let snapshot: Response | undefined;
        for (const event of events.slice(0, -1)) snapshot = accumulateResponse(event, snapshot);
        const last = events.at(-1);
        if (last?.type !== 'response.completed')
          throw new Error(`The stream ended with ${String(last?.type)}`);
        expect(last.response).toEqual(JSON.parse(JSON.stringify(whole)));
        expect(snapshot?.output).toEqual(last.response.output);
        expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
      }),
    );
  });

  it('texts, names, ids and arguments survive the codec of the provider', () => {
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 8 }),
        batches,
        fc.integer({ min: 1, max: 40 }),
        (parts, sizes, cut) => {
          const decoder = openAiResponsesProvider.decodeStream({
            call: contextOf().call,
            target: targetOf({ provider: 'openai', dialect: 'openai-responses', model: 'm' }),
            requestId: 'req_1',
            createdAt: 1,
          });
          const bytes = Buffer.from(encoded(eventsOf(parts), sizes));
          const events: StreamEvent[] = [];
          for (let at = 0; at < bytes.length; at += cut)
            events.push(...decoder.write(bytes.subarray(at, at + cut)));
          events.push(...decoder.end());
          const [candidate] = fold(events).candidates;
          expect(kept(candidate?.parts ?? [])).toEqual(kept(parts));
        },
      ),
    );
  });
});

/** Returns the contents of parts that must survive: calls, and texts joined by kind. */
function kept(parts: readonly Part[]): JsonObject {
  const joined = (kind: Part['kind']): string =>
    parts.map((found) => (found.kind === kind && 'text' in found ? found.text : '')).join('');
  return {
    text: joined('text'),
    refusal: joined('refusal'),
    reasoning: joined('reasoning'),
    calls: parts.flatMap((found) =>
      found.kind === 'tool_call'
        ? [[found.id, found.name, found.args === '' && found.custom !== true ? '{}' : found.args]]
        : [],
    ),
  };
}
