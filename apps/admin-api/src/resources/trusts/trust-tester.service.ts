import type { TrustEntity } from '@gw/entities';
import {
  ASSERTION_TYPES,
  KeySets,
  KeysUnavailable,
  readToken,
  TOKEN_CHECKS,
  TokenFault,
  verifyAssertion,
  verifyToken,
  type TokenCaller,
  type TokenCheck,
} from '@gw/trusts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { isCallerTrust, toTokenRule, toTrustRule } from '../../platform/rows/trust-rules';
import { TrustKeys } from './trust-keys.service';
import { TRUST } from './trusts.service';
import type { TrustTestResponse } from './trusts.dto';

interface Failure {
  readonly check: TokenCheck;
  readonly message: string;
}

/** Runs a gateway's checks on a token that an administrator sends. */
@Injectable()
export class TrustTester {
  constructor(
    private readonly dataSource: DataSource,
    private readonly keys: TrustKeys,
  ) {}

  async test(at: ResourceReference, token: string): Promise<TrustTestResponse> {
    const row = await findRow(this.dataSource.manager, TRUST, at);
    // Uses new key sets, so that a test never sees keys that an earlier test has read.
    const sets = new KeySets({ fetch: this.keys.fetch, warn: () => undefined });
    const [failure, caller] = await outcomeOf(row, token, sets);
    const failedAt = failure === null ? TOKEN_CHECKS.length : TOKEN_CHECKS.indexOf(failure.check);
    return {
      accepted: failure === null,
      steps: TOKEN_CHECKS.map((check, index) => ({
        check,
        outcome: index < failedAt ? 'passed' : index === failedAt ? 'failed' : 'not_reached',
        message: index === failedAt ? (failure?.message ?? null) : null,
      })),
      caller: caller === null ? null : shown(caller),
    };
  }
}

async function outcomeOf(
  row: TrustEntity,
  token: string,
  sets: KeySets,
): Promise<[failure: Failure | null, caller: TokenCaller | null]> {
  try {
    const now = Math.floor(Date.now() / 1_000);
    if (!isCallerTrust(row)) {
      await verifyAssertion(toTokenRule(row), readToken(token, ASSERTION_TYPES), { sets, now });
      return [null, null];
    }
    const { caller } = await verifyToken(toTrustRule(row), readToken(token), { sets, now });
    return [null, caller];
  } catch (error) {
    if (error instanceof TokenFault) return [{ check: error.check, message: error.message }, null];
    if (error instanceof KeysUnavailable) return [{ check: 'key', message: error.message }, null];
    throw error;
  }
}

const shown = ({ workspace, scopes, metadata, userId, config, limits }: TokenCaller): object => ({
  workspace: 'id' in workspace ? workspace.id : workspace.slug,
  scopes,
  metadata,
  user_id: userId,
  config_id: config,
  rate_limits: limits.rateLimits,
  usage_limits: limits.usageLimits.map((budget) => ({
    type: budget.type,
    credit_limit: budget.creditLimit,
    periodic_reset: budget.periodicReset,
    periodic_reset_days: budget.periodicResetDays,
    next_usage_reset_at: budget.nextResetAt,
  })),
});
