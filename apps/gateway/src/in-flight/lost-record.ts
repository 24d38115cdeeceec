import type { ChargeLine } from '@gw/contracts';
import type { LostUse, LostUses } from '../usage/lost-use';
import type { Upstream } from '../core/upstream';
import { outcomeOf } from '../core/outcome';
import type { RequestContext } from '../core/request-context';
import { writeLostDecision } from '../record/decision';
import { JsonWriter } from '../record/json-writer';
import { GATEWAY_LOST, writeBegun, writeBegunCall } from './begun-record';
import { writeRecord, type RecordEnd } from '../record/log-record';

const writer = new JsonWriter();

/**
 * Returns the record of a request whose gateway dies: interrupted, and charged as its estimate. It
 * is written before a provider is called and again while the response arrives. `upstream` is the
 * provider that is called; null: none was. The buffer is valid until the next call; `recordOfLine`
 * reads it.
 */
export function lostRecord(
  context: RequestContext,
  upstream: Upstream | null,
  uses: LostUses,
  gatewayId: string,
): Buffer {
  const w = writer;
  const use =
    upstream === null ? uses.ofTool(context) : uses.of(context, upstream, lineOf(context, upstream));
  if (upstream !== null && use !== null && isFirstCall(context))
    return writeBegun(w, context, upstream, use, gatewayId);
  if (context.mcp !== null && use !== null && isFirstCall(context) && context.reply.writer === null)
    return writeBegunCall(w, context, context.mcp, use, gatewayId);
  return writeLost(w, context, upstream, use, gatewayId);
}

const LOST = { outcome: 'interrupted', errorType: GATEWAY_LOST } as const;

const isFirstCall = ({ response, attempts, hedge }: RequestContext): boolean =>
  response === null && attempts.records.length === 0 && hedge === null;

/**
 * Returns the record of a request whose settlement failed: its end, and what was charged or
 * estimated. It contains nothing that the response reports. The buffer is valid until the next
 * call.
 */
export function unsettledRecord(
  context: RequestContext,
  upstream: Upstream | null,
  use: LostUse,
  gatewayId: string,
): Buffer {
  const { reply } = context;
  const end = { outcome: outcomeOf(reply), errorType: reply.failure?.type ?? null };
  const isFree = upstream === null && use.charges.length === 0;
  return writeLost(writer, context, upstream, isFree ? null : use, gatewayId, end);
}

function writeLost(
  w: JsonWriter,
  context: RequestContext,
  upstream: Upstream | null,
  use: LostUse | null,
  gatewayId: string,
  end: Pick<RecordEnd, 'outcome' | 'errorType'> = LOST,
): Buffer {
  writeRecord(w, context, {
    ...end,
    upstream,
    failed: null,
    responseModel: null,
    usage: null,
    cost: use === null ? null : use.cost,
    priced: use === null ? 'no_usage' : 'estimated',
    targetPath: upstream === null ? null : upstream.target.path,
    retries: 0,
    requestTruncated: false,
    responseTruncated: false,
    gatewayId,
  });
  writeLostDecision(w, context, context.response === null ? upstream : null, use?.charges ?? []);
  return w.end();
}

/** The attempt that is in flight, after the completed ones. */
function lineOf({ attempts, response, madeFor, hedge }: RequestContext, { target }: Upstream): ChargeLine {
  if (madeFor !== null) return 'guardrail';
  if (hedge !== null) return 'hedge';
  const before = attempts.records.at(response === null ? -1 : -2);
  if (before === undefined) return 'primary';
  return before.target === target.path ? 'retry' : 'fallback';
}
