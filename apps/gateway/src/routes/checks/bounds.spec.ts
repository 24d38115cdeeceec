import type { ErrorDetail } from '@gw/kernel';
import { completionBody } from './completions';
import { listRunsQuery } from './list-query';
import { moderationBody } from './moderations';
import { runBody, threadAndRunBody } from './runs';
import { searchBody, threadBody } from './threads';
import type { Rule } from './rules';
import { quoted, Violations } from './violations';

function faults(check: (found: Violations) => void): readonly ErrorDetail[] {
  const found = new Violations();
  check(found);
  try {
    found.raise();
    return [];
  } catch (error) {
    return (error as { options: { details: readonly ErrorDetail[] } }).options.details;
  }
}
const pathsAt = (rule: Rule, body: unknown): string[] =>
  faults((found) => {
    rule(body, '', found);
  }).map(({ path }) => path);

describe('[CMP-02] bounds of a completion, streamed or not', () => {
  const SEED = 9_223_372_036_854_776_000;
  describe.each([{ stream: true }, { stream: false }, {}])('with %j', (mode) => {
    it.each<[field: string, within: readonly unknown[], outside: readonly unknown[]]>([
      ['frequency_penalty', [-2, 2, 0.5], [-2.001, 2.001, '0', true]],
      ['presence_penalty', [-2, 2, 0.5], [-2.001, 2.001, '0', []]],
      ['logprobs', [0, 5], [-1, 6, 1.5, true]],
      ['max_tokens', [0, 1, 1e9], [-1, 0.5, '16']],
      ['n', [1, 128], [0, 129, -1, 1.5, '1']],
      ['temperature', [0, 2, 1.25], [-0.001, 2.001, '1']],
      ['top_p', [0, 1], [-0.001, 1.001, '1']],
      ['seed', [SEED, -SEED, 0], [SEED * 1.01, -SEED * 1.01, 1.5, '1']],
      ['stop', ['x', [], ['a', 'b', 'c', 'd']], [5, {}, ['a', 'b', 'c', 'd', 'e']]],
      ['echo', [true, false], ['true', 1]],
      ['suffix', ['x'], [1]],
      ['user', ['x'], [1]],
      ['model', ['m'], [1, {}]],
    ])('enforces the bounds of %s', (field, within, outside) => {
      for (const value of [...within, null, undefined])
        expect(pathsAt(completionBody, { ...mode, [field]: value })).toEqual([]);
      for (const value of outside)
        expect(pathsAt(completionBody, { ...mode, [field]: value })).toEqual([field]);
    });

    it('enforces the bounds of logit_bias', () => {
      expect(pathsAt(completionBody, { ...mode, logit_bias: { 1: -100, 2: 100, 3: 0.5 } })).toEqual([]);
      const outside = { 1: -100.5, 2: 101, 3: '1', 4: null };
      expect(pathsAt(completionBody, { ...mode, logit_bias: outside })).toEqual(
        Object.keys(outside).map((token) => `logit_bias.${token}`),
      );
      for (const value of [[], 'x', 5])
        expect(pathsAt(completionBody, { ...mode, logit_bias: value })).toEqual(['logit_bias']);
    });

    it('[CMP-05] enforces the bounds of prompt', () => {
      for (const prompt of ['', 'x', [], ['a', 'b'], [1, 2], [[1], [2, 3]], null, undefined])
        expect(pathsAt(completionBody, { ...mode, prompt })).toEqual([]);
      for (const prompt of [5, {}, true, [1, 'a'], [1, [2]], [[1, 'a']], [1.5], [{}], [null]])
        expect(pathsAt(completionBody, { ...mode, prompt })).toEqual(['prompt']);
    });
  });

  it('enforces the bounds of best_of', () => {
    for (const best_of of [0, 1, 20, null]) expect(pathsAt(completionBody, { best_of })).toEqual([]);
    for (const best_of of [-1, 21, 1.5, '1'])
      expect(pathsAt(completionBody, { best_of })).toEqual(['best_of']);
  });

  it('[CMP-03] refuses best_of with stream or n, and stream_options without stream', () => {
    expect(pathsAt(completionBody, { best_of: 1, stream: true })).toEqual(['best_of']);
    expect(pathsAt(completionBody, { best_of: null, stream: true })).toEqual([]);
    for (const n of [2, 3]) expect(pathsAt(completionBody, { best_of: 2, n })).toEqual(['best_of']);
    expect(pathsAt(completionBody, { best_of: 3, n: 2 })).toEqual([]);
    const stream_options = { include_usage: true };
    for (const stream of [false, null, undefined])
      expect(pathsAt(completionBody, { stream, stream_options })).toEqual(['stream_options']);
    expect(pathsAt(completionBody, { stream: true, stream_options })).toEqual([]);
    expect(pathsAt(completionBody, { stream: 'true' })).toEqual(['stream']);
  });
});

describe('[MOD-01] input of a moderation', () => {
  it('must be present and a text', () => {
    for (const input of ['', 'x', ['x'], [{ type: 'text', text: 'x' }]])
      expect(pathsAt(moderationBody, { input })).toEqual([]);
    for (const input of [undefined, null, 5, {}, [], [5], ['x', { type: 'text' }]])
      expect(pathsAt(moderationBody, { input })).toEqual(['input']);
    expect(pathsAt(moderationBody, { input: 'x', model: 5 })).toEqual(['model']);
  });
});

describe('[RUN-05] bounds of a run', () => {
  it.each<[path: string, body: object]>([
    ['max_prompt_tokens', { max_prompt_tokens: 256.5 }],
    ['truncation_strategy', { truncation_strategy: 'auto' }],
    ['truncation_strategy.type', { truncation_strategy: { type: 'middle' } }],
    ['truncation_strategy.last_messages', { truncation_strategy: { type: 'auto', last_messages: 1.5 } }],
    ['tools', { tools: {} }],
    ['tools.0', { tools: [5] }],
    ['tools.0.type', { tools: [{}] }],
    ['tools.1.function.name', { tools: [{ type: 'code_interpreter' }, { type: 'function', function: {} }] }],
    [
      'tools.0.function.parameters',
      { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
    ],
    ['tools.0.function.strict', { tools: [{ type: 'function', function: { name: 'f', strict: 'yes' } }] }],
    ['tool_choice.type', { tool_choice: { type: 'other' } }],
    ['tool_choice.function.name', { tool_choice: { type: 'function', function: { name: 'a'.repeat(65) } } }],
    ['response_format', { response_format: 'json' }],
    ['parallel_tool_calls', { parallel_tool_calls: 1 }],
    ['additional_messages.0.content', { additional_messages: [{ role: 'user', content: 5 }] }],
  ])('refuses a value outside of the bounds of %s', (path, body) => {
    for (const check of [runBody, threadAndRunBody]) expect(pathsAt(check, body)).toEqual([path]);
  });

  it('[RUN-06] accepts JSON mode with functions and without tools', () => {
    const response_format = { type: 'json_object' };
    const own = { type: 'function', function: { name: 'f' } };
    expect(pathsAt(runBody, { response_format, tools: [own] })).toEqual([]);
    expect(pathsAt(runBody, { response_format })).toEqual([]);
    expect(pathsAt(runBody, { response_format, tools: [own, { type: 'file_search' }] })).toEqual([
      'tools.1.type',
    ]);
    expect(pathsAt(runBody, { response_format: { type: 'text' }, tools: [{ type: 'file_search' }] })).toEqual(
      [],
    );
  });

  it('enforces the same bounds on the results of a vector store search', () => {
    for (const max_num_results of [1, 50])
      expect(pathsAt(searchBody, { query: 'q', max_num_results })).toEqual([]);
    for (const max_num_results of [0, 51, 1.5])
      expect(pathsAt(searchBody, { query: 'q', max_num_results })).toEqual(['max_num_results']);
  });
});

describe('[THR-01] [THR-02] a thread', () => {
  it.each<[path: string, body: unknown]>([
    ['messages', { messages: {} }],
    ['messages.1', { messages: [{}, 'x'] }],
    ['messages.0.role', { messages: [{ role: 1 }] }],
    ['messages.0.content', { messages: [{ content: ['x'] }] }],
    ['messages.0.attachments', { messages: [{ attachments: {} }] }],
    ['messages.0.attachments.0.tools.0.type', { messages: [{ attachments: [{ tools: [{ type: 1 }] }] }] }],
    ['messages.0.metadata.a', { messages: [{ metadata: { a: 1 } }] }],
    ['tool_resources', { tool_resources: [] }],
    [
      'tool_resources.file_search.vector_store_ids.0',
      { tool_resources: { file_search: { vector_store_ids: [1] } } },
    ],
    [
      'tool_resources.file_search.vector_stores.0.file_ids',
      { tool_resources: { file_search: { vector_stores: [{ file_ids: 'f' }] } } },
    ],
    ['metadata', { metadata: 'x' }],
  ])('refuses a value outside of the bounds of %s', (path, body) => {
    expect(pathsAt(threadBody, body)).toEqual([path]);
  });

  it('accepts content parts, which providers use for images', () => {
    const content = [{ type: 'image_file', image_file: { file_id: 'f' } }];
    expect(pathsAt(threadBody, { messages: [{ role: 'user', content }] })).toEqual([]);
  });
});

describe('[RUN-02] query of a list of runs', () => {
  const at = (query: string): string[] =>
    faults((found) => {
      listRunsQuery(query, found);
    }).map(({ path }) => path);

  it.each(['', '?', '?limit=1', '?limit=100', '?order=asc', '?order=desc&after=a&before=b', '?x=1&x=2'])(
    'takes %j',
    (query) => {
      expect(at(query)).toEqual([]);
    },
  );
  it.each([
    '?limit=0',
    '?limit=101',
    '?limit=1000',
    '?limit=',
    '?limit=1.0',
    '?limit=+1',
    '?limit=0x10',
    '?limit=01',
    '?limit=5&limit=5',
    '?limit[max]=5',
  ])('refuses %j', (query) => {
    expect(at(query)).toEqual(['limit']);
  });
  it.each(['?order=', '?order=DESC', '?order=asc%20', '?order[]=asc'])('refuses %j', (query) => {
    expect(at(query)).toEqual(['order']);
  });
});

describe('quoted', () => {
  it.each<[value: unknown, text: string]>([
    ['word', '"word"'],
    [5, '5'],
    [{}, 'an object'],
    [`${'x'.repeat(39)}👩`, `"${'x'.repeat(39)}…"`],
  ])('describes %j as %s', (value, text) => {
    expect(quoted(value)).toBe(text);
  });
});
