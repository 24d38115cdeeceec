import { route, type RouteOptions, type RouteRow } from '../route-rows';

const OPTIONS = { dialect: 'gemini', base: '/v1beta', model: 'always' } as const satisfies RouteOptions;
const MODEL = '/models/{model}';

/**
 * Gemini’s API. All calls below `/v1beta1`, and the `POST` calls below `/v1`, lead to these routes
 * too; `GET /v1/models` and `GET /v1/models/{model}` are OpenAI’s. Below every base, the path of a
 * `POST` call may be Vertex AI’s (`/projects/…/models/{model}:generateContent`); see
 * `gemini-path.ts`.
 */
export const gemini: readonly RouteRow[] = [
  route(
    'POST',
    `${MODEL}:generateContent`,
    'gemini.generate',
    'gemini.generateContent',
    'Generate content, in Gemini’s dialect',
    OPTIONS,
  ),
  route(
    'POST',
    `${MODEL}:streamGenerateContent`,
    'gemini.generate',
    'gemini.streamGenerateContent',
    'Generate content as a stream, in Gemini’s dialect',
    { ...OPTIONS, streams: true, query: { alt: { type: 'string', enum: ['sse', 'json'] } } },
  ),
  route(
    'POST',
    `${MODEL}:countTokens`,
    'gemini.count',
    'gemini.countTokens',
    'Count the tokens of a call, in Gemini’s dialect',
    OPTIONS,
  ),
  route(
    'POST',
    `${MODEL}:embedContent`,
    'gemini.embed',
    'gemini.embedContent',
    'Create the embedding of a text, in Gemini’s dialect',
    OPTIONS,
  ),
  route(
    'POST',
    `${MODEL}:batchEmbedContents`,
    'gemini.embed',
    'gemini.batchEmbedContents',
    'Create embeddings, in Gemini’s dialect',
    OPTIONS,
  ),
  route('GET', '/models', 'gemini.list', 'gemini.models.list', 'List models, in Gemini’s dialect', {
    ...OPTIONS,
    model: 'never',
  }),
  route('GET', MODEL, 'gemini.list', 'gemini.models.get', 'Get a model, in Gemini’s dialect', {
    ...OPTIONS,
    model: 'never',
  }),
];
