import type { UpstreamHealthState, UpstreamIntegration, UpstreamServer } from '@gw/entities';
import { MINUTE_MS } from '@gw/kernel';
import { raiseAlert } from '@gw/ledger-store';
import type { DataSource, EntityManager, FindOptionsWhere } from 'typeorm';
import { runDue, type DueWork } from './due-work';
import { saveHealth, type HealthColumns, type HealthTables } from './upstream-health.queries';

/** Integrations that one call of the job checks, and how many of them at once. */
const DUE_MAX = 40;
const AT_ONCE = 8;
/** The longest time of a check. */
export const CHECK_MS = 10_000;
/** An upstream that takes longer is degraded. */
const SLOW_MS = 2_000;
/** Checks in a row that fail before administrators are alerted, so that one lost packet sends no alert. */
const FAILURES_ALERTED = 2;
/** An upstream that has been down for so many checks is checked as seldom as one that is not used. */
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
  /** Begins the type of alerts, and names the integration in them. */
  readonly alert: 'mcp_integration' | 'agent_integration';
  /** Checks an upstream with the credential that all callers share, within `CHECK_MS`. Throws faults of this process only. */
  readonly check: (row: R) => Promise<Checked>;
}

/** Checks whether the upstreams of one kind respond. */
export class UpstreamHealth<R extends UpstreamIntegration> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly options: HealthOptions<R>,
  ) {}

  /**
   * Checks the integrations whose turn it is, and returns their number. A check that cannot be carried out is due again at once;
   * its error is thrown after the others have been checked.
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
    const failures = result.state === 'down' ? Math.min(row.healthFailures + 1, FAILURES_MAX) : 0;
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
      if (failures === FAILURES_ALERTED) await this.alert(own, row, columns, 'down');
      if (failures === 0 && row.healthFailures >= FAILURES_ALERTED)
        await this.alert(own, row, columns, 'recovered');
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

/** Returns the result of a check of an upstream that responded as it should. */
export const responded = (tookMs: number): Checked => ({
  ...{ state: tookMs > SLOW_MS ? 'degraded' : 'healthy', error: null, tookMs },
});

/** The columns of an integration whose upstream is another one now, and is checked anew. */
export const unknownHealth = (): Partial<UpstreamIntegration> => ({
  ...{ healthState: 'unknown', healthError: null, healthSince: null, healthFailures: 0 },
  nextHealthAt: new Date(),
});

/** 10 % earlier or later, so that upstreams are not all checked at once. */
const jitter = (): number => 0.9 + 0.2 * Math.random();
