import type { JsonObject } from '../call';
import type { ClientContext, ProviderContext } from '../codec';
import { LossLedger } from '../losses';
import { REQUESTS, RESPONSE } from '../spec-support/anthropic-cases';
import { readStream } from '../spec-support/client-streams';
import { framed } from '../spec-support/framing';
import { mismatches } from '../spec-support/matching';
import { normalised } from '../spec-support/normalised';
import { VECTORS } from '../spec-support/vectors';
import { targetOf, type Target } from '../target';
import { anthropicClient, anthropicProvider } from './index';

const claude = (model = 'claude-opus-4-8'): Target =>
  targetOf({ provider: 'anthropic', dialect: 'anthropic-messages', model });

function again(body: JsonObject, target: Target): JsonObject {
  const losses = new LossLedger('strict', target);
  const { body: encoded } = anthropicProvider.encodeCall(anthropicClient.decodeCall(body), target, losses);
  losses.check();
  expect(losses.losses).toEqual([]);
  return JSON.parse(JSON.stringify(encoded)) as JsonObject;
}

const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content });
const text = (value: string): JsonObject => ({ type: 'text', text: value });

describe('round trip of requests', () => {
  it.each(Object.entries(REQUESTS))('keeps the request: %s', (_title, given) => {
    const target = claude();
    const body = { model: target.model, max_tokens: 100, ...given };
    expect(again(body, target)).toEqual(body);
  });

  it.each<[string, JsonObject]>([
    ['claude-sonnet-4-5', { temperature: 0 }],
    ['claude-sonnet-4-5', { top_p: 0, top_k: 0 }],
    ['claude-opus-4-6', { temperature: 0.5, top_p: 0.9, top_k: 3 }],
    [
      'claude-opus-4-5',
      { thinking: { type: 'enabled', budget_tokens: 2048 }, output_config: { effort: 'low' } },
    ],
    ['claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 1024 }, temperature: 1 }],
  ])('keeps the members that %s accepts: %j', (model, given) => {
    const body = { model, max_tokens: 4_000, messages: [user(text('a'))], ...given };
    expect(again(body, claude(model))).toEqual(body);
  });

  it('keeps a prefill on a model that supports it', () => {
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      messages: [user(text('a')), assistant(text('b'))],
    };
    expect(again(body, claude('claude-sonnet-4-5'))).toEqual(body);
  });

  const vectors = VECTORS.filter(
    ({ from, kind, family, id }) =>
      from === 'anthropic-messages' && kind === 'request' && family === undefined && id !== 'a-g-req-003',
  );
  it.each(vectors.map(({ id, input }): [string, JsonObject] => [id, input]))(
    'keeps the request %s',
    (_id, input) => {
      const target = claude('claude-opus-4-6');
      const body = { ...input, model: target.model };
      const model =
        'messages' in input && JSON.stringify(input).includes('"system","content"')
          ? 'claude-opus-4-8'
          : target.model;
      const found = again({ ...body, model }, claude(model));
      expect(normalised('anthropic-messages', found)).toEqual(
        normalised('anthropic-messages', { ...body, model }),
      );
    },
  );
});

const CALL = anthropicClient.decodeCall({
  model: 'm',
  max_tokens: 1,
  messages: [{ role: 'user', content: 'x' }],
});
const CONTEXT: ClientContext & ProviderContext = {
  call: CALL,
  target: claude(),
  request: {},
  provider: 'anthropic',
  model: 'm',
  requestId: 'req_1',
  createdAt: 1_700_000_000,
};

describe('round trip of responses', () => {
  const both = (body: JsonObject): JsonObject =>
    anthropicClient.encodeResponse(anthropicProvider.decodeResponse(body, CONTEXT), CONTEXT);

  it('keeps every block, the finish and the usage', () => {
    expect(both(RESPONSE)).toEqual(RESPONSE);
  });

  it.each([
    'end_turn',
    'max_tokens',
    'model_context_window_exceeded',
    'pause_turn',
    'stop_sequence',
    'refusal',
  ])('keeps the stop reason %s', (reason) => {
    const body = {
      ...RESPONSE,
      content: [{ type: 'text', text: 'x', citations: null }],
      stop_reason: reason,
      stop_sequence: reason === 'stop_sequence' ? 'END' : null,
      stop_details: reason === 'refusal' ? { type: 'refusal', category: 'bio', explanation: 'No.' } : null,
    };
    expect(both(body)).toEqual(body);
  });

  const vectors = VECTORS.filter(({ from, kind }) => from === 'anthropic-messages' && kind === 'response');
  it.each(vectors.map(({ id, input }): [string, JsonObject] => [id, input]))(
    'keeps the response %s',
    (_id, input) => {
      expect(mismatches(input, both(input))).toEqual([]);
    },
  );
});

describe('round trip of streams', () => {
  const vectors = VECTORS.filter(
    ({ from, kind, input }) =>
      from === 'anthropic-messages' && kind === 'stream' && input['end'] === 'complete',
  );
  it.each(vectors.map(({ id, input }): [string, JsonObject] => [id, input]))(
    'keeps the stream %s',
    (_id, input) => {
      const frames = input['frames'] as JsonObject[];
      const bytes = framed('anthropic-messages', frames, 'complete');
      const decoder = anthropicProvider.decodeStream(CONTEXT);
      const encoder = anthropicClient.encodeStream(CONTEXT);
      const found = encoder.write([...decoder.write(bytes), ...decoder.end()]);
      const before = readStream('anthropic-messages', bytes.toString());
      const after = readStream('anthropic-messages', found);
      const { usage, ...folded } = before.folded as { usage: JsonObject };
      expect(mismatches(folded, after.folded)).toEqual([]);
      expect(mismatches({ output_tokens: usage['output_tokens'] }, after.folded['usage'])).toEqual([]);
      expect(after.end).toBe(before.end);
    },
  );
});
