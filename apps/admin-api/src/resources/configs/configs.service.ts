import { documentKey, type DocumentKey } from '@gw/contracts';
import { ApiKeyEntity, ConfigEntity, ConfigVersionEntity, WorkspaceEntity } from '@gw/entities';
import { randomHex, uuidv7, type AddressPolicy } from '@gw/kernel';
import { assertMatches, isStorableText, listOf, windowOf, type ListResponse, type PageQuery } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import {
  actorOf,
  addVersion,
  findVersion,
  listVersions,
  versionNamed,
  type Versions,
} from '../../platform/resource/versioned';
import { assertMayChangeConfig } from '../../platform/auth/bound-contents';
import type { Principal } from '../../platform/common/principal';
import { byReference, found, inWorkspace, reach } from '../../platform/auth/tenancy';
import { assertNotUsed } from '../../platform/common/uses';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { guardrailsAskingBy } from '../../platform/rows/guardrails.queries';
import { assertSavable } from './config-content';
import type { CreateConfigDto, CreatedConfigDto, UpdateConfigDto, UpdatedConfigDto } from './configs.dto';
import {
  toConfig,
  toConfigItem,
  toConfigVersion,
  type ConfigResponse,
  type ConfigItemResponse,
} from './configs.view';

const RESOURCE = 'configs';
const VERSIONS: Versions<ConfigVersionEntity> = { entity: ConfigVersionEntity, owner: 'configId' };

@Injectable()
export class ConfigsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  create(caller: Principal, input: CreateConfigDto): Promise<CreatedConfigDto> {
    const owner = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertSavable(manager, owner, input.config, this.addresses);
      const { name } = input;
      const [id, versionId] = [uuidv7(), uuidv7()];
      const isDefault = input.isDefault === 1;
      const slug = input.slug ?? `pc-${slugOf(name, 6)}-${randomHex(3)}`;
      // Archived ones count: a slug names one config of the organisation for ever.
      await assertSlugFree(manager, ConfigEntity, { organisationId: owner.organisationId, slug });
      if (isDefault) await replaceDefault(write, owner.workspaceId, id);
      const row = await manager.save(
        manager.create(ConfigEntity, {
          id,
          ...owner,
          slug,
          name,
          status: 'active',
          isDefault,
          currentVersionId: versionId,
          ownerId: actorOf(caller),
          updatedBy: actorOf(caller),
        }),
      );
      const version = await addVersion(manager, caller, VERSIONS, id, {
        id: versionId,
        content: input.config,
      });
      write.audit({
        action: 'create',
        resourceType: RESOURCE,
        resourceId: id,
        workspaceId: row.workspaceId,
        after: { ...toConfigItem(row), config: version.content },
      });
      write.changed(...keysOf(row));
      return { id, version_id: versionId, slug: row.slug, object: 'config' };
    });
  }

  async list(caller: Principal, query: PageQuery): Promise<ListResponse<ConfigItemResponse>> {
    const [rows, total] = await this.dataSource.manager.findAndCount(ConfigEntity, {
      where: { ...inWorkspace(caller), status: 'active' },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return listOf([rows.map(toConfigItem), total]);
  }

  async get(caller: Principal, reference: string): Promise<ConfigResponse> {
    const { manager } = this.dataSource;
    const row = await find(manager, caller, reference);
    return toConfig(row, await currentOf(manager, row));
  }

  /** The newest config of this name. */
  async getByName(caller: Principal, name: string): Promise<ConfigResponse> {
    const { manager } = this.dataSource;
    const row = await manager.findOne(ConfigEntity, {
      where: { ...inWorkspace(caller), name: found(isStorableText(name) ? name : null), status: 'active' },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    return toConfig(found(row), await currentOf(manager, found(row)));
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateConfigDto,
    ifMatch: string | undefined,
  ): Promise<UpdatedConfigDto> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await find(manager, caller, reference, true);
      assertMatches(ifMatch, row);
      if (input.config !== undefined) {
        await assertMayChangeConfig(manager, caller, row);
        await assertSavable(manager, row, input.config, this.addresses);
      }
      if (input.status === 'archived') {
        await archive(write, row);
        return { version_id: row.currentVersionId };
      }
      const before = { ...toConfigItem(row), config: (await currentOf(manager, row)).content };
      if (input.name !== undefined) row.name = input.name;
      if (input.isDefault !== undefined) await this.setDefault(write, row, input.isDefault === 1);
      if (input.config !== undefined) {
        const version = await addVersion(manager, caller, VERSIONS, row.id, { content: input.config });
        row.currentVersionId = version.id;
      }
      row.updatedBy = actorOf(caller);
      const saved = await manager.save(ConfigEntity, row);
      write.audit({
        action: 'update',
        resourceType: RESOURCE,
        resourceId: row.id,
        workspaceId: row.workspaceId,
        before,
        after: { ...toConfigItem(saved), config: input.config ?? before.config },
      });
      write.changed(...keysOf(row));
      return { version_id: row.currentVersionId };
    });
  }

  /** Soft. 409 while it is a default of its workspace or of an API key. */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const row = await find(write.manager, caller, reference, true);
      assertMatches(ifMatch, row);
      await archive(write, row);
      return {};
    });
  }

  /** Newest first. */
  async versions(
    caller: Principal,
    reference: string,
    query: PageQuery,
  ): Promise<ListResponse<ConfigResponse>> {
    const { manager } = this.dataSource;
    const row = await find(manager, caller, reference);
    const [versions, total] = await listVersions(manager, VERSIONS, row.id, query);
    return listOf([versions.map((version) => toConfigVersion(row, version)), total]);
  }

  async version(caller: Principal, reference: string, versionId: string): Promise<ConfigResponse> {
    const { manager } = this.dataSource;
    const row = await find(manager, caller, reference);
    return toConfigVersion(row, await findVersion(manager, VERSIONS, row.id, versionId));
  }

  private async setDefault(write: Write, row: ConfigEntity, isDefault: boolean): Promise<void> {
    if (row.isDefault === isDefault) return;
    row.isDefault = isDefault;
    if (isDefault) await replaceDefault(write, row.workspaceId, row.id);
    else write.changed(documentKey.workspace(row.workspaceId));
  }
}

/** A config is addressed by its slug and by its id. */
const keysOf = ({ workspaceId, slug, id }: ConfigEntity): DocumentKey[] => [
  documentKey.config(workspaceId, slug),
  documentKey.config(workspaceId, id),
];

/** Slugs of configs are unique in the organisation. */
const configsFor = (caller: Principal, reference: string): FindOptionsWhere<ConfigEntity> => ({
  ...reach(caller),
  ...byReference(reference),
  status: 'active',
});

async function find(
  manager: EntityManager,
  caller: Principal,
  reference: string,
  forUpdate = false,
): Promise<ConfigEntity> {
  const where = configsFor(caller, reference);
  return found(await manager.findOne(ConfigEntity, { where, ...(forUpdate ? { lock: FOR_UPDATE } : {}) }));
}

const currentOf = (
  manager: EntityManager,
  { currentVersionId }: ConfigEntity,
): Promise<ConfigVersionEntity> => versionNamed(manager, VERSIONS, currentVersionId);

/** Takes the default from the config that has it. The workspace's document names the default, so it changes. */
async function replaceDefault(write: Write, workspaceId: string, next: string): Promise<void> {
  const { manager } = write;
  const before = { workspaceId, isDefault: true, id: Not(next), status: 'active' } as const;
  // The workspace's row serialises two writers that both want the default.
  await manager.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: FOR_UPDATE });
  await manager.update(ConfigEntity, before, { isDefault: false });
  write.changed(documentKey.workspace(workspaceId));
}

async function archive(write: Write, row: ConfigEntity): Promise<void> {
  const { manager } = write;
  await assertUnused(manager, row);
  row.status = 'archived';
  const before = { ...toConfigItem(row), config: (await currentOf(manager, row)).content };
  await manager.save(ConfigEntity, row);
  write.audit({
    action: 'delete',
    resourceType: RESOURCE,
    resourceId: row.id,
    workspaceId: row.workspaceId,
    before: { ...before, status: 'active' },
  });
  write.removed(...keysOf(row));
}

const JUDGES_SHOWN_MAX = 50;

/** Throws `conflict` with what still names the config. */
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
  const uses = [
    ...judges.slice(0, JUDGES_SHOWN_MAX).map(({ slug }) => ({
      path: `guardrails.${slug}`,
      message: `The guardrail ${slug} asks a model by it.`,
    })),
    ...(row.isDefault ? [{ path: 'isDefault', message: 'It is the default config of its workspace.' }] : []),
    ...(workspaces > 0
      ? [{ path: 'defaults.user_api_key_config', message: 'It is the default config of user API keys.' }]
      : []),
    ...(apiKeys > 0
      ? [{ path: 'defaults.config_id', message: `${String(apiKeys)} API keys have it as their default.` }]
      : []),
  ];
  assertNotUsed('The config is in use; clear that first.', uses);
}
