import { compiled, FACTS, judged } from '../spec-support/judge';
import { Subject } from '../subject';
import type { Dialect } from './passages';
import type { Scope } from './scope';

const input = (dialect: Dialect, body: unknown): Subject => Subject.input({ ...FACTS, dialect }, body);
const output = (dialect: Dialect, body: unknown): Subject =>
  Subject.output({ ...FACTS, dialect }, null, body, 200);

const chatCall = (call: object) => ({ role: 'assistant', content: null, tool_calls: [call] });
const functionOf = (name: string) => ({ type: 'function', function: { name, arguments: '{}' } });
const block = (value: object) => ({ content: [value] });
const candidate = (part: object) => ({ candidates: [{ content: { parts: [part] } }] });

const CALLED: readonly (readonly [string, Dialect, unknown])[] = [
  ['a function', 'chat', { choices: [{ message: chatCall(functionOf('x1')) }] }],
  ['a custom tool', 'chat', { choices: [{ message: chatCall({ custom: { name: 'x1', input: 'y' } }) }] }],
  ['the older form', 'chat', { choices: [{ message: { function_call: { name: 'x1', arguments: '{}' } } }] }],
  ['a function', 'responses', { output: [{ type: 'function_call', name: 'x1', arguments: '{}' }] }],
  ['a custom tool', 'responses', { output: [{ type: 'custom_tool_call', name: 'x1', input: 'y' }] }],
  ['a tool of a server', 'responses', { output: [{ type: 'mcp_call', name: 'x1', server_label: 's' }] }],
  ['a tool', 'messages', block({ type: 'tool_use', id: 't', name: 'x1', input: {} })],
  ['a hosted tool', 'messages', block({ type: 'server_tool_use', id: 't', name: 'x1', input: {} })],
  ['the server of a tool', 'messages', block({ type: 'mcp_tool_use', name: 'n', server_name: 'x1' })],
  ['a function', 'gemini', candidate({ functionCall: { name: 'x1', args: {} } })],
];

const SENT: readonly (readonly [string, Dialect, unknown])[] = [
  ['a call that is sent back', 'chat', { messages: [chatCall(functionOf('x1'))] }],
  ['the function of a result', 'chat', { messages: [{ role: 'function', name: 'x1', content: 'y' }] }],
  ['a call that is sent back', 'responses', { input: [{ type: 'function_call', name: 'x1' }] }],
  [
    'a call that is sent back',
    'messages',
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'x1', input: {} }] }] },
  ],
  ['a call that is sent back', 'gemini', { contents: [{ parts: [{ functionCall: { name: 'x1' } }] }] }],
  [
    'the function of a result',
    'gemini',
    { contents: [{ parts: [{ functionResponse: { name: 'x1', response: {} } }] }] },
  ],
  [
    'a chosen function',
    'chat',
    { messages: [], tool_choice: { type: 'function', function: { name: 'x1' } } },
  ],
  [
    'an allowed function',
    'chat',
    {
      messages: [],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'x1' } }] },
      },
    },
  ],
  ['a chosen function in the older form', 'chat', { messages: [], function_call: { name: 'x1' } }],
  ['a chosen function', 'responses', { input: 'y', tool_choice: { type: 'function', name: 'x1' } }],
  ['a chosen tool', 'messages', { messages: [], tool_choice: { type: 'tool', name: 'x1' } }],
  [
    'an allowed function',
    'gemini',
    { contents: [], toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['x1'] } } },
  ],
  [
    'a chosen function',
    'realtime',
    { type: 'response.create', response: { tool_choice: { type: 'function', name: 'x1' } } },
  ],
  ['a declared function', 'chat', { messages: [], tools: [{ type: 'function', function: { name: 'x1' } }] }],
  ['a declared function in the older form', 'chat', { messages: [], functions: [{ name: 'x1' }] }],
  ['a declared function', 'responses', { input: 'y', tools: [{ type: 'function', name: 'x1' }] }],
  ['a server of tools', 'responses', { input: 'y', tools: [{ type: 'mcp', server_label: 'x1' }] }],
  [
    'a declared tool',
    'messages',
    { messages: [], tools: [{ name: 'x1', input_schema: { type: 'object' } }] },
  ],
  ['a declared function', 'gemini', { contents: [], tools: [{ functionDeclarations: [{ name: 'x1' }] }] }],
  [
    'a parameter',
    'chat',
    {
      messages: [],
      tools: [{ function: { name: 'f', parameters: { properties: { x1: { type: 'string' } } } } }],
    },
  ],
  [
    'a shared schema',
    'messages',
    { messages: [], tools: [{ name: 'f', input_schema: { $defs: { x1: { type: 'string' } } } }] },
  ],
  [
    'a member of the response',
    'chat',
    {
      messages: [],
      response_format: { json_schema: { name: 's', schema: { properties: { x1: { type: 'string' } } } } },
    },
  ],
  [
    'the schema of the response',
    'chat',
    { messages: [], response_format: { json_schema: { name: 'x1', schema: {} } } },
  ],
];

const subjects = [
  ...CALLED.map(([what, dialect, body]) => [what, output(dialect, body)] as const),
  ...SENT.map(([what, dialect, body]) => [what, input(dialect, body)] as const),
].map(([what, subject]) => [`${what} (${subject.stage}, ${subject.facts.dialect})`, subject] as const);

describe.each(subjects)('the name of %s', (_, subject) => {
  it('is judged with the scopes tools and all, and is no part of the last message', () => {
    const texts = (scope: Scope) => subject.texts([scope]).join('\n').split('\n');
    expect(texts('tools')).toContain('x1');
    expect(texts('all')).toContain('x1');
    expect(texts('messages')).not.toContain('x1');
  });

  it('is denied instead of replaced, whatever the guardrail says', async () => {
    const replacing = compiled([
      { id: 'default.regexReplace', parameters: { rule: 'x1', scope: ['tools'] } },
    ]);
    const verdict = await judged([replacing], subject);
    expect(verdict).toMatchObject({ outcome: 'deny', results: [{ verdict: false, deny: true }] });
    expect(verdict.body).toBeUndefined();
  });

  it('is denied by a check that finds it', async () => {
    const denying = compiled(
      [{ id: 'default.contains', parameters: { words: ['x1'], operator: 'none', scope: ['tools'] } }],
      { deny: true },
    );
    expect(await judged([denying], subject)).toMatchObject({ outcome: 'deny' });
  });
});

describe('a replacement in a name', () => {
  const subject = output('chat', { choices: [{ message: chatCall(functionOf('x1')) }] });
  const check = { id: 'default.regexReplace', parameters: { rule: 'x1', scope: ['all'] } };

  it('says why the request is refused', async () => {
    const { results } = await judged([compiled([check])], subject);
    expect(results[0]?.checks[0]?.error).toEqual({
      name: 'CheckError',
      message: 'The check would replace a name that has to stay as it is.',
    });
  });

  it('changes nothing and refuses nothing when the guardrail only monitors', async () => {
    const verdict = await judged([compiled([check], { monitor: true })], subject);
    expect(verdict.outcome).toBe('pass');
    expect(verdict.body).toBeUndefined();
  });

  it.each([
    [
      'an example of a tool',
      input('messages', { messages: [], tools: [{ name: 'f', input_examples: [{ name: 'x1' }] }] }),
    ],
    [
      'a default of a schema',
      input('chat', {
        messages: [],
        tools: [{ function: { name: 'f', parameters: { default: { name: 'x1' } } } }],
      }),
    ],
    [
      'an attribute of a found file',
      output('responses', {
        output: [{ type: 'file_search_call', results: [{ attributes: { name: 'x1' } }] }],
      }),
    ],
  ])('is made in %s, which names no tool', async (_, data) => {
    const verdict = await judged([compiled([check])], data);
    expect(verdict.outcome).toBe('pass');
    expect(JSON.stringify(verdict.body)).toContain('{"name":"[REDACTED]"}');
  });

  it('refuses nothing when the name does not match', async () => {
    const other = compiled([{ id: 'default.regexReplace', parameters: { rule: 'y1', scope: ['all'] } }]);
    expect((await judged([other], subject)).outcome).toBe('pass');
  });

  it('renames a member of the arguments of a tool', async () => {
    const verdict = await judged([compiled([check])], input('arguments', { 'a x1': true }));
    expect(verdict).toMatchObject({ outcome: 'pass', body: { 'a [REDACTED]': true } });
  });
});
