import { GatewayError } from '@gw/kernel';
import type { PathCallKind } from './path-call';

/**
 * Prefixes of the paths of Gemini clients. `/v1` also has the paths of OpenAI's and Anthropic's
 * clients.
 */
export type ApiBase = '/v1' | '/v1beta' | '/v1beta1';

/** The parts of a Gemini client's call that its path contains. */
export interface GeminiAddress {
  /** The model as the client named it, with `@slug/` if it has one; null: a list of models. */
  readonly model: string | null;
  /** `generateContent`; null: a list or a description of models. */
  readonly method: GeminiMethod | null;
  readonly stream: boolean;
}

/** The model methods that the gateway serves for every provider, with the kind of their charge. */
export const GEMINI_METHODS = {
  generateContent: 'answer',
  streamGenerateContent: 'answer',
  countTokens: 'free',
  embedContent: 'vectors',
  batchEmbedContents: 'vectors',
} as const satisfies Readonly<Record<string, PathCallKind>>;

export type GeminiMethod = keyof typeof GEMINI_METHODS;

const isMethod = (name: string): name is GeminiMethod => Object.hasOwn(GEMINI_METHODS, name);

/**
 * Google AI Studio has the model below `/models/`; Vertex AI below a publisher, and that below a
 * project, if one is named.
 */
const MODEL = /^(?:\/projects\/[^/]+\/locations\/[^/]+)?(?:\/publishers\/([^/]+))?\/(models|tunedModels)\//;
const MODELS = '/models';

/**
 * Reads the path of a Gemini client, below `base`; null: it is another path. A model may contain
 * slashes, also percent-encoded. Throws `request_malformed` for broken escapes.
 */
export function geminiAddress(method: string, path: string, base: ApiBase): GeminiAddress | null {
  if (method === 'POST') return callAt(path);
  if (method !== 'GET' || base === '/v1') return null;
  if (path === MODELS) return { model: null, method: null, stream: false };
  if (!path.startsWith(`${MODELS}/`) || path.includes(':')) return null;
  return { model: decoded(path.slice(MODELS.length + 1)), method: null, stream: false };
}

function callAt(path: string): GeminiAddress | null {
  const colon = path.lastIndexOf(':');
  const method = path.slice(colon + 1);
  if (colon < 0 || !isMethod(method)) return null;
  const [start, publisher = 'google', collection] = MODEL.exec(path) ?? [];
  if (start === undefined || start.length >= colon) return null;
  const name = decoded(path.slice(start.length, colon));
  return {
    model: modelOf(decoded(publisher), collection === 'tunedModels' ? `tunedModels/${name}` : name),
    method,
    stream: method === 'streamGenerateContent',
  };
}

/** SDKs of Vertex AI write `publishers/{owner}/models/{name}` for the model `owner/name`. */
const modelOf = (publisher: string, name: string): string =>
  publisher === 'google' ? name : `${publisher}/${name}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new GatewayError('request_malformed', {
      param: 'path',
      message: 'The model in the path has a broken percent-encoding; encode it as UTF-8.',
    });
  }
}
