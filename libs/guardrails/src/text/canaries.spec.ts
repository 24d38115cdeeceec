import { FACTS } from '../spec-support/judge';
import { Subject } from '../subject';
import type { Dialect } from './passages';

/**
 * Bodies with every member of the official SDKs that can hold a text, and a few that no dialect has.
 * Each of their texts and names of members is replaced by a canary, one at a time.
 */
const schema = {
  type: 'object',
  title: 't',
  properties: { p: { type: 'string', enum: ['e'] } },
  required: ['p'],
};
const fn = { name: 'f', description: 'd', parameters: schema };
const cache = { cache_control: { type: 'ephemeral', ttl: '5m' } };

const REQUESTS: Readonly<Partial<Record<Dialect, object>>> = {
  chat: {
    model: 'm',
    messages: [
      { role: 'system', name: 'n', content: 's' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 't', ...cache },
          { type: 'image_url', image_url: { url: 'u', detail: 'low' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          { type: 'file', file: { filename: 'f', file_data: 'AAAA', file_id: 'i' } },
        ],
        unknown: 'u',
      },
      {
        role: 'assistant',
        refusal: 'r',
        audio: { id: 'i' },
        tool_calls: [
          { id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'i', type: 'custom', custom: { name: 'f', input: 'i' } },
        ],
      },
      { role: 'tool', tool_call_id: 'i', content: 'r' },
    ],
    tools: [
      { type: 'function', function: fn },
      {
        type: 'custom',
        custom: { name: 'c', format: { type: 'grammar', grammar: { definition: 'd', syntax: 'lark' } } },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'f' } },
    response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } },
    prediction: { type: 'content', content: [{ type: 'text', text: 't' }] },
    audio: { voice: 'v', format: 'wav' },
    modalities: ['text'],
    web_search_options: { user_location: { type: 'approximate', approximate: { city: 'c', country: 'DE' } } },
    metadata: { k: 'v' },
    logit_bias: { '50256': 1 },
    stop: ['s'],
    user: 'u',
    safety_identifier: 's',
    prompt_cache_key: 'p',
    service_tier: 'auto',
    reasoning_effort: 'low',
    unknown: { a: ['u'] },
  },
  completions: { model: 'm', prompt: ['p'], suffix: 's', stop: 's', user: 'u' },
  embeddings: { model: 'm', input: ['i'], user: 'u', encoding_format: 'float', title: 't' },
  moderations: {
    model: 'm',
    input: [
      { type: 'text', text: 't' },
      { type: 'image_url', image_url: { url: 'u' } },
    ],
  },
  responses: {
    model: 'm',
    instructions: 'i',
    input: [
      {
        type: 'message',
        id: 'i',
        status: 'completed',
        role: 'user',
        content: [
          { type: 'input_text', text: 't' },
          { type: 'input_image', image_url: 'u', file_id: 'i' },
          { type: 'input_file', filename: 'f', file_data: 'AAAA', file_url: 'u' },
        ],
      },
      { type: 'function_call', call_id: 'c', name: 'f', namespace: 'n', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 't' }] },
      {
        type: 'reasoning',
        id: 'i',
        summary: [{ type: 'summary_text', text: 't' }],
        encrypted_content: 'AAAA',
      },
      { type: 'mcp_call', id: 'i', name: 'n', server_label: 's', arguments: '{}', output: 'o', error: 'e' },
      {
        type: 'computer_call',
        action: { type: 'type', text: 't' },
        pending_safety_checks: [{ id: 'i', code: 'c', message: 'm' }],
      },
      { type: 'item_reference', id: 'i' },
    ],
    tools: [
      { type: 'function', ...fn },
      { type: 'mcp', server_label: 'l', server_url: 'u', headers: { h: 'v' }, allowed_tools: ['a'] },
      { type: 'web_search', filters: { allowed_domains: ['d'] } },
    ],
    tool_choice: { type: 'mcp', server_label: 's', name: 'n' },
    text: { format: { type: 'json_schema', name: 'n', schema } },
    prompt: { id: 'i', version: '1', variables: { v: 'v' } },
    conversation: { id: 'i' },
    previous_response_id: 'p',
    include: ['i'],
    metadata: { k: 'v' },
    user: 'u',
    truncation: 'auto',
  },
  messages: {
    model: 'm',
    system: [{ type: 'text', text: 's', ...cache }],
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'document',
            title: 't',
            context: 'c',
            source: { type: 'base64', media_type: 'm', data: 'AAAA' },
            citations: { enabled: true },
          },
          { type: 'image', source: { type: 'url', url: 'u' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 't', signature: 'AAAA' },
          { type: 'tool_use', id: 'i', name: 'n', input: { a: 'b' }, caller: { type: 'direct' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'i', content: [{ type: 'text', text: 't' }] },
          { type: 'search_result', title: 't', source: 's', content: [{ type: 'text', text: 't' }] },
        ],
      },
    ],
    tools: [{ name: 'n', description: 'd', input_schema: schema, ...cache }],
    tool_choice: { type: 'tool', name: 'n' },
    metadata: { user_id: 'u' },
    stop_sequences: ['s'],
    container: 'c',
    mcp_servers: [{ type: 'url', name: 'n', url: 'u', authorization_token: 'a' }],
    service_tier: 'auto',
  },
  gemini: {
    systemInstruction: { parts: [{ text: 't' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 't', thoughtSignature: 'AAAA' },
          { inlineData: { mimeType: 'm', data: 'AAAA', displayName: 'd' } },
          { fileData: { mimeType: 'm', fileUri: 'u' } },
          { functionResponse: { id: 'i', name: 'n', response: { r: 'r' } } },
        ],
      },
    ],
    tools: [{ functionDeclarations: [fn] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    safetySettings: [{ category: 'c', threshold: 't' }],
    generationConfig: {
      stopSequences: ['s'],
      responseMimeType: 'm',
      responseSchema: schema,
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'v' } } },
    },
    cachedContent: 'c',
    labels: { k: 'v' },
  },
};

const RESPONSES: Readonly<Partial<Record<Dialect, object>>> = {
  chat: {
    id: 'i',
    object: 'chat.completion',
    model: 'm',
    system_fingerprint: 's',
    service_tier: 's',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        stop_reason: 's',
        message: {
          role: 'assistant',
          content: 'c',
          refusal: 'r',
          reasoning_content: 'r',
          annotations: [{ type: 'url_citation', url_citation: { url: 'u', title: 't' } }],
          audio: { id: 'i', data: 'AAAA', transcript: 't' },
          tool_calls: [{ id: 'i', type: 'function', function: { name: 'f', arguments: '{}' } }],
          images: [{ type: 'image_url', image_url: { url: 'u' } }],
          unknown: 'u',
        },
      },
    ],
    usage: { unknown: 'u' },
    output: [{ type: 'message', content: 'another dialect' }],
  },
  completions: { id: 'i', model: 'm', choices: [{ text: 't', finish_reason: 'stop', unknown: 'u' }] },
  responses: {
    id: 'i',
    object: 'response',
    status: 'incomplete',
    incomplete_details: { reason: 'r' },
    error: { code: 'c', message: 'm' },
    output: [
      {
        type: 'message',
        id: 'i',
        role: 'assistant',
        status: 's',
        content: [
          {
            type: 'output_text',
            text: 't',
            annotations: [{ type: 'file_citation', file_id: 'i', filename: 'f' }],
          },
          { type: 'refusal', refusal: 'r' },
        ],
      },
      { type: 'function_call', id: 'i', call_id: 'c', name: 'n', arguments: '{}' },
      { type: 'image_generation_call', id: 'i', result: 'AAAA', revised_prompt: 'r' },
      {
        type: 'web_search_call',
        id: 'i',
        action: { type: 'search', query: 'q', sources: [{ type: 'url', url: 'u' }] },
      },
      {
        type: 'file_search_call',
        queries: ['q'],
        results: [{ file_id: 'i', filename: 'f', text: 't', attributes: { a: 'b' } }],
      },
      { type: 'code_interpreter_call', code: 'c', container_id: 'i', outputs: [{ type: 'logs', logs: 'l' }] },
    ],
    output_text: 'o',
  },
  messages: {
    id: 'i',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 's',
    stop_sequence: 's',
    container: { id: 'i', expires_at: 'e' },
    content: [
      {
        type: 'text',
        text: 't',
        citations: [{ type: 'char_location', cited_text: 'c', document_title: 'd', file_id: 'i' }],
      },
      { type: 'tool_use', id: 'i', name: 'n', input: {} },
      { type: 'redacted_thinking', data: 'AAAA' },
    ],
    choices: [{ message: { content: 'another dialect' } }],
  },
  gemini: {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 't' },
            { functionCall: { id: 'i', name: 'n', args: { a: 'b' } } },
            { inlineData: { mimeType: 'm', data: 'AAAA' } },
            { unknown: 'u' },
          ],
        },
        finishReason: 'STOP',
        finishMessage: 'f',
        safetyRatings: [{ category: 'c', probability: 'p' }],
        citationMetadata: { citationSources: [{ uri: 'u', license: 'l' }] },
      },
    ],
    promptFeedback: { blockReason: 'b', blockReasonMessage: 'm' },
    modelVersion: 'm',
    responseId: 'r',
  },
};

const CANARY = 'a canary, 4111';

/** Yields copies of a body with a canary in one place, with the path of the place. */
function* planted(body: unknown, path = ''): Generator<readonly [string, unknown]> {
  if (typeof body === 'string') yield [path, CANARY];
  else if (Array.isArray(body)) {
    for (const [at, item] of body.entries())
      for (const [where, copy] of planted(item, `${path}.${String(at)}`)) yield [where, body.with(at, copy)];
  } else if (typeof body === 'object' && body !== null) {
    yield [`${path}.*`, { ...body, [CANARY]: 1 }];
    for (const [name, item] of Object.entries(body))
      for (const [where, copy] of planted(item, `${path}.${name}`)) yield [where, { ...body, [name]: copy }];
  }
}

const unseen = (subjectOf: (body: unknown) => Subject, body: unknown): readonly string[] =>
  [...planted(body)]
    .filter(([, copy]) => !subjectOf(copy).texts(['all']).join('\n').includes(CANARY))
    .map(([path]) => path);

describe('a canary in any member', () => {
  it.each(Object.entries(REQUESTS) as [Dialect, object][])(
    'of a request of %s is judged',
    (dialect, body) => {
      expect(unseen((copy) => Subject.input({ ...FACTS, dialect }, copy), body)).toEqual([]);
    },
  );

  it.each(Object.entries(RESPONSES) as [Dialect, object][])(
    'of a response of %s is judged',
    (dialect, body) => {
      expect(unseen((copy) => Subject.output({ ...FACTS, dialect }, null, copy, 200), body)).toEqual([]);
    },
  );

  it.each([
    ...Object.entries(REQUESTS).map(([dialect, body]) => ['request', dialect as Dialect, body] as const),
    ...Object.entries(RESPONSES).map(([dialect, body]) => ['response', dialect as Dialect, body] as const),
  ])('of a %s of %s can be replaced, or is denied', (stage, dialect, body) => {
    const subjectOf = (copy: unknown): Subject =>
      stage === 'request'
        ? Subject.input({ ...FACTS, dialect }, copy)
        : Subject.output({ ...FACTS, dialect }, null, copy, 200);
    const left = [...planted(body)].filter(([, copy]) => {
      const subject = subjectOf(copy);
      const at = subject.passages().findIndex(({ text }) => text.includes(CANARY));
      const edits = new Map(at < 0 ? [] : [[at, 'x1']]);
      return (
        !subject.isRefused(edits) && at >= 0 && JSON.stringify(subject.edited(edits).body).includes(CANARY)
      );
    });
    expect(left.map(([path]) => path)).toEqual([]);
  });
});

describe('a member that no dialect has', () => {
  const seen = (value: unknown): readonly string[] =>
    Subject.input(FACTS, { messages: [], unknown: value }).texts(['messages']);

  it('is no text when it has the form of an identifier', () => {
    for (const id of ['auto', 'req_011CR', 'gpt-4o-mini', '2026-01-01T00:00:00Z', 'aB3xK9mQ2pL7vN4tR8wY1zC6'])
      expect(seen(id)).toEqual([]);
  });

  it('is no text when it is a model, also with a slug or a version', () => {
    for (const model of ['@openai/gpt-4o', '@cf/meta/llama-3.1-8b-instruct', 'claude-3-5-sonnet@20240620'])
      expect(Subject.input(FACTS, { model, messages: [] }).texts(['all'])).toEqual([]);
  });

  it('has a name that is no text when it is one of JSON Schema or JSON-LD', () => {
    const parameters = { $schema: 'x', $defs: { a: { $ref: 'x' } }, '@type': 'x' };
    const body = { messages: [], tools: [{ type: 'function', function: { name: 'f', parameters } }] };
    expect(Subject.input(FACTS, body).texts(['messages'])).toEqual([]);
  });

  it('is a text when it has spaces, marks, or digits alone', () => {
    for (const text of ['two words', 'ada@example.com', '4111111111111111', '+4915112345678'])
      expect(seen([text])).toEqual([text]);
  });
});
