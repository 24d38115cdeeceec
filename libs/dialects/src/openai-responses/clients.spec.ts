import type { JsonObject } from '../call';
import { contextOf } from '../spec-support/responses-cases';
import { toChat } from '../spec-support/responses-translations';
import { openAiResponsesClient } from '.';

describe('clients of the Responses API', () => {
  const refusal = (body: JsonObject): unknown => {
    try {
      toChat(body);
      return null;
    } catch (thrown) {
      const { type, options } = thrown as { type: string; options: { param?: string } };
      return [type, options.param];
    }
  };

  it.each([
    [{ previous_response_id: 'r' }, 'previous_response_id'],
    [{ conversation: { id: 'c' } }, 'conversation'],
    [{ background: true }, 'background'],
    [{ prompt: { id: 'p' } }, 'prompt'],
    [{ context_management: [] }, 'context_management'],
    [
      {
        input: [
          { type: 'item_reference', id: 'i' },
          { role: 'user', content: 'x' },
        ],
      },
      'input.0',
    ],
    [{ input: [{ id: 'i' }, { role: 'user', content: 'x' }] }, 'input.0'],
    [
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'computer_call', call_id: 'c' },
        ],
      },
      'input.1',
    ],
    [{ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'tools.0'],
    [{ tools: [{ type: 'mcp', server_label: 's' }] }, 'tools.0'],
  ])('refuses %j for a provider without state', (body, param) => {
    expect(refusal(body)).toEqual(['unsupported_by_provider', param]);
  });

  it.each([
    [{ input: 1 }, 'input'],
    [{ input: undefined }, 'input'],
    [{ input: [1] }, 'input.0'],
    [{ input: [{ role: 'robot', content: 'x' }] }, 'input.0.role'],
    [{ input: [{ role: 'user', content: [{ text: 'x' }] }] }, 'input.0.content.0.type'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input.0.content.0'],
    [{ input: [{ type: 'function_call', call_id: 'c', name: 'f' }] }, 'input.0.arguments'],
    [
      {
        input: [
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
          { role: 'user', content: 'x' },
        ],
      },
      'input.0.call_id',
    ],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ reasoning: { effort: 'enormous' } }, 'reasoning.effort'],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ text: { format: { type: 'json_schema', name: 'x' } } }, 'text.format.schema'],
    [{ tools: [{ type: 'function' }] }, 'tools.0.name'],
    [{ tool_choice: 3 }, 'tool_choice'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ stream: 'yes' }, 'stream'],
  ])('returns a validation error for %j', (body, param) => {
    expect(refusal(body)).toEqual(['validation_failed', param]);
  });

  it('send seals of other makers back with their original parts', () => {
    const google = (value: string): JsonObject => ({
      type: 'reasoning',
      id: 'rs',
      summary: [],
      encrypted_content: `gw1.google.${value}`,
    });
    const call = openAiResponsesClient.decodeCall({
      model: 'm',
      input: [
        { role: 'user', content: 'x' },
        { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'gw1.anthropic.redacted' },
        {
          type: 'reasoning',
          id: 'rs',
          summary: [{ type: 'summary_text', text: '' }],
          encrypted_content: 'gw1.anthropic.omitted',
        },
        { role: 'assistant', content: 'ok' },
        google('text'),
        google('call'),
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: '1' },
      ],
    });
    expect(call.turns[1]?.parts).toMatchObject([
      { kind: 'reasoning', seal: { by: 'anthropic', value: 'redacted', redacted: true } },
      { kind: 'reasoning', seal: { by: 'anthropic', value: 'omitted' } },
      { kind: 'text', seal: { by: 'google', value: 'text' } },
      { kind: 'tool_call', seal: { by: 'google', value: 'call' } },
    ]);
    expect(call.turns[1]?.parts[1]).not.toHaveProperty('seal.redacted');
  });

  it('get the members of their request in the response, and defaults for the others', () => {
    const request = {
      model: 'm',
      input: 'x',
      tools: [{ type: 'function', name: 'f' }],
      text: { verbosity: 'low' },
      reasoning: { effort: 'low' },
    };
    const body = openAiResponsesClient.encodeResponse(
      { id: '', model: '', created: 0, candidates: [{ index: 0, parts: [], finish: { reason: 'stop' } }] },
      contextOf(request),
    );
    expect(body).toEqual({
      id: 'resp_req_1',
      object: 'response',
      created_at: 1_700_000_000,
      completed_at: 1_700_000_000,
      model: 'm',
      status: 'completed',
      error: null,
      incomplete_details: null,
      output: [],
      usage: null,
      instructions: null,
      max_output_tokens: null,
      max_tool_calls: null,
      metadata: {},
      parallel_tool_calls: true,
      prompt_cache_key: null,
      safety_identifier: null,
      temperature: 1,
      tool_choice: 'auto',
      top_logprobs: 0,
      top_p: 1,
      truncation: 'disabled',
      user: null,
      background: false,
      previous_response_id: null,
      reasoning: { effort: 'low', summary: null },
      service_tier: 'default',
      store: false,
      text: { format: { type: 'text' }, verbosity: 'low' },
      tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }],
    });
  });
});
