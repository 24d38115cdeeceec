import type { JsonObject, LocalProvider } from '../provider';
import { exampleOf } from './example';
import { sandbox } from './sandbox.provider';
import { toolCall } from './tool-call';

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    unit: { enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 3 },
    note: { type: 'string' },
  },
  required: ['city', 'unit', 'days'],
};
const tools = [
  { type: 'function', function: { name: 'search', parameters: { type: 'object' } } },
  { type: 'function', function: { name: 'get_weather', parameters } },
];
const asking = (content: unknown, more: JsonObject = {}): JsonObject => ({
  model: 'sandbox-small',
  messages: [{ role: 'user', content }],
  tools,
  ...more,
});
const called = (content: unknown, more: JsonObject = {}) =>
  toolCall(asking(content, more), 'an-id-of-a-request');

describe('toolCall of the sandbox', () => {
  it('calls the tool that the last message names, with arguments that fit its schema', () => {
    expect(called('Please call get_weather for me')).toEqual({
      id: 'call_sandbox_an-id-of-a-r',
      name: 'get_weather',
      arguments: '{"city":"text","unit":"celsius","days":3}',
    });
  });

  it('takes the arguments from the message', () => {
    expect(called([{ type: 'text', text: 'get_weather {"city":"Paris"} now' }])?.arguments).toBe(
      '{"city":"Paris"}',
    );
  });

  it.each<[string, unknown, JsonObject, string | null]>([
    ['no tool is named', 'Hello', {}, null],
    ['tool_choice is required', 'Hello', { tool_choice: 'required' }, 'search'],
    [
      'tool_choice names a tool',
      'Hello',
      { tool_choice: { type: 'function', function: { name: 'get_weather' } } },
      'get_weather',
    ],
    ['tool_choice is none', 'get_weather', { tool_choice: 'none' }, null],
    ['there are no tools', 'get_weather', { tools: [] }, null],
    ['the tools are malformed', 'get_weather', { tools: [null, { function: { name: 5 } }] }, null],
  ])('decides whether to call a tool when %s', (_name, content, more, name) => {
    expect(called(content, more)?.name ?? null).toBe(name);
  });

  it('calls the named tool even when instructions follow the message', () => {
    const messages = [
      { role: 'user', content: 'Do not search. get_weather {"city":"Oslo"}' },
      { role: 'system', content: 'Be brief.' },
    ];
    expect(called('', { messages })).toMatchObject({ name: 'get_weather', arguments: '{"city":"Oslo"}' });
  });

  it('responds to the result with a text that quotes it', () => {
    const local = sandbox.local as LocalProvider;
    const body = asking('get_weather');
    const messages = [
      ...(body['messages'] as JsonObject[]),
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'get_weather' } }] },
      { role: 'tool', tool_call_id: 'c', content: '18 degrees' },
    ];
    const { chunks } = local.respond({
      method: 'POST',
      path: '/chat/completions',
      body: Buffer.from(JSON.stringify({ ...body, messages })),
      metadata: {},
    });
    const text = Buffer.concat([...chunks].map(({ data }) => data)).toString();
    expect(text).toContain('18 degrees');
    expect(text).toContain('"finish_reason":"stop"');
  });
});

describe('exampleOf', () => {
  it.each<[unknown, unknown]>([
    [{ type: 'array', items: { type: 'number' } }, [1]],
    [{ anyOf: [{ const: 7 }, { type: 'string' }] }, 7],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'boolean' } } }, true],
    [{ type: ['null', 'string'] }, null],
    [null, {}],
    ['not a schema', {}],
  ])('returns for schema %j the example %j', (schema, example) => {
    expect(exampleOf(schema)).toEqual(example);
  });

  it('terminates for a recursive schema', () => {
    const node = {
      type: 'object',
      required: ['next', 'other'],
      properties: { next: { $ref: '#/$defs/n' }, other: { $ref: '#/$defs/n' } },
    };
    expect(JSON.stringify(exampleOf({ $ref: '#/$defs/n', $defs: { n: node } })).length).toBeLessThan(100_000);
  });
});
