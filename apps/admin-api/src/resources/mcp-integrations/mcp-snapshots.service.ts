import { isOfUsers } from '@gw/contracts';
import { McpCapabilityEntity, McpIntegrationEntity } from '@gw/entities';
import { ERRORS, GatewayError, MINUTE_MS, Shares, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { keysOfServers } from '../../platform/rows/mcp-rows';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_CHANGE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { changesOf, type ServerSnapshot, type SnapshotChanges } from './mcp-snapshot';
import {
  dueIntegrations,
  otherToolNames,
  removeOldCapabilities,
  savedCapabilities,
  saveSync,
} from './mcp-snapshots.queries';
import { McpReadError } from './mcp-source';
import { McpSources } from './mcp-sources.service';

/** Readings of this process at once. An organisation that is alone has half of them. */
const READINGS_MAX = 8;
/** Integrations that one call of the job reads, and how many of them at once. */
const DUE_MAX = 20;
const DUE_AT_ONCE = 4;
const EVERY_MS = 15 * MINUTE_MS;
const BACK_OFF_MAX_MS = 360 * MINUTE_MS;
const AUDITED_MAX = 100;

const CUT =
  'The server lists more than is kept: 5,000 capabilities of 256 KiB, and 8 MiB in all. The rest is not offered.';

/** Reads the servers of MCP integrations, and keeps what they list. */
@Injectable()
export class McpSnapshots {
  private readonly places = new Shares(READINGS_MAX);
  private readonly running = new Map<string, Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly sources: McpSources,
  ) {}

  /**
   * Reads the server now and keeps the result; a call during another reading of the integration shares its result.
   * Throws `mcp_server_unreadable` with the reason, `rate_limited` when the organisation has no place left, and
   * `conflict` when the integration has changed meanwhile.
   */
  sync(row: McpIntegrationEntity, caller: AuditCaller): Promise<void> {
    const known = this.running.get(row.id);
    if (known) return known;
    const reading = this.read(row, caller).finally(() => this.running.delete(row.id));
    this.running.set(row.id, reading);
    return reading;
  }

  /** Reads integrations whose turn it is, and returns their number. A failure is kept with its integration. */
  async syncDue(): Promise<number> {
    const ids = await dueIntegrations(this.dataSource.manager, DUE_MAX);
    const rest = [...ids];
    const work = async (): Promise<void> => {
      for (let id = rest.shift(); id !== undefined; id = rest.shift()) await this.syncOne(id);
    };
    await Promise.all(Array.from({ length: DUE_AT_ONCE }, work));
    return ids.length;
  }

  /** Keeps a snapshot. Throws `conflict` when the integration is not the one that was read any more. */
  store(row: McpIntegrationEntity, snapshot: ServerSnapshot, caller: AuditCaller): Promise<void> {
    return this.writes.run(caller, (write) => this.keep(write, row, snapshot));
  }

  /** Does the same within a write. */
  async keep(write: Write<AuditCaller>, row: McpIntegrationEntity, snapshot: ServerSnapshot): Promise<void> {
    const { manager } = write;
    const { id, url, transport, authType, version } = row;
    // What is chosen of a document is not in the row, but changes its version.
    const of = row.kind === 'openapi' ? { version } : {};
    const where = { id, url, transport, authType, ...of, status: 'active' } as const;
    const locked = await manager.findOne(McpIntegrationEntity, { where, lock: FOR_CHANGE });
    if (locked === null) throw new GatewayError('conflict', { message: MOVED });
    const saved = await savedCapabilities(manager, id, snapshot);
    const otherNames = await otherToolNames(manager, locked);
    const now = new Date();
    const changes = changesOf(locked, saved, snapshot, { otherNames, now });
    await manager.save(McpCapabilityEntity, [...changes.rows], { chunk: 500 });
    await removeOldCapabilities(manager, id);
    await keepSynced(manager, locked, snapshot, changes);
    if (changes.rows.length > 0) write.changed(...(await keysOfServers(manager, locked)));
    const { changed } = changes;
    if (changed.length > 0)
      write.audit({
        ...{ action: 'mcp_capability.changed', resourceType: 'mcp_integrations', resourceId: id },
        workspaceId: locked.workspaceId,
        after: { total: changed.length, capabilities: changed.slice(0, AUDITED_MAX) },
      });
  }

  /** Runs a call of the server within the places of its organisation. Throws `rate_limited` without one. */
  async within<T>(
    { organisationId }: Pick<McpIntegrationEntity, 'organisationId'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const share = this.places.of(organisationId, organisationId);
    if (!share.take(1)) throw tooMany();
    try {
      return await work();
    } finally {
      share.give(1);
    }
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

  /** A failure of one integration must not stop the others; it is in its row, or the next call of the job repeats it. */
  private async syncOne(id: string): Promise<void> {
    const row = await this.dataSource.manager.findOneBy(McpIntegrationEntity, { id, status: 'active' });
    if (row === null) return;
    try {
      await this.sync(row, callerFor(row));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
  }

  private keepFailure(row: McpIntegrationEntity, { message, isUnauthorised }: McpReadError): Promise<void> {
    const needsUsers = isOfUsers(row.authType) && isUnauthorised;
    const since = row.lastSyncedAt ?? row.createdAt;
    // Grows with the time without success, so that a server that is gone is contacted less and less.
    const waitMs = Math.min(BACK_OFF_MAX_MS, Math.max(EVERY_MS, Date.now() - since.getTime()));
    return saveSync(this.dataSource.manager, row, {
      syncStatus: needsUsers ? 'pending' : 'failed',
      syncError: needsUsers ? OF_USERS : message.slice(0, 1_024),
      nextSyncAt: after(waitMs),
    });
  }
}

const MOVED = 'The integration has changed while its server was read; synchronise it again.';
const OF_USERS =
  'The server lists its capabilities only to users who have signed in; report them with a body of POST …/sync.';

const tooMany = (): GatewayError =>
  new GatewayError('rate_limited', {
    message: 'Too many MCP servers are being read at once; try again in a moment.',
    headers: { 'retry-after': '1' },
  });

/** A time in so many milliseconds, 20 % earlier or later, so that integrations do not all come at once. */
const after = (ms: number): Date => new Date(Date.now() + ms * (0.8 + 0.4 * Math.random()));

async function keepSynced(
  manager: EntityManager,
  row: McpIntegrationEntity,
  { info, isCut }: ServerSnapshot,
  { server }: SnapshotChanges,
): Promise<void> {
  await saveSync(manager, row, {
    ...{ syncStatus: 'synced', syncError: isCut ? CUT : null, nextSyncAt: after(EVERY_MS) },
    ...{ lastSyncedAt: new Date(), serverInfo: info },
    ...(server.state === 'approved' ? { approvedServer: info } : {}),
  });
}

const callerFor = ({ organisationId, workspaceId }: McpIntegrationEntity): AuditCaller => ({
  ...{ kind: 'system', organisationId, workspaceId, userId: null, apiKeyId: null },
  request: { id: uuidv7(), method: 'JOB', uri: 'mcp-sync', clientIp: null, userAgent: null },
});
