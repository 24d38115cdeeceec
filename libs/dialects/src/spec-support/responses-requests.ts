import type { JsonObject } from '../call';

export const user = (content: unknown): JsonObject => ({ role: 'user', content });
const call = (id: string, extra: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{ "a": 1e400 }',
  ...extra,
});
const output = (id: string, value: unknown = 'ok'): JsonObject => ({
  type: 'function_call_output',
  call_id: id,
  output: value,
});

/** Inputs with every kind of item and content part. */
export const INPUTS: Readonly<Record<string, readonly JsonObject[]>> = {
  'messages of every role': [
    { role: 'system', content: 'S' },
    {
      role: 'developer',
      content: [
        { type: 'input_text', text: 'D1' },
        { type: 'input_text', text: 'D2' },
      ],
    },
    user('a'),
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'b', annotations: [] }],
    },
    { role: 'developer', content: 'later' },
    { role: 'system', content: 'later still' },
    user([{ type: 'input_text', text: 'c', prompt_cache_breakpoint: { mode: 'explicit' } }]),
  ],
  'a system message with an image': [
    { role: 'system', content: [{ type: 'input_image', image_url: 'https://a/b.png' }] },
    user('a'),
  ],
  'two assistant messages in a row': [
    user('a'),
    { role: 'assistant', content: 'b', phase: 'commentary' },
    { role: 'assistant', content: 'c', phase: 'final_answer' },
    user('d'),
  ],
  'annotations and refusals': [
    user('a'),
    {
      role: 'assistant',
      content: [
        {
          type: 'output_text',
          text: 'abc',
          annotations: [{ type: 'url_citation', url: 'https://a', title: 'A', start_index: 0, end_index: 2 }],
        },
        {
          type: 'output_text',
          text: 'def',
          annotations: [{ type: 'file_citation', file_id: 'f', filename: 'x', index: 1 }],
          logprobs: [],
        },
        { type: 'refusal', refusal: 'no' },
      ],
    },
    user('b'),
  ],
  media: [
    user([
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'original' },
      { type: 'input_image', image_url: 'https://a/b.png' },
      { type: 'input_image', file_id: 'file-1', detail: 'auto' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'JVBERi0xLjQ=' },
      { type: 'input_file', file_url: 'https://a/b.pdf', detail: 'high' },
      { type: 'input_file', file_id: 'file-2' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'input_hologram', hologram: 1 },
    ]),
  ],
  'calls in parallel, with outputs of text and content': [
    user('w'),
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'enc',
    },
    call('c1', { id: 'fc_1', status: 'completed', namespace: 'n' }),
    call('c2', { caller: { type: 'program', caller_id: 'p' } }),
    output('c1', [
      { type: 'input_text', text: 'x' },
      { type: 'input_image', image_url: 'https://a/b.png' },
    ]),
    output('c2'),
    { role: 'assistant', content: 'done' },
    user('more'),
  ],
  'calls and outputs one after the other': [
    user('w'),
    call('c1'),
    output('c1'),
    call('c2'),
    output('c2', ''),
  ],
  'a message between a call and its output': [
    user('w'),
    call('c1'),
    { role: 'assistant', content: 'wait' },
    call('c2'),
    output('c1'),
    output('c2'),
  ],
  'custom tools': [
    user('w'),
    { type: 'custom_tool_call', call_id: 'c1', name: 'sql', input: 'SELECT 1', id: 'ctc_1' },
    { type: 'custom_tool_call_output', call_id: 'c1', output: '1', id: 'o1' },
  ],
  'reasoning in all forms': [
    user('w'),
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e1' },
    {
      type: 'reasoning',
      id: 'rs_2',
      summary: [
        { type: 'summary_text', text: 'a' },
        { type: 'summary_text', text: 'b' },
      ],
      encrypted_content: 'e2',
      status: 'completed',
    },
    {
      type: 'reasoning',
      id: 'rs_3',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'raw' }],
      encrypted_content: 'e3',
    },
    { type: 'reasoning', id: 'rs_4', summary: [{ type: 'summary_text', text: 'kept by the provider' }] },
    { role: 'assistant', content: 'ok' },
    user('more'),
  ],
  'hosted tools and items without a neutral form': [
    user('w'),
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['q'], results: null },
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      status: 'completed',
      code: '1',
      container_id: 'c',
      outputs: null,
    },
    { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'AAAA' },
    { type: 'mcp_list_tools', id: 'ml_1', server_label: 's', tools: [] },
    { type: 'mcp_approval_request', id: 'ma_1', arguments: '{}', name: 'f', server_label: 's' },
    { type: 'mcp_approval_response', approval_request_id: 'ma_1', approve: true },
    { type: 'mcp_call', id: 'mc_1', arguments: '{}', name: 'f', server_label: 's', output: 'x' },
    {
      type: 'computer_call',
      id: 'cc_1',
      call_id: 'k',
      action: { type: 'screenshot' },
      pending_safety_checks: [],
      status: 'completed',
    },
    { type: 'computer_call_output', call_id: 'k', output: { type: 'computer_screenshot', file_id: 'f' } },
    {
      type: 'local_shell_call',
      id: 'ls_1',
      call_id: 'l',
      action: { type: 'exec', command: ['ls'], env: {} },
      status: 'completed',
    },
    { type: 'local_shell_call_output', id: 'l', output: 'a' },
    {
      type: 'apply_patch_call',
      call_id: 'p',
      operation: { type: 'delete_file', path: 'a' },
      status: 'completed',
    },
    { type: 'apply_patch_call_output', call_id: 'p', status: 'completed' },
    { type: 'compaction', encrypted_content: 'x' },
    { type: 'item_reference', id: 'msg_9' },
    { type: 'unheard_of', data: 1 },
  ],
};

/** Members of bodies other than the input. */
export const MEMBERS: Readonly<Record<string, JsonObject>> = {
  limits: { max_output_tokens: 99, top_logprobs: 3, include: ['message.output_text.logprobs'] },
  'include and store': {
    store: false,
    include: ['web_search_call.action.sources', 'reasoning.encrypted_content'],
  },
  'an explicit store': { store: true },
  'sampling without reasoning': { temperature: 0, top_p: 0, reasoning: { effort: 'none' } },
  reasoning: { reasoning: { effort: 'xhigh', summary: 'concise', context: 'all_turns', mode: 'pro' } },
  'instructions and text': {
    instructions: 'I',
    text: {
      format: { type: 'json_schema', name: 'w', schema: { type: 'object' }, strict: true, description: 'd' },
      verbosity: 'low',
    },
  },
  'JSON output': { text: { format: { type: 'json_object' } } },
  'text output': { text: { format: { type: 'text' } } },
  tools: {
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
      { type: 'function', name: 'g', defer_loading: true },
      {
        type: 'custom',
        name: 'sql',
        description: 'd',
        format: { type: 'grammar', syntax: 'lark', definition: 'x' },
      },
      { type: 'custom', name: 'free', format: { type: 'text' } },
      {
        type: 'web_search_preview',
        search_context_size: 'low',
        user_location: { type: 'approximate', city: 'Oslo' },
      },
      { type: 'web_search', filters: { allowed_domains: ['a'] } },
      { type: 'mcp', server_label: 's', server_url: 'https://s' },
      { type: 'namespace', name: 'n', description: 'd', tools: [] },
    ],
    tool_choice: {
      type: 'allowed_tools',
      mode: 'required',
      tools: [
        { type: 'function', name: 'f' },
        { type: 'custom', name: 'sql' },
      ],
    },
    parallel_tool_calls: false,
  },
  'a choice of an MCP server': {
    tools: [{ type: 'mcp', server_label: 's', server_url: 'https://s' }],
    tool_choice: { type: 'mcp', server_label: 's', name: 'f' },
  },
  'a choice of a custom tool': {
    tools: [{ type: 'custom', name: 'sql' }],
    tool_choice: { type: 'custom', name: 'sql' },
  },
  'a choice of web search': {
    tools: [{ type: 'web_search_preview' }],
    tool_choice: { type: 'web_search_preview' },
  },
  state: { previous_response_id: 'resp_1', background: true, truncation: 'auto' },
  'state of a conversation': { conversation: 'conv_1', input: [output('c0')] },
  'a prompt without input': { prompt: { id: 'p_1', variables: {} }, input: undefined },
  caching: {
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    prompt_cache_options: { mode: 'explicit' },
  },
  'cache options': { prompt_cache_options: { mode: 'implicit', ttl: '30m' } },
  hints: {
    service_tier: 'flex',
    safety_identifier: 'u',
    metadata: { a: 'b' },
    stream: true,
    stream_options: { include_obfuscation: false },
    max_tool_calls: 3,
    moderation: { model: 'm' },
    context_management: [{ type: 'compaction' }],
    an_unknown_member: [1],
  },
  'the older user': { user: 'u' },
  'both users': { user: 'u', safety_identifier: 's' },
};
