import type { DecisionRecord, Usage } from '@gw/contracts';
import type { EntityManager } from 'typeorm';
import type { RolledUpRow } from '../analytics/rollup-writer.queries';
import type { RequestLogRow } from './log-columns';
import { zonesOf } from '../zones/log-zone';
import { widenLogZones } from '../zones/log-zones.queries';

/** The values of a log that its price depends on. */
export interface PricedLog {
  readonly row: RolledUpRow &
    Pick<
      RequestLogRow,
      'id' | 'response_model' | 'integration_id' | 'priced' | 'trace_id' | 'span_id' | 'hedged'
    >;
  readonly usage: Usage;
  readonly decision: DecisionRecord;
}

export interface PricedLogFilter {
  readonly organisationId: string;
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
  readonly provider: string | null;
  readonly model: string | null;
  /** Position after which logs are returned, by time and id; null for the start. */
  readonly after: { readonly time: Date; readonly id: string } | null;
}

const COUNTS = [
  'cost',
  'saved_cost',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'input_audio_tokens',
  'output_audio_tokens',
] as const;
const OTHERS = [
  ...(['id', 'created_at', 'organisation_id', 'workspace_id', 'api_key_id', 'user_id', 'provider'] as const),
  ...([
    'credential',
    'model',
    'response_model',
    'integration_id',
    'config_id',
    'prompt_slug',
    'mcp_server',
    'mcp_method',
    'mcp_capability',
    'route',
  ] as const),
  ...([
    'request_type',
    'status',
    'outcome',
    'cache_status',
    'retries',
    'fell_back',
    'hedged',
    'metadata',
    'duration_ms',
  ] as const),
  ...(['trace_id', 'span_id', 'priced', 'decision'] as const),
] as const;

type Stored = { readonly [name in (typeof COUNTS)[number]]: string | null } & {
  readonly created_at: Date;
  readonly decision: DecisionRecord;
};

/**
 * Returns at most `countMax` logs whose usage is known, oldest first. `forUpdate` locks them until
 * the end of the transaction.
 */
export async function pricedLogs(
  manager: EntityManager,
  { organisationId, start, end, provider, model, after }: PricedLogFilter,
  countMax: number,
  forUpdate: boolean,
): Promise<PricedLog[]> {
  const rows: Stored[] = await manager.query(
    `SELECT ${[...OTHERS, ...COUNTS].join(', ')} FROM request_logs
     WHERE organisation_id = $1 AND created_at >= $2 AND created_at < $3
       AND ($4::text IS NULL OR provider = $4) AND ($5::text IS NULL OR model = $5)
       AND ($6::timestamptz IS NULL OR (created_at, id) > ($6, $7::uuid))
       AND priced IN ('priced', 'unpriced') AND input_tokens IS NOT NULL
     ORDER BY created_at, id LIMIT $8 ${forUpdate ? 'FOR UPDATE' : ''}`,
    [organisationId, start, end, provider, model, after?.time ?? null, after?.id ?? null, countMax],
  );
  return rows.map(toPricedLog);
}

/**
 * Returns the logs with these ids and times, sorted by time and id, and locks them until the end of
 * the transaction. Deleted logs are missing from the result.
 */
export async function logsAt(
  manager: EntityManager,
  positions: readonly { readonly id: string; readonly createdAt: string }[],
): Promise<PricedLog[]> {
  if (positions.length === 0) return [];
  const rows: Stored[] = await manager.query(
    `SELECT ${[...OTHERS, ...COUNTS].join(', ')} FROM request_logs
     WHERE (created_at, id) IN (SELECT * FROM unnest($1::timestamptz[], $2::uuid[]))
     ORDER BY created_at, id FOR UPDATE`,
    [positions.map(({ createdAt }) => createdAt), positions.map(({ id }) => id)],
  );
  return rows.map(toPricedLog);
}

function toPricedLog(stored: Stored): PricedLog {
  const { decision, created_at: createdAt, ...rest } = stored;
  const counts = Object.fromEntries(
    COUNTS.map((name) => [name, stored[name] === null ? null : Number(stored[name])]),
  );
  const row = { ...rest, ...counts, created_at: createdAt.toISOString() } as unknown as PricedLog['row'];
  const oneHourWrites = decision.price?.lines.find(({ unit }) => unit === 'cache_write_1h')?.quantity;
  const countOf = (name: (typeof COUNTS)[number]): number => Number(stored[name] ?? 0);
  const usage: Usage = {
    inputTokens: countOf('input_tokens'),
    outputTokens: countOf('output_tokens'),
    cacheReadTokens: countOf('cache_read_tokens'),
    cacheWriteTokens: countOf('cache_write_tokens'),
    reasoningTokens: countOf('reasoning_tokens'),
    inputAudioTokens: countOf('input_audio_tokens'),
    outputAudioTokens: countOf('output_audio_tokens'),
    // The log has no column for this quantity; the price line holds it.
    ...(oneHourWrites === undefined ? {} : { cacheWrite1hTokens: oneHourWrites }),
  };
  return { row, usage, decision };
}

/** A new price for a log. */
export interface NewLogPrice {
  readonly id: string;
  readonly createdAt: string;
  /** 1e-8 USD; null if the log has no price. */
  readonly cost: number | null;
  readonly decision: DecisionRecord;
  readonly priced: RequestLogRow['priced'];
}

/** Stores new prices of logs and widens the zone map by them. */
export async function setLogPrices(manager: EntityManager, prices: readonly NewLogPrice[]): Promise<void> {
  if (prices.length === 0) return;
  const [changed] = await manager.query<[RepricedLog[], number]>(
    `UPDATE request_logs AS log SET cost = price.cost, priced = price.priced, decision = price.decision
     FROM json_to_recordset($1::json)
       AS price (id uuid, created_at timestamptz, cost bigint, decision jsonb, priced text)
     WHERE log.id = price.id AND log.created_at = price.created_at
     RETURNING organisation_id, workspace_id, log.created_at, log.cost, log.priced`,
    [JSON.stringify(prices.map(({ createdAt, ...price }) => ({ ...price, created_at: createdAt })))],
  );
  const rows = changed.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    cost: row.cost === null ? null : Number(row.cost),
  }));
  await widenLogZones(manager, zonesOf(rows));
}

/** The values of a re-priced log that its zones need. */
interface RepricedLog extends Pick<RequestLogRow, 'organisation_id' | 'workspace_id' | 'priced'> {
  readonly created_at: Date;
  readonly cost: string | null;
}
