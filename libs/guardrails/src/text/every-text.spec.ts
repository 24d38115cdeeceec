import { FACTS } from '../spec-support/judge';
import { Subject } from '../subject';
import type { Dialect } from './passages';
import type { Scope } from './scope';

const input = (dialect: Dialect, body: unknown, scope: Scope = 'all') =>
  Subject.input({ ...FACTS, dialect }, body).texts([scope]);
const output = (dialect: Dialect, body: unknown) =>
  Subject.output({ ...FACTS, dialect }, null, body, 200)
    .texts(['all'])
    .join('\n');
const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });

describe('texts of a request that a model reads', () => {
  it.each<[string, Dialect, unknown]>([
    ['a search result', 'messages', user({ type: 'search_result', content: [{ type: 'text', text: 'x1' }] })],
    ['the title of a search result', 'messages', user({ type: 'search_result', title: 'x1', content: [] })],
    [
      'the document of a fetched page',
      'messages',
      user({
        type: 'web_fetch_tool_result',
        content: { type: 'web_fetch_result', content: { type: 'document', source: { data: 'x1' } } },
      }),
    ],
    ['the output of executed code', 'messages', user({ type: 'bash_result', content: { stdout: 'x1' } })],
    ['the result of an MCP tool', 'messages', user({ type: 'mcp_tool_result', content: 'x1' })],
    ['the arguments of an MCP tool', 'messages', user({ type: 'mcp_tool_use', input: { q: 'x1' } })],
    ['a name in the input of a tool', 'messages', user({ type: 'tool_use', input: { x1: true } })],
    [
      'a name in the result of a tool',
      'gemini',
      { contents: [{ parts: [{ functionResponse: { name: 'f', response: { x1: 1 } } }] }] },
    ],
    ['a name in an object instead of parts', 'chat', { messages: [{ role: 'tool', content: { x1: 1 } }] }],
    [
      'a quotation that is sent back',
      'messages',
      user({ type: 'text', text: 'y', citations: [{ type: 'char_location', cited_text: 'x1' }] }),
    ],
    ['a part without a type', 'messages', user({ summary: 'x1' })],
    ['the name of a file', 'chat', user({ type: 'file', file: { filename: 'x1', file_data: 'AAAA' } })],
    ['a text instead of a part', 'chat', user('x1')],
    [
      'an object instead of parts',
      'chat',
      { messages: [{ role: 'tool', content: { type: 'image', note: 'x1' } }] },
    ],
    ['a text instead of a message', 'chat', { messages: ['x1'] }],
    [
      'reasoning that is sent back',
      'chat',
      { messages: [{ role: 'assistant', thinking_blocks: [{ type: 'thinking', thinking: 'x1' }] }] },
    ],
    ['reasoning in parts', 'chat', user({ type: 'thinking', thinking: [{ type: 'text', text: 'x1' }] })],
    [
      'blocks of a response that are sent back',
      'chat',
      {
        messages: [
          {
            role: 'assistant',
            content_blocks: [{ type: 'web_search_tool_result', content: [{ title: 'x1' }] }],
          },
        ],
      },
    ],
    ['the name of a participant', 'chat', { messages: [{ role: 'user', name: 'x1', content: 'hi' }] }],
    ['documents next to messages', 'chat', { messages: [], documents: [{ id: 'd', text: 'x1' }] }],
    ['instructions next to messages', 'chat', { messages: [], system: 'x1' }],
    ['a template next to messages', 'chat', { messages: [], chat_template_kwargs: { note: 'x1' } }],
    ['a predicted response', 'chat', { prediction: { type: 'content', content: 'x1' }, messages: [] }],
    [
      'the schema of a response of Anthropic',
      'messages',
      { output_config: { format: { schema: { description: 'x1' } } } },
    ],
    [
      'instructions for a summary',
      'messages',
      { context_management: { edits: [{ type: 'compact', instructions: 'x1' }] } },
    ],
    ['variables of a prompt', 'responses', { prompt: { id: 'p', variables: { city: 'x1' } } }],
    [
      'parts among variables of a prompt',
      'responses',
      { prompt: { variables: { a: { type: 'input_text', text: 'x1' } } } },
    ],
    ['a text instead of an item', 'responses', { input: ['x1'] }],
    [
      'arguments next to an output',
      'responses',
      { input: [{ type: 'mcp_call', arguments: 'x1', output: 'y' }] },
    ],
    [
      'a call with an empty output',
      'responses',
      { input: [{ type: 'shell_call', output: null, action: { command: 'x1' } }] },
    ],
    [
      'logs of executed code',
      'responses',
      { input: [{ type: 'code_interpreter_call', outputs: [{ type: 'logs', logs: 'x1' }] }] },
    ],
    ['instructions in parts', 'responses', { instructions: [{ type: 'input_text', text: 'x1' }] }],
    [
      'the schema of a response of Gemini',
      'gemini',
      { generationConfig: { responseSchema: { description: 'x1' } } },
    ],
    ['the title of an embedded text', 'gemini', { title: 'x1', content: { parts: [{ text: 'y' }] } }],
    ['the title in a batch', 'gemini', { requests: [{ title: 'x1' }] }],
    ['a text instead of a part of Gemini', 'gemini', { contents: [{ parts: ['x1'] }] }],
    [
      'variables of a prompt of a session',
      'realtime',
      { type: 'session.update', session: { prompt: { variables: { a: 'x1' } } } },
    ],
  ])('includes %s', (_, dialect, body) => {
    expect(input(dialect, body).join('\n').split('\n')).toContain('x1');
  });

  it.each<[string, Dialect, unknown]>([
    ['images', 'chat', user({ type: 'image_url', image_url: { url: 'https://a.example/x.png' } })],
    ['encoded files', 'chat', user({ type: 'file', file: { file_data: 'AAAA' } })],
    ['encoded documents', 'messages', user({ type: 'document', source: { type: 'base64', data: 'AAAA' } })],
    [
      'sealed search results',
      'messages',
      user({
        type: 'web_search_tool_result',
        content: [{ type: 'web_search_result', encrypted_content: 'AAAA' }],
      }),
    ],
    [
      'generated images',
      'responses',
      { input: [{ type: 'image_generation_call', id: 'ig', result: 'AAAA' }] },
    ],
  ])('leaves out %s', (_, dialect, body) => {
    expect(input(dialect, body)).toEqual([]);
  });

  it.each<[Dialect, object]>([
    ['messages', { role: 'user', content: 'x1' }],
    ['embeddings', { prompt: 'x1' }],
    ['embeddings', { input: 'y', prompt: 'x1' }],
    ['completions', { inputs: ['x1'] }],
    ['responses', { conversation: { items: ['x1'] } }],
    ['chat', { prompt: 'x1' }],
    ['chat', { messages: 'x1' }],
    ['messages', { messages: { first: { content: 'x1' } } }],
  ])('includes all texts of a body without the members of the dialect %s', (dialect, body) => {
    expect(input(dialect, body).join('\n').split('\n')).toContain('x1');
  });

  it('keeps the name of a participant out of the last message', () => {
    const body = { messages: [{ role: 'user', name: 'Ada', content: 'hi' }] };
    expect(input('chat', body, 'last_message')).toEqual(['hi']);
    expect(input('chat', body, 'messages')).toEqual(['Ada', 'hi']);
  });

  it('replaces a text in the place of a content of Gemini', () => {
    const subject = Subject.input({ ...FACTS, dialect: 'gemini' }, { contents: 'secret' });
    expect(subject.edited(new Map([[0, 'public']])).request).toEqual({ contents: 'public' });
  });
});

describe('texts of a response that a client reads', () => {
  const message = (members: object) => ({ choices: [{ message: members }] });

  it.each<[string, Dialect, unknown]>([
    [
      'details of the reasoning',
      'chat',
      message({ reasoning_details: [{ type: 'reasoning.text', text: 'x1' }] }),
    ],
    [
      'reasoning in parts',
      'chat',
      message({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'x1' }] }] }),
    ],
    ['the address of a source', 'chat', message({ annotations: [{ url_citation: { url: 'x1' } }] })],
    ['sources next to the choices', 'chat', { choices: [], search_results: [{ title: 'x1' }] }],
    [
      'a quotation',
      'messages',
      { content: [{ type: 'text', text: 'y', citations: [{ type: 'page_location', cited_text: 'x1' }] }] },
    ],
    [
      'an annotation',
      'responses',
      {
        output: [
          { type: 'message', content: [{ type: 'output_text', text: 'y', annotations: [{ title: 'x1' }] }] },
        ],
      },
    ],
    [
      'the sources of a text',
      'gemini',
      { candidates: [{ groundingMetadata: { groundingChunks: [{ web: { title: 'x1' } }] } }] },
    ],
    [
      'a name in the arguments of a call',
      'gemini',
      { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args: { x1: 1 } } }] } }] },
    ],
    [
      'results of hosted tools',
      'chat',
      message({ content_blocks: [{ type: 'web_search_tool_result', content: [{ title: 'x1' }] }] }),
    ],
    [
      'the output of executed code',
      'messages',
      { content: [{ type: 'bash_code_execution_tool_result', content: { stdout: 'x1' } }] },
    ],
    [
      'arguments and output of an MCP tool',
      'responses',
      { output: [{ type: 'mcp_call', arguments: 'x1', output: 'y' }] },
    ],
  ])('includes %s', (_, dialect, body) => {
    expect(output(dialect, body).split('\n')).toContain('x1');
  });
});

describe('sources of a response', () => {
  it('are units of their own, after the message and never the last one', () => {
    const body = {
      content: [
        { type: 'text', text: 'a', citations: [{ type: 'char_location', cited_text: 'q' }] },
        { type: 'text', text: 'b' },
      ],
    };
    const texts = (scope: Scope): readonly string[] =>
      Subject.output({ ...FACTS, dialect: 'messages' }, null, body, 200).texts([scope]);
    expect(texts('last_message')).toEqual(['a\nb']);
    expect(texts('messages')).toEqual(['a\nb', 'q']);
    expect(texts('all')).toEqual(['a\nb', 'q']);
  });
});

describe('a response with replaced texts', () => {
  it('has replaced numbers and names of members in the input of a tool', () => {
    const found = { type: 'tool_use', input: { 'a@b.example': 4_111_111_111_111_111, n: [1, 1_234] } };
    const subject = Subject.output({ ...FACTS, dialect: 'messages' }, null, { content: [found] }, 200);
    const edits = new Map(subject.passages().map(({ text }, at) => [at, `<${text}>`]));
    expect(subject.edited(edits).response).toEqual({
      content: [{ type: 'tool_use', input: { '<a@b.example>': '<4111111111111111>', '<n>': '<1234>' } }],
    });
    expect(found.input.n).toEqual([1, 1_234]);
  });

  it.each<[Dialect, object]>([
    ['chat', { choices: [{ message: { content: 'x1' }, logprobs: { content: [{ token: 'x1' }] } }] }],
    ['completions', { choices: [{ text: 'x1', logprobs: { tokens: ['x1'] } }] }],
    [
      'responses',
      {
        output: [
          { type: 'message', content: [{ type: 'output_text', text: 'x1', logprobs: [{ token: 'x1' }] }] },
        ],
      },
    ],
    [
      'gemini',
      {
        candidates: [
          {
            content: { parts: [{ text: 'x1' }] },
            logprobsResult: { chosenCandidates: [{ token: 'x1' }] },
            groundingMetadata: { groundingSupports: [{ segment: { text: 'x1' } }] },
          },
        ],
      },
    ],
  ])('repeats none of them elsewhere (%s)', (dialect, body) => {
    const subject = Subject.output({ ...FACTS, dialect }, null, body, 200);
    const edited = JSON.stringify(subject.edited(new Map([[0, 'y2']])).response);
    expect(edited).toContain('y2');
    expect(edited).not.toContain('x1');
  });
});
