import { PromptEntity, PromptShareEntity } from '@gw/entities';
import { windowOf } from '@gw/web';
import { In, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { inWorkspace } from '../../platform/auth/tenancy';
import { collectionNamed } from '../../platform/rows/collection-rows';
import { escapeLike } from '../../platform/common/text';
import type { PromptType } from '../../platform/rows/prompt-rows';
import type { ListPromptsQuery } from './prompts.dto';

/** A page of a workspace's own prompts, or of those that others share with it; newest first. */
export async function pageOfPrompts(
  manager: EntityManager,
  caller: Principal,
  type: PromptType,
  query: ListPromptsQuery,
): Promise<[PromptEntity[], number]> {
  const owner = inWorkspace(caller);
  const found = manager
    .createQueryBuilder(PromptEntity, 'prompt')
    .where(`prompt.organisationId = :organisationId AND prompt.type = :type AND prompt.status = 'active'`, {
      organisationId: owner.organisationId,
      type,
    });
  if (query.type === 'shared') sharedWith(found, owner.workspaceId);
  else found.andWhere('prompt.workspaceId = :workspaceId', owner);
  if (query.collection_id !== undefined) {
    const { id } = await collectionNamed(manager, owner, query.collection_id, 'collection_id');
    found.andWhere('prompt.collectionId = :collectionId', { collectionId: id });
  }
  if (query.id !== undefined) found.andWhere('prompt.id = :id', { id: query.id.toLowerCase() });
  if (query.search !== undefined) {
    found.andWhere('(prompt.name ILIKE :like OR prompt.slug ILIKE :like)', {
      like: `%${escapeLike(query.search)}%`,
    });
  }
  const { skip, take } = windowOf(query);
  return found
    .orderBy('prompt.createdAt', 'DESC')
    .addOrderBy('prompt.id', 'DESC')
    .offset(skip)
    .limit(take)
    .getManyAndCount();
}

const sharedWith = (query: SelectQueryBuilder<PromptEntity>, workspaceId: string): void => {
  query.andWhere('prompt.workspaceId <> :workspaceId', { workspaceId }).andWhere(
    `(prompt.accessLevel = 'organisation' OR (prompt.accessLevel = 'workspaces' AND EXISTS (
         SELECT 1 FROM prompt_shares s WHERE s.prompt_id = prompt.id AND s.workspace_id = :workspaceId)))`,
  );
};

/** With which workspaces each is shared, for those that the caller's workspace owns. Empty unless it was requested. */
export async function audiencesOf(
  manager: EntityManager,
  caller: Principal,
  query: ListPromptsQuery,
  rows: readonly PromptEntity[],
): Promise<(row: PromptEntity) => { readonly shared_workspace_ids?: string[] }> {
  if (query.show_prompt_share !== true) return () => ({});
  const own = rows.filter(({ workspaceId }) => workspaceId === caller.workspaceId).map(({ id }) => id);
  const shares = await manager.find(PromptShareEntity, {
    where: { promptId: In(own) },
    order: { workspaceId: 'ASC' },
  });
  return ({ id }) => ({
    shared_workspace_ids: shares
      .filter(({ promptId }) => promptId === id)
      .map(({ workspaceId }) => workspaceId),
  });
}
