import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import type { JsonObject, Part, Seal, ToolCallPart } from '../call';
import type { ClientContext, ProviderContext } from '../codec';
import { LossLedger } from '../losses';
import { NO_TOKENS, type StreamEvent } from '../response';
import { eventsOf, responseOf } from '../spec-support/responses-cases';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { anthropicClient, anthropicProvider } from './index';

const CONTEXT: ClientContext & ProviderContext = {
  call: anthropicClient.decodeCall({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'x' }],
  }),
  target: targetOf({ provider: 'anthropic', dialect: 'anthropic-messages', model: 'claude-opus-5' }),
  request: {},
  provider: 'anthropic',
  model: 'm',
  requestId: 'req_1',
  createdAt: 1_700_000_000,
  losses: new LossLedger('strict', { provider: 'p', model: 'm' }),
};

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const args = fc
  .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));
const seal: fc.Arbitrary<Seal> = fc.record({
  by: fc.constantFrom('anthropic', 'google', 'openai', 'xai'),
  value: fc.base64String({ minLength: 4, maxLength: 12 }),
});
const google: fc.Arbitrary<{ seal?: Seal }> = fc.oneof(
  fc.constant({}),
  fc
    .base64String({ minLength: 4, maxLength: 12 })
    .map((value) => ({ seal: { by: 'google', value } as const })),
);
const call: fc.Arbitrary<ToolCallPart> = fc
  .tuple(id, fc.oneof(fc.constant(''), args), google)
  .map(([callId, json, extra]) => ({ kind: 'tool_call', id: callId, name: 'f', args: json, ...extra }));

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.tuple(text, google).map(([found, extra]): Part => ({ kind: 'text', text: found, ...extra })),
  text.map((found): Part => ({ kind: 'refusal', text: found })),
  fc.tuple(text, fc.option(seal, { nil: undefined })).map(([found, given]): Part => ({
    kind: 'reasoning',
    text: found,
    ...(given === undefined ? {} : { seal: given }),
  })),
  fc.base64String({ minLength: 4, maxLength: 12 }).map((value): Part => ({
    kind: 'reasoning',
    text: '',
    seal: { by: 'anthropic', value, redacted: true },
  })),
  call,
);
const parts = fc.array(part, { maxLength: 8 });
const batches = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

/** The seal of a text, before a call that must not take it. */
const AMBIGUOUS: Part[] = [
  { kind: 'text', text: '', seal: { by: 'google', value: 'AAAA' } },
  { kind: 'refusal', text: '' },
  { kind: 'tool_call', id: 'a', name: 'f', args: '{}' },
];

function encoded(events: readonly StreamEvent[], sizes: readonly number[]): string {
  const encoder = anthropicClient.encodeStream(CONTEXT);
  let written = '';
  for (let at = 0, turn = 0; at < events.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    written += encoder.write(events.slice(at, at + size));
    at += size;
  }
  return written;
}

/** Reads a stream like the official SDK. */
async function accumulated(sse: string): Promise<JsonObject> {
  const client = new Anthropic({
    apiKey: 'k',
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(sse, { headers: { 'content-type': 'text/event-stream' } })),
  });
  const stream = client.messages.stream({
    model: 'm',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'x' }],
  });
  return JSON.parse(JSON.stringify(await stream.finalMessage())) as JsonObject;
}

const decoded = (sse: string, cut: number): StreamEvent[] => {
  const decoder = anthropicProvider.decodeStream(CONTEXT);
  const bytes = Buffer.from(sse);
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += cut) events.push(...decoder.write(bytes.subarray(at, at + cut)));
  return [...events, ...decoder.end()];
};

describe('Anthropic messages: properties', () => {
  it('a stream that the SDK accumulates equals the unstreamed response', async () => {
    await fc.assert(
      fc.asyncProperty(parts, batches, async (given, sizes) => {
        const whole = anthropicClient.encodeResponse(responseOf(given), CONTEXT);
        const streamed = await accumulated(encoded(eventsOf(given), sizes));
        expect(streamed).toMatchObject(JSON.parse(JSON.stringify(whole)));
      }),
      { examples: [[AMBIGUOUS, [1]]] },
    );
  });

  it('texts, names, ids and arguments survive the codec of the provider, wherever its bytes are cut', () => {
    fc.assert(
      fc.property(parts, batches, fc.integer({ min: 1, max: 40 }), (given, sizes, cut) => {
        const sse = encoded(eventsOf(given), sizes);
        const [candidate] = fold(decoded(sse, cut)).candidates;
        expect(kept(candidate?.parts ?? [])).toEqual(kept(given));
        expect(decoded(sse, cut)).toEqual(decoded(sse, 1_000_000));
      }),
    );
  });

  it('a stream of the provider folds to its unstreamed response', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const body = JSON.parse(
          JSON.stringify(anthropicClient.encodeResponse(responseOf(given), CONTEXT)),
        ) as JsonObject;
        const streamed = fold(decoded(encoded(eventsOf(given), [1]), 64));
        const whole = anthropicProvider.decodeResponse(body, CONTEXT);
        expect(parsedArguments(streamed.candidates[0]?.parts ?? [])).toEqual(
          parsedArguments(whole.candidates[0]?.parts ?? []),
        );
        expect(streamed.candidates[0]?.finish.reason).toBe(whole.candidates[0]?.finish.reason);
        expect(streamed.usage).toEqual(whole.usage);
      }),
    );
  });

  it('parts of a response are unchanged in the next request', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const { content } = anthropicClient.encodeResponse(responseOf(given), CONTEXT);
        const messages = [
          { role: 'user', content: 'x' },
          { role: 'assistant', content },
        ];
        const { turns } = anthropicClient.decodeCall(
          JSON.parse(JSON.stringify({ model: 'm', max_tokens: 1, messages })) as JsonObject,
        );
        const calls = (found: readonly Part[]): unknown =>
          found.flatMap((item) => (item.kind === 'tool_call' ? [[item.id, item.seal]] : []));
        expect(calls(turns[1]?.parts ?? [])).toEqual(calls(given));
      }),
    );
  });

  it('the sums of a usage in the client’s dialect equal the ledger’s', () => {
    const count = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(count, count, count, count, (uncached, cacheRead, cacheWrite, output) => {
        const usage = {
          ...NO_TOKENS,
          input: uncached + cacheRead + cacheWrite,
          cacheRead,
          cacheWrite,
          output,
        };
        const body = anthropicClient.encodeResponse({ ...responseOf([]), usage }, CONTEXT);
        expect(anthropicProvider.decodeResponse({ ...body, content: [] }, CONTEXT).usage).toEqual(usage);
      }),
    );
  });
});

/**
 * Returns the contents of parts that must survive: calls and joined texts; a refusal counts as
 * text.
 */
function kept(found: readonly Part[]): JsonObject {
  const joined = (...kinds: readonly Part['kind'][]): string =>
    found.map((item) => (kinds.includes(item.kind) && 'text' in item ? item.text : '')).join('');
  return {
    text: joined('text', 'refusal'),
    reasoning: joined('reasoning'),
    calls: found.flatMap((item) =>
      item.kind === 'tool_call' ? [[item.id, item.name, item.args === '' ? '{}' : item.args]] : [],
    ),
  };
}

const parsedArguments = (found: readonly Part[]): unknown[] =>
  found.map((item) =>
    item.kind === 'tool_call' ? { ...item, args: JSON.parse(item.args) as unknown } : item,
  );
