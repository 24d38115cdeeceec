import { GatewayError } from '@gw/kernel';
import fc from 'fast-check';
import type { JsonObject } from '../call';
import { CLIENT_CODECS, PROVIDER_CODECS } from '../codecs';
import { closedSchema } from '../schema/anthropic-schema';
import { readFault } from '../errors/read-fault';
import { LossLedger } from '../losses';
import { REQUESTS, RESPONSE } from '../spec-support/anthropic-cases';
import { contextOf } from '../spec-support/responses-cases';
import { VECTORS } from '../spec-support/vectors';
import { targetOf } from '../target';
import { anthropicClient, anthropicProvider } from './index';

const BODIES: readonly JsonObject[] = Object.values(REQUESTS).map((body) => ({
  model: 'm',
  max_tokens: 9_000,
  ...body,
}));
const STREAMS = VECTORS.filter(({ from, kind }) => from === 'anthropic-messages' && kind === 'stream').map(
  ({ input }) => input['frames'] as JsonObject[],
);
const CHATS = VECTORS.filter(
  ({ from, to, kind }) => from === 'openai-chat' && to === 'anthropic-messages' && kind === 'request',
);
const ERRORS = VECTORS.filter(({ kind }) => kind === 'error').map(({ input }) => input);

/** Returns a value with one of its inner values replaced; `steps` selects which. */
function mutated(value: unknown, steps: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== 'object' || value === null) return replacement;
  const names = Object.keys(value);
  const name = names[step % (names.length + 1)];
  if (name === undefined) return replacement;
  const inner = mutated((value as JsonObject)[name], rest, replacement);
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === name ? inner : item));
  return { ...value, [name]: inner };
}

const mutation = fc.tuple(
  fc.array(fc.nat(50), { minLength: 1, maxLength: 7 }),
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, -1, 0, '', [], {}, 1e300)),
);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Runs `run`; any error other than one for the client fails the test. */
function tolerated<T>(run: () => T): T | null {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

const TARGET = targetOf({ provider: 'anthropic', dialect: 'anthropic-messages', model: 'claude-opus-4-8' });
const { call: CALL, ...CONTEXT } = contextOf();
const PROVIDER = { call: CALL, target: TARGET, requestId: 'r', createdAt: 1 };

describe('Anthropic messages: broken values', () => {
  it('a broken body of a client results in an error of the gateway, for every provider', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BODIES), mutation, (body, [steps, value]) => {
        const broken = mutated(body, steps, value);
        const call = isObject(broken) ? tolerated(() => anthropicClient.decodeCall(broken)) : null;
        if (call === null) return;
        for (const [dialect, provider] of PROVIDER_CODECS) {
          const target = targetOf({ provider: 'p', dialect: provider.dialect, model: dialect });
          tolerated(() => provider.encodeCall(call, target, new LossLedger('adapt', target)));
        }
      }),
    );
  });

  it('a broken body of a chat client results in an error of the gateway', () => {
    const client = CLIENT_CODECS.get('openai-chat');
    const models = ['claude-opus-4-8', 'claude-sonnet-4-5', 'claude-sonnet-4', 'claude-3-haiku'];
    fc.assert(
      fc.property(
        fc.constantFrom(...CHATS),
        mutation,
        fc.constantFrom(...models),
        ({ input }, [steps, value], model) => {
          const broken = mutated(input, steps, value);
          const call = isObject(broken) ? tolerated(() => client?.decodeCall(broken)) : null;
          if (call === null || call === undefined) return;
          const target = targetOf({ provider: 'anthropic', dialect: 'anthropic-messages', model });
          tolerated(() => anthropicProvider.encodeCall(call, target, new LossLedger('adapt', target)));
          tolerated(() =>
            anthropicProvider.tokenCounter?.encodeCall(call, target, new LossLedger('adapt', target)),
          );
        },
      ),
    );
  });

  it('a broken response of a provider is refused, or translated for every client', () => {
    fc.assert(
      fc.property(mutation, fc.boolean(), ([steps, value], outputTool) => {
        const broken = mutated(RESPONSE, steps, value);
        if (!isObject(broken)) return;
        const response = tolerated(() =>
          anthropicProvider.decodeResponse(broken, { ...PROVIDER, outputTool }),
        );
        if (response === null) return;
        for (const client of CLIENT_CODECS.values())
          client.encodeResponse(response, { call: CALL, ...CONTEXT });
      }),
    );
  });

  it('broken events of a provider never throw, and end a stream once', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STREAMS),
        mutation,
        fc.boolean(),
        (frames, [steps, value], outputTool) => {
          const broken = mutated(frames, steps, value);
          if (!Array.isArray(broken)) return;
          const decoder = anthropicProvider.decodeStream({ ...PROVIDER, outputTool });
          const bytes = Buffer.from(broken.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
          const events = [...decoder.write(bytes), ...decoder.end()];
          expect(events.filter(({ t }) => t === 'done' || t === 'error')).toEqual([events.at(-1)]);
          for (const client of CLIENT_CODECS.values())
            client.encodeStream({ call: CALL, ...CONTEXT }).write(events);
        },
      ),
    );
  });

  it('a broken error of a provider is still read', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ERRORS),
        mutation,
        fc.integer({ min: 100, max: 700 }),
        (input, [steps, value], status) => {
          const body = mutated(input['body'], steps, value);
          const fault = readFault('openai', status, { 'retry-after': JSON.stringify(value) }, body);
          expect(typeof fault.message).toBe('string');
          expect(fault.status).toBeGreaterThanOrEqual(400);
          for (const client of CLIENT_CODECS.values()) client.encodeError(fault, 'r');
        },
      ),
    );
  });

  it('any value is closed as a schema, or refused', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...KEYWORDS), fc.jsonValue({ maxDepth: 4 })), (schema) => {
        const closed = closedSchema(schema);
        if ('refused' in closed) expect(closed.refused).not.toBe('');
        else expect(closedSchema(closed.schema)).toEqual({ schema: closed.schema, relaxed: false });
      }),
    );
  });
});

const KEYWORDS = [
  'type',
  'properties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  '$defs',
  'enum',
  'minimum',
  'description',
  'additionalProperties',
  '__proto__',
];
