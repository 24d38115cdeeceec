import type { JsonObject } from '../call';
import type { ProviderContext } from '../codec';
import type { ModelResponse } from '../response';
import { EventWriter } from '../stream/decoder-base';
import { fold } from '../stream/fold';
import { optional } from '../values/json';
import { answerInvalid } from '../values/tool-arguments';
import { ResponseReader } from './response-reader';
import { serviceTierOf } from './usage';

/**
 * Reads a `GenerateContentResponse`. Throws `provider_answer_invalid` for any other body, and for
 * an error without content.
 */
export function decodeResponse(body: JsonObject, context: ProviderContext): ModelResponse {
  const out = new EventWriter();
  const reader = new ResponseReader(out, context);
  reader.take(body);
  if (!out.isOver && !reader.hasCandidates) throw answerInvalid('The response has no candidates.');
  if (!out.isOver) reader.finish();
  const events = out.taken();
  if (events.at(-1)?.t !== 'done') throw answerInvalid('The response has an error instead of content.');
  return { ...fold(events), ...optional('serviceTier', serviceTierOf(body['usageMetadata'])) };
}
