import { STUB_IDENTITY } from '@gw/testing';
import type { History } from '../history';
import { anyObject, closed, count, either, filled, flag, list, objectSchema, only, text } from '../schema';
import { INPUT_TOKENS, OUTPUT_TOKENS, wordsOf, type Reply } from '../scenario';
import { bearer, dataEvents, type Body, type StandIn } from '../stand-in';

/** Members by which a part that the model made shows its reasoning. */
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
          closed({ name: filled }, { description: text, parametersJsonSchema: objectSchema }),
        ),
      }),
    ),
    toolConfig: closed({ functionCallingConfig: closed({ mode: only('AUTO', 'ANY', 'NONE', 'VALIDATED') }) }),
    generationConfig: closed(
      {},
      {
        maxOutputTokens: count,
        responseMimeType: text,
        responseJsonSchema: objectSchema,
        thinkingConfig: closed(
          {},
          { thinkingBudget: { type: 'integer' }, includeThoughts: flag, thinkingLevel: text },
        ),
      },
    ),
  },
);

interface Part {
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: unknown };
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: unknown };
}

function history(body: Body): History {
  const contents = body['contents'] as readonly { readonly parts: readonly Part[] }[];
  const parts = contents.flatMap((turn) => turn.parts);
  return {
    calls: parts.flatMap(({ functionCall: called }) =>
      called === undefined ? [] : [{ id: called.id ?? null, name: called.name, input: called.args }],
    ),
    results: parts.flatMap(({ functionResponse: given }) =>
      given === undefined ? [] : [{ id: given.id ?? null, result: given.response }],
    ),
  };
}

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

const callsOf = ({ calls }: Reply): object[] =>
  calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));

function whole(reply: Reply): object {
  const { text: value, reasoning } = reply;
  const parts = [
    ...(reasoning === null ? [] : [{ text: reasoning, thought: true }]),
    ...(value === null ? [] : [{ text: value }]),
    ...callsOf(reply),
  ];
  return { ...candidate(parts, 'STOP'), ...METADATA };
}

const events = (reply: Reply): object[] => [
  ...wordsOf(reply.reasoning).map((thought) => candidate([{ text: thought, thought: true }])),
  ...wordsOf(reply.text).map((word) => candidate([{ text: word }])),
  ...callsOf(reply).map((called) => candidate([called])),
  { ...candidate([{ text: '' }], 'STOP'), ...METADATA },
];

/** Replaces Gemini on Vertex AI, with a service account. */
export const gemini: StandIn = {
  dialect: 'gemini',
  provider: 'vertex-ai',
  model: 'gemini-2.5-flash',
  configurations: (origin) => ({
    custom_host: origin,
    vertex_auth_type: 'serviceAccount',
    vertex_service_account_json: JSON.stringify(STUB_IDENTITY.keyFile),
  }),
  isKeyless: true,
  path: (streams) =>
    `/publishers/google/models/gemini-2.5-flash:${streams ? 'streamGenerateContent' : 'generateContent'}`,
  request: REQUEST,
  requested: {
    reasoning: ['generationConfig', 'thinkingConfig'],
    schema: ['generationConfig', 'responseJsonSchema'],
  },
  history,
  hasIds: true,
  /** Accepts only the first token of the stub token service: the gateway must reuse it. */
  isAuthorized: bearer('google-token-1'),
  reply: (reply) => (reply.streams ? dataEvents(events(reply), reply) : { body: whole(reply) }),
  error: { status: 429, body: { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED' } } },
};
