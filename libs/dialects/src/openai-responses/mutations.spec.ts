import fc from 'fast-check';
import type { JsonObject } from '../call';
import { CLIENT_CODECS, PROVIDER_CODECS } from '../codecs';
import { LossLedger } from '../losses';
import { mutated, mutation, tolerated } from '../spec-support/mutated';
import { CASES, contextOf, responseOf } from '../spec-support/responses-cases';
import { INPUTS, MEMBERS } from '../spec-support/responses-requests';
import { targetOf } from '../target';
import { openAiResponsesClient, openAiResponsesProvider } from '.';

const BODIES: readonly JsonObject[] = [
  ...Object.values(INPUTS).map((input) => ({ model: 'm', input })),
  ...Object.values(MEMBERS).map((members) => ({ model: 'm', input: 'x', ...members })),
];
const RESPONSES = CASES.map(([, parts]) =>
  openAiResponsesClient.encodeResponse(responseOf(parts), contextOf()),
);

describe('Responses API: broken values', () => {
  it('a broken body of a client results in an error of the gateway, for every provider', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BODIES), mutation, (body, [steps, value]) => {
        const broken = mutated(body, steps, value) as JsonObject;
        if (typeof broken !== 'object' || broken === null) return;
        const call = tolerated(() => openAiResponsesClient.decodeCall(broken));
        if (call === null) return;
        for (const [dialect, provider] of PROVIDER_CODECS) {
          const target = targetOf({ provider: 'p', dialect: provider.dialect, model: dialect });
          tolerated(() => provider.encodeCall(call, target, new LossLedger('adapt', target)));
        }
      }),
    );
  });

  it('a broken response of a provider is refused, or translated for every client', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RESPONSES), mutation, (body, [steps, value]) => {
        const broken = mutated(body, steps, value) as JsonObject;
        if (typeof broken !== 'object' || broken === null) return;
        const { call, ...context } = contextOf();
        const target = targetOf({ provider: 'p', dialect: 'openai-responses', model: 'm' });
        const response = tolerated(() =>
          openAiResponsesProvider.decodeResponse(broken, { call, target, requestId: 'r', createdAt: 1 }),
        );
        if (response === null) return;
        for (const client of CLIENT_CODECS.values()) client.encodeResponse(response, { call, ...context });
      }),
    );
  });

  it('a broken event of a provider never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom(...RESPONSES), mutation, fc.jsonValue(), (body, [steps, value], event) => {
        const { call, ...context } = contextOf();
        const target = targetOf({ provider: 'p', dialect: 'openai-responses', model: 'm' });
        const decoder = openAiResponsesProvider.decodeStream({ call, target, requestId: 'r', createdAt: 1 });
        const frames = [
          { type: 'response.created', response: { id: 'r' } },
          event,
          mutated({ type: 'response.completed', response: body }, steps, value),
        ];
        const bytes = Buffer.from(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
        const events = [...decoder.write(bytes), ...decoder.end()];
        expect(['done', 'error']).toContain(events.at(-1)?.t);
        for (const client of CLIENT_CODECS.values()) client.encodeStream({ call, ...context }).write(events);
      }),
    );
  });
});
