import { ScimUserEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { Writes } from '../../platform/unit-of-work/writes';
import { ScimMemberships } from './scim-memberships.service';

/** Number of users in one batch, whose transaction takes a second or two. */
const BATCH = 200;

/** Applies the mapped roles of users whom a large change of groups has marked as pending. */
@Injectable()
export class PendingScimUsers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly memberships: ScimMemberships,
  ) {}

  /** Processes a batch of one organisation and returns its number of users. */
  async settle(): Promise<number> {
    const { manager } = this.dataSource;
    const first = await manager.findOne(ScimUserEntity, {
      where: { pending: true },
      order: { organisationId: 'ASC', userId: 'ASC' },
    });
    if (first === null) return 0;
    const { organisationId } = first;
    const rows = await manager.find(ScimUserEntity, {
      where: { organisationId, pending: true },
      order: { userId: 'ASC' },
      take: BATCH,
      select: { userId: true, organisationId: true },
    });
    const ids = rows.map(({ userId }) => userId);
    await this.writes.run(callerFor(organisationId), (write) =>
      this.memberships.applyMappedRoles(write, organisationId, ids),
    );
    return ids.length;
  }
}

const callerFor = (organisationId: string): AuditCaller => ({
  kind: 'system',
  organisationId,
  workspaceId: null,
  userId: null,
  apiKeyId: null,
  request: { id: uuidv7(), method: 'JOB', uri: 'scim-sync', clientIp: null, userAgent: null },
});
