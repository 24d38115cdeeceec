import { PromptEntity, PromptLabelEntity, PromptShareEntity, PromptVersionEntity } from '@gw/entities';
import { GatewayError, randomHex, uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import type { Write } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import type { TenantWhere } from '../../platform/auth/tenancy';
import { assertNotUsed } from '../../platform/common/uses';
import { collectionNamed, defaultCollection } from '../../platform/rows/collection-rows';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import { partialIdsOf, type VersionContent } from './prompt-content';
import {
  actorOf,
  keysOf,
  numbered,
  publishedOf,
  RESOURCE,
  type PromptType,
} from '../../platform/rows/prompt-rows';

/** Its gateway document lists them all. */
const VERSIONS_MAX = 2_000;

export interface NewPrompt {
  readonly type: PromptType;
  readonly name: string;
  /** Undefined: one is made of the name. */
  readonly slug?: string | undefined;
  /** Id or slug; undefined: the workspace's default collection. */
  readonly collection: string | undefined;
  readonly content: VersionContent;
  readonly forkedFrom?: PromptVersionEntity;
}

/** The first version is the published one. */
export async function createPrompt(
  write: Write,
  caller: Principal,
  owner: Required<TenantWhere>,
  { type, name, collection, content, forkedFrom, ...named }: NewPrompt,
): Promise<PromptEntity> {
  const { manager } = write;
  const [id, versionId] = [uuidv7(), uuidv7()];
  const slug = named.slug ?? `pp-${slugOf(name, 10)}-${randomHex(3)}`;
  // Archived ones count, and partials: a slug names one of the organisation for ever.
  await assertSlugFree(manager, PromptEntity, { organisationId: owner.organisationId, slug });
  const folder =
    collection === undefined
      ? await defaultCollection(manager, owner)
      : await collectionNamed(manager, owner, collection, 'collection_id');
  const partialIds = await partialIdsOf(manager, type, content, { id: null, ...owner });
  const row = await manager.save(
    manager.create(PromptEntity, {
      id,
      type,
      ...owner,
      collectionId: folder.id,
      slug,
      name,
      status: 'active',
      publishedVersionId: versionId,
      latestVersionId: versionId,
      accessLevel: 'workspace',
      forkedFromPromptId: forkedFrom?.promptId ?? null,
      forkedFromVersionId: forkedFrom?.id ?? null,
      updatedBy: actorOf(caller),
    }),
  );
  await insertVersion(manager, caller, row, { id: versionId, number: 1, content, partialIds });
  write.audit({
    action: 'create',
    resourceType: RESOURCE[type],
    resourceId: id,
    workspaceId: owner.workspaceId,
    after: { ...auditOf(row), ...content },
  });
  write.changed(...keysOf(row));
  return row;
}

/** Becomes the latest version; what is published stays. The row is changed and not yet saved. */
export async function addVersion(
  manager: EntityManager,
  caller: Principal,
  row: PromptEntity,
  content: VersionContent,
): Promise<void> {
  const { organisationId, workspaceId } = row;
  const partialIds = await partialIdsOf(manager, row.type, content, {
    id: row.id,
    organisationId,
    workspaceId,
  });
  const last = (await manager.maximum(PromptVersionEntity, 'number', { promptId: row.id })) ?? 0;
  if (last >= VERSIONS_MAX) {
    throw new GatewayError('conflict', {
      message: `There are ${String(VERSIONS_MAX)} versions, which is the most.`,
    });
  }
  const id = uuidv7();
  await insertVersion(manager, caller, row, { id, number: last + 1, content, partialIds });
  row.latestVersionId = id;
}

interface NewVersion {
  readonly id: string;
  readonly number: number;
  readonly content: VersionContent;
  readonly partialIds: string[];
}

async function insertVersion(
  manager: EntityManager,
  caller: Principal,
  { id: promptId }: PromptEntity,
  { id, number, content, partialIds }: NewVersion,
): Promise<void> {
  const { template, isRaw, description, parameters, model, virtualKey } = content;
  const { functions, tools, toolChoice, metadata } = content;
  await manager.save(
    manager.create(PromptVersionEntity, {
      id,
      promptId,
      number,
      template,
      isRaw,
      description,
      parameters,
      model,
      virtualKey,
      functions,
      tools,
      toolChoice,
      metadata,
      partialIds,
      createdBy: actorOf(caller),
    }),
  );
}

/** Makes another version the one that is meant when none is named. */
export async function publish(
  write: Write,
  caller: Principal,
  row: PromptEntity,
  number: number,
): Promise<void> {
  const { manager } = write;
  const before = await publishedOf(manager, row);
  const version = await numbered(manager, row, number);
  row.publishedVersionId = version.id;
  row.updatedBy = actorOf(caller);
  await manager.save(PromptEntity, row);
  write.audit({
    action: 'publish',
    resourceType: RESOURCE[row.type],
    resourceId: row.id,
    workspaceId: row.workspaceId,
    before: { version: before.number },
    after: { version: version.number },
  });
  write.changed(...keysOf(row));
}

/** Moves to another collection of its own workspace. */
export async function moveTo(manager: EntityManager, row: PromptEntity, collection: string): Promise<void> {
  const { organisationId, workspaceId } = row;
  row.collectionId = (
    await collectionNamed(manager, { organisationId, workspaceId }, collection, 'collection_id')
  ).id;
}

/** Soft. Throws `conflict` with what still needs it: workspaces that it is shared with, prompts that include it. */
export async function archive(write: Write, row: PromptEntity): Promise<void> {
  const { manager } = write;
  const uses = [
    ...(await sharesOf(manager, row)),
    ...(row.type === 'partial' ? await usersOf(manager, row) : []),
  ];
  assertNotUsed(`The ${row.type} is still used.`, uses);
  row.status = 'archived';
  await manager.save(PromptEntity, row);
  await manager.delete(PromptLabelEntity, { promptId: row.id });
  write.audit({
    action: 'delete',
    resourceType: RESOURCE[row.type],
    resourceId: row.id,
    workspaceId: row.workspaceId,
    before: { ...auditOf(row), status: 'active' },
  });
  write.removed(...keysOf(row));
}

interface Use {
  readonly path: string;
  readonly message: string;
}

async function sharesOf(manager: EntityManager, row: PromptEntity): Promise<Use[]> {
  if (row.accessLevel === 'workspace') return [];
  if (row.accessLevel === 'organisation') {
    return [{ path: 'share', message: 'It is shared with the organisation; unshare it first.' }];
  }
  const count = await manager.countBy(PromptShareEntity, { promptId: row.id });
  return [{ path: 'share', message: `It is shared with ${String(count)} workspaces; unshare it first.` }];
}

/** What callers can still address: published, latest and labelled versions of live prompts and partials. */
async function usersOf(manager: EntityManager, { id, organisationId }: PromptEntity): Promise<Use[]> {
  const users = await manager
    .createQueryBuilder(PromptEntity, 'prompt')
    .innerJoin(PromptVersionEntity, 'version', 'version.promptId = prompt.id')
    .leftJoin(PromptLabelEntity, 'mapping', 'mapping.versionId = version.id')
    .where(`prompt.organisationId = :organisationId AND prompt.status = 'active'`, { organisationId })
    .andWhere('version.partialIds @> ARRAY[CAST(:id AS uuid)]', { id })
    .andWhere(
      '(version.id = prompt.publishedVersionId OR version.id = prompt.latestVersionId OR mapping.labelId IS NOT NULL)',
    )
    .orderBy('prompt.slug', 'ASC')
    .take(20)
    .getMany();
  return users.map(({ slug, type }) => ({
    path: `${type}s.${slug}`,
    message: `The ${type} ${slug} includes it.`,
  }));
}

/** Puts a label on a version, from wherever else it sat in the prompt; null takes all labels from it. */
export async function setLabel(
  write: Write,
  row: PromptEntity,
  version: PromptVersionEntity,
  labelId: string | null,
): Promise<void> {
  const { manager } = write;
  const key = { promptId: row.id, versionId: version.id };
  const before = (await manager.findBy(PromptLabelEntity, key)).map((mapping) => mapping.labelId);
  if (labelId === null) await manager.delete(PromptLabelEntity, key);
  else await manager.upsert(PromptLabelEntity, { ...key, labelId }, ['promptId', 'labelId']);
  const after = (await manager.findBy(PromptLabelEntity, key)).map((mapping) => mapping.labelId);
  write.audit({
    action: 'update',
    resourceType: RESOURCE[row.type],
    resourceId: row.id,
    workspaceId: row.workspaceId,
    before: { version: version.number, label_ids: before },
    after: { version: version.number, label_ids: after },
  });
  write.changed(...keysOf(row));
}

export const auditOf = (row: PromptEntity): object => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  collection_id: row.collectionId,
  status: row.status,
  access_level: row.accessLevel,
});

/** The version fields of a prompt without a provider would be no request. */
export function plainSlug(virtualKey: string): string {
  const slug = virtualKey.startsWith('@') ? virtualKey.slice(1) : virtualKey;
  if (slug === '') throw invalid('virtual_key', 'virtual_key names no provider');
  return slug;
}
