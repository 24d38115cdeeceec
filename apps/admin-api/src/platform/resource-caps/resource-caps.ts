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

/** Rows that one transaction has added to one owner. */
interface Added {
  readonly kind: CappedKind;
  /** `workspaceId`, or another member that names the owner. */
  readonly member: string;
  readonly id: string;
}

const KINDS = new Map<unknown, CappedKind>(CAPPED_KINDS.map((kind) => [kind.entity, kind]));

/** By the query runner of their transaction. */
const ADDED = new WeakMap<object, Map<string, Added>>();

/**
 * Holds every owner to so many rows of a kind. It notes what a transaction inserts, however that is done, and `Writes` lets it count
 * before the transaction commits. Transactions that commit at the same moment do not see each other's rows, so that an owner may come
 * to stand above a cap by as many rows as the process has connections.
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

  /** Throws `resource_limit_reached` where the transaction has given an owner more rows than it may have. */
  async assertKept(manager: EntityManager): Promise<void> {
    const added = manager.queryRunner && ADDED.get(manager.queryRunner);
    for (const each of added?.values() ?? []) {
      const max = this.settings[each.kind.setting];
      if (await hasMoreThan(manager, each, max)) throw full(each, max);
    }
  }
}

/** What belongs to a workspace in some rows belongs to the organisation in those that name none. */
function ownerOf({ owner }: CappedKind, row: ObjectLiteral): { member: string; id: string } | null {
  const members = owner === 'workspace' ? ['workspaceId', 'organisationId'] : [`${owner}Id`];
  for (const member of members) {
    const id: unknown = row[member];
    if (typeof id === 'string') return { member, id };
  }
  return null;
}

/** Reads no more rows than the cap. */
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
      ? `go on in a new ${owner}`
      : `${kind.name === 'open invites' ? 'cancel' : 'delete'} those that are not used`;
  return new GatewayError('resource_limit_reached', {
    message: `This ${owner} may have ${String(max)} ${kind.name} and has as many; ${way}, or have ${kind.setting} raised.`,
    extra: { limit: max },
  });
}
