import { GatewayError } from '@gw/kernel';
import type { JsonObject } from './call';
import { CLIENT_CODECS, PROVIDER_CODECS } from './codecs';
import { LossLedger } from './losses';
import { framed } from './spec-support/framing';
import { CLIENT_CALLS } from './spec-support/generators/client-calls';
import type { PlainConversation, PlainResponse } from './spec-support/generators/plain';
import { PROVIDER_RESPONSES } from './spec-support/generators/provider-responses';
import { providerEvents } from './spec-support/generators/provider-streams';
import { smallCall, targetFor } from './spec-support/targets';

/** Names that every object inherits from Object.prototype. */
const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'] as const;

/** Returns an object with an own member of this name, like `JSON.parse`. */
const own = (name: string, value: unknown): JsonObject =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as JsonObject;

/** Returns a JSON value with every text `NAME` replaced, in names and values. */
const renamed = (value: unknown, name: string): JsonObject =>
  JSON.parse(JSON.stringify(value).replaceAll('"NAME"', JSON.stringify(name))) as JsonObject;

/**
 * Returns the paths of values that JSON cannot represent, and of objects with another prototype.
 */
function strange(value: unknown, path = ''): string[] {
  if (typeof value === 'function' || typeof value === 'symbol') return [path];
  if (typeof value !== 'object' || value === null) return [];
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === Array.prototype || prototype === null;
  const inner = Object.entries(value).flatMap(([name, item]) => strange(item, `${path}.${name}`));
  return isPlain ? inner : [path, ...inner];
}

function tolerated<T>(run: () => T): T | null {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

const CONVERSATION: PlainConversation = {
  system: [],
  turns: [
    { role: 'user', results: [], parts: [{ kind: 'text', text: 'a' }] },
    {
      role: 'assistant',
      parts: [{ kind: 'call', id: 'NAME', name: 'NAME', args: { NAME: { polluted: true } } }],
    },
    { role: 'user', results: [{ kind: 'result', id: 'NAME', name: 'NAME', text: 'b' }], parts: [] },
  ],
  tools: [
    {
      name: 'NAME',
      schema: {
        type: 'object',
        properties: { NAME: { type: 'string' }, a: { $ref: '#/$defs/NAME' } },
        required: ['NAME'],
        $defs: { NAME: { type: 'object', properties: { b: { type: 'NAME' } } } },
      },
    },
  ],
  stops: ['NAME'],
  maxTokens: 10,
  stream: false,
};
const RESPONSE: PlainResponse = {
  id: 'NAME',
  parts: [
    { kind: 'text', text: 'a' },
    { kind: 'call', id: 'NAME', name: 'NAME', args: { NAME: { polluted: true } } },
  ],
  finish: 'stop',
  usage: { input: 1, cacheRead: 0, output: 1, reasoning: 0 },
};

/** Replaces the texts at one member name everywhere. */
const withMember = (value: unknown, member: string, text: string): unknown =>
  JSON.parse(JSON.stringify(value), (name, item: unknown) =>
    name === member && typeof item === 'string' ? text : item,
  ) as unknown;

const MEMBERS = [
  'type',
  'event',
  'role',
  'finish_reason',
  'stop_reason',
  'stopReason',
  'finishReason',
  'done_reason',
  'status',
  'service_tier',
];

afterEach(() => {
  expect(({} as JsonObject)['polluted']).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe.each(NAMES)('the member name %s', (hostile) => {
  it.each([...CLIENT_CODECS])('is treated like any other in a call of %s', (dialect, client) => {
    const extra = {
      metadata: own(hostile, 'x'),
      ...own(hostile, { polluted: true }),
      logit_bias: own(hostile, 1),
    };
    const body = { ...renamed(CLIENT_CALLS[dialect]?.(CONVERSATION), hostile), ...extra };
    const bodies = [body, ...MEMBERS.map((member) => withMember(body, member, hostile) as JsonObject)];
    for (const given of bodies) {
      const call = tolerated(() => client.decodeCall(given, { model: 'm' }));
      if (call === null) continue;
      for (const provider of PROVIDER_CODECS.values()) {
        const target = targetFor(provider.dialect);
        const encoded = tolerated(
          () => provider.encodeCall(call, target, new LossLedger('adapt', target)).body,
        );
        expect(strange(encoded)).toEqual([]);
      }
    }
  });

  it.each([...PROVIDER_CODECS])(
    'is treated like any other in responses and streams of %s',
    (dialect, provider) => {
      const body = renamed(PROVIDER_RESPONSES[dialect]?.(RESPONSE), hostile);
      const events = renamed(
        providerEvents(dialect, RESPONSE, (text) => [text]),
        hostile,
      );
      for (const client of CLIENT_CODECS.values()) {
        const request = smallCall(client);
        const call = client.decodeCall(request, { model: 'm' });
        const base = { call, requestId: 'r', createdAt: 0 };
        const from = { ...base, target: targetFor(provider.dialect) };
        const to = { ...base, request, provider: 'p', model: 'm' };
        for (const member of ['', ...MEMBERS]) {
          const given = withMember(body, member, hostile) as JsonObject;
          const response = tolerated(() => provider.decodeResponse({ ...given, ...own(hostile, 1) }, from));
          if (response !== null) expect(strange(client.encodeResponse(response, to))).toEqual([]);
          const decoder = provider.decodeStream(from);
          const bytes = framed(dialect, withMember(events, member, hostile) as JsonObject[], 'complete');
          const found = [...decoder.write(bytes), ...decoder.end()];
          expect(strange(found)).toEqual([]);
          expect(client.encodeStream(to).write(found)).not.toMatch(/\[native code\]|\[object /);
        }
      }
    },
  );
});
