import { isOfUsers } from '@gw/contracts';
import { McpIntegrationEntity, McpServerEntity, type McpHealthState } from '@gw/entities';
import { MINUTE_MS } from '@gw/kernel';
import { raiseAlert } from '@gw/ledger-store';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { runDue } from '../../platform/upstreams/due-work';
import { saveHealth, type HealthColumns } from './mcp-health.queries';
import { McpReadError } from './mcp-source';
import { McpSources } from './mcp-sources.service';

/** Integrations that one call of the job checks, and how many of them at once. */
const DUE_MAX = 40;
const AT_ONCE = 8;
const CHECK_MS = 10_000;
/** A server that takes longer is degraded. */
const SLOW_MS = 2_000;
/** Checks in a row that fail before administrators are alerted, so that one lost packet sends no alert. */
const FAILURES_ALERTED = 2;
/** A server that has been down for so many checks is checked as seldom as one that is not used. */
const FAILURES_RARE = 30;
const FAILURES_MAX = 1_000;
const EVERY_MS = { used: MINUTE_MS, other: 10 * MINUTE_MS };

/** Checks whether upstream MCP servers respond, with the credential that all callers share. */
@Injectable()
export class McpHealth {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sources: McpSources,
  ) {}

  /**
   * Checks the integrations whose turn it is, and returns their number. A check that cannot be carried out is due again at once;
   * its error is thrown after the others have been checked.
   */
  checkDue(): Promise<number> {
    return runDue(this.dataSource.manager, {
      ...{ table: 'mcp_integrations', column: 'next_health_at', lease: '2 minutes' },
      ...{ max: DUE_MAX, atOnce: AT_ONCE, run: (id) => this.check(id) },
    });
  }

  private async check(id: string): Promise<void> {
    const { manager } = this.dataSource;
    const row = await manager.findOneBy(McpIntegrationEntity, { id, status: 'active' });
    if (row === null) return;
    const isUsed = await manager.existsBy(McpServerEntity, { integrationId: id, status: 'active' });
    const result = await this.ask(row);
    const failures = result.state === 'down' ? Math.min(row.healthFailures + 1, FAILURES_MAX) : 0;
    const isRare = !isUsed || failures > FAILURES_RARE;
    const now = new Date();
    const columns: HealthColumns = {
      ...{ healthState: result.state, healthError: result.error, healthMs: result.tookMs },
      healthSince: result.state === row.healthState ? (row.healthSince ?? now) : now,
      ...{ healthCheckedAt: now, healthFailures: failures },
      nextHealthAt: new Date(now.getTime() + (isRare ? EVERY_MS.other : EVERY_MS.used) * jitter()),
    };
    await this.dataSource.transaction(async (manager) => {
      if (!(await saveHealth(manager, row, columns))) return;
      if (failures === FAILURES_ALERTED) await alert(manager, row, columns, 'down');
      if (failures === 0 && row.healthFailures >= FAILURES_ALERTED)
        await alert(manager, row, columns, 'recovered');
    });
  }

  private async ask(row: McpIntegrationEntity): Promise<Checked> {
    try {
      const { tookMs } = await this.sources.describe(row, CHECK_MS);
      return { state: tookMs > SLOW_MS ? 'degraded' : 'healthy', error: null, tookMs };
    } catch (error) {
      if (!(error instanceof McpReadError)) throw error;
      const { message, isUnauthorised } = error;
      // Servers at which users sign in refuse everyone else, and so are there.
      if (isUnauthorised && isOfUsers(row.authType)) return { state: 'healthy', error: null, tookMs: null };
      return {
        state: isUnauthorised ? 'unauthorised' : 'down',
        error: message.slice(0, 1_024),
        tookMs: null,
      };
    }
  }
}

interface Checked {
  readonly state: McpHealthState;
  readonly error: string | null;
  readonly tookMs: number | null;
}

/** 10 % earlier or later, so that servers are not all checked at once. */
const jitter = (): number => 0.9 + 0.2 * Math.random();

async function alert(
  manager: EntityManager,
  { id, slug, name, organisationId, workspaceId }: McpIntegrationEntity,
  { healthState: state, healthError: error, healthSince }: HealthColumns,
  kind: 'down' | 'recovered',
): Promise<void> {
  const since = healthSince.toISOString();
  await raiseAlert(manager, {
    ...{ organisationId, workspaceId, kind, counter: `mcp_integration:${id}`, amount: 0 },
    period: healthSince.getTime(),
    event: {
      type: `mcp_integration.${kind}`,
      created_at: new Date().toISOString(),
      data: { mcp_integration: { id, slug, name }, state, error, since },
    },
  });
}
