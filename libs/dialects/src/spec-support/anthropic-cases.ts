import type { JsonObject } from '../call';

const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content });
const text = (value: string): JsonObject => ({ type: 'text', text: value });

/**
 * Bodies of requests without `model` and `max_tokens`, which `claude-opus-4-8` accepts unchanged.
 */
export const REQUESTS: Readonly<Record<string, JsonObject>> = {
  'system text, sampling and limits': {
    max_tokens: 0,
    system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [user(text('a'))],
    stop_sequences: ['x', 'y'],
    metadata: { user_id: 'u', team: 't' },
    service_tier: 'standard_only',
    speed: 'fast',
    stream: true,
    cache_control: { type: 'ephemeral' },
  },
  'adaptive thinking': {
    messages: [user(text('a'))],
    thinking: { type: 'adaptive', display: 'omitted' },
    output_config: {
      effort: 'xhigh',
      format: { type: 'json_schema', schema: closed() },
      task_budget: { x: 1 },
    },
  },
  'an effort without thinking': { messages: [user(text('a'))], output_config: { effort: 'low' } },
  'no thinking': {
    messages: [user(text('a'))],
    thinking: { type: 'disabled' },
    output_config: { effort: 'low' },
  },
  'thinking of an unknown form': { messages: [user(text('a'))], thinking: { type: 'between_tools' } },
  'tools and a choice': {
    messages: [user(text('a'))],
    tools: [
      {
        name: 'f',
        input_schema: { type: 'object', additionalProperties: true },
        description: 'd',
        strict: false,
      },
      { type: 'custom', name: 'g', input_schema: closed(), strict: true, defer_loading: true },
      {
        type: 'web_search_20260318',
        name: 'web_search',
        max_uses: 3,
        user_location: { type: 'approximate' },
      },
      { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
    ],
    tool_choice: { type: 'any', disable_parallel_tool_use: false },
  },
  'members that have no place': {
    messages: [user(text('a'))],
    container: { id: 'c', skills: [] },
    mcp_servers: [],
    context_management: { edits: [] },
    inference_geo: 'eu',
  },
  'calls, results and thinking': {
    messages: [
      user(text('w')),
      assistant(
        { type: 'thinking', thinking: 'hm', signature: 'sig==' },
        text(''),
        { type: 'redacted_thinking', data: 'zz' },
        text('Looking.'),
        { type: 'tool_use', id: 't1', name: 'f', input: { a: [1, { b: null }] }, caller: { type: 'direct' } },
        { type: 'tool_use', id: 't2', name: 'f', input: {}, cache_control: { type: 'ephemeral' } },
      ),
      user(
        {
          type: 'tool_result',
          tool_use_id: 't1',
          content: [
            text('x'),
            { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
            { type: 'tool_reference', tool_name: 'g' },
          ],
          cache_control: { type: 'ephemeral', ttl: '5m' },
        },
        { type: 'tool_result', tool_use_id: 't2', is_error: true },
        text('and?'),
      ),
    ],
  },
  'media and documents': {
    messages: [
      user(
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/webp', data: 'AAAA' },
          transformations: {},
        },
        { type: 'image', source: { type: 'file', file_id: 'file_1' } },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'D' },
          title: 't',
          context: 'c',
          citations: { enabled: true },
        },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
        { type: 'document', source: { type: 'content', content: [text('p'), text('q')] }, title: 'blocks' },
        {
          type: 'document',
          source: {
            type: 'content',
            content: [{ type: 'image', source: { type: 'url', url: 'https://a' } }],
          },
        },
        {
          type: 'search_result',
          source: 's',
          title: 't',
          content: [text('r')],
          citations: { enabled: true },
        },
        { type: 'container_upload', file_id: 'file_2' },
      ),
    ],
  },
  'searches and citations': {
    messages: [
      user(text('a')),
      assistant(
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'q' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srv_1',
          content: [{ type: 'web_search_result', url: 'https://a', title: 'A', encrypted_content: 'e' }],
        },
        {
          type: 'text',
          text: 'b',
          citations: [
            {
              type: 'web_search_result_location',
              url: 'https://a',
              title: 'A',
              encrypted_index: 'i',
              cited_text: 'c',
            },
          ],
        },
      ),
      user(text('c')),
    ],
  },
  'a system message inside of the conversation': {
    messages: [user(text('a')), { role: 'system', content: [text('S')] }, user(text('b'))],
  },
};

function closed(): JsonObject {
  return {
    type: 'object',
    properties: { a: { anyOf: [{ type: 'string', format: 'date' }, { $ref: '#/$defs/b' }] } },
    required: ['a'],
    additionalProperties: false,
    $defs: { b: { enum: ['x', 1, null], description: 'd' } },
  };
}

/** A message with blocks of all kinds. */
export const RESPONSE: JsonObject = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-8',
  content: [
    { type: 'thinking', thinking: 'hm', signature: 's==' },
    { type: 'redacted_thinking', data: 'zz' },
    {
      type: 'server_tool_use',
      id: 'srv_1',
      name: 'web_search',
      input: { query: 'q' },
      caller: { type: 'direct' },
    },
    { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [], caller: { type: 'direct' } },
    {
      type: 'text',
      text: 'ok',
      citations: [
        {
          type: 'char_location',
          cited_text: 'c',
          document_index: 0,
          document_title: null,
          start_char_index: 0,
          end_char_index: 1,
          file_id: null,
        },
      ],
    },
    { type: 'brand_new', x: 1 },
    {
      type: 'tool_use',
      id: 't1',
      name: 'f',
      input: { a: 1 },
      caller: { type: 'code_execution_20260120', tool_id: 'z' },
    },
    { type: 'tool_use', id: 't2', name: 'g', input: {}, caller: { type: 'direct' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  stop_details: null,
  container: { id: 'c', expires_at: 'e', skills: null },
  diagnostics: null,
  usage: {
    input_tokens: 10,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    output_tokens: 50,
    output_tokens_details: { thinking_tokens: 40 },
    server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
    service_tier: 'priority',
    inference_geo: null,
    speed: null,
  },
};
