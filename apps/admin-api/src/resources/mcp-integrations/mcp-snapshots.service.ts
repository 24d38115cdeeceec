import { isOfUsers } from '@gw/contracts';
import { McpCapabilityEntity, McpIntegrationEntity } from '@gw/entities';
import { ERRORS, GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { keysOfServers } from '../../platform/rows/mcp-rows';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_CHANGE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { changesOf, type SnapshotChanges } from '../../platform/upstreams/capability-changes';
import { nextAttempt, nextReading, UpstreamReadings } from '../../platform/upstreams/upstream-readings';
import {
  removeOldCapabilities,
  savedCapabilities,
  saveFailure,
  saveSync,
} from '../../platform/upstreams/upstream-sync.queries';
import { serverCapability, type ServerSnapshot } from './mcp-snapshot';
import { MCP_TABLES, otherToolNames } from './mcp-snapshots.queries';
import { McpReadError } from './mcp-source';
import { McpSources } from './mcp-sources.service';

const AUDITED_MAX = 100;

const CUT =
  'The server lists more than is kept: 5,000 capabilities of 256 KiB, and 8 MiB in all. The rest is not offered.';

/** Reads the servers of MCP integrations and stores the capabilities that they list. */
@Injectable()
export class McpSnapshots {
  private readonly readings: UpstreamReadings<McpIntegrationEntity>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly sources: McpSources,
  ) {
    this.readings = new UpstreamReadings(dataSource, {
      ...{ entity: McpIntegrationEntity, tables: MCP_TABLES, job: 'mcp-sync', of: 'MCP servers' },
      unreadable: 'mcp_server_unreadable',
      read: (row, caller) => this.read(row, caller),
    });
  }

  /**
   * Reads the server now and stores the result; a call during another reading of the integration
   * shares its result. Throws `mcp_server_unreadable` with the reason, `rate_limited` when the
   * organisation runs the maximum number of readings, and `conflict` when the integration has
   * changed in the meantime.
   */
  sync(row: McpIntegrationEntity, caller: AuditCaller): Promise<void> {
    return this.readings.sync(row, caller);
  }

  /**
   * Reads the integrations that are due and returns their number. Stores a failure with its
   * integration.
   */
  syncDue(): Promise<number> {
    return this.readings.syncDue();
  }

  /**
   * Reads the server of an integration whose lists have changed. Stores a failure with the
   * integration.
   */
  syncChanged(integrationId: string): Promise<void> {
    return this.readings.syncChanged(integrationId);
  }

  /** Stores a snapshot. Throws `conflict` when the integration has changed since the reading. */
  store(row: McpIntegrationEntity, snapshot: ServerSnapshot, caller: AuditCaller): Promise<void> {
    return this.writes.run(caller, (write) => this.keep(write, row, snapshot));
  }

  /** Stores a snapshot within a write. Throws as `store` does. */
  async keep(write: Write<AuditCaller>, row: McpIntegrationEntity, snapshot: ServerSnapshot): Promise<void> {
    const { manager } = write;
    const { id, url, transport, authType, version } = row;
    // For OpenAPI, also compares the version: the selection of operations is in another row, but
    // changes the version.
    const of = row.kind === 'openapi' ? { version } : {};
    const where = { id, url, transport, authType, ...of, status: 'active' } as const;
    const locked = await manager.findOne(McpIntegrationEntity, { where, lock: FOR_CHANGE });
    if (locked === null) throw new GatewayError('conflict', { message: MOVED });
    const saved = await savedCapabilities(manager, McpCapabilityEntity, id, snapshot);
    const otherNames = await otherToolNames(manager, locked);
    const read = { self: serverCapability(snapshot.info), capabilities: snapshot.capabilities };
    const comparison = { otherNames, now: new Date() };
    const changes = await changesOf(McpCapabilityEntity, locked, saved, read, comparison);
    await manager.save(McpCapabilityEntity, [...changes.rows], { chunk: 500 });
    await removeOldCapabilities(manager, MCP_TABLES, id);
    await saveSynced(manager, locked, snapshot, changes);
    if (changes.rows.length > 0) write.changed(await keysOfServers(manager, locked));
    const { changed } = changes;
    if (changed.length > 0)
      write.audit({
        ...{ action: 'mcp_capability.changed', resourceType: 'mcp_integrations', resourceId: id },
        workspaceId: locked.workspaceId,
        after: { total: changed.length, capabilities: changed.slice(0, AUDITED_MAX) },
      });
  }

  /**
   * Runs a call of the server within the concurrency limit of its organisation. Throws
   * `rate_limited` when the limit is reached.
   */
  within<T>(row: Pick<McpIntegrationEntity, 'organisationId'>, work: () => Promise<T>): Promise<T> {
    return this.readings.within(row, work);
  }

  private async read(row: McpIntegrationEntity, caller: AuditCaller): Promise<void> {
    try {
      const snapshot = await this.within(row, () => this.sources.read(row));
      await this.store(row, snapshot, caller);
    } catch (error) {
      if (!(error instanceof McpReadError)) throw error;
      await this.keepFailure(row, error);
      throw new GatewayError('mcp_server_unreadable', {
        message: `${ERRORS.mcp_server_unreadable.message} ${error.message}`,
        cause: error,
      });
    }
  }

  private keepFailure(row: McpIntegrationEntity, { message, isUnauthorised }: McpReadError): Promise<void> {
    const needsUsers = isOfUsers(row.authType) && isUnauthorised;
    return saveFailure(this.dataSource.manager, McpIntegrationEntity, row, {
      syncStatus: needsUsers ? 'pending' : 'failed',
      syncError: needsUsers ? OF_USERS : message.slice(0, 1_024),
      nextSyncAt: nextAttempt(row),
    });
  }
}

const MOVED = 'The integration has changed while its server was read; synchronise it again.';
const OF_USERS =
  'The server lists its capabilities only to users who have signed in; report them with a body of POST …/sync.';

async function saveSynced(
  manager: EntityManager,
  row: McpIntegrationEntity,
  { info, isCut }: ServerSnapshot,
  { self }: SnapshotChanges<McpCapabilityEntity>,
): Promise<void> {
  await saveSync(manager, McpIntegrationEntity, row, {
    ...{ syncStatus: 'synced', syncError: isCut ? CUT : null, nextSyncAt: nextReading() },
    ...{ lastSyncedAt: new Date(), serverInfo: info },
    ...(self.state === 'approved' ? { approvedServer: info } : {}),
  });
}
