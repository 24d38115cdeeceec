import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import {
  DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  type InsertEvent,
  type ObjectLiteral,
} from 'typeorm';
import { SETTINGS, type AdminSettings } from '../../settings';
import { CAPPED_KINDS, type CappedKind, type RESOURCE_CAP_SETTINGS } from './capped-kinds';

/** An owner to whom a transaction has added rows of a kind. */
interface Added {
  readonly kind: CappedKind;
  /** Entity member with the owner's id, such as `workspaceId`. */
  readonly member: string;
  readonly id: string;
}

const KINDS = new Map<unknown, CappedKind>(CAPPED_KINDS.map((kind) => [kind.entity, kind]));

/** Rows added by each running transaction, by its query runner. */
const ADDED = new WeakMap<object, Map<string, Added>>();

/**
 * Limits how many rows of a kind each owner may have. Records every insert of a transaction;
 * `Writes` calls `assertWithinCaps` before the commit. Concurrent transactions do not see each
 * other's rows, so an owner can exceed a limit by at most the number of database connections.
 */
@Injectable()
export class ResourceCaps implements EntitySubscriberInterface {
  constructor(
    dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, keyof typeof RESOURCE_CAP_SETTINGS>,
  ) {
    dataSource.subscribers.push(this);
  }

  afterInsert({ metadata, entity, queryRunner }: InsertEvent<ObjectLiteral>): void {
    const kind = KINDS.get(metadata.target);
    const owner = kind && ownerOf(kind, entity);
    if (!owner) return;
    const added = ADDED.get(queryRunner) ?? new Map<string, Added>();
    ADDED.set(
      queryRunner,
      added.set(`${metadata.tableName} ${owner.member} ${owner.id}`, { kind, ...owner }),
    );
  }

  /**
   * Throws `resource_limit_reached` when the transaction has given an owner more rows than allowed.
   */
  async assertWithinCaps(manager: EntityManager): Promise<void> {
    const added = manager.queryRunner && ADDED.get(manager.queryRunner);
    for (const each of added?.values() ?? []) {
      const max = this.settings[each.kind.setting];
      if (await hasMoreThan(manager, each, max)) throw full(each, max);
    }
  }
}

/**
 * Returns the owner of a row; null when the row names none. Rows of a workspace kind that have no
 * workspace belong to the organisation.
 */
function ownerOf({ owner }: CappedKind, row: ObjectLiteral): { member: string; id: string } | null {
  const members = owner === 'workspace' ? ['workspaceId', 'organisationId'] : [`${owner}Id`];
  for (const member of members) {
    const id: unknown = row[member];
    if (typeof id === 'string') return { member, id };
  }
  return null;
}

/** Whether the owner has more than `max` rows. Reads at most `max` + 1 rows. */
async function hasMoreThan(manager: EntityManager, added: Added, max: number): Promise<boolean> {
  const { kind, member, id } = added;
  const rows = manager.createQueryBuilder(kind.entity, 'row').select('1', 'one');
  rows.where(`row.${member} = :id`, { id });
  if (kind.owner === 'workspace' && member === 'organisationId') rows.andWhere('row.workspaceId IS NULL');
  if (kind.status !== undefined) rows.andWhere('row.status = :status', { status: kind.status });
  if (kind.gone !== undefined) rows.andWhere('row.status <> :gone', { gone: kind.gone });
  return (await rows.offset(max).limit(1).getRawOne()) !== undefined;
}

function full({ kind, member }: Added, max: number): GatewayError {
  const owner = member.slice(0, -'Id'.length);
  const way =
    kind.setting === 'VERSIONS_MAX'
      ? `continue in a new ${owner}`
      : `${kind.name === 'open invites' ? 'cancel' : 'delete'} unused ones`;
  return new GatewayError('resource_limit_reached', {
    message: `This ${owner} already has the maximum of ${String(max)} ${kind.name}; ${way} or raise ${kind.setting}.`,
    extra: { limit: max },
  });
}
