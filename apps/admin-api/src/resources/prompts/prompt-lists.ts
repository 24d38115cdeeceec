import { PromptEntity, PromptShareEntity } from '@gw/entities';
import { In, type EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { inWorkspace } from '../../platform/auth/tenancy';
import { listRows, present } from '../../platform/resource/rows';
import { collectionNamed } from '../../platform/rows/collection-rows';
import { PROMPTS, sharedWith, type PromptType } from '../../platform/rows/prompt-rows';
import type { ListPromptsQuery } from './prompts.dto';

/**
 * Returns a page of a workspace's own prompts, or of prompts that other workspaces share with it;
 * newest first.
 */
export async function pageOfPrompts(
  manager: EntityManager,
  caller: Principal,
  type: PromptType,
  query: ListPromptsQuery,
): Promise<[PromptEntity[], number]> {
  const { organisationId, workspaceId } = inWorkspace(caller);
  const { collection_id: collection, id, search } = query;
  const collectionId =
    collection === undefined
      ? undefined
      : (await collectionNamed(manager, { organisationId, workspaceId }, collection, 'collection_id')).id;
  return listRows(manager, PROMPTS[type], query, {
    where: {
      organisationId,
      type,
      status: 'active',
      ...(query.type === 'shared' ? sharedWith(workspaceId) : { workspaceId }),
      ...present({ collectionId, id: id?.toLowerCase() }),
    },
    search: { text: search, in: ['name', 'slug'] },
  });
}

/**
 * Returns a function that lists the workspaces with which a prompt of the caller's workspace is
 * shared. The function returns nothing unless the query requests the list.
 */
export async function audiencesOf(
  manager: EntityManager,
  caller: Principal,
  query: ListPromptsQuery,
  rows: readonly PromptEntity[],
): Promise<(row: PromptEntity) => { readonly shared_workspace_ids?: string[] }> {
  if (query.show_prompt_share !== true) return () => ({});
  const ownIds = rows.filter(({ workspaceId }) => workspaceId === caller.workspaceId).map(({ id }) => id);
  const shares = await manager.find(PromptShareEntity, {
    where: { promptId: In(ownIds) },
    order: { workspaceId: 'ASC' },
  });
  return ({ id }) => ({
    shared_workspace_ids: shares
      .filter(({ promptId }) => promptId === id)
      .map(({ workspaceId }) => workspaceId),
  });
}
