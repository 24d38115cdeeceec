import type { JsonObject } from '../call';
import { CLIENT_CALLS } from './generators/client-calls';
import type { PlainConversation, PlainTurn } from './generators/plain';

/** Client bodies in which one list, one text or one depth grows with a count. */

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const named = (count: number, value: unknown): JsonObject =>
  Object.fromEntries(times(count, (index) => [`m${String(index)}`, value]));

const user = (text = 'a'): PlainTurn => ({ role: 'user', results: [], parts: [{ kind: 'text', text }] });
const BASE: PlainConversation = {
  system: [],
  turns: [user()],
  tools: [],
  stops: [],
  maxTokens: 100,
  stream: false,
};
const call = (index: number) =>
  ({ kind: 'call', id: `call_${String(index)}`, name: `f${String(index % 7)}`, args: { a: 1 } }) as const;
const result = (index: number) =>
  ({ kind: 'result', id: `call_${String(index)}`, name: `f${String(index % 7)}`, text: 'ok' }) as const;
const tool = (schema: JsonObject) => ({ tools: [{ name: 'f', schema: { type: 'object', ...schema } }] });

const refs = (count: number): JsonObject => ({
  properties: Object.fromEntries(
    times(count, (index) => [`p${String(index)}`, { $ref: `#/$defs/d${String(index)}` }]),
  ),
  $defs: Object.fromEntries(
    times(count, (index) => [
      `d${String(index)}`,
      { type: 'object', properties: { next: { $ref: `#/$defs/d${String((index + 1) % count)}` } } },
    ]),
  ),
});

function nested(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

/** Growing members, as changes of a small conversation. */
const GROWN: Readonly<Record<string, (count: number) => Partial<PlainConversation>>> = {
  'messages of one role': (count) => ({ turns: times(count, () => user()) }),
  'messages of two roles': (count) => ({
    turns: times(count + 1 - (count % 2), (index): PlainTurn =>
      index % 2 === 0 ? user() : { role: 'assistant', parts: [{ kind: 'text', text: 'b' }] },
    ),
  }),
  'system texts': (count) => ({ system: times(count, () => 's') }),
  'parts of a message': (count) => ({
    turns: [{ role: 'user', results: [], parts: times(count, () => ({ kind: 'text', text: 'a' })) }],
  }),
  images: (count) => ({
    turns: [
      {
        role: 'user',
        results: [],
        parts: [
          { kind: 'text', text: 'a' },
          ...times(count, () => ({ kind: 'image', data: 'iVBORw0KGgo=' }) as const),
        ],
      },
    ],
  }),
  'bytes of an image': (count) => ({
    turns: [
      {
        role: 'user',
        results: [],
        parts: [
          { kind: 'text', text: 'a' },
          { kind: 'image', data: 'A'.repeat(count) },
        ],
      },
    ],
  }),
  'reasoning of all makers': (count) => ({
    turns: [
      user(),
      {
        role: 'assistant',
        parts: times(count, (index) => ({
          kind: 'reasoning',
          text: 'hm',
          seal: {
            by: (['anthropic', 'google', 'openai', 'mistral'] as const)[index % 4] ?? 'xai',
            value: 'c2ln',
          },
        })),
      },
      user(),
    ],
  }),
  'calls of a message': (count) => ({
    turns: [
      user(),
      { role: 'assistant', parts: times(count, call) },
      { role: 'user', results: times(count, result), parts: [] },
    ],
  }),
  'calls in turn': (count) => ({
    turns: [
      user(),
      ...times(count, (index): PlainTurn[] => [
        { role: 'assistant', parts: [call(index)] },
        { role: 'user', results: [result(index)], parts: [] },
      ]).flat(),
    ],
  }),
  'one long list of arguments': (count) => ({
    turns: [
      user(),
      { role: 'assistant', parts: [{ ...call(0), args: { a: times(count, () => 0) } }] },
      { role: 'user', results: [result(0)], parts: [] },
    ],
  }),
  tools: (count) => ({
    tools: times(count, (index) => ({ name: `f${String(index)}`, schema: { type: 'object' } })),
  }),
  'stop sequences': (count) => ({ stops: times(count, (index) => `s${String(index)}`) }),
  'properties of a schema': (count) =>
    tool({ properties: named(count, { type: 'string', minLength: 1, enum: ['a', null] }) }),
  'references of a schema': (count) => tool(refs(count)),
  'alternatives of a schema': (count) =>
    tool({ properties: { a: { anyOf: times(count, () => ({ type: ['string', 'null'] })) } } }),
  'one definition that is used often': (count) =>
    tool({
      properties: named(count, { $ref: '#/$defs/d' }),
      $defs: { d: { type: 'object', properties: { a: { type: 'string' } } } },
    }),
  'depth of a schema': (count) => tool({ properties: { a: nested(Math.floor(count / 10)) } }),
};

/** Members that have another name in each dialect, or that only one dialect has. */
const MARK = { cache_control: { type: 'ephemeral' } };
const text = (more: JsonObject = {}): JsonObject => ({ type: 'text', text: 'a', ...more });
const message = (content: readonly JsonObject[]): JsonObject => ({ role: 'user', content });
const messages = (...content: JsonObject[]): JsonObject => ({ messages: [message(content)] });

const OWN: Readonly<Record<string, Readonly<Record<string, (count: number) => JsonObject>>>> = {
  'openai-chat': {
    'cache marks': (count) => messages(...times(count, () => text(MARK))),
    'unknown members of a message': (count) => ({
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', ...named(count, 1) },
        message([text()]),
      ],
    }),
    metadata: (count) => ({ metadata: named(count, 'a') }),
    'biases of tokens': (count) => ({ logit_bias: named(count, 1) }),
    'allowed tools': (count) => ({
      tools: times(count, (index) => ({ type: 'function', function: { name: `f${String(index)}` } })),
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'auto',
          tools: times(count, (index) => ({ type: 'function', function: { name: `f${String(index)}` } })),
        },
      },
    }),
    modalities: (count) => ({ modalities: times(count, () => 'text') }),
  },
  'anthropic-messages': {
    'cache marks': (count) => messages(...times(count, () => text(MARK))),
    'unknown members of blocks': (count) => messages(...times(count, () => text({ a: 1, b: 2 }))),
    'results of a search': (count) =>
      messages({
        type: 'search_result',
        source: 's',
        title: 't',
        content: times(count, () => text()),
      }),
    'search results': (count) =>
      messages(
        ...times(count, () => ({ type: 'search_result', source: 's', title: 't', content: [text()] })),
        text(),
      ),
    'unknown blocks': (count) => messages(...times(count, () => ({ type: 'new' }))),
    'strict tools': (count) => ({
      tools: times(count, (index) => ({
        name: `f${String(index)}`,
        strict: true,
        input_schema: { type: 'object', properties: { a: { type: 'string', maxLength: 4 } } },
      })),
    }),
  },
  gemini: {
    'unknown members of parts': (count) => ({
      contents: [{ role: 'user', parts: times(count, () => ({ text: 'a', b: 1, c: 2 })) }],
    }),
    'settings of safety': (count) => ({
      safetySettings: times(count, () => ({ category: 'A', threshold: 'B' })),
    }),
    'calls without ids': (count) => ({
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: times(count, () => ({ functionCall: { name: 'f', args: {} } })) },
        {
          role: 'user',
          parts: times(count, () => ({ functionResponse: { name: 'f', response: { output: 'x' } } })),
        },
      ],
    }),
    'pieces of thoughts': (count) => ({
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        ...times(count, () => ({ role: 'model', parts: [{ text: 'a', thought: true }] })),
        { role: 'user', parts: [{ text: 'a' }] },
      ],
    }),
  },
  'openai-responses': {
    'unknown items': (count) => ({
      input: [{ role: 'user', content: 'a' }, ...times(count, () => ({ type: 'new' }))],
    }),
    'references of items': (count) => ({
      previous_response_id: 'resp_1',
      input: times(count, (index) => ({ type: 'item_reference', id: String(index) })),
    }),
    'texts of reasoning': (count) => ({
      input: [
        { role: 'user', content: 'a' },
        { type: 'reasoning', summary: times(count, () => ({ type: 'summary_text', text: 'a' })) },
        { role: 'user', content: 'b' },
      ],
    }),
    includes: (count) => ({ include: times(count, () => 'reasoning.encrypted_content') }),
    metadata: (count) => ({ metadata: named(count, 'a') }),
  },
};

export type Growing = (count: number) => JsonObject;

/** Returns the growing bodies of a client's dialect by name. */
export function hostileCalls(dialect: string): [string, Growing][] {
  const write = CLIENT_CALLS[dialect];
  if (write === undefined) throw new Error(`No calls of ${dialect}`);
  const grown = Object.entries(GROWN).map(([name, make]): [string, Growing] => [
    name,
    (count) => write({ ...BASE, ...make(count) }),
  ]);
  const members: [string, Growing] = ['unknown members', (count) => ({ ...write(BASE), ...named(count, 1) })];
  const own = Object.entries(OWN[dialect] ?? {}).map(([name, make]): [string, Growing] => [
    name,
    (count) => ({ ...write(BASE), ...make(count) }),
  ]);
  return [...grown, members, ...own];
}
