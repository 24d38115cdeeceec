import type { ChargeRecord, PriceLine } from '@gw/contracts';
import { RepricingEntity, type RepricingGroup, type RepricingReport } from '@gw/entities';
import { repricingsJob, type JobProcessor } from '@gw/jobs';
import { pricedLogs, setLogPrices, type NewLogPrice, type PricedLog } from '@gw/log-store';
import { reprice, type Repricing } from '@gw/pricing';
import { In, type DataSource, type EntityManager } from 'typeorm';
import type { Adjustment, LedgerBook, TouchedBudget } from '../../ledger/ledger-book';
import { correctRollups, type CorrectSums } from '../../ledger/correct-sums';
import type { LogPricer } from './log-pricer';

/** Maximum number of logs in one transaction. */
const BATCH = 500;
/** Maximum number of providers and models in a report; the rest is one group without a name. */
const GROUPS_MAX = 1_000;
/**
 * Maximum number of batches in one run; the rest is left for the next run, so that other jobs get
 * their turn.
 */
const STEPS_MAX = 2_000;

/**
 * Re-prices logs. Safe to run twice and on many machines: one transaction, under a lock of the
 * repricing, changes the logs of a batch, their budgets and the position of the next batch. A log
 * that already has the new price is not changed, so nothing is corrected twice.
 */
export class RepricingsProcessor implements JobProcessor {
  readonly spec = repricingsJob;

  constructor(
    private readonly source: DataSource,
    private readonly book: LedgerBook,
    private readonly pricer: LogPricer,
    private readonly batch = BATCH,
  ) {}

  /**
   * Corrects analytics in the transaction that corrects the logs. After a failed batch the
   * correction is repeated.
   */
  correctSums: CorrectSums = correctRollups;

  async process(): Promise<void> {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const touched = await this.source.transaction((manager) => this.step(manager));
      if (touched === null) return;
      this.book.committed(touched);
    }
  }

  /**
   * Processes one batch of the oldest repricing that no other worker holds; null if there is none.
   */
  private async step(manager: EntityManager): Promise<readonly TouchedBudget[] | null> {
    const row = await manager.findOne(RepricingEntity, {
      where: { status: In(['previewing', 'applying']) },
      order: { createdAt: 'ASC', id: 'ASC' },
      lock: { mode: 'pessimistic_write', onLocked: 'skip_locked' },
    });
    if (row === null) return null;
    const applies = row.status === 'applying';
    const { organisationId, startTime: start, endTime: end, provider, model, cursorTime, cursorId } = row;
    const after = cursorTime === null || cursorId === null ? null : { time: cursorTime, id: cursorId };
    const filter = { organisationId, start, end, provider, model, after };
    const logs = await pricedLogs(manager, filter, this.batch, applies);
    const records = await this.pricer.records(manager, logs);
    const repricing = reprice(records, this.pricer.pricer);
    const priceable = new Set(records.map(({ id }) => id));
    row.report = merged(row.report, logs, priceable, repricing);
    const touched = applies ? await this.apply(manager, logs, repricing) : [];
    const last = logs.at(-1);
    if (last !== undefined) {
      row.cursorTime = new Date(last.row.created_at);
      row.cursorId = last.row.id;
    }
    if (logs.length < this.batch) row.status = applies ? 'applied' : 'previewed';
    await manager.save(row);
    return touched;
  }

  private async apply(
    manager: EntityManager,
    logs: readonly PricedLog[],
    { changes }: Repricing,
  ): Promise<readonly TouchedBudget[]> {
    const byId = new Map(logs.map((log) => [log.row.id, log]));
    const prices: NewLogPrice[] = [];
    const before: PricedLog['row'][] = [];
    const after: PricedLog['row'][] = [];
    const adjustments: Adjustment[] = [];
    for (const { id, before: earlier, after: later, lines } of changes) {
      const log = byId.get(id);
      if (log === undefined) continue;
      const difference = later - (earlier ?? 0);
      const cost = (log.row.cost ?? 0) + difference;
      const charged = chargeOf(log);
      prices.push(newPrice(log, cost, lines, charged, difference));
      before.push(log.row);
      after.push({ ...log.row, cost });
      const { organisation_id: organisationId, created_at: createdAt } = log.row;
      if (charged !== null && organisationId !== null) {
        adjustments.push({ organisationId, createdAt, charge: charged, difference });
      }
    }
    await setLogPrices(manager, prices);
    // Uses the order in which logs are stored, so that neither side waits for the other's rows.
    const touched = await this.book.adjust(manager, adjustments);
    await this.correctSums(manager, before, after);
    return touched;
  }
}

/**
 * Returns the charge of an object that an earlier request created, else of the client's response;
 * null if no budget was charged.
 */
const chargeOf = ({ decision }: PricedLog): ChargeRecord | null =>
  decision.charges?.find(({ once }) => once !== undefined) ??
  decision.charges?.findLast(({ requests, flags }) => requests === 1 && !flags.includes('estimated')) ??
  null;

function newPrice(
  { row, decision }: PricedLog,
  cost: number,
  lines: readonly PriceLine[],
  charged: ChargeRecord | null,
  difference: number,
): NewLogPrice {
  const model = decision.price?.model ?? row.response_model ?? row.model;
  const charges = decision.charges?.map((charge) =>
    charge === charged
      ? {
          ...charge,
          cost: (charge.cost ?? 0) + difference,
          flags: charge.flags.filter((flag) => flag !== 'unpriced'),
        }
      : charge,
  );
  return {
    id: row.id,
    createdAt: row.created_at,
    cost,
    priced: 'priced',
    decision: {
      ...decision,
      price: { source: 'repriced', model, lines },
      ...(charges === undefined ? {} : { charges }),
    },
  };
}

/** Adds the results of a batch to the report. */
function merged(
  report: RepricingReport,
  logs: readonly PricedLog[],
  priceable: ReadonlySet<string>,
  { changes }: Repricing,
): RepricingReport {
  const changeOf = new Map(changes.map((change) => [change.id, change]));
  const groups = new Map<string, RepricingGroup>();
  const nameOf = (provider: string | null, model: string | null): string => JSON.stringify([provider, model]);
  for (const group of report.groups) groups.set(nameOf(group.provider, group.model), group);
  for (const { row } of logs) {
    const change = changeOf.get(row.id);
    const unpriced = !priceable.has(row.id);
    if (change === undefined && !unpriced) continue;
    const isNamed = groups.size < GROUPS_MAX || groups.has(nameOf(row.provider, row.model));
    const { provider, model } = isNamed ? row : { provider: null, model: null };
    groups.set(
      nameOf(provider, model),
      grown(groups.get(nameOf(provider, model)) ?? { ...EMPTY, provider, model }, change, unpriced),
    );
  }
  return { seen: report.seen + logs.length, groups: [...groups.values()] };
}

const EMPTY = { changed: 0, unpriced: 0, before: 0, after: 0 } as const;

/** Adds one log to a group. */
const grown = (
  group: RepricingGroup,
  change: Repricing['changes'][number] | undefined,
  unpriced: boolean,
): RepricingGroup => ({
  ...group,
  changed: group.changed + (change ? 1 : 0),
  unpriced: group.unpriced + (unpriced ? 1 : 0),
  before: group.before + (change?.before ?? 0),
  after: group.after + (change?.after ?? 0),
});
