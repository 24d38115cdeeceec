import { INTERNAL } from '@gw/contracts';
import { AgentIntegrationEntity, McpIntegrationEntity } from '@gw/entities';
import { agentCardSyncJob, agentHealthJob, mcpHealthJob, mcpSyncJob, type JobProcessor } from '@gw/jobs';
import { LessThanOrEqual, type DataSource } from 'typeorm';
import { runAdminBatches, type AdminBatchOptions } from '../admin-batches';

/**
 * Jobs that read capabilities or cards. A batch of MCP servers or agents takes five minutes at
 * most.
 */
const READINGS = {
  due: 'nextSyncAt',
  count: 'read',
  batchesMax: 10,
  client: { timeoutMs: 360_000, connections: 1, bytesMax: 65_536 },
} as const;

/** Health checks. A batch of 40, eight of them concurrent, takes 50 seconds at most. */
const CHECKS = {
  due: 'nextHealthAt',
  count: 'checked',
  batchesMax: 25,
  client: { timeoutMs: 90_000, connections: 1, bytesMax: 65_536 },
} as const;

/**
 * Jobs that read or check upstreams. `due` is the column with the time of the next run, `count` the
 * member of the response with the number of upstreams in the batch, `client` the bounds of the
 * request.
 */
export const UPSTREAM_JOBS = [
  {
    ...{ ...READINGS, spec: mcpSyncJob, path: INTERNAL.mcpSync },
    ...{ entity: McpIntegrationEntity, of: 'MCP servers' },
  },
  {
    ...{ ...READINGS, spec: agentCardSyncJob, path: INTERNAL.agentCardSync },
    ...{ entity: AgentIntegrationEntity, of: 'agent cards' },
  },
  {
    ...{ ...CHECKS, spec: mcpHealthJob, path: INTERNAL.mcpHealth },
    ...{ entity: McpIntegrationEntity, of: 'checks of MCP servers' },
  },
  {
    ...{ ...CHECKS, spec: agentHealthJob, path: INTERNAL.agentHealth },
    ...{ entity: AgentIntegrationEntity, of: 'checks of agents' },
  },
] as const;

export type UpstreamJob = (typeof UPSTREAM_JOBS)[number];

/**
 * Runs one job of `UPSTREAM_JOBS`. Safe to run twice and on many machines: the admin API leases the
 * upstreams of a batch, and moves the due time of those that it read or checked. A batch that fails
 * ends the run.
 */
export class UpstreamsProcessor implements JobProcessor {
  readonly spec: UpstreamJob['spec'];

  constructor(
    private readonly job: UpstreamJob,
    private readonly source: DataSource,
    private readonly options: AdminBatchOptions,
  ) {
    this.spec = job.spec;
  }

  process(): Promise<void> {
    const { path, of, batchesMax, entity, due, count } = this.job;
    return runAdminBatches<Readonly<Record<UpstreamJob['count'], number>>>(this.options, {
      ...{ path, of, batchesMax },
      isDue: () =>
        this.source.manager.existsBy<McpIntegrationEntity | AgentIntegrationEntity>(entity, {
          status: 'active',
          [due]: LessThanOrEqual(new Date()),
        }),
      done: (response) => response[count],
    });
  }
}
