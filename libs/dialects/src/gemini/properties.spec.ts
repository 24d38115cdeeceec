import fc from 'fast-check';
import type { JsonObject, ModelCall, Part, Seal } from '../call';
import type { ClientContext, ProviderContext } from '../codec';
import { LossLedger } from '../losses';
import type { ModelResponse, StreamEvent } from '../response';
import { openApiSchema } from '../schema/gemini-schema';
import { eventsOf, responseOf } from '../spec-support/responses-cases';
import { fold } from '../stream/fold';
import { targetOf } from '../target';
import { ByteOffsets } from './byte-offsets';
import { geminiClient, geminiProvider } from './index';

const target = targetOf({ provider: 'google', dialect: 'gemini', model: 'gemini-3-flash-preview' });
const call: ModelCall = { model: 'm', stream: true, system: [], turns: [], paths: {} };
const client: ClientContext = { call, request: {}, provider: 'p', model: 'm', requestId: 'r', createdAt: 1 };
const provider: ProviderContext = { call, target, requestId: 'r', createdAt: 1 };

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const args = fc.dictionary(fc.string({ maxLength: 4 }), fc.oneof(text, fc.integer(), fc.boolean()), {
  maxKeys: 3,
});
const seal: fc.Arbitrary<Seal> = fc.record({
  by: fc.constantFrom('anthropic', 'google', 'openai'),
  value: fc.base64String({ minLength: 4, maxLength: 12 }),
});
const sealed = fc.oneof(fc.constant({}), fc.record({ seal }));
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.tuple(text, sealed).map(([found, extra]): Part => ({ kind: 'text', text: found, ...extra })),
  fc.tuple(text, sealed).map(([found, extra]): Part => ({ kind: 'reasoning', text: found, ...extra })),
  fc.tuple(args, sealed).map(([found, extra]): Part => ({
    kind: 'tool_call',
    id: 'c1',
    name: 'f',
    args: JSON.stringify(found),
    ...extra,
  })),
  fc.base64String({ minLength: 4, maxLength: 12 }).map((data): Part => ({
    kind: 'media',
    media: 'image',
    mime: 'image/png',
    source: { at: 'base64', data },
  })),
);

/**
 * Returns the parts of a response with joined pieces of one text or thought, and the signature at
 * their end.
 */
function joined(parts: readonly JsonObject[]): JsonObject[] {
  const result: JsonObject[] = [];
  for (const found of parts) {
    const last = result.at(-1);
    const isMore =
      last !== undefined &&
      typeof found['text'] === 'string' &&
      typeof last['text'] === 'string' &&
      last['thought'] === found['thought'] &&
      last['thoughtSignature'] === undefined;
    if (isMore)
      result[result.length - 1] = { ...last, ...found, text: String(last['text']) + String(found['text']) };
    else result.push(found);
  }
  // The last event has an empty part if nothing was left to send.
  return result.filter((found) => found['text'] !== '' || found['thoughtSignature'] !== undefined);
}

const partsOf = (body: JsonObject): JsonObject[] => {
  const [candidate] = body['candidates'] as { content?: { parts?: JsonObject[] } }[];
  return candidate?.content?.parts ?? [];
};

function written(
  events: readonly StreamEvent[],
  sizes: readonly number[],
  listStream: boolean,
): JsonObject[] {
  const encoder = geminiClient.encodeStream({ ...client, listStream });
  let found = '';
  for (let at = 0, turn = 0; at < events.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    found += encoder.write(events.slice(at, at + size));
    at += size;
  }
  if (listStream) return JSON.parse(found) as JsonObject[];
  return found
    .split('\r\n\r\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)) as JsonObject);
}

function read(bytes: Buffer, cut: number): ModelResponse {
  const decoder = geminiProvider.decodeStream(provider);
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += cut) events.push(...decoder.write(bytes.subarray(at, at + cut)));
  events.push(...decoder.end());
  expect(events.at(-1)?.t).toBe('done');
  return fold(events);
}

const batches = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
const responses = fc.array(part, { minLength: 1, maxLength: 8 });

describe('gemini: properties', () => {
  it('a stream for a client folds to the unstreamed response, in both framings', () => {
    fc.assert(
      fc.property(responses, batches, fc.boolean(), (parts, sizes, listStream) => {
        const whole = geminiClient.encodeResponse(responseOf(parts), client);
        const events = written(eventsOf(parts), sizes, listStream);
        for (const event of events) expect(partsOf(event)).not.toHaveLength(0);
        const streamed = joined(events.flatMap(partsOf));
        expect(streamed).toEqual(joined(JSON.parse(JSON.stringify(partsOf(whole))) as JsonObject[]));
        const { content: _content, ...end } = (events.at(-1)?.['candidates'] as JsonObject[])[0] ?? {};
        expect((whole['candidates'] as JsonObject[])[0]).toMatchObject(end);
        expect(events.at(-1)?.['usageMetadata']).toEqual(whole['usageMetadata']);
      }),
    );
  });

  it("a provider's stream folds to its whole response, wherever its bytes are cut", () => {
    fc.assert(
      fc.property(responses, fc.integer({ min: 1, max: 40 }), (parts, cut) => {
        const body = geminiClient.encodeResponse(responseOf(parts), client);
        const [candidate] = body['candidates'] as JsonObject[];
        const pieces = partsOf(body).map((found) => ({
          ...body,
          usageMetadata: undefined,
          candidates: [{ content: { role: 'model', parts: [found] } }],
        }));
        const last = { ...body, candidates: [{ ...candidate, content: undefined }] };
        const bytes = Buffer.from(
          [...pieces, last].map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''),
        );
        expect(read(bytes, cut)).toEqual(geminiProvider.decodeResponse(body, provider));
      }),
    );
  });

  it('a request of a client is restored by decoding and encoding, except for merged turns', () => {
    const turn = fc.tuple(
      fc.constantFrom('user', 'model'),
      fc.array(
        text.map((found) => ({ text: found })),
        { minLength: 1, maxLength: 3 },
      ),
    );
    fc.assert(
      fc.property(
        fc.array(turn, { maxLength: 6 }),
        fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
        (turns, maxOutputTokens) => {
          const contents = [['user', [{ text: 'w' }]] as const, ...turns].map(([role, parts]) => ({
            role,
            parts,
          }));
          const body = {
            contents,
            ...(maxOutputTokens === undefined ? {} : { generationConfig: { maxOutputTokens } }),
          };
          const losses = new LossLedger('strict', target);
          const again = geminiProvider.encodeCall(
            geminiClient.decodeCall(body, { model: 'm' }),
            target,
            losses,
          ).body;
          const flat = (list: unknown): unknown[] =>
            (list as { role: string; parts: JsonObject[] }[]).flatMap(({ role, parts }) =>
              parts.map((found) => [role, found['text']]),
            );
          expect(flat(again['contents'])).toEqual(flat(contents));
          expect(again['generationConfig']).toEqual(body.generationConfig);
          expect(losses.losses).toEqual([]);
        },
      ),
    );
  });

  it('any JSON is decoded as a request, or refused', () => {
    const object = fc.dictionary(
      fc.constantFrom(
        'contents',
        'parts',
        'role',
        'text',
        'functionCall',
        'tools',
        'generationConfig',
        '__proto__',
        'x',
      ),
      fc.jsonValue(),
      { maxKeys: 4 },
    );
    const content = fc.oneof(
      object,
      fc.record({ role: fc.constantFrom('user', 'model', 'x'), parts: fc.array(object, { maxLength: 3 }) }),
    );
    fc.assert(
      fc.property(object, fc.array(content, { maxLength: 3 }), (body, contents) => {
        for (const found of [body, { ...body, contents }]) {
          let decoded: ModelCall | undefined;
          try {
            decoded = geminiClient.decodeCall(found);
          } catch (thrown) {
            expect(thrown).toMatchObject({ type: 'validation_failed' });
          }
          if (decoded === undefined) continue;
          try {
            geminiProvider.encodeCall(decoded, target, new LossLedger('adapt', target));
          } catch (thrown) {
            expect(thrown).toMatchObject({ type: 'validation_failed' });
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('any JSON is decoded as a response, or refused', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const candidate = fc.dictionary(
      fc.constantFrom('content', 'finishReason', 'index', 'groundingMetadata', 'logprobsResult'),
      fc.oneof(value, fc.record({ parts: fc.array(value, { maxLength: 3 }) })),
    );
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 3 }), value, (candidates, usageMetadata) => {
        try {
          geminiProvider.decodeResponse({ candidates, usageMetadata }, provider);
        } catch (thrown) {
          expect(thrown).toMatchObject({ type: 'provider_answer_invalid' });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('byte offsets and code units are converted both ways', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (pieces) => {
        const offsets = new ByteOffsets();
        for (const piece of pieces) offsets.add(piece);
        const whole = pieces.join('');
        let unit = 0;
        for (const character of whole) {
          const byte = Buffer.byteLength(whole.slice(0, unit));
          expect(offsets.unitAt(byte)).toBe(unit);
          expect(offsets.byteAt(unit)).toBe(byte);
          unit += character.length;
        }
        expect(offsets.unitAt(Buffer.byteLength(whole))).toBe(whole.length);
        expect(offsets.unitAt(Buffer.byteLength(whole) + 1)).toBeUndefined();
      }),
    );
  });

  it('any JSON Schema is converted, or refused', () => {
    const leaf = fc.record(
      {
        type: fc.constantFrom('string', 'number', 'null', ['string', 'null'], 7),
        enum: fc.array(fc.jsonValue({ maxDepth: 0 }), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.record(
          {
            type: fc.constantFrom('object', 'array'),
            properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { maxKeys: 2 }),
            items: tie('schema'),
            anyOf: fc.array(tie('schema'), { maxLength: 2 }),
            allOf: fc.array(tie('schema'), { maxLength: 2 }),
            $ref: fc.constantFrom('#', '#/properties/a', '#/$defs/x', 'x'),
            $defs: fc.dictionary(fc.constant('x'), tie('schema')),
          },
          { requiredKeys: [] },
        ),
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        try {
          JSON.stringify(openApiSchema(given, 'p'));
        } catch (thrown) {
          expect(thrown).toMatchObject({ type: 'validation_failed', options: { param: 'p' } });
        }
      }),
      { numRuns: 500 },
    );
  });
});
