import type { ChargeRecord } from '@gw/contracts';
import type { RevertedEstimate } from '@gw/ledger-store';
import { logsAt, setLogPrices, type NewLogPrice, type PricedLog } from '@gw/log-store';
import type { EntityManager } from 'typeorm';
import type { CorrectSums } from './correct-sums';

/** Subtracts replaced estimates from the logs that reported them and from analytics. */
export async function revertLogEstimates(
  manager: EntityManager,
  givenBack: readonly RevertedEstimate[],
  correctSums: CorrectSums,
): Promise<void> {
  if (givenBack.length === 0) return;
  const byLog = new Map<string, RevertedEstimate>();
  for (const each of givenBack) {
    const { cost, tokens } = byLog.get(each.logId) ?? { cost: 0, tokens: 0 };
    byLog.set(each.logId, { ...each, cost: each.cost + cost, tokens: each.tokens + tokens });
  }
  const logs = await logsAt(
    manager,
    [...byLog.values()].map(({ logId, estimate }) => ({ id: logId, createdAt: estimate.createdAt })),
  );
  const prices = logs.map((log) => withoutEstimate(log, byLog.get(log.row.id) as RevertedEstimate));
  await setLogPrices(manager, prices);
  await correctSums(
    manager,
    logs.map(({ row }) => row),
    logs.map(({ row }, at) => ({ ...row, cost: prices[at]?.cost ?? null })),
  );
}

function withoutEstimate({ row, decision }: PricedLog, { cost, tokens }: RevertedEstimate): NewLogPrice {
  const charges = (decision.charges ?? []).flatMap((charge) => {
    if (!isEstimate(charge)) return [charge];
    const remaining = { cost: charge.cost && charge.cost - cost, tokens: charge.tokens - tokens };
    return (remaining.cost ?? 0) > 0 || remaining.tokens > 0 ? [{ ...charge, ...remaining }] : [];
  });
  return {
    ...{ id: row.id, createdAt: row.created_at, priced: row.priced },
    cost: row.cost && Math.max(0, row.cost - cost),
    decision: { ...decision, charges },
  };
}

/**
 * Returns whether the charge is the estimate of a background object; a request creates at most one.
 */
const isEstimate = ({ once, flags }: ChargeRecord): boolean =>
  once !== undefined && flags.includes('estimated');
