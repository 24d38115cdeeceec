import {
  PromptEntity,
  PromptLabelEntity,
  PromptShareEntity,
  PromptVersionEntity,
  type LabelEntity,
} from '@gw/entities';
import { randomHex, uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { inWorkspace } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import { assertNotUsed } from '../../platform/common/uses';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, audit, createRow, publish } from '../../platform/resource/rows';
import { actorOf, addVersion } from '../../platform/resource/versioned';
import { heldCollection, defaultCollection } from '../../platform/rows/collection-rows';
import {
  numbered,
  PROMPT_VERSIONS,
  PROMPTS,
  publishedOf,
  type PromptType,
} from '../../platform/rows/prompt-rows';
import type { Write } from '../../platform/unit-of-work/writes';
import { assertPartialsExist, partialIdsOf, type VersionContent } from './prompt-content';
import type { CreatedPromptResponse } from './prompts.dto';

export interface NewPrompt {
  readonly name: string;
  /** Slug; derived from the name when undefined. */
  readonly slug?: string | undefined;
  /** Id or slug of the collection. Default: the workspace's default collection. */
  readonly collection_id?: string | undefined;
}

/** Creates a prompt or partial in the caller's workspace and publishes its first version. */
export async function createPrompt(
  write: Write<Principal>,
  type: PromptType,
  { name, slug = `pp-${slugOf(name, 10)}-${randomHex(3)}`, collection_id: collection }: NewPrompt,
  content: VersionContent,
  forkedFrom?: PromptVersionEntity,
): Promise<CreatedPromptResponse> {
  const { manager, caller } = write;
  const owner = inWorkspace(caller);
  // Archived prompts and partials count too, because a slug is never reused within the
  // organisation.
  await assertSlugFree(manager, PromptEntity, { organisationId: owner.organisationId, slug });
  const folder =
    collection === undefined
      ? await defaultCollection(manager, owner)
      : await heldCollection(manager, owner, collection, 'collection_id');
  const versionId = uuidv7();
  const values = {
    ...owner,
    type,
    slug,
    name,
    status: 'active',
    accessLevel: 'workspace',
    collectionId: folder.id,
    publishedVersionId: versionId,
    latestVersionId: versionId,
    updatedBy: actorOf(caller),
    forkedFromPromptId: forkedFrom?.promptId ?? null,
    forkedFromVersionId: forkedFrom?.id ?? null,
  } as const;
  const { id } = await createRow(write, PROMPTS[type], values, (row) =>
    addContent(write, row, content, versionId),
  );
  return { id, slug, version_id: versionId, object: type };
}

/**
 * Adds a version as the latest one without publishing it. Sets the member of the row without saving
 * the row. Returns the content for the audit log.
 */
export async function addContent(
  { manager, caller }: Write<Principal>,
  row: PromptEntity,
  content: VersionContent,
  id = uuidv7(),
): Promise<VersionContent> {
  const partialIds = await partialIdsOf(manager, row.type, content, row);
  await addVersion(manager, caller, PROMPT_VERSIONS, row.id, { ...content, partialIds, id });
  row.latestVersionId = id;
  return content;
}

/**
 * Publishes another version, which references without a version then use. Throws `conflict` for a
 * version that includes a deleted partial.
 */
export async function publishVersion(
  write: Write<Principal>,
  row: PromptEntity,
  number: number,
): Promise<void> {
  const { manager, caller } = write;
  const before = await publishedOf(manager, row);
  const version = await numbered(manager, row, number);
  await assertPartialsExist(manager, version);
  row.publishedVersionId = version.id;
  row.updatedBy = actorOf(caller);
  await manager.save(row);
  audit(write, PROMPTS[row.type], 'publish', row, {
    before: { version: before.number },
    after: { version: version.number },
  });
  await publish(write, PROMPTS[row.type], row);
}

/** Archives a prompt or partial. Throws `conflict` while it is shared or a prompt includes it. */
export const archivePrompt = (
  write: Write<Principal>,
  type: PromptType,
  at: ResourceReference,
): Promise<object> =>
  archiveRow(write, PROMPTS[type], at, async (row) => {
    const { manager } = write;
    const users = type === 'partial' ? await usersOf(manager, row) : [];
    assertNotUsed(`The ${type} is in use; remove the listed uses first.`, [
      ...(await sharesOf(manager, row)),
      ...users,
    ]);
    await manager.delete(PromptLabelEntity, { promptId: row.id });
  });

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

/**
 * Returns the prompts and partials that include it in a version that callers can address:
 * published, latest or labelled.
 */
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

/**
 * Moves a label to a version of the prompt. Null removes all labels from the version. Throws
 * `conflict` for a version that includes a deleted partial.
 */
export async function setLabel(
  write: Write<Principal>,
  row: PromptEntity,
  version: PromptVersionEntity,
  label: LabelEntity | null,
): Promise<void> {
  const { manager } = write;
  // The label must be visible in the workspace that owns the prompt.
  if (label !== null && label.workspaceId !== null && label.workspaceId !== row.workspaceId) {
    throw invalid('label_id', "label_id must be a label of the prompt's workspace or organisation");
  }
  if (label !== null) await assertPartialsExist(manager, version);
  const key = { promptId: row.id, versionId: version.id };
  const shown = async () => ({
    version: version.number,
    label_ids: (await manager.findBy(PromptLabelEntity, key)).map(({ labelId }) => labelId),
  });
  const before = await shown();
  if (label === null) await manager.delete(PromptLabelEntity, key);
  else await manager.upsert(PromptLabelEntity, { ...key, labelId: label.id }, ['promptId', 'labelId']);
  audit(write, PROMPTS[row.type], 'update', row, { before, after: await shown() });
  await publish(write, PROMPTS[row.type], row);
}
