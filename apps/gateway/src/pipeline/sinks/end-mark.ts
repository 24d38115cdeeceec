import type { RouteKind, StreamTap } from '@gw/providers';
import { parseJsonObject } from '../../http/json-body';
import type { Answer } from '../answer';
import type { RequestContext } from '../request-context';

export const DONE_EVENT = Buffer.from('data: [DONE]\n\n');

/** Routes on which nothing of a stream follows its end mark. */
const ENDS_AT_MARK: ReadonlySet<RouteKind> = new Set([
  'chat.completions',
  'completions',
  'messages',
  'responses',
]);

export const endsAtMark = ({ route }: RequestContext): boolean => ENDS_AT_MARK.has(route.kind);

/**
 * Whether a stream of choices that ended cleanly without an end mark is whole: each choice that was asked for has a
 * `finish_reason`. Some providers, such as Perplexity, send no mark.
 */
export function hasFinished(context: RequestContext, answer: Answer, tap: StreamTap): boolean {
  const { finishedChoices } = tap;
  return finishedChoices > 0 && finishedChoices >= choicesOf(context, answer);
}

function choicesOf(context: RequestContext, { upstream }: Answer): number {
  const { spooled, scan } = context;
  if (spooled !== null || scan === null || scan.isForm) return 1;
  const { n } = upstream.clientBody ?? context.json(parseJsonObject);
  return typeof n === 'number' ? n : 1;
}
