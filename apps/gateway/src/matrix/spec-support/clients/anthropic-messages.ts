import Anthropic from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Client } from '../client';
import {
  callsIn,
  DESCRIPTION,
  earlierIn,
  isReasoned,
  isStreamed,
  PDF,
  PNG,
  QUESTION,
  SCHEMA,
  TOOL,
  type Outcome,
  type Scenario,
} from '../scenario';

function attached(scenario: Scenario): ContentBlockParam[] {
  if (scenario === 'image')
    return [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }];
  return scenario === 'pdf'
    ? [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } }]
    : [];
}

function earlier(scenario: Scenario): {
  readonly turns: MessageParam[];
  readonly results: ContentBlockParam[];
} {
  const calls = earlierIn(scenario);
  if (calls.length === 0) return { turns: [], results: [] };
  return {
    turns: [
      { role: 'user', content: 'And elsewhere?' },
      {
        role: 'assistant',
        content: calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input: { ...input } })),
      },
    ],
    results: calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result })),
  };
}

function bodyOf(scenario: Scenario, model: string): MessageCreateParamsNonStreaming {
  const { turns, results } = earlier(scenario);
  return {
    model,
    max_tokens: 4_096,
    system: 'Be brief.',
    messages: [
      ...turns,
      { role: 'user', content: [...results, ...attached(scenario), { type: 'text', text: QUESTION }] },
    ],
    ...(callsIn(scenario) === 0
      ? {}
      : {
          tools: [
            {
              name: TOOL,
              description: DESCRIPTION,
              input_schema: { ...SCHEMA, required: [...SCHEMA.required] },
            },
          ],
        }),
    ...(scenario === 'structured output'
      ? { output_config: { format: { type: 'json_schema', schema: SCHEMA } } }
      : {}),
    ...(isReasoned(scenario) ? { thinking: { type: 'enabled', budget_tokens: 2_048 } } : {}),
  };
}

const outcomeOf = ({ content, stop_reason: stop, usage }: Message): Outcome => {
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, name: block.name, input: block.input as Record<string, unknown> }]
      : [],
  );
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls,
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    complete: stop === (calls.length > 0 ? 'tool_use' : 'end_turn'),
    input: usage.input_tokens,
    output: usage.output_tokens,
  };
};

export const anthropicClient: Client = {
  dialect: 'Messages',
  async call(scenario, { gateway, provider, model, receive }) {
    const { messages } = new Anthropic({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl.replace(/\/v1$/, ''),
      maxRetries: 0,
      defaultHeaders: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': `@${provider}` },
    });
    const body = bodyOf(scenario, model);
    if (!isStreamed(scenario)) return outcomeOf(await messages.create(body));
    return outcomeOf(await messages.stream(body).on('text', receive).finalMessage());
  },
  kinds: { invalid: 'invalid_request_error', limited: 'rate_limit_error' },
  statusOfCut: 0,
  kindOf: (thrown) => (thrown instanceof Anthropic.APIError ? String(thrown.type) : ''),
};
