import { documentKey, type DocumentKey } from '@gw/contracts';
import { ApiKeyEntity, ConfigEntity, ConfigVersionEntity, WorkspaceEntity } from '@gw/entities';
import { type AddressPolicy, isStorableText, randomHex, uuidv7 } from '@gw/kernel';
import { listOf, type ListResponse, type PageQuery } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { assertMayChangeConfig } from '../../platform/auth/bound-contents';
import { assertAllowed } from '../../platform/auth/scope-checks';
import { found, inWorkspace, reach } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import { assertNotUsed } from '../../platform/common/uses';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  archiveRow,
  changeRow,
  createRow,
  findRow,
  listRows,
  type Resource,
} from '../../platform/resource/rows';
import {
  actorOf,
  addVersion,
  findVersion,
  listVersions,
  versionNamed,
  type Versions,
} from '../../platform/resource/versioned';
import { guardrailsAskingBy } from '../../platform/rows/guardrails.queries';
import { usesOfConfigs, withUses } from '../../platform/rows/used-by.queries';
import { FOR_CHANGE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { assertSavable } from './config-content';
import type {
  CreateConfigDto,
  CreatedConfigResponse,
  ListConfigsQuery,
  UpdateConfigDto,
  UpdatedConfigDto,
} from './configs.dto';
import {
  toConfig,
  toConfigItem,
  toConfigVersion,
  type ConfigResponse,
  type ConfigItemResponse,
} from './configs.view';

const VERSIONS: Versions<ConfigVersionEntity> = { entity: ConfigVersionEntity, owner: 'configId' };

const CONFIG: Resource<ConfigEntity> = {
  entity: ConfigEntity,
  type: 'configs',
  view: async (row, _caller, manager) => ({
    ...toConfigItem(row),
    config: (await currentOf(manager, row)).content,
  }),
  documents: ({ workspaceId, slug, id }): DocumentKey[] => [
    documentKey.config(workspaceId, slug),
    documentKey.config(workspaceId, id),
  ],
};

@Injectable()
export class ConfigsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  create(caller: Principal, input: CreateConfigDto): Promise<CreatedConfigResponse> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { name, config: content } = input;
      await assertSavable(manager, owner, content, this.addresses);
      const [id, versionId] = [uuidv7(), uuidv7()];
      const isDefault = input.isDefault === 1;
      const slug = input.slug ?? `pc-${slugOf(name, 6)}-${randomHex(3)}`;
      // Slugs of archived configs are not reused.
      await assertSlugFree(manager, ConfigEntity, { organisationId: owner.organisationId, slug });
      if (isDefault) {
        await lockWorkspaceOf(manager, owner);
        await replaceDefault(write, owner.workspaceId, id);
      }
      const values = { ...owner, id, slug, name, isDefault, currentVersionId: versionId };
      const actors = { ownerId: actorOf(caller), updatedBy: actorOf(caller) };
      await createRow(write, CONFIG, { ...values, ...actors, status: 'active' }, async () => {
        await addVersion(manager, caller, VERSIONS, id, { id: versionId, content });
      });
      return { id, version_id: versionId, slug, object: 'config' };
    });
  }

  async list(caller: Principal, query: ListConfigsQuery): Promise<ListResponse<ConfigItemResponse>> {
    const [rows, total] = await listRows(this.dataSource.manager, CONFIG, query, {
      where: { ...inWorkspace(caller), status: 'active' },
      search: { text: query.search, in: ['name', 'slug'] },
    });
    const uses =
      query.include_used_by === true
        ? await usesOfConfigs(this.dataSource.manager, reach(caller), rows)
        : null;
    return listOf([rows.map((row) => withUses(toConfigItem(row), uses)), total]);
  }

  async get(at: Pick<ResourceReference, 'caller' | 'reference'>): Promise<ConfigResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, CONFIG, at);
    const uses = await usesOfConfigs(manager, row, [row]);
    return withUses(toConfig(row, await currentOf(manager, row)), uses);
  }

  /** Returns the newest active config with this name. */
  async getByName(caller: Principal, name: string): Promise<ConfigResponse> {
    const { manager } = this.dataSource;
    const row = await manager.findOne(ConfigEntity, {
      where: { ...inWorkspace(caller), name: found(isStorableText(name) ? name : null), status: 'active' },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    return toConfig(found(row), await currentOf(manager, found(row)));
  }

  update(at: ResourceReference, input: UpdateConfigDto): Promise<UpdatedConfigDto> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      if (input.status === 'archived') {
        assertAllowed(at.caller, ['configs.delete']);
        let versionId = '';
        await archiveRow(write, CONFIG, at, async (row) => {
          await this.assertMayChange(write, row, input);
          await assertUnused(manager, row);
          versionId = row.currentVersionId;
        });
        return { version_id: versionId };
      }
      if (input.isDefault !== undefined) await lockWorkspaceOf(manager, await findRow(manager, CONFIG, at));
      const saved = await changeRow(write, CONFIG, at, async (row) => {
        await this.assertMayChange(write, row, input);
        if (input.name !== undefined) row.name = input.name;
        if (input.isDefault !== undefined) await setDefault(write, row, input.isDefault === 1);
        if (input.config !== undefined) {
          const version = await addVersion(manager, at.caller, VERSIONS, row.id, { content: input.config });
          row.currentVersionId = version.id;
        }
        row.updatedBy = actorOf(at.caller);
      });
      return { version_id: saved.currentVersionId };
    });
  }

  /** Archives the config. Throws `conflict` while it is in use, for example as a default. */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, CONFIG, at, (row) => assertUnused(write.manager, row)),
    );
  }

  /** Returns a page of versions, newest first. */
  async versions(at: ResourceReference, query: PageQuery): Promise<ListResponse<ConfigResponse>> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, CONFIG, at);
    const [versions, total] = await listVersions(manager, VERSIONS, row.id, query);
    return listOf([versions.map((version) => toConfigVersion(row, version)), total]);
  }

  async version(at: ResourceReference, versionId: string): Promise<ConfigResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, CONFIG, at);
    return toConfigVersion(row, await findVersion(manager, VERSIONS, row.id, versionId));
  }

  /** Throws if an update contains new content that is invalid or that this caller may not set. */
  private async assertMayChange(
    { manager, caller }: Write<Principal>,
    row: ConfigEntity,
    { config }: UpdateConfigDto,
  ): Promise<void> {
    if (config === undefined) return;
    await assertMayChangeConfig(manager, caller, row);
    await assertSavable(manager, row, config, this.addresses);
  }
}

const currentOf = (
  manager: EntityManager,
  { currentVersionId }: ConfigEntity,
): Promise<ConfigVersionEntity> => versionNamed(manager, VERSIONS, currentVersionId);

async function setDefault(write: Write, row: ConfigEntity, isDefault: boolean): Promise<void> {
  if (row.isDefault === isDefault) return;
  row.isDefault = isDefault;
  if (isDefault) await replaceDefault(write, row.workspaceId, row.id);
  else write.changed(documentKey.workspace(row.workspaceId));
}

/**
 * Locks the workspace of configs, which serialises concurrent writers of its default. Call it
 * before locking a config, since such a writer also changes the previous default.
 */
async function lockWorkspaceOf(
  manager: EntityManager,
  { workspaceId }: Pick<ConfigEntity, 'workspaceId'>,
): Promise<void> {
  await manager.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: FOR_CHANGE });
}

/**
 * Clears `isDefault` of the workspace's other configs. Marks the workspace's gateway document as
 * changed, because it contains the default config. The workspace must be locked.
 */
async function replaceDefault(write: Write, workspaceId: string, next: string): Promise<void> {
  const { manager } = write;
  const others = { workspaceId, isDefault: true, id: Not(next), status: 'active' } as const;
  await manager.update(ConfigEntity, others, { isDefault: false });
  write.changed(documentKey.workspace(workspaceId));
}

const JUDGES_SHOWN_MAX = 50;

/** Throws `conflict` with a list of the resources that use the config. */
async function assertUnused(manager: EntityManager, row: ConfigEntity): Promise<void> {
  const workspaces = await manager
    .createQueryBuilder(WorkspaceEntity, 'workspace')
    .where('workspace.id = :workspaceId', { workspaceId: row.workspaceId })
    .andWhere(`workspace.defaults->>'user_api_key_config' = :id`, { id: row.id })
    .getCount();
  const apiKeys = await manager.countBy(ApiKeyEntity, {
    defaultConfigId: row.id,
    status: Not<ApiKeyEntity['status']>('archived'),
  });
  const judges = await guardrailsAskingBy(manager, row);
  const use = (path: string, message: string) => ({ path, message });
  assertNotUsed('The config is in use; remove these uses first.', [
    ...judges
      .slice(0, JUDGES_SHOWN_MAX)
      .map(({ slug }) =>
        use(`guardrails.${slug}`, `The guardrail ${slug} calls a model through this config.`),
      ),
    ...(row.isDefault ? [use('isDefault', 'It is the default config of its workspace.')] : []),
    ...(workspaces > 0
      ? [use('defaults.user_api_key_config', 'It is the default config of user API keys.')]
      : []),
    ...(apiKeys > 0
      ? [use('defaults.config_id', `It is the default config of ${String(apiKeys)} API keys.`)]
      : []),
  ]);
}
