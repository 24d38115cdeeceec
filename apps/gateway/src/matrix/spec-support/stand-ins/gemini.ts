import { anyObject, closed, count, either, filled, flag, list, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, type Reply } from '../scenario';
import { bearer, dataEvents, type StandIn } from '../stand-in';

const signed = { thoughtSignature: text, thought: flag };
const part = either(
  closed({ text: filled }, signed),
  closed({ inlineData: closed({ mimeType: filled, data: filled }, { displayName: text }) }),
  closed({ functionCall: closed({ name: filled }, { args: anyObject, id: filled }) }, signed),
  closed({ functionResponse: closed({ name: filled, response: anyObject }, { id: filled }) }),
);
const content = (...roles: readonly string[]) => closed({ parts: list(part) }, { role: only(...roles) });
const REQUEST = closed(
  { contents: list(content('user', 'model')) },
  {
    systemInstruction: content('user', 'system'),
    tools: list(
      closed({
        functionDeclarations: list(
          closed(
            { name: filled },
            { description: text, parameters: anyObject, parametersJsonSchema: anyObject },
          ),
        ),
      }),
    ),
    toolConfig: anyObject,
    generationConfig: closed(
      {},
      {
        maxOutputTokens: count,
        responseMimeType: text,
        responseSchema: anyObject,
        responseJsonSchema: anyObject,
        thinkingConfig: closed(
          {},
          { thinkingBudget: { type: 'integer' }, includeThoughts: flag, thinkingLevel: text },
        ),
      },
    ),
  },
);

const METADATA = {
  usageMetadata: {
    promptTokenCount: INPUT_TOKENS,
    candidatesTokenCount: OUTPUT_TOKENS,
    totalTokenCount: INPUT_TOKENS + OUTPUT_TOKENS,
  },
  modelVersion: 'm',
  responseId: 'r1',
};
const candidate = (parts: readonly object[], finish?: string) => ({
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts },
      ...(finish === undefined ? {} : { finishReason: finish }),
    },
  ],
});

function whole({ text: value, reasoning, calls }: Reply): object {
  const parts = [
    ...(reasoning === null ? [] : [{ text: reasoning, thought: true }]),
    ...(value === null ? [] : [{ text: value }]),
    ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } })),
  ];
  return { ...candidate(parts, 'STOP'), ...METADATA };
}

function events({ text: value }: Reply): object[] {
  const words = (value ?? '').split(/(?= )/);
  const last = words.pop() ?? '';
  return [
    ...words.map((word) => candidate([{ text: word }])),
    candidate([{ text: last }]),
    { ...candidate([{ text: '' }], 'STOP'), ...METADATA },
  ];
}

export const gemini: StandIn = {
  dialect: 'gemini',
  provider: 'vertex-ai',
  model: 'gemini-2.5-flash',
  configurations: (origin) => ({ custom_host: origin, vertex_project_id: 'p' }),
  path: (streams) =>
    `/publishers/google/models/gemini-2.5-flash:${streams ? 'streamGenerateContent' : 'generateContent'}`,
  request: REQUEST,
  isAuthorized: bearer('sk-gemini'),
  reply: (reply) => (reply.streams ? dataEvents(events(reply), reply) : { body: whole(reply) }),
  error: { status: 429, body: { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } } },
};
