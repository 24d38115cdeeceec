import { plainPath } from './plain-path';

/** A call of a model whose path names it: Gemini's and Vertex AI's own APIs, Azure's deployments, Bedrock. */
export interface PathCall {
  /** A deployment is known by its name. */
  readonly model: string;
  readonly kind: PathCallKind;
}

/** `free`: it counts tokens, or looks after another call. `vectors` are no output that is sold. A `batch` is answered later. */
export type PathCallKind = 'answer' | 'vectors' | 'batch' | 'free';

/** Routes whose answers are sold by what they use, as OpenAI and Anthropic name them. */
const SOLD =
  /\/(?:completions|embeddings|messages|responses|images\/(?:generations|edits|variations)|audio\/(?:speech|transcriptions|translations)|videos)$/i;

export const isSoldPath = (url: string): boolean => SOLD.test(plainPath(url));

/** Collections of Google whose members are called: `/models/gemini-2.5-pro:generateContent`. */
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
 * The call that a passthrough path makes; null: its path names no model. Each of these APIs takes the model of the path and either
 * ignores a `model` in the body or refuses one that differs, so that the path says what is called and sold.
 */
export function callOfPath(method: string, url: string): PathCall | null {
  const path = plainPath(url);
  const slash = path.lastIndexOf('/') + 1;
  if (path.includes(':', slash)) return callAtGoogle(method, path, slash);
  return method === 'GET' || method === 'HEAD' ? null : callElsewhere(path, slash);
}

function callAtGoogle(method: string, path: string, slash: number): PathCall | null {
  const parent = path.slice(0, slash);
  if (!CALLED.test(parent) || OPERATIONS.test(parent)) return null;
  const colon = path.lastIndexOf(':');
  const action = path.slice(colon + 1);
  // Google's APIs may be given the method in the query; elsewhere `:` precedes a tag or a part of a name.
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
