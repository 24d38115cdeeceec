import { FACTS } from '../spec-support/judge';
import { Subject } from '../subject';
import type { Dialect } from './passages';
import type { Scope } from './scope';

const input = (dialect: Dialect, body: unknown, ...scopes: Scope[]) =>
  Subject.input({ ...FACTS, dialect }, body).texts(scopes);
const output = (dialect: Dialect, body: unknown, ...scopes: Scope[]) =>
  Subject.output({ ...FACTS, dialect }, null, body, 200).texts(scopes);

const CHAT = {
  tools: [{ type: 'function', function: { name: 'f', description: 'tool words' } }],
  messages: [
    { role: 'system', content: 'rules' },
    { role: 'user', content: 'first' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"q":"called"}' } }],
    },
    { role: 'tool', content: 'result' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'one' },
        { type: 'image_url', image_url: { url: 'u' } },
        { type: 'text', text: 'two' },
      ],
    },
  ],
};

describe('request texts', () => {
  it.each<[Scope, readonly string[]]>([
    ['last_message', ['one\ntwo']],
    ['messages', ['first', 'one\ntwo']],
    ['system', ['rules']],
    ['tools', ['function\nf\ntool words', '{"q":"called"}', 'f']],
    ['tool_results', ['result']],
    ['all', ['function\nf\ntool words', 'rules', 'first', '{"q":"called"}', 'result', 'one\ntwo', 'f']],
  ])('reads the texts of a chat request with the scope %s', (scope, texts) => {
    expect(input('chat', CHAT, scope)).toEqual(texts);
  });

  it.each<[Dialect, unknown]>([
    ['chat', { messages: [{ role: 'constructor', content: 'hello' }] }],
    ['responses', { input: [{ role: 'constructor', content: 'hello' }] }],
    ['gemini', { contents: [{ role: 'constructor', parts: [{ text: 'hello' }] }] }],
  ])('reads messages of an unknown role in the dialect %s', (dialect, body) => {
    expect(input(dialect, body, 'messages')).toEqual(['hello']);
    expect(input(dialect, body, 'last_message')).toEqual(['hello']);
  });

  it('reads system blocks, tool use, tool results and documents of Anthropic messages', () => {
    const body = {
      system: [{ type: 'text', text: 'rules' }],
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'first' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'tool_use', name: 'f', input: { a: { b: 'deep' } } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: 'result' }] },
            { type: 'document', title: 'T', source: { type: 'text', data: 'doc' } },
            { type: 'text', text: 'last' },
          ],
        },
      ],
    };
    expect(input('messages', body, 'system')).toEqual(['rules']);
    expect(input('messages', body, 'last_message')).toEqual(['result\nT\ndoc\nlast']);
    expect(input('messages', body, 'tools')).toEqual(['f\nd\nobject', 'a\nb\ndeep', 'f']);
    expect(input('messages', body, 'tool_results')).toEqual(['result']);
    expect(input('messages', body, 'messages')).toEqual(['first', 'hm', 'T\ndoc\nlast']);
  });

  it('reads a text or items with instructions, calls and outputs of the responses API', () => {
    expect(input('responses', { instructions: 'rules', input: 'hi' }, 'all')).toEqual(['rules', 'hi']);
    const body = {
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'ask' }] },
        { type: 'function_call', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call_output', output: 'result' },
        { type: 'message', role: 'developer', content: 'more rules' },
      ],
    };
    expect(input('responses', body, 'all')).toEqual(['ask', '{"a":1}', 'result', 'more rules', 'f']);
    expect(input('responses', body, 'system')).toEqual(['more rules']);
    expect(input('responses', body, 'last_message')).toEqual(['result']);
  });

  it('treats every input of a list as a last message', () => {
    expect(input('embeddings', { input: ['a', 'b'] }, 'last_message')).toEqual(['a', 'b']);
    expect(input('completions', { prompt: ['a', 'b'] }, 'last_message')).toEqual(['a', 'b']);
    expect(input('moderations', { input: [{ type: 'text', text: 'a' }] }, 'last_message')).toEqual([
      'text\na',
    ]);
  });

  it('reads every text in other JSON', () => {
    expect(input('json', { a: ['x', { b: 'y' }], n: 1 }, 'messages')).toEqual(['x\ny']);
  });

  it('reads names of members and numbers in arguments of a tool', () => {
    const body = { card: 4_111_111_111_111_111, list: [{ 'a@b.example': true }], v: [0.5, 1_234, 5_678] };
    expect(input('arguments', body, 'messages')).toEqual([
      'card\n4111111111111111\nlist\na@b.example\nv\n1234, 5678',
    ]);
  });

  it('does not read tokens as text, so that a text check cannot decide', () => {
    expect(Subject.input({ ...FACTS, dialect: 'embeddings' }, { input: [[1, 2]] }).hasTokens()).toBe(true);
    expect(Subject.input({ ...FACTS, dialect: 'embeddings' }, { input: ['a'] }).hasTokens()).toBe(false);
  });
});

describe('response texts', () => {
  it('reads every choice of chat, with reasoning, refusals and calls', () => {
    const body = {
      choices: [
        {
          message: { content: 'a', reasoning_content: 'r', tool_calls: [{ function: { arguments: '{}' } }] },
        },
        { message: { content: null, refusal: 'no' } },
      ],
    };
    expect(output('chat', body, 'last_message')).toEqual(['a\nr\n{}', 'no']);
    expect(output('chat', body, 'messages')).toEqual(['a\nr', 'no']);
  });

  it.each<[Dialect, unknown, readonly string[]]>([
    ['completions', { choices: [{ text: 'a' }, { text: 'b' }] }, ['a', 'b']],
    [
      'messages',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'tool_use', input: { q: 'b' } },
        ],
      },
      ['a\nq\nb'],
    ],
    [
      'responses',
      { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }] },
      ['a'],
    ],
    ['embeddings', { data: [{ embedding: [1] }] }, []],
    ['json', { text: 'a' }, ['a']],
  ])('reads the texts of a %s response', (dialect, body, texts) => {
    expect(output(dialect, body, 'all')).toEqual(texts);
  });
});

describe('Subject.edited', () => {
  it('replaces texts by position in a copy of the body', () => {
    const subject = Subject.input(FACTS, CHAT);
    const position = subject.passages().findIndex(({ text }) => text === 'two');
    const edited = subject.edited(new Map([[position, 'zwei']]));
    expect(edited.texts(['last_message'])).toEqual(['one\nzwei']);
    expect(edited.isTransformed).toBe(true);
    expect(subject.texts(['last_message'])).toEqual(['one\ntwo']);
  });
});
