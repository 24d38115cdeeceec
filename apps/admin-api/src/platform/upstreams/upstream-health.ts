import type { UpstreamHealthState, UpstreamIntegration, UpstreamServer } from '@gw/entities';
import { MINUTE_MS } from '@gw/kernel';
import { raiseAlert } from '@gw/ledger-store';
import type { DataSource, EntityManager, FindOptionsWhere } from 'typeorm';
import { runDue, type DueWork } from './due-work';
import { saveHealth, type HealthColumns, type HealthTables } from './upstream-health.queries';

/**
 * Maximum number of integrations that one call of the job checks, and how many of them
 * concurrently.
 */
const DUE_MAX = 40;
const AT_ONCE = 8;
/** Timeout of a check, in milliseconds. */
export const CHECK_MS = 10_000;
/** Duration in milliseconds above which a response makes an upstream degraded. */
const SLOW_MS = 2_000;
/**
 * Number of consecutive failed checks before administrators are alerted, so that one lost packet
 * sends no alert.
 */
const FAILURES_ALERTED = 2;
/** An upstream with more consecutive failed checks is checked as rarely as an unused one. */
const FAILURES_RARE = 30;
const FAILURES_MAX = 1_000;
const EVERY_MS = { used: MINUTE_MS, other: 10 * MINUTE_MS };

export interface Checked {
  readonly state: UpstreamHealthState;
  readonly error: string | null;
  readonly tookMs: number | null;
}

export interface HealthOptions<R extends UpstreamIntegration> extends HealthTables<R> {
  readonly table: DueWork['table'];
  /** Entity of the servers or agents that make an integration available in workspaces. */
  readonly servers: new () => UpstreamServer;
  /** Prefix of the alert types; also names the integration in alerts. */
  readonly alert: 'mcp_integration' | 'agent_integration';
  /**
   * Checks an upstream with the credential that all callers share, within `CHECK_MS`. Throws only
   * for faults of this process.
   */
  readonly check: (row: R) => Promise<Checked>;
}

/** Checks whether the upstreams of one kind respond. */
export class UpstreamHealth<R extends UpstreamIntegration> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly options: HealthOptions<R>,
  ) {}

  /**
   * Checks the integrations that are due and returns their number. An integration whose check fails
   * for a reason in this process is due again immediately; the error is thrown after the others
   * have been checked.
   */
  checkDue(): Promise<number> {
    return runDue(this.dataSource.manager, {
      ...{ table: this.options.table, column: 'next_health_at', lease: '2 minutes' },
      ...{ max: DUE_MAX, atOnce: AT_ONCE, run: (id) => this.check(id) },
    });
  }

  private async check(id: string): Promise<void> {
    const { entity, servers } = this.options;
    const { manager } = this.dataSource;
    const active: FindOptionsWhere<UpstreamIntegration> = { id, status: 'active' };
    const row = await manager.findOneBy(entity, active as FindOptionsWhere<R>);
    if (row === null) return;
    const isUsed = await manager.existsBy(servers, { integrationId: id, status: 'active' });
    const result = await this.options.check(row);
    const failures = failuresAfter(result.state, row.healthFailures);
    const isRare = !isUsed || failures > FAILURES_RARE;
    const now = new Date();
    const columns: HealthColumns = {
      ...{ healthState: result.state, healthError: result.error, healthMs: result.tookMs },
      healthSince: result.state === row.healthState ? (row.healthSince ?? now) : now,
      ...{ healthCheckedAt: now, healthFailures: failures },
      nextHealthAt: new Date(now.getTime() + (isRare ? EVERY_MS.other : EVERY_MS.used) * jitter()),
    };
    await this.dataSource.transaction(async (own) => {
      if (!(await saveHealth(own, this.options, row, columns))) return;
      const wasAlerted = row.healthFailures >= FAILURES_ALERTED;
      if (!wasAlerted && failures >= FAILURES_ALERTED) await this.alert(own, row, columns, 'down');
      if (wasAlerted && failures === 0) await this.alert(own, row, columns, 'recovered');
    });
  }

  private async alert(
    manager: EntityManager,
    { id, slug, name, organisationId, workspaceId }: UpstreamIntegration,
    { healthState: state, healthError: error, healthSince }: HealthColumns,
    kind: 'down' | 'recovered',
  ): Promise<void> {
    const { alert: of } = this.options;
    const since = healthSince.toISOString();
    await raiseAlert(manager, {
      ...{ organisationId, workspaceId, kind, counter: `${of}:${id}`, amount: 0 },
      period: healthSince.getTime(),
      event: {
        type: `${of}.${kind}`,
        created_at: new Date().toISOString(),
        data: { [of]: { id, slug, name }, state, error, since },
      },
    });
  }
}

/**
 * Returns the number of consecutive failed checks after a check. After an alert it stays until the
 * upstream responds as expected: one that refuses the credential has not recovered.
 */
function failuresAfter(state: UpstreamHealthState, before: number): number {
  if (state === 'down') return Math.min(before + 1, FAILURES_MAX);
  const isUp = state === 'healthy' || state === 'degraded';
  return isUp ? 0 : alertedFailures(before);
}

/** Returns the number of failures that marks the alert already sent; 0 when none was. */
const alertedFailures = (failures: number): number => (failures >= FAILURES_ALERTED ? FAILURES_ALERTED : 0);

/** Returns the result of a check whose upstream responded as expected. */
export const responded = (tookMs: number): Checked => ({
  ...{ state: tookMs > SLOW_MS ? 'degraded' : 'healthy', error: null, tookMs },
});

/**
 * Returns the column values of an integration whose upstream has changed and must be checked again.
 * If administrators were alerted, a second alert reports when the changed upstream responds.
 */
export const unknownHealth = ({
  healthFailures,
}: Pick<UpstreamIntegration, 'healthFailures'>): Partial<UpstreamIntegration> => ({
  ...{ healthState: 'unknown', healthError: null, healthSince: null },
  ...{ healthFailures: alertedFailures(healthFailures), nextHealthAt: new Date() },
});

/** Returns a factor between 0.9 and 1.1, so that the checks of upstreams spread over time. */
const jitter = (): number => 0.9 + 0.2 * Math.random();
