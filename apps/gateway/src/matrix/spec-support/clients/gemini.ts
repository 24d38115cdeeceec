import {
  ApiError,
  FinishReason,
  GoogleGenAI,
  type Content,
  type GenerateContentParameters,
  type GenerateContentResponse,
  type Part,
} from '@google/genai';
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

function attached(scenario: Scenario): Part[] {
  if (scenario === 'image') return [{ inlineData: { mimeType: 'image/png', data: PNG } }];
  return scenario === 'pdf' ? [{ inlineData: { mimeType: 'application/pdf', data: PDF } }] : [];
}

function earlier(scenario: Scenario): Content[] {
  const calls = earlierIn(scenario);
  if (calls.length === 0) return [];
  return [
    { role: 'user', parts: [{ text: 'And elsewhere?' }] },
    {
      role: 'model',
      parts: calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: { ...input } } })),
    },
    {
      role: 'user',
      parts: calls.map(({ id, name, result }) => ({
        functionResponse: { id, name, response: { output: result } },
      })),
    },
  ];
}

const bodyOf = (scenario: Scenario, model: string): GenerateContentParameters => ({
  model,
  contents: [...earlier(scenario), { role: 'user', parts: [{ text: QUESTION }, ...attached(scenario)] }],
  config: {
    systemInstruction: 'Be brief.',
    ...(callsIn(scenario) === 0
      ? {}
      : {
          tools: [
            {
              functionDeclarations: [{ name: TOOL, description: DESCRIPTION, parametersJsonSchema: SCHEMA }],
            },
          ],
        }),
    ...(scenario === 'structured output'
      ? { responseMimeType: 'application/json', responseJsonSchema: SCHEMA }
      : {}),
    ...(isReasoned(scenario) ? { thinkingConfig: { thinkingBudget: 2_048, includeThoughts: true } } : {}),
  },
});

function outcomeOf(responses: readonly GenerateContentResponse[]): Outcome {
  const candidates = responses.flatMap(({ candidates: given }) => given?.[0] ?? []);
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  const texts = (thought: boolean): string =>
    parts.map((part) => ((part.thought ?? false) === thought ? (part.text ?? '') : '')).join('');
  const usage = responses.at(-1)?.usageMetadata;
  return {
    text: texts(false),
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id ?? '', name: call.name ?? '', input: call.args ?? {} }],
    ),
    reasoning: texts(true),
    complete: candidates.at(-1)?.finishReason === FinishReason.STOP,
    input: usage?.promptTokenCount ?? 0,
    output: usage?.candidatesTokenCount ?? 0,
  };
}

export const geminiClient: Client = {
  dialect: 'Gemini',
  async call(scenario, { gateway, provider, model, receive }) {
    const { models } = new GoogleGenAI({
      apiKey: gateway.apiKey,
      httpOptions: {
        baseUrl: gateway.baseUrl.replace(/\/v1$/, ''),
        headers: { 'x-gw-provider': `@${provider}` },
        retryOptions: { attempts: 1 },
      },
    });
    const body = bodyOf(scenario, model);
    if (!isStreamed(scenario)) return outcomeOf([await models.generateContent(body)]);
    const all: GenerateContentResponse[] = [];
    for await (const piece of await models.generateContentStream(body)) {
      all.push(piece);
      receive(outcomeOf([piece]).text);
    }
    return outcomeOf(all);
  },
  kinds: { invalid: 'INVALID_ARGUMENT', limited: 'RESOURCE_EXHAUSTED' },
  statusOfCut: 502,
  kindOf: (thrown) =>
    thrown instanceof ApiError ? (/"status":\s*"(\w+)"/.exec(thrown.message)?.[1] ?? '') : '',
};
