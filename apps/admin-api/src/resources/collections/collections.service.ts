import { CollectionEntity, PromptEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid, plainListOf, viewOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { inWorkspace } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import {
  assertNoCycle,
  heldCollection,
  collectionSlug,
  defaultCollection,
} from '../../platform/rows/collection-rows';
import {
  archiveRow,
  createRow,
  findRow,
  listRows,
  patchRow,
  type Resource,
} from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { detailsOf } from './collection-details';
import {
  ChildCollectionResponse,
  toCollection,
  type CollectionListResponse,
  type CollectionWithChildrenResponse,
  type CreateCollectionDto,
  type CreatedCollectionResponse,
  type ListCollectionsQuery,
  type UpdateCollectionDto,
} from './collections.dto';

const COLLECTION: Resource<CollectionEntity> = {
  entity: CollectionEntity,
  type: 'collections',
  view: toCollection,
};
const CHILDREN_MAX = 1_000;

@Injectable()
export class CollectionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateCollectionDto): Promise<CreatedCollectionResponse> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { name, parent_collection_id: parent, slug = collectionSlug(name) } = input;
      const parentId = parent
        ? (await heldCollection(manager, owner, parent, 'parent_collection_id')).id
        : null;
      // Archived collections count too, because a slug is never reused within the organisation.
      await assertSlugFree(manager, CollectionEntity, { organisationId: owner.organisationId, slug });
      const columns = { ...owner, slug, name, parentId, isDefault: false, status: 'active' } as const;
      const { id } = await createRow(write, COLLECTION, columns);
      return { id, slug };
    });
  }

  async list(caller: Principal, query: ListCollectionsQuery): Promise<CollectionListResponse> {
    const { manager } = this.dataSource;
    const owner = inWorkspace(caller);
    await defaultCollection(manager, owner);
    const [rows, total] = await listRows(manager, COLLECTION, query, {
      where: { ...owner, status: 'active' },
      search: { text: query.search, in: ['name', 'slug'] },
    });
    const details = await detailsOf(manager, rows);
    return plainListOf([
      rows.map((row) => ({ ...toCollection(row), collection_details: details(row.id) })),
      total,
    ]);
  }

  async get(at: ResourceReference): Promise<CollectionWithChildrenResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, COLLECTION, at);
    const children = await manager.find(CollectionEntity, {
      where: { parentId: row.id, status: 'active' },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: CHILDREN_MAX,
    });
    const details = await detailsOf(manager, children);
    return {
      ...toCollection(row),
      child_collections: children.map((child) =>
        viewOf(ChildCollectionResponse, child, { collection_details: details(child.id) }),
      ),
    };
  }

  update(at: ResourceReference, input: UpdateCollectionDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, COLLECTION, at, async (row) => {
        const { name, parent_collection_id: parent } = input;
        if (name !== undefined) row.name = name;
        if (parent === null) row.parentId = null;
        else if (parent !== undefined) row.parentId = await parentFor(write.manager, row, parent);
      }),
    );
  }

  /**
   * Archives a collection. Its contents move to the workspace's default collection, which cannot be
   * deleted.
   */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, COLLECTION, at, async ({ id, organisationId, workspaceId, isDefault }) => {
        if (isDefault) {
          throw new GatewayError('not_found', { message: 'The default collection cannot be deleted.' });
        }
        const home = await defaultCollection(write.manager, { organisationId, workspaceId });
        await write.manager.update(PromptEntity, { collectionId: id }, { collectionId: home.id });
        await write.manager.update(CollectionEntity, { parentId: id }, { parentId: home.id });
      }),
    );
  }
}

/**
 * Returns the id of a new parent. The default collection stays at the top level, so that the
 * contents of a deleted collection never move into that collection.
 */
async function parentFor(manager: EntityManager, row: CollectionEntity, reference: string): Promise<string> {
  const { organisationId, workspaceId, isDefault } = row;
  if (isDefault) throw invalid('parent_collection_id', 'the default collection cannot have a parent');
  const owner = { organisationId, workspaceId };
  const parent = await heldCollection(manager, owner, reference, 'parent_collection_id');
  await assertNoCycle(manager, row, parent);
  return parent.id;
}
