import type { JsonObject } from '../call';
import type { ClientContext } from '../codec';
import type { TokenUsage } from '../response';
import { asObject, objectsOf } from '../values/json';
import type { ResponseStatus } from './finish';
import { encodeUsage } from './usage';

/** Id, model and time of a response, from its provider. */
export interface ResponseHead {
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  readonly serviceTier?: string;
}

/** Members that a response repeats from its request, with the API's values for absent ones. */
const ECHOED: readonly (readonly [name: string, fallback: unknown])[] = [
  ['instructions', null],
  ['max_output_tokens', null],
  ['max_tool_calls', null],
  ['metadata', {}],
  ['parallel_tool_calls', true],
  ['prompt_cache_key', null],
  ['safety_identifier', null],
  ['temperature', 1],
  ['tool_choice', 'auto'],
  ['top_logprobs', 0],
  ['top_p', 1],
  ['truncation', 'disabled'],
  ['user', null],
];

const TIERS: ReadonlySet<unknown> = new Set(['auto', 'default', 'flex', 'scale', 'priority']);

/** Returns the members of a response besides its status, output and usage. */
export function skeletonOf(
  { request, requestId, model, createdAt }: ClientContext,
  head: ResponseHead,
): JsonObject {
  const echoed: JsonObject = {};
  for (const [name, fallback] of ECHOED) echoed[name] = request[name] ?? fallback;
  return {
    id: responseId(head.id === '' ? requestId : head.id),
    object: 'response',
    created_at: head.created === 0 ? createdAt : head.created,
    model: head.model === '' ? model : head.model,
    ...echoed,
    background: false,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...asObject(request['reasoning']) },
    service_tier: TIERS.has(head.serviceTier) ? head.serviceTier : 'default',
    // Translated responses are not stored.
    store: false,
    text: { format: { type: 'text' }, ...asObject(request['text']) },
    tools: objectsOf(request['tools']).map(echoedTool),
  };
}

export const responseId = (id: string): string => (id.startsWith('resp_') ? id : `resp_${id}`);

/** Returns a tool as a response repeats it: the API writes all members of a function. */
const echoedTool = (tool: JsonObject): JsonObject =>
  tool['type'] === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool;

/** How a response ended. */
export interface ResponseEnd extends Omit<ResponseStatus, 'status'> {
  readonly status: ResponseStatus['status'] | 'in_progress';
  readonly error: JsonObject | null;
}

export const IN_PROGRESS: ResponseEnd = { status: 'in_progress', incomplete_details: null, error: null };

export function encodeWhole(
  skeleton: JsonObject,
  end: ResponseEnd,
  output: readonly JsonObject[],
  usage: TokenUsage | undefined,
): JsonObject {
  return {
    ...skeleton,
    ...end,
    completed_at: end.status === 'completed' ? skeleton['created_at'] : null,
    output,
    usage: usage === undefined ? null : encodeUsage(usage),
  };
}
