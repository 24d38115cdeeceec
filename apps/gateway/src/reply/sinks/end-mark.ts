import type { StreamTap } from '@gw/providers';
import { parseJsonObject } from '../../bodies/json-body';
import type { GatewayResponse } from '../../attempt/gateway-response';
import type { RequestContext } from '../../core/request-context';
import { routeFamily } from '@gw/contracts';

export const DONE_EVENT = Buffer.from('data: [DONE]\n\n');

/**
 * Returns the end mark for a complete stream whose provider sent none; null when the client's
 * dialect has no end mark.
 */
export const missingMark = ({ route }: RequestContext): Buffer | null =>
  route.dialect === 'gemini' ? null : DONE_EVENT;

/** Whether a stream of this route ends with its end mark. */
export const endsAtMarker = ({ route }: RequestContext): boolean =>
  routeFamily(route.kind).endsAtMark === true;

/**
 * Whether a stream that ended cleanly without an end mark is complete: each requested choice has a
 * `finish_reason`. Some providers, such as Perplexity, send no mark.
 */
export function hasFinished(context: RequestContext, response: GatewayResponse, tap: StreamTap): boolean {
  const { finishedChoices } = tap;
  return finishedChoices > 0 && finishedChoices >= choicesOf(context, response);
}

/** Never throws: an error at the end of a response would stop the process. */
function choicesOf(context: RequestContext, { upstream }: GatewayResponse): number {
  const { spooled, scan } = context;
  if (spooled !== null || scan === null || scan.isForm) return 1;
  try {
    const { n } = upstream.clientBody ?? context.json(parseJsonObject);
    return typeof n === 'number' ? n : 1;
  } catch {
    // A passed-through body need not be JSON, and there may be no memory to parse it.
    return scan.output.choices;
  }
}
