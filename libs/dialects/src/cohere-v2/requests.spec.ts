import type { JsonObject } from '../call';
import { encoded, refusal } from '../spec-support/provider-side';
import { cohereProvider } from '.';

const user = (content: unknown): JsonObject => ({ role: 'user', content });
const call = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name, ...more },
});
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
const sent = (body: JsonObject, model?: string): JsonObject =>
  encoded(cohereProvider, body, { ...(model === undefined ? {} : { model }) }).body;
const refused = (body: JsonObject, model = 'command-a-03-2025'): readonly [string, string | undefined] =>
  refusal(() => encoded(cohereProvider, body, { model }));
const TEXT_DOCUMENT = {
  type: 'document',
  title: 'Report',
  source: { type: 'text', media_type: 'text/plain', data: 'Sales rose.' },
};

describe('cohere: messages', () => {
  it('writes the history of calls with the plan, and results as tool messages', () => {
    const { messages } = sent({
      messages: [
        { role: 'system', content: 'S' },
        user('w'),
        {
          role: 'assistant',
          content: 'I will look.',
          tool_calls: [call('f_1', 'f', ''), call('f_2', 'g', '{"a":1}')],
        },
        { role: 'tool', tool_call_id: 'f_1', content: '1' },
        { role: 'tool', tool_call_id: 'f_2', content: '2' },
        user('and?'),
      ],
    });
    expect(messages).toEqual([
      { role: 'system', content: 'S' },
      { role: 'user', content: 'w' },
      {
        role: 'assistant',
        tool_plan: 'I will look.',
        tool_calls: [call('f_1', 'f', '{}'), call('f_2', 'g', '{"a":1}')],
      },
      { role: 'tool', tool_call_id: 'f_1', content: '1' },
      { role: 'tool', tool_call_id: 'f_2', content: '2' },
      { role: 'user', content: 'and?' },
    ]);
  });

  it('keeps several system messages and a later one in their places', () => {
    const { messages } = sent({
      messages: [
        { role: 'system', content: 'A' },
        { role: 'developer', content: 'B' },
        user('x'),
        { role: 'system', content: 'C' },
        user('y'),
      ],
    });
    expect(messages).toMatchObject([
      { role: 'system', content: 'A' },
      { role: 'system', content: 'B' },
      { role: 'user' },
      { role: 'system', content: 'C' },
      { role: 'user' },
    ]);
  });

  it('refuses a prefill, but not a last message with calls', () => {
    expect(refused({ messages: [user('x'), { role: 'assistant', content: 'Once' }] })).toEqual([
      'unsupported_by_provider',
      'messages.1',
    ]);
    const { messages } = sent({
      messages: [user('x'), { role: 'assistant', content: null, tool_calls: [call('f_1', 'f', '{}')] }],
    });
    expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant', tool_calls: [{ id: 'f_1' }] }]);
  });

  it('leaves out reasoning without a seal, and the turn that is then empty', () => {
    const { messages } = sent({
      messages: [user('x'), { role: 'assistant', content: null, reasoning_content: 'hm' }, user('y')],
    });
    expect(messages).toEqual([
      { role: 'user', content: 'x' },
      { role: 'user', content: 'y' },
    ]);
  });

  it('moves text documents and search results of a user turn to the documents', () => {
    const { body, losses } = encoded(
      cohereProvider,
      {
        max_tokens: 10,
        messages: [user([TEXT_DOCUMENT, { type: 'text', text: 'Summarise.' }])],
      },
      { from: 'anthropic-messages' },
    );
    expect(body['messages']).toEqual([{ role: 'user', content: 'Summarise.' }]);
    expect(body['documents']).toEqual([{ data: { title: 'Report', text: 'Sales rose.' } }]);
    expect(losses).toContainEqual({ path: 'messages.0.content.0', code: 'moved', to: 'documents' });
  });

  it('writes a document as the text of a message that has nothing else', () => {
    const { body, losses } = encoded(
      cohereProvider,
      { max_tokens: 10, messages: [user([TEXT_DOCUMENT])] },
      { from: 'anthropic-messages' },
    );
    expect(body['messages']).toEqual([{ role: 'user', content: 'Sales rose.' }]);
    expect(body['documents']).toBeUndefined();
    expect(losses).toEqual([]);
  });

  it('keeps documents in tool results, and moves images to the next user message', () => {
    const { body, losses } = encoded(
      cohereProvider,
      {
        max_tokens: 10,
        messages: [
          user('x'),
          { role: 'assistant', content: [{ type: 'tool_use', id: 'tu_1', name: 'f', input: {} }] },
          user([
            {
              type: 'tool_result',
              tool_use_id: 'tu_1',
              is_error: true,
              content: [
                TEXT_DOCUMENT,
                {
                  type: 'search_result',
                  source: 'https://e.com',
                  title: 'E',
                  content: [{ type: 'text', text: 'found' }],
                },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
              ],
            },
          ]),
        ],
      },
      { from: 'anthropic-messages' },
    );
    expect((body['messages'] as JsonObject[]).slice(2)).toEqual([
      {
        role: 'tool',
        tool_call_id: 'tu_1',
        content: [
          { type: 'document', document: { data: { title: 'Report', text: 'Sales rose.' } } },
          { type: 'document', document: { data: { title: 'E', url: 'https://e.com', text: 'found' } } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: '[tool result tu_1]' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
    ]);
    expect(losses.map(({ path, code }) => [path, code])).toEqual([
      ['messages.2.content.0.is_error', 'dropped'],
      ['messages.2.content.0.content.2', 'moved'],
    ]);
  });

  it.each<[string, JsonObject, string]>([
    [
      'a PDF',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' } },
      'messages.0.content.0.file.file_data',
    ],
    ['audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, 'messages.0.content.0'],
    ['a file of another provider', { type: 'file', file: { file_id: 'file-1' } }, 'messages.0.content.0'],
  ])('refuses %s', (_what, part, path) => {
    const [type, found] = refused({ messages: [user([part])] });
    expect(type).toBe('unsupported_by_provider');
    expect(found).toMatch(new RegExp(`^${path.replaceAll('.', '\\.')}`));
  });

  it('accepts images by URL, with the details that Cohere supports', () => {
    const image = (detail: string): JsonObject => ({
      type: 'image_url',
      image_url: { url: 'https://e.com/a.png', detail },
    });
    const { body, losses } = encoded(cohereProvider, { messages: [user([image('low'), image('original')])] });
    expect(body['messages']).toMatchObject([
      {
        content: [
          { type: 'image_url', image_url: { url: 'https://e.com/a.png', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://e.com/a.png' } },
        ],
      },
    ]);
    expect(losses).toEqual([{ path: 'messages.0.content.1.image_url.detail', code: 'dropped' }]);
  });
});

describe('cohere: tools', () => {
  it('sends only the named tool and requires it', () => {
    const body = sent({
      tools: [tool('f', { parameters: SCHEMA }), tool('g', { parameters: SCHEMA })],
      tool_choice: { type: 'function', function: { name: 'g' } },
    });
    expect(body['tools']).toEqual([tool('g', { parameters: SCHEMA })]);
    expect(body['tool_choice']).toBe('REQUIRED');
  });

  it.each([
    ['required', 'REQUIRED'],
    ['auto', undefined],
  ])('sends the allowed tools for mode %s', (mode, choice) => {
    const body = sent({
      tools: [tool('f'), tool('g')],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: [tool('f')] } },
    });
    expect(body['tools']).toEqual([tool('f', { parameters: { type: 'object', properties: {} } })]);
    expect(body['tool_choice']).toBe(choice);
  });

  it('reports strict tools next to others', () => {
    const { body, losses } = encoded(cohereProvider, { tools: [tool('f', { strict: true }), tool('g')] });
    expect(body['strict_tools']).toBeUndefined();
    expect(losses).toEqual([{ path: 'tools.0.function.strict', code: 'dropped' }]);
  });

  it('sends no tools for an empty list, and no neutral choice', () => {
    const body = sent({ tools: [], tool_choice: 'none', parallel_tool_calls: false });
    expect(body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
  });

  it.each<[string, JsonObject, string]>([
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'c' } }] }, 'tools.0'],
    ['web search', { web_search_options: {} }, 'web_search_options'],
    ['a name that is too long', { tools: [tool('a'.repeat(65))] }, 'tools.0.function.name'],
    ['one call at a time', { tools: [tool('f')], parallel_tool_calls: false }, 'parallel_tool_calls'],
    ['a required call without tools', { tool_choice: 'required' }, 'tool_choice'],
    [
      'a named tool that is not there',
      { tools: [tool('f')], tool_choice: { type: 'function', function: { name: 'g' } } },
      'tool_choice',
    ],
  ])('refuses %s', (_what, body, path) => {
    expect(refused(body)).toEqual(['unsupported_by_provider', path]);
  });
});

describe('cohere: parameters', () => {
  it('sends zeros', () => {
    expect(
      sent({ temperature: 0, frequency_penalty: 0, presence_penalty: 0, top_k: 0, seed: 0 }),
    ).toMatchObject({
      temperature: 0,
      frequency_penalty: 0,
      presence_penalty: 0,
      k: 0,
      seed: 0,
    });
  });

  it('leaves out default values', () => {
    const neutral = {
      n: 1,
      logit_bias: {},
      logprobs: false,
      min_p: 0,
      store: false,
      service_tier: 'auto',
      response_format: { type: 'text' },
      modalities: ['text'],
    };
    const { body, losses } = encoded(cohereProvider, neutral);
    expect(body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    expect(losses).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['n', { n: 2 }],
    ['temperature', { temperature: 1.2 }],
    ['top_p', { top_p: 1 }],
    ['top_k', { top_k: 501 }],
    ['presence_penalty', { presence_penalty: -1 }],
    ['logit_bias', { logit_bias: { 1: 2 } }],
    ['min_p', { min_p: 0.1 }],
    ['top_logprobs', { logprobs: true, top_logprobs: 2 }],
    ['verbosity', { verbosity: 'low' }],
    ['stop', { stop: ['1', '2', '3', '4', '5', '6'] }],
    ['reasoning_effort', { reasoning_effort: 'high' }],
    ['modalities', { modalities: ['text', 'audio'], audio: { voice: 'v', format: 'wav' } }],
    ['response_format', { response_format: { type: 'json_object' }, tools: [tool('f')] }],
    [
      'response_format',
      { response_format: { type: 'json_schema', json_schema: { schema: { type: 'array' } } } },
    ],
  ])('refuses %s, which Cohere does not accept', (path, body) => {
    expect(refused(body)).toEqual(['unsupported_by_provider', path]);
  });

  it('moves parameters to the nearest value in adapt', () => {
    const { body, losses } = encoded(
      cohereProvider,
      { temperature: 1.5, top_p: 1, n: 2, logprobs: true, top_logprobs: 3 },
      { loss: 'adapt' },
    );
    expect(body).toMatchObject({ temperature: 1, p: 0.99, logprobs: true });
    expect(losses.map(({ path, code }) => [path, code])).toEqual([
      ['n', 'dropped'],
      ['temperature', 'approximated'],
      ['top_p', 'approximated'],
      ['top_logprobs', 'dropped'],
    ]);
  });

  it('reports hints', () => {
    const { losses } = encoded(cohereProvider, {
      user: 'u',
      metadata: { a: 'b' },
      store: true,
      service_tier: 'flex',
      prediction: { type: 'content', content: 'x' },
      prompt_cache_key: 'k',
    });
    expect(losses.map(({ path }) => path).sort()).toEqual([
      'metadata',
      'prediction',
      'prompt_cache_key',
      'service_tier',
      'store',
      'user',
    ]);
  });

  it.each([
    ['minimal', 100],
    ['low', 200],
    ['medium', 500],
    ['high', 800],
    ['xhigh', 950],
    ['max', 950],
  ])('converts the effort %s to a budget of %i of 1,000 tokens', (effort, budget) => {
    const { body, losses } = encoded(
      cohereProvider,
      { reasoning_effort: effort, max_tokens: 1_000 },
      { model: 'command-a-reasoning-08-2025' },
    );
    expect(body['thinking']).toEqual({ type: 'enabled', token_budget: budget });
    expect(losses).toEqual([
      { path: 'reasoning_effort', code: 'approximated', to: `token_budget ${String(budget)}` },
    ]);
  });

  it("sends a client's own budget unchanged", () => {
    const thinking = { type: 'enabled', budget_tokens: 2_048 };
    const { body, losses } = encoded(
      cohereProvider,
      { max_tokens: 4_000, thinking, messages: [user('Hi')] },
      { model: 'command-a-reasoning-08-2025', from: 'anthropic-messages' },
    );
    expect(body['thinking']).toEqual({ type: 'enabled', token_budget: 2_048 });
    expect(losses).toEqual([]);
  });

  it('sends the only safety mode, if there are no tools', () => {
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_LOW_AND_ABOVE' }],
    };
    expect(encoded(cohereProvider, body, { from: 'gemini' })).toMatchObject({
      body: { safety_mode: 'STRICT' },
      losses: [{ path: 'safetySettings', code: 'approximated' }],
    });
    const withTools = { ...body, tools: [{ functionDeclarations: [{ name: 'f' }] }] };
    const { body: plain, losses } = encoded(cohereProvider, withTools, { from: 'gemini' });
    expect(plain['safety_mode']).toBeUndefined();
    expect(losses).toEqual([{ path: 'safetySettings', code: 'dropped' }]);
  });
});
