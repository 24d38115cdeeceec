import OpenAI from 'openai';
import type {
  ChatCompletion,
  ChatCompletionContentPart,
  ChatCompletionMessage,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { Client, Destination } from '../client';
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

/** Classes of the SDK's errors that have an `error` member in their body. */
export const OPENAI_KINDS = { invalid: 'BadRequestError', limited: 'RateLimitError' };
export const openAiKindOf = (thrown: unknown): string =>
  thrown instanceof OpenAI.APIError && typeof thrown.type === 'string' ? thrown.constructor.name : '';

const openai = ({ gateway, provider }: Destination): OpenAI =>
  new OpenAI({
    apiKey: gateway.apiKey,
    baseURL: gateway.baseUrl,
    maxRetries: 0,
    // Reasoning is no member of OpenAI's own dialect.
    defaultHeaders: { 'x-gw-provider': `@${provider}`, 'x-gw-strict-open-ai-compliance': 'false' },
  });

function attached(scenario: Scenario): ChatCompletionContentPart[] {
  if (scenario === 'image')
    return [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }];
  const file_data = `data:application/pdf;base64,${PDF}`;
  return scenario === 'pdf' ? [{ type: 'file', file: { filename: 'a.pdf', file_data } }] : [];
}

function earlier(scenario: Scenario): ChatCompletionMessageParam[] {
  const calls = earlierIn(scenario);
  if (calls.length === 0) return [];
  return [
    { role: 'user', content: 'And elsewhere?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ id, name, input }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    },
    ...calls.map(({ id, result }) => ({ role: 'tool' as const, tool_call_id: id, content: result })),
  ];
}

function bodyOf(scenario: Scenario, model: string): ChatCompletionCreateParamsNonStreaming {
  const parts = attached(scenario);
  const content = parts.length === 0 ? QUESTION : [{ type: 'text' as const, text: QUESTION }, ...parts];
  return {
    model,
    messages: [{ role: 'system', content: 'Be brief.' }, ...earlier(scenario), { role: 'user', content }],
    ...(callsIn(scenario) === 0
      ? {}
      : {
          tools: [
            {
              type: 'function',
              function: { name: TOOL, description: DESCRIPTION, parameters: { ...SCHEMA } },
            },
          ],
        }),
    ...(scenario === 'structured output'
      ? {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'place', strict: true, schema: SCHEMA },
          },
        }
      : {}),
    ...(isReasoned(scenario) ? { reasoning_effort: 'high' } : {}),
  };
}

const callsOf = ({ tool_calls: calls = [] }: ChatCompletionMessage): Outcome['calls'] =>
  calls.flatMap((call) =>
    call.type === 'function'
      ? [
          {
            id: call.id,
            name: call.function.name,
            input: JSON.parse(call.function.arguments) as Record<string, unknown>,
          },
        ]
      : [],
  );

function outcomeOf({ choices: [choice], usage }: ChatCompletion): Outcome {
  if (choice === undefined) throw new Error('The response has no choice.');
  const { message } = choice;
  const calls = callsOf(message);
  const { reasoning_content: reasoning } = message as { reasoning_content?: unknown };
  return {
    text: message.content ?? '',
    calls,
    reasoning: typeof reasoning === 'string' ? reasoning : '',
    complete: choice.finish_reason === (calls.length > 0 ? 'tool_calls' : 'stop'),
    input: usage?.prompt_tokens ?? 0,
    output: usage?.completion_tokens ?? 0,
  };
}

export const openAiChatClient: Client = {
  dialect: 'Chat Completions',
  async call(scenario, to) {
    const { completions } = openai(to).chat;
    const body = bodyOf(scenario, to.model);
    if (!isStreamed(scenario)) return outcomeOf(await completions.create(body));
    const { stream: _whole, ...streamed } = body;
    const stream = completions.stream({ ...streamed, stream_options: { include_usage: true } });
    let reasoning = '';
    // The SDK joins the pieces of OpenAI's own members alone.
    stream.on('chunk', ({ choices: [choice] }) => {
      const { reasoning_content: piece } = (choice?.delta ?? {}) as { reasoning_content?: string };
      reasoning += piece ?? '';
    });
    return { ...outcomeOf(await stream.on('content', to.receive).finalChatCompletion()), reasoning };
  },
  kinds: OPENAI_KINDS,
  statusOfCut: 0,
  kindOf: openAiKindOf,
};
