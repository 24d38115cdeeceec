import type {
  AttemptRecord,
  ChargeRecord,
  DecisionRecord,
  GuardrailRecord,
  LimitState,
  PriceLine,
  RoutingEvent,
} from '@gw/contracts';
import { e8, type ResponseOf, type E8 } from '../../../api';
import type { WaterfallRecord } from '../../../ui/waterfall';

export type LogDetail = ResponseOf<'logs_get'>;

/**
 * Decision record of a log whose lists are always present. Uploaded and old logs may lack any
 * member.
 */
export interface Decision extends Partial<Omit<DecisionRecord, 'attempts' | 'limits' | 'guardrails'>> {
  readonly attempts: readonly AttemptRecord[];
  readonly routing: readonly RoutingEvent[];
  readonly limits: readonly LimitState[];
  readonly charges: readonly ChargeRecord[];
  readonly guardrails: readonly GuardrailRecord[];
  readonly strategy: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = <T>(value: unknown): readonly T[] =>
  Array.isArray(value) ? (value.filter(isJson) as T[]) : [];
const arrayOf = <T>(value: readonly T[]): readonly T[] => (Array.isArray(value) ? (value as T[]) : []);
const objectOf = <T>(value: unknown): T | undefined => (isJson(value) ? (value as T) : undefined);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Reads the decision record of a log. Drops values that should be objects and are not, and empties
 * values that should be texts and are not, so that a damaged record cannot break the page.
 */
export function decisionOf({ decision: raw }: Pick<LogDetail, 'decision'>): Decision {
  const decision = raw as Json;
  const price = objectOf<NonNullable<DecisionRecord['price']>>(decision['price']);
  return {
    ...(raw as Partial<DecisionRecord>),
    config: objectOf(decision['config']),
    cache: objectOf(decision['cache']),
    prompt: objectOf(decision['prompt']),
    mcp: objectOf(decision['mcp']),
    agent: objectOf(decision['agent']),
    session: objectOf(decision['session']),
    stages: objectOf(decision['stages']),
    price: price === undefined ? null : { ...price, lines: listOf<PriceLine>(price.lines) },
    strategy: Array.isArray(decision['strategy'])
      ? decision['strategy'].filter((one) => typeof one === 'string')
      : [],
    attempts: listOf<AttemptRecord>(decision['attempts']).map((attempt) => ({
      ...attempt,
      target: textOf(attempt.target),
      provider: textOf(attempt.provider),
    })),
    routing: listOf<RoutingEvent>(decision['routing']).map((event) => ({
      ...event,
      target: textOf(event.target),
    })),
    limits: listOf<LimitState>(decision['limits']),
    charges: listOf<ChargeRecord>(decision['charges']).map((charge) => ({
      ...charge,
      flags: arrayOf(charge.flags),
      counters: arrayOf(charge.counters),
    })),
    guardrails: listOf<GuardrailRecord>(decision['guardrails']).map((guardrail) => ({
      ...guardrail,
      id: textOf(guardrail.id),
      checks: listOf(guardrail.checks),
    })),
  };
}

export const waterfallRecord = (log: LogDetail, decision: Decision): WaterfallRecord => ({
  durationMs: log.response_time,
  firstByteMs: log.first_byte_ms,
  streamed: log.streamed,
  outputTokens: log.res_units,
  decision,
});

/** Reads an amount of a record, an integer of 1e-8 USD; null for any other value. */
export const moneyOf = (units: unknown): E8 | null =>
  typeof units === 'number' && Number.isSafeInteger(units) ? e8(String(units)) : null;

export const costOf = ({ cost_exact: cost }: Pick<LogDetail, 'cost_exact'>): E8 | null =>
  cost === null ? null : e8(cost);
