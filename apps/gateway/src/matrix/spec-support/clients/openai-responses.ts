import OpenAI from 'openai';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { Client } from '../client';
import { OPENAI_KINDS, openAiKindOf } from './openai-chat';
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

function attached(scenario: Scenario): ResponseInputContent[] {
  if (scenario === 'image')
    return [{ type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${PNG}` }];
  const file_data = `data:application/pdf;base64,${PDF}`;
  return scenario === 'pdf' ? [{ type: 'input_file', filename: 'a.pdf', file_data }] : [];
}

function earlier(scenario: Scenario): ResponseInputItem[] {
  const calls = earlierIn(scenario);
  if (calls.length === 0) return [];
  return [
    { role: 'user', content: 'And elsewhere?' },
    ...calls.map(({ id, name, input }) => ({
      type: 'function_call' as const,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
    ...calls.map(({ id, result }) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: result,
    })),
  ];
}

function bodyOf(scenario: Scenario, model: string): ResponseCreateParamsNonStreaming {
  const content: ResponseInputContent[] = [{ type: 'input_text', text: QUESTION }, ...attached(scenario)];
  return {
    model,
    store: false,
    instructions: 'Be brief.',
    input: [...earlier(scenario), { role: 'user', content }],
    ...(callsIn(scenario) === 0
      ? {}
      : {
          tools: [
            {
              type: 'function',
              name: TOOL,
              description: DESCRIPTION,
              parameters: { ...SCHEMA },
              strict: true,
            },
          ],
        }),
    ...(scenario === 'structured output'
      ? { text: { format: { type: 'json_schema', name: 'place', strict: true, schema: SCHEMA } } }
      : {}),
    ...(isReasoned(scenario) ? { reasoning: { effort: 'high', summary: 'auto' } } : {}),
  };
}

function outcomeOf({ output, status, usage }: Response): Outcome {
  const text = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const summaries = output.flatMap((item) =>
    item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : [],
  );
  return {
    text: text.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call'
        ? [
            {
              id: item.call_id,
              name: item.name,
              input: JSON.parse(item.arguments) as Record<string, unknown>,
            },
          ]
        : [],
    ),
    reasoning: summaries.map((part) => part.text).join(''),
    complete: status === 'completed',
    input: usage?.input_tokens ?? 0,
    output: usage?.output_tokens ?? 0,
  };
}

export const openAiResponsesClient: Client = {
  dialect: 'Responses',
  async call(scenario, { gateway, provider, model, receive }) {
    const { responses } = new OpenAI({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-provider': `@${provider}` },
    });
    const body = bodyOf(scenario, model);
    if (!isStreamed(scenario)) return outcomeOf(await responses.create(body));
    const { stream: _whole, ...streamed } = body;
    const stream = responses.stream(streamed).on('response.output_text.delta', ({ delta }) => {
      receive(delta);
    });
    return outcomeOf(await stream.finalResponse());
  },
  kinds: OPENAI_KINDS,
  statusOfCut: 0,
  kindOf: openAiKindOf,
};
