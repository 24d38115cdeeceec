import { A2aError, agentFailure, type Failure, type GatewayProblem } from '@gw/a2a';
import { AgentCallError, type AgentCallErrorKind } from '@gw/a2a-client';
import { GatewayError } from '@gw/kernel';
import { denialError, isBudget, type LimitDenial } from '@gw/limits';
import { BREAKER_COOLDOWN_MS } from '../limits/upstream-breakers';
import { ToolDenial } from '../guardrails/tool-guards';

/**
 * A call that was denied or failed: the failure that the client receives, and the error that the
 * log stores.
 */
export class AgentDenied extends Error {
  constructor(
    readonly failure: Failure,
    /** Null when the agent itself responded with the failure. */
    readonly logged: GatewayError | null,
    readonly retryAfterMs: number | null = null,
  ) {
    super(failure.message);
  }
}

const CODES = {
  rateLimited: 31_429,
  budgetExhausted: 31_412,
  hooksFailed: 31_446,
  internal: -32_603,
} as const;

const problem = (
  code: number,
  status: number,
  { message, type }: GatewayError,
  facts: GatewayProblem['facts'],
): GatewayProblem => ({ code, status, message, type, facts });

export function limitDenied(denial: LimitDenial): AgentDenied {
  const { bucket, retryAfterMs, resetAtMs } = denial;
  const logged = denialError(denial);
  if (isBudget(bucket)) {
    const resetsAt = resetAtMs === null ? null : new Date(resetAtMs).toISOString();
    const facts = { limit_id: bucket.id, resets_at: resetsAt };
    return new AgentDenied(
      { ...problem(CODES.budgetExhausted, 412, logged, facts), type: 'budget_exhausted' },
      logged,
    );
  }
  const waitMs = Number.isFinite(retryAfterMs) ? Math.ceil(retryAfterMs) : null;
  return rateDenied(logged, waitMs, { policy_id: bucket.scope === 'policy' ? bucket.id : null });
}

/** Returns the denial by a rate limit; `retryAfterMs` null: no retry can succeed. */
export function rateDenied(
  logged: GatewayError,
  retryAfterMs: number | null,
  facts: GatewayProblem['facts'] = {},
): AgentDenied {
  const all = { ...facts, retry_after_ms: retryAfterMs };
  return new AgentDenied(
    { ...problem(CODES.rateLimited, 429, logged, all), type: 'rate_limited' },
    logged,
    retryAfterMs,
  );
}

/** Runs `judge`, which checks guardrails, and converts their denial to an `AgentDenied`. */
export async function guarded<T>(judge: () => Promise<T>): Promise<T> {
  try {
    return await judge();
  } catch (error) {
    if (!(error instanceof ToolDenial)) throw error;
    const { guardrailId, checkId } = error.decided;
    const facts = { guardrail_id: guardrailId, check_id: checkId, phase: error.phase, reason: error.message };
    const denied = problem(CODES.hooksFailed, 446, error, facts);
    throw new AgentDenied({ ...denied, type: 'hooks_failed' }, error);
  }
}

const TYPES: Partial<
  Record<
    AgentCallErrorKind,
    'provider_timeout' | 'provider_unreachable' | 'provider_credential_failed' | 'unavailable'
  >
> = {
  timeout: 'provider_timeout',
  unreachable: 'provider_unreachable',
  refused_address: 'provider_unreachable',
  closed: 'provider_unreachable',
  unauthorized: 'provider_credential_failed',
  no_memory: 'unavailable',
};

/** Returns the denial of a call to an agent whose breaker is open. */
export function breakerOpen(): AgentDenied {
  const logged = new GatewayError('provider_unreachable', {
    message: 'No connection to the agent could be opened for the last calls; the breaker is open.',
  });
  const facts = { failure: 'circuit_open', retry_after_ms: BREAKER_COOLDOWN_MS };
  return new AgentDenied(problem(CODES.internal, logged.status, logged, facts), logged, BREAKER_COOLDOWN_MS);
}

/**
 * Converts a failed agent call into the client's error. Except for A2A errors, it contains no text
 * of the agent.
 */
export function agentDenied(error: AgentCallError): AgentDenied {
  if (error.kind === 'agent_error') return new AgentDenied(agentFailure(error.error), null);
  const { message, retryAfterMs } = error;
  const logged = new GatewayError(TYPES[error.kind] ?? 'provider_answer_invalid', {
    detail: { agent: message },
    cause: error,
  });
  if (error.kind === 'protocol' || error.kind === 'too_large')
    return new AgentDenied(new A2aError('invalidAgentResponse'), logged);
  const waitMs = error.kind === 'no_memory' ? 1_000 : retryAfterMs;
  return new AgentDenied(problem(CODES.internal, logged.status, logged, {}), logged, waitMs);
}
