import { CollectionEntity, PromptEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { assertMatches, invalid, plainListOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, ILike, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { byReference, found, inWorkspace, reach } from '../../platform/auth/tenancy';
import { assertSlugFree } from '../../platform/common/slugs';
import { escapeLike } from '../../platform/common/text';
import {
  assertNoCycle,
  collectionNamed,
  collectionSlug,
  defaultCollection,
} from '../../platform/rows/collection-rows';
import { detailsOf } from './collection-details';
import type {
  CreateCollectionDto,
  CreatedCollectionDto,
  ListCollectionsQuery,
  UpdateCollectionDto,
} from './collections.dto';
import {
  toCollection,
  type CollectionListAnswer,
  type CollectionWithChildrenAnswer,
} from './collections.view';

const RESOURCE = 'collections';
const CHILDREN_MAX = 1_000;

@Injectable()
export class CollectionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  create(caller: Principal, input: CreateCollectionDto): Promise<CreatedCollectionDto> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { name, parent_collection_id: parent } = input;
      const parentId = parent
        ? (await collectionNamed(manager, owner, parent, 'parent_collection_id')).id
        : null;
      const slug = input.slug ?? collectionSlug(name);
      // Archived ones count: a slug names one collection of the organisation for ever.
      await assertSlugFree(manager, CollectionEntity, { organisationId: owner.organisationId, slug });
      const row = await manager.save(
        manager.create(CollectionEntity, {
          id: uuidv7(),
          ...owner,
          slug,
          name,
          parentId,
          isDefault: false,
          status: 'active',
        }),
      );
      write.audit({
        action: 'create',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        after: toCollection(row),
      });
      return { id: row.id, slug: row.slug };
    });
  }

  async list(caller: Principal, query: ListCollectionsQuery): Promise<CollectionListAnswer> {
    const { manager } = this.dataSource;
    const owner = inWorkspace(caller);
    await defaultCollection(manager, owner);
    const where = { ...owner, status: 'active' as const };
    const like = query.search === undefined ? undefined : ILike(`%${escapeLike(query.search)}%`);
    const [rows, total] = await manager.findAndCount(CollectionEntity, {
      where: like
        ? [
            { ...where, name: like },
            { ...where, slug: like },
          ]
        : where,
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    const details = await detailsOf(
      manager,
      rows.map(({ id }) => id),
    );
    const data = rows.map((row) => ({ ...toCollection(row), collection_details: details(row.id) }));
    return plainListOf([data, total]);
  }

  async get(caller: Principal, reference: string): Promise<CollectionWithChildrenAnswer> {
    const { manager } = this.dataSource;
    const row = await find(manager, caller, reference);
    const children = await manager.find(CollectionEntity, {
      where: { parentId: row.id, status: 'active' },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: CHILDREN_MAX,
    });
    const details = await detailsOf(
      manager,
      children.map(({ id }) => id),
    );
    return {
      ...toCollection(row),
      child_collections: children.map((child) => ({
        id: child.id,
        name: child.name,
        last_updated_at: child.lastUpdatedAt.toISOString(),
        collection_details: details(child.id),
      })),
    };
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateCollectionDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await find(manager, caller, reference, true);
      assertMatches(ifMatch, row);
      const before = toCollection(row);
      if (input.name !== undefined) row.name = input.name;
      if (input.parent_collection_id === null) row.parentId = null;
      else if (input.parent_collection_id !== undefined) {
        // So that what is deleted has a place to go to that is never within it.
        if (row.isDefault) throw invalid('parent_collection_id', 'the default collection has no parent');
        const owner = { organisationId: row.organisationId, workspaceId: row.workspaceId };
        const parent = await collectionNamed(
          manager,
          owner,
          input.parent_collection_id,
          'parent_collection_id',
        );
        await assertNoCycle(manager, row, parent);
        row.parentId = parent.id;
      }
      const saved = await manager.save(CollectionEntity, row);
      write.audit({
        action: 'update',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: toCollection(saved),
      });
      return {};
    });
  }

  /** Soft. What is in it moves to the workspace's default collection, which itself can't be deleted. */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await find(manager, caller, reference, true);
      assertMatches(ifMatch, row);
      if (row.isDefault) {
        throw new GatewayError('not_found', { message: 'The default collection cannot be deleted.' });
      }
      const { organisationId, workspaceId } = row;
      const home = await defaultCollection(manager, { organisationId, workspaceId });
      await manager.update(PromptEntity, { collectionId: row.id }, { collectionId: home.id });
      await manager.update(CollectionEntity, { parentId: row.id }, { parentId: home.id });
      const before = toCollection(row);
      row.status = 'archived';
      await manager.save(CollectionEntity, row);
      write.audit({
        action: 'delete',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId,
        before,
      });
      return {};
    });
  }
}

async function find(
  manager: EntityManager,
  caller: Principal,
  reference: string,
  forUpdate = false,
): Promise<CollectionEntity> {
  const where = { ...reach(caller), ...byReference(reference), status: 'active' as const };
  return found(
    await manager.findOne(CollectionEntity, { where, ...(forUpdate ? { lock: FOR_UPDATE } : {}) }),
  );
}
