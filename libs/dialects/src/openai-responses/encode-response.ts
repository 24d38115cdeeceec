import type { JsonObject, Part } from '../call';
import type { ClientContext } from '../codec';
import type { Finish, Logprob, ModelResponse } from '../response';
import { encodeFailure } from './faults';
import { encodeStatus } from './finish';
import { ownNames } from './namespaces';
import { OutputBuilder } from './output-builder';
import { NO_SINK } from './output-sink';
import { encodeWhole, responseId, skeletonOf, type ResponseEnd } from './skeleton';

const STOPPED: Finish = { reason: 'error' };

export function encodeResponse(response: ModelResponse, context: ClientContext): JsonObject {
  const [candidate] = response.candidates;
  const skeleton = skeletonOf(context, response);
  const builder = new OutputBuilder(
    responseId(response.id === '' ? context.requestId : response.id),
    NO_SINK,
    () => context.losses?.note('output'),
  );
  let logprobs = context.call.logprobs === undefined ? undefined : candidate?.logprobs;
  const own = ownNames(context.call);
  for (const [i, part] of (candidate?.parts ?? []).entries()) {
    fill(builder, i, own(part), logprobs);
    if (part.kind === 'text') logprobs = undefined;
  }
  const end = endOf(candidate?.finish ?? STOPPED, builder.hasRefusal);
  builder.end(end.status === 'incomplete' ? 'incomplete' : 'completed');
  return encodeWhole(skeleton, end, builder.output, response.usage);
}

function fill(builder: OutputBuilder, i: number, part: Part, logprobs?: readonly Logprob[]): void {
  builder.open(i, part);
  if (part.kind === 'text') {
    builder.write(i, part.text, logprobs);
    for (const citation of part.citations ?? []) builder.cite(i, citation);
  } else if (part.kind === 'refusal' || part.kind === 'reasoning') builder.write(i, part.text);
  else if (part.kind === 'tool_call') builder.write(i, part.args);
  builder.close(i);
}

/**
 * Returns status, reason and error of the end of a response. A failure of the model has an error.
 */
export function endOf(finish: Finish, hasRefusal: boolean): ResponseEnd {
  const status = encodeStatus(finish, hasRefusal);
  if (status.status !== 'failed') return { ...status, error: null };
  const message = finish.detail ?? 'The model ended the response with an error.';
  return { ...status, error: encodeFailure({ class: 'server', message, status: 502 }) };
}
