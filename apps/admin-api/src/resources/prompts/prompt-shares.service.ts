import {
  PromptEntity,
  PromptShareEntity,
  PromptVersionEntity,
  ProviderEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { isStorableText } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { inWorkspace, isUuid } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { audit, findRow, lockRow, publish } from '../../platform/resource/rows';
import { actorOf } from '../../platform/resource/versioned';
import { LIVE_PROVIDER } from '../../platform/rows/integrations.queries';
import { isOpenTo, numbered, PROMPTS, publishedOf, type PromptType } from '../../platform/rows/prompt-rows';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { copyOf } from './prompt-content';
import { createPrompt } from './prompt-writes';
import type { CreatedPromptResponse, ForkDto, ShareDto, SharedDto, UnshareDto } from './prompts.dto';

/** The workspaces with which a prompt is shared. */
interface Audience {
  readonly access: PromptEntity['accessLevel'];
  readonly workspaceIds: readonly string[];
}

/**
 * Manages sharing within the organisation. Other workspaces can read and use a shared prompt, and
 * copy it to change it.
 */
@Injectable()
export class PromptSharesService {
  constructor(private readonly writes: Writes) {}

  /**
   * Shares a prompt or partial. With `replace`, the given audience replaces the old one; otherwise
   * it is added.
   */
  share(
    type: PromptType,
    at: ResourceReference,
    input: ShareDto & { readonly replace: boolean },
  ): Promise<SharedDto> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const row = await lockRow(write, PROMPTS[type], at);
      const audience = await audienceOf(manager, row, input);
      await setAudience(write, row, audience, input.replace);
      const partials = await partialsWithin(manager, row);
      if (input.include_partials === true) {
        for (const partial of partials.filter(({ workspaceId }) => workspaceId === row.workspaceId)) {
          await setAudience(write, partial, audience, false);
        }
      }
      return this.shared(manager, row, partials);
    });
  }

  unshare(type: PromptType, at: ResourceReference, input: UnshareDto): Promise<SharedDto> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const row = await lockRow(write, PROMPTS[type], at);
      let remaining: Audience = { access: 'workspace', workspaceIds: [] };
      if (input.workspace_ids !== undefined) {
        if (row.accessLevel === 'organisation') {
          throw invalid(
            'workspace_ids',
            'workspace_ids must be absent, because it is shared with the whole organisation',
          );
        }
        const removed = new Set(await workspacesNamed(manager, row.organisationId, input.workspace_ids));
        const rest = (await sharedWith(manager, row)).filter((id) => !removed.has(id));
        if (rest.length > 0) remaining = { access: 'workspaces', workspaceIds: rest };
      }
      await setAudience(write, row, remaining, true);
      return this.shared(manager, row, []);
    });
  }

  /**
   * Copies one version into a workspace that may read it and has the provider and partials that the
   * version names.
   */
  fork(
    type: PromptType,
    { caller, reference }: ResourceReference,
    input: ForkDto,
  ): Promise<CreatedPromptResponse> {
    const { workspaceId } = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const source = await findRow(manager, PROMPTS[type], { caller: sourceReach(caller), reference });
      const { version: number, collection_id, name = source.name } = input;
      const version = await (number === undefined
        ? publishedOf(manager, source)
        : numbered(manager, source, number));
      await assertProvisioned(manager, version, workspaceId);
      return createPrompt(write, type, { name, collection_id }, copyOf(version), version);
    });
  }

  private async shared(
    manager: EntityManager,
    row: PromptEntity,
    partials: readonly PromptEntity[],
  ): Promise<SharedDto> {
    const workspace_ids = await sharedWith(manager, row);
    const unshared: string[] = [];
    for (const partial of partials) {
      if (!(await reaches(manager, partial, row, workspace_ids))) unshared.push(partial.slug);
    }
    return { access: row.accessLevel, workspace_ids, unshared_partials: unshared };
  }
}

/**
 * Returns the reach for the source of a copy. A caller with access to all workspaces of the
 * organisation may copy from each of them, whether shared or not.
 */
function sourceReach(caller: Principal): Principal {
  const { keyType, organisationRole } = caller;
  const isEverywhere =
    keyType === 'organisation-service' || organisationRole === 'owner' || organisationRole === 'admin';
  return isEverywhere ? { ...caller, workspaceId: null } : caller;
}

async function audienceOf(manager: EntityManager, row: PromptEntity, input: ShareDto): Promise<Audience> {
  if (input.access === 'organisation') {
    if (input.workspace_ids && input.workspace_ids.length > 0) {
      throw invalid('workspace_ids', 'workspace_ids is only allowed with access workspaces');
    }
    return { access: 'organisation', workspaceIds: [] };
  }
  const ids = await workspacesNamed(manager, row.organisationId, input.workspace_ids ?? []);
  const others = ids.filter((id) => id !== row.workspaceId);
  if (others.length === 0) throw invalid('workspace_ids', 'workspace_ids must contain another workspace');
  return { access: 'workspaces', workspaceIds: others };
}

/**
 * Returns the ids of workspaces of the organisation. Throws `validation_failed` for an unknown
 * workspace or one of another tenant.
 */
async function workspacesNamed(
  manager: EntityManager,
  organisationId: string,
  references: readonly string[],
): Promise<string[]> {
  const named = references.filter(isStorableText).map((name) => (isUuid(name) ? name.toLowerCase() : name));
  const rows = await manager.find(WorkspaceEntity, {
    where: [
      { organisationId, status: 'active', id: In(named.filter(isUuid)) },
      { organisationId, status: 'active', slug: In(named.filter((name) => !isUuid(name))) },
    ],
    select: { id: true, slug: true },
  });
  const knownNames = new Set(rows.flatMap(({ id, slug }) => [id, slug]));
  const unknown = references.find((name) => !knownNames.has(isUuid(name) ? name.toLowerCase() : name));
  if (unknown !== undefined)
    throw invalid('workspace_ids', `there is no workspace ${unknown} in the organisation`);
  return rows.map(({ id }) => id);
}

async function sharedWith(manager: EntityManager, { id: promptId }: PromptEntity): Promise<string[]> {
  const rows = await manager.find(PromptShareEntity, { where: { promptId }, order: { workspaceId: 'ASC' } });
  return rows.map(({ workspaceId }) => workspaceId);
}

async function setAudience(
  write: Write<Principal>,
  row: PromptEntity,
  audience: Audience,
  replace: boolean,
): Promise<void> {
  const { manager, caller } = write;
  const before = { access: row.accessLevel, workspace_ids: await sharedWith(manager, row) };
  // When the whole organisation already has access, adding workspaces changes nothing.
  if (!replace && row.accessLevel === 'organisation') return;
  if (replace || audience.access === 'organisation')
    await manager.delete(PromptShareEntity, { promptId: row.id });
  for (const workspaceId of audience.workspaceIds) {
    await manager.upsert(PromptShareEntity, { promptId: row.id, workspaceId }, ['promptId', 'workspaceId']);
  }
  const isShared = audience.access !== 'workspace';
  row.accessLevel = audience.access;
  row.sharedAt = isShared ? (row.sharedAt ?? new Date()) : null;
  row.sharedBy = isShared ? actorOf(caller) : null;
  row.updatedBy = actorOf(caller);
  await manager.save(PromptEntity, row);
  audit(write, PROMPTS[row.type], isShared ? 'share' : 'unshare', row, {
    before,
    after: { access: row.accessLevel, workspace_ids: await sharedWith(manager, row) },
  });
  await publish(write, PROMPTS[row.type], row);
}

/**
 * Locks and returns the partials that the published and latest versions include, directly or
 * through other partials.
 */
async function partialsWithin(manager: EntityManager, row: PromptEntity): Promise<PromptEntity[]> {
  const found = new Map<string, PromptEntity>();
  let next: readonly PromptEntity[] = [row];
  while (next.length > 0) {
    const ids = next.flatMap((each) => [each.publishedVersionId, each.latestVersionId]);
    const versions = await manager.find(PromptVersionEntity, {
      where: { id: In(ids) },
      select: { id: true, partialIds: true },
    });
    const wanted = versions.flatMap(({ partialIds }) => partialIds).filter((id) => !found.has(id));
    next = await manager.find(PromptEntity, {
      where: { id: In([...new Set(wanted)]), status: 'active' },
      order: { id: 'ASC' },
      lock: FOR_UPDATE,
    });
    for (const partial of next) found.set(partial.id, partial);
  }
  return [...found.values()];
}

/** Whether the whole audience of a prompt can use the partial. */
async function reaches(
  manager: EntityManager,
  partial: PromptEntity,
  row: PromptEntity,
  workspaceIds: readonly string[],
): Promise<boolean> {
  if (row.accessLevel === 'workspace' || partial.accessLevel === 'organisation') return true;
  if (row.accessLevel === 'organisation') return false;
  for (const workspaceId of workspaceIds) if (!(await isOpenTo(manager, partial, workspaceId))) return false;
  return true;
}

/** Throws `validation_failed` unless the workspace has the provider that the version names. */
async function assertProvisioned(
  manager: EntityManager,
  { virtualKey }: PromptVersionEntity,
  workspaceId: string,
): Promise<void> {
  if (virtualKey === null) return;
  const where = { workspaceId, slug: virtualKey, status: LIVE_PROVIDER };
  if (await manager.existsBy(ProviderEntity, where)) return;
  throw invalid('workspace_id', `the workspace has no provider ${virtualKey}, which the prompt names`);
}
