import type { JsonObject } from '../call';
import { LossLedger } from '../losses';
import { mismatches } from '../spec-support/matching';
import { normalised } from '../spec-support/normalised';
import { INPUTS, MEMBERS, user } from '../spec-support/responses-requests';
import { VECTORS } from '../spec-support/vectors';
import { targetOf } from '../target';
import { openAiResponsesClient, openAiResponsesProvider } from '.';

const TARGET = targetOf({ provider: 'openai', dialect: 'openai-responses', model: 'gpt-5.4' });

/** Returns the body after decoding and encoding it. Fails if there are losses. */
function again(body: JsonObject): JsonObject {
  const losses = new LossLedger('strict', TARGET);
  const call = openAiResponsesClient.decodeCall(body);
  const { body: encoded } = openAiResponsesProvider.encodeCall(call, TARGET, losses);
  losses.check();
  expect(losses.losses).toEqual([]);
  return JSON.parse(JSON.stringify({ ...encoded, model: body['model'] })) as JsonObject;
}

/** Returns both bodies in the same spelling, so that they can be compared. */
function expectSame(body: JsonObject): void {
  const encoded = normalised('openai-responses', again(body));
  const original = normalised('openai-responses', body);
  expect(mismatches(original, encoded)).toEqual([]);
  expect(mismatches(encoded, original)).toEqual([]);
}

describe('Responses API: encode(decode(x)) equals x', () => {
  it.each(Object.entries(INPUTS))('keeps the input: %s', (_title, input) => {
    expectSame({ model: 'm', input: [...input] });
  });

  it.each(Object.entries(MEMBERS))('keeps the members: %s', (_title, members) => {
    expectSame(JSON.parse(JSON.stringify({ model: 'm', input: [user('Hi')], ...members })) as JsonObject);
  });

  it.each(
    VECTORS.filter(
      ({ from, kind, input, expect: { type } }) =>
        from === 'openai-responses' &&
        kind === 'request' &&
        type !== 'validation_failed' &&
        // Seals of other makers are removed, because they are sent to no provider of this dialect.
        !JSON.stringify(input).includes('"gw1.'),
    ).map(({ id, input }) => [id, input] as const),
  )('keeps the vector %s', (_id, input) => {
    const body = { ...input };
    // A reasoning item whose content is neither sealed nor stored is left out.
    if (Array.isArray(body['input'])) {
      body['input'] = (body['input'] as JsonObject[]).map((item) =>
        'encrypted_content' in item && item['encrypted_content'] === null
          ? { id: item['id'], type: item['type'], summary: item['summary'] }
          : item,
      );
    }
    expectSame(body);
  });
});
