import type { JsonObject } from '@gw/providers';
import { parseJsonObject } from '../http/json-body';
import type { Exchange } from '../pipeline/exchange';

/** Something that was made by an earlier request, and has ended since. */
export interface MadeEarlier {
  /** What its use is charged as, once, however often and by whomever it is asked for. */
  readonly once: string;
  readonly isBatch: boolean;
}

/** Whether a request asks for what an earlier one has made: its answer tells a use that is not this request's own. */
export const asksForEarlier = ({ method, upgrade }: Exchange): boolean =>
  method === 'GET' && upgrade === null;

function objectOf(body: Buffer): JsonObject | null {
  try {
    return parseJsonObject(body);
  } catch {
    return null;
  }
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled', 'expired', 'incomplete']);
const ID_LENGTH_MAX = 256;

const isToldLate = ({ object, status, background }: JsonObject): boolean =>
  ENDED.has(status) &&
  (object === 'batch' || object === 'thread.run' || (object === 'response' && background === true));

/**
 * What an answer to such a request tells of something whose use nobody was told when it was made: a batch, a run, a response in the
 * background. Null: it is nothing of the kind, has not ended, or was charged when it was made.
 */
export function madeEarlier({ answer, reply }: Exchange): MadeEarlier | null {
  if (answer === null || reply === null || reply.truncated) return null;
  const made = objectOf(reply.keptBody());
  if (made === null) return null;
  const { id, object } = made;
  if (!isToldLate(made) || typeof id !== 'string' || id.length > ID_LENGTH_MAX) return null;
  const { provider, saved } = answer.upstream;
  return {
    once: `${String(object)} ${saved?.integrationId ?? provider.id} ${id}`,
    isBatch: object === 'batch',
  };
}
