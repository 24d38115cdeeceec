import type { Buffer } from 'node:buffer';
import type { Dialect } from '@gw/guardrails';
import type { JsonObject } from '@gw/providers';
import { dialectFor } from './guarded-stream';
import type { StreamDialect } from './stream-dialect';

const opened = (dialect: Dialect): StreamDialect => {
  const found = dialectFor(dialect);
  if (found === null) throw new Error(`no stream of ${dialect}`);
  return found;
};
const chunk = (delta: object): JsonObject => ({ choices: [{ index: 0, delta }] });
const block = (content_block: object): JsonObject => ({
  type: 'content_block_start',
  index: 1,
  content_block,
});
const delta = (value: object): JsonObject => ({ type: 'content_block_delta', index: 1, delta: value });
const candidate = (part: object): JsonObject => ({ candidates: [{ content: { parts: [part] } }] });
const item = (value: object): JsonObject => ({
  type: 'response.output_item.done',
  output_index: 2,
  item: value,
});
const bodyOf = (event: Buffer): JsonObject =>
  JSON.parse(event.toString('utf8').split('data: ')[1] ?? '{}') as JsonObject;

describe('texts of a stream that a client reads', () => {
  it.each<[string, Dialect, JsonObject]>([
    ['the input of a custom tool', 'chat', chunk({ tool_calls: [{ index: 0, custom: { input: 'x1' } }] })],
    ['the older form of a call', 'chat', chunk({ function_call: { arguments: 'x1' } })],
    ['text in parts', 'chat', chunk({ content: [{ type: 'text', text: 'x1' }] })],
    ['reasoning in parts', 'chat', chunk({ content: [{ thinking: [{ type: 'text', text: 'x1' }] }] })],
    ['the transcript of audio', 'chat', chunk({ audio: { id: 'a', data: 'AAAA', transcript: 'x1' } })],
    [
      'details of the reasoning',
      'chat',
      chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'x1' }] }),
    ],
    [
      'results of hosted tools',
      'chat',
      chunk({ content_blocks: [{ content_block: { content: [{ title: 'x1' }] } }] }),
    ],
    ['an unknown member', 'chat', chunk({ commentary: 'x1' })],
    [
      'the result of a hosted tool',
      'messages',
      block({ type: 'bash_code_execution_tool_result', content: { stdout: 'x1' } }),
    ],
    [
      'the input of a tool in one piece',
      'messages',
      block({ type: 'server_tool_use', input: { query: 'x1' } }),
    ],
    ['a summary of the conversation', 'messages', delta({ type: 'compaction_delta', content: 'x1' })],
    ['a delta of an unknown type', 'messages', delta({ type: 'new_delta', words: 'x1' })],
    ['executed code', 'gemini', candidate({ executableCode: { language: 'PYTHON', code: 'x1' } })],
    ['the output of executed code', 'gemini', candidate({ codeExecutionResult: { output: 'x1' } })],
    ['the output of an MCP tool', 'responses', item({ type: 'mcp_call', output: 'x1' })],
    ['the query of a search', 'responses', item({ type: 'web_search_call', action: { query: 'x1' } })],
    ['found texts of files', 'responses', item({ type: 'file_search_call', results: [{ text: 'x1' }] })],
    ['the source of a text', 'chat', chunk({ annotations: [{ url_citation: { url: 'x1' } }] })],
    ['sources next to the choices', 'chat', { citations: ['x1'], choices: [] }],
    [
      'a quotation',
      'messages',
      delta({ type: 'citations_delta', citation: { type: 'char_location', cited_text: 'x1' } }),
    ],
    [
      'the sources of a text',
      'gemini',
      { candidates: [{ groundingMetadata: { groundingChunks: [{ web: { uri: 'x1' } }] } }] },
    ],
    [
      'an annotation',
      'responses',
      { type: 'response.output_text.annotation.added', annotation: { type: 'url_citation', url: 'x1' } },
    ],
    [
      'the annotations of a part',
      'responses',
      { type: 'response.content_part.done', part: { type: 'output_text', annotations: [{ url: 'x1' }] } },
    ],
    [
      'the annotations of an item',
      'responses',
      item({ type: 'message', content: [{ type: 'output_text', annotations: [{ title: 'x1' }] }] }),
    ],
    [
      'a delta with members',
      'responses',
      { type: 'response.shell_call_output_content.delta', delta: { stdout: 'x1' } },
    ],
  ])('includes %s of %s', (_, dialect, body) => {
    const { texts } = opened(dialect).read(body);
    expect(texts.map(({ text }) => text).join()).toContain('x1');
    for (const { set, text } of texts) set(text.replace('x1', 'y2'));
    expect(JSON.stringify(body)).not.toContain('x1');
    expect(JSON.stringify(body)).toContain('y2');
  });

  it.each<[string, Dialect, JsonObject]>([
    [
      'sealed results',
      'messages',
      block({ type: 'web_search_tool_result', content: [{ encrypted_content: 'AAAA' }] }),
    ],
    ['signatures', 'messages', delta({ type: 'signature_delta', signature: 'AAAA' })],
    ['generated images', 'responses', item({ type: 'image_generation_call', id: 'ig', result: 'AAAA' })],
    ['generated images', 'chat', chunk({ images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] })],
  ])('leaves out %s of %s', (_, dialect, body) => {
    const { texts } = opened(dialect).read(body);
    expect(texts.map(({ text }) => text).join()).not.toContain('AAAA');
  });

  it.each<[string, JsonObject]>([
    ['a custom tool', chunk({ tool_calls: [{ index: 0, custom: { input: 'x1' } }] })],
    ['the older form of a call', chunk({ function_call: { arguments: 'x1' } })],
    ['details of the reasoning', chunk({ reasoning_details: [{ text: 'x1' }] })],
  ])('writes held text of %s to the member from which it came', (_, body) => {
    const dialect = opened('chat');
    const [first] = dialect.read(body).texts;
    if (first === undefined) throw new Error('no text');
    expect(bodyOf(dialect.textEvent(first.channel, 'x1'))).toMatchObject(body);
  });

  it('takes sources that each chunk repeats as one text', () => {
    const dialect = opened('chat');
    const cited = { citations: ['https://a.example'], choices: [{ index: 0, delta: { content: 'x1' } }] };
    const reads = [1, 2, 3].map(() => dialect.read(structuredClone(cited)));
    expect(reads.map(({ texts, repeats }) => [texts.length, repeats.length])).toEqual([
      [2, 0],
      [1, 1],
      [1, 1],
    ]);
  });

  it('repeats the result of a hosted tool at the end as it was sent', () => {
    const dialect = opened('responses');
    const call = { type: 'mcp_call', id: 'm', output: 'secret' };
    const [streamed] = dialect.read(item(call)).texts;
    const end = { type: 'response.completed', response: { output: [call] } };
    expect(dialect.read(end).repeats.map(({ text }) => text)).toEqual([streamed?.text]);
  });

  it.each<[Dialect, JsonObject, (body: JsonObject) => unknown]>([
    [
      'chat',
      { choices: [{ delta: { content: 'x1' }, logprobs: { content: [{ token: 'x1' }] } }] },
      ({ choices }) => choices,
    ],
    ['completions', { choices: [{ text: 'x1', logprobs: { tokens: ['x1'] } }] }, ({ choices }) => choices],
    [
      'gemini',
      {
        candidates: [
          { content: { parts: [{ text: 'x1' }] }, logprobsResult: { chosenCandidates: [{ token: 'x1' }] } },
        ],
      },
      ({ candidates }) => candidates,
    ],
    [
      'responses',
      { type: 'response.output_text.delta', delta: 'x1', logprobs: [{ token: 'x1' }] },
      ({ logprobs }) => logprobs,
    ],
  ])('removes the tokens of a changed text of %s', (dialect, body, read) => {
    for (const { set } of opened(dialect).read(body).texts) set('y2');
    expect(JSON.stringify(read(body))).not.toContain('x1');
  });
});
