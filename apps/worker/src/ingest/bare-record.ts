import type { DecisionRecord, LogRecord } from '@gw/contracts';
import { UUID } from '@gw/web';
import { createHash } from 'node:crypto';
import { chargesAlone } from '../ledger/readable-charges';

const TEXT_MAX = 512;
/** Of the columns that are 32 bits wide. */
const SMALL_MAX = 2 ** 31 - 1;

const text =
  (otherwise: string) =>
  (value: unknown): string =>
    typeof value === 'string' ? value.slice(0, TEXT_MAX) : otherwise;
const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value.slice(0, TEXT_MAX) : null;
const uuidOrNull = (value: unknown): string | null =>
  typeof value === 'string' && UUID.test(value) ? value : null;
const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const small = (value: unknown): number => Math.min(Math.max(number(value), 0), SMALL_MAX);
const flag = (value: unknown): boolean => value === true;
const object = (value: unknown): object | null => (typeof value === 'object' ? value : null);

type Bare = Omit<LogRecord, 'id' | 'createdAt' | 'amends'>;

/** What is kept of each member, whatever it holds: something that its column takes. */
const KEPT: Readonly<Record<keyof Bare, (value: unknown) => unknown>> = {
  organisationId: uuidOrNull,
  workspaceId: uuidOrNull,
  apiKeyId: uuidOrNull,
  userId: textOrNull,
  traceId: text(''),
  spanId: textOrNull,
  parentSpanId: textOrNull,
  spanName: textOrNull,
  method: text(''),
  url: () => '',
  route: text(''),
  status: small,
  outcome: text('failed'),
  errorType: textOrNull,
  provider: textOrNull,
  credential: textOrNull,
  integrationId: textOrNull,
  model: textOrNull,
  responseModel: textOrNull,
  streamed: flag,
  usage: object,
  cost: numberOrNull,
  priced: text('no_usage'),
  configId: textOrNull,
  configVersionId: textOrNull,
  targetPath: textOrNull,
  retries: small,
  cacheStatus: text('DISABLED'),
  metadata: () => ({}),
  durationMs: number,
  firstByteMs: numberOrNull,
  overheadMs: number,
  requestBytes: number,
  responseBytes: number,
  requestContentType: textOrNull,
  responseContentType: textOrNull,
  requestBodyTruncated: () => true,
  responseBodyTruncated: () => true,
  gatewayId: text(''),
  decision: (decision): Partial<DecisionRecord> => chargesAlone(decision),
};

/**
 * A record without its bodies and free texts, and without what has another type than it should: what lists, sums and the ledger
 * need. Every column takes it.
 */
export function bareRecord(
  record: Readonly<Record<string, unknown>>,
  id: string,
  createdAt: string,
): LogRecord {
  const kept = Object.entries(KEPT).map(([name, keep]) => [name, keep(record[name])] as const);
  return { ...(Object.fromEntries(kept) as unknown as Bare), id, createdAt };
}

/** The id that a record is stored under: its own, or a hash of the record where that is none, the same however often it comes. */
export function recordId(meta: Buffer, record: { readonly id?: unknown } | null): string {
  if (typeof record?.id === 'string' && UUID.test(record.id)) return record.id;
  const hex = createHash('sha256').update(meta).digest('hex');
  // Version 8 of RFC 9562: a layout of one's own.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
