import { plainPath } from './plain-path';

/**
 * A call of a model that the path names: in the native APIs of Gemini and Vertex AI, in Azure's
 * deployments, or in Bedrock.
 */
export interface PathCall {
  /** The model's name; for a deployment, the name of the deployment. */
  readonly model: string;
  readonly kind: PathCallKind;
}

/**
 * `free`: counts tokens or reads the state of another call. `vectors`: has no billed output.
 * `batch`: has a later response.
 */
export type PathCallKind = 'answer' | 'vectors' | 'batch' | 'free';

/** Routes whose responses are billed by usage, in the naming of OpenAI and Anthropic. */
const SOLD =
  /\/(?:completions|embeddings|messages|responses|images\/(?:generations|edits|variations)|audio\/(?:speech|transcriptions|translations)|videos)$/i;

const STREAMED = /[:/][a-z-]*stream[a-z-]*$/i;

/** Whether the path of a call demands a stream, such as `converse-stream`. */
export const isStreamPath = (url: string): boolean => STREAMED.test(plainPath(url));

export const isSoldPath = (url: string): boolean => SOLD.test(plainPath(url));

/** Google's collections of callable members: `/models/gemini-2.5-pro:generateContent`. */
const CALLED = /\/(?:models|tunedmodels|dynamic|endpoints)\//i;
const OPERATIONS = /\/operations\/$/i;
const LETTERS = /^[a-z]+$/i;
const CALLS = /generate|predict|embed|tokens/i;
const KINDS: ReadonlyMap<string, PathCallKind> = new Map([
  ['counttokens', 'free'],
  ['computetokens', 'free'],
  ['fetchpredictoperation', 'free'],
  ['count-tokens', 'free'],
  ['embedcontent', 'vectors'],
  ['batchembedcontents', 'vectors'],
  ['batchgeneratecontent', 'batch'],
  ['asyncbatchembedcontent', 'batch'],
]);
const BEDROCK = /^(?:converse|invoke|count-tokens)(?:-[a-z-]+)?$/i;
const DEPLOYMENTS = '/deployments/';

/**
 * Returns the model call of a passthrough path; null: the path names no model. All these APIs use
 * the model of the path, and either ignore a `model` in the body or refuse a different one, so the
 * path decides what is called and billed.
 */
export function callOfPath(method: string, url: string): PathCall | null {
  const path = plainPath(url);
  const slash = path.lastIndexOf('/') + 1;
  if (path.includes(':', slash)) return callAtGoogle(method, path, slash);
  return method === 'GET' || method === 'HEAD' ? null : callElsewhere(path, slash);
}

const MODEL = '{model}';

/**
 * Returns the model that a POST on passthrough calls by the paths of one provider
 * (`Provider.modelPaths`); null when none of them matches.
 */
export function modelAtProvider(method: string, url: string, paths: readonly string[]): string | null {
  if (method !== 'POST') return null;
  const path = plainPath(url);
  for (const known of paths) {
    const at = known.indexOf(MODEL);
    const [before, after] = [known.slice(0, at), known.slice(at + MODEL.length)];
    const model = path.slice(before.length, path.length - after.length);
    if (path === `${before}${model}${after}` && model !== '') return model;
  }
  return null;
}

function callAtGoogle(method: string, path: string, slash: number): PathCall | null {
  const parent = path.slice(0, slash);
  if (!CALLED.test(parent) || OPERATIONS.test(parent)) return null;
  const colon = path.lastIndexOf(':');
  const action = path.slice(colon + 1);
  // Google's APIs accept the method in the query; elsewhere `:` precedes a tag or a part of a name.
  const isCall = LETTERS.test(action) && (method === 'POST' || CALLS.test(action));
  if (!isCall || path.indexOf(':', slash) !== colon) return null;
  return named(path.slice(slash, colon), action);
}

function callElsewhere(path: string, slash: number): PathCall | null {
  const parent = path.slice(0, slash - 1);
  const last = path.slice(slash);
  // The id of a model may be an ARN, whose last part is the model.
  if (BEDROCK.test(last) && parent.toLowerCase().includes('/model/'))
    return named(parent.slice(parent.lastIndexOf('/') + 1), last);
  const at = path.toLowerCase().indexOf(DEPLOYMENTS) + DEPLOYMENTS.length;
  if (at < DEPLOYMENTS.length || !SOLD.test(path)) return null;
  return named(path.slice(at, path.indexOf('/', at)), '');
}

const named = (model: string, action: string): PathCall | null =>
  model === '' ? null : { model, kind: KINDS.get(action.toLowerCase()) ?? 'answer' };
