import { DeploymentEntity, GatewayEntity, WorkspaceEntity } from '@gw/entities';
import {
  GatewayError,
  hashApiKey,
  randomAlphanumeric,
  randomHex,
  seal,
  uuidv7,
  type AddressPolicy,
} from '@gw/kernel';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { assertMatches, invalid, listOf, windowOf, type ListAnswer } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { Brackets, DataSource, In, Not, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { FOR_UPDATE, Writes } from '../audit/writes';
import type { Principal } from '../auth/principal';
import { byReference, found, inOrganisation } from '../auth/tenancy';
import { parseTags } from '../common/tags';
import { escapeLike, slugOf } from '../common/text';
import { ADDRESS_POLICY } from '../credentials/integration-credentials';
import { maskSecret } from '../credentials/mask';
import { Secrets } from '../settings';
import { applySettings } from './deployment-settings';
import type {
  CreateDeploymentDto,
  ListDeploymentsQuery,
  RegistryCredentialsDto,
  UpdateDeploymentDto,
} from './deployments.dto';
import {
  toDeployment,
  toDeploymentDetail,
  type CreatedDeploymentAnswer,
  type DeploymentAnswer,
  type DeploymentDetailAnswer,
  type PingAnswer,
  type UpdatedDeploymentAnswer,
} from './deployments.view';

const RESOURCE = 'deployments';
const CLIENT_AUTH_LENGTH = 48;
const SLUG_BASE_MAX = 43;
const PING_TIMEOUT_MS = 5_000;
const PING_BYTES_MAX = 65_536;

@Injectable()
export class DeploymentsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    private readonly client: BufferedClient,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  create(caller: Principal, input: CreateDeploymentDto): Promise<CreatedDeploymentAnswer> {
    const { organisationId } = inOrganisation(caller);
    assertOwn(organisationId, input.organisation_id);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = manager.create(DeploymentEntity, {
        id: uuidv7(),
        organisationId,
        slug: await freeSlug(manager, organisationId, input.slug, input.name),
        name: input.name,
        type: input.type ?? 'production',
        status: 'active',
        isDefault: false,
        sourceType: input.source_type ?? 'api',
        authSettings: {},
        workspacesAllowed: null,
        deploymentConfig: input.deployment_config ?? null,
        tags: input.tags ?? null,
        registryUsername: null,
        sealedRegistryPassword: null,
        createdBy: caller.userId,
      });
      if (input.auth_settings) {
        await applySettings(manager, row, { input: input.auth_settings, replaces: true }, this.addresses);
      }
      if (input.credentials) this.keepCredentials(row, input.credentials);
      const clientAuth = this.newClientAuth(row);
      if (input.is_default === 1) await this.makeDefault(manager, row);
      const saved = await manager.save(DeploymentEntity, row);
      const after = await detailOf(manager, saved);
      write.audit({ action: 'create', resourceType: RESOURCE, resourceId: row.id, after });
      const credentials = input.credentials ?? null;
      const { id, slug } = row;
      return {
        id,
        slug,
        organisation_id: organisationId,
        client_auth: clientAuth,
        credentials,
        object: 'deployment',
      };
    });
  }

  async list(caller: Principal, query: ListDeploymentsQuery): Promise<ListAnswer<DeploymentAnswer>> {
    const { organisationId } = inOrganisation(caller);
    assertOwn(organisationId, query.organisation_id);
    const { manager } = this.dataSource;
    const rows = manager
      .createQueryBuilder(DeploymentEntity, 'd')
      .where('d.organisation_id = :organisationId AND d.status IN (:...statuses)', {
        organisationId,
        statuses: query.status ?? ['active'],
      });
    narrow(rows, query);
    const { skip, take } = windowOf(query);
    const [page, total] = await rows
      .orderBy('d.createdAt', 'DESC')
      .addOrderBy('d.id', 'DESC')
      .skip(skip)
      .take(take)
      .getManyAndCount();
    const gateways = await gatewaysOf(
      manager,
      page.map(({ id }) => id),
    );
    const newest = (id: string): Date | null =>
      gateways.find(({ deploymentId }) => deploymentId === id)?.lastSeenAt ?? null;
    return listOf([page.map((row) => toDeployment(row, newest(row.id))), total]);
  }

  async get(caller: Principal, reference: string): Promise<DeploymentDetailAnswer> {
    const { manager } = this.dataSource;
    return detailOf(manager, await find(manager, caller, reference));
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateDeploymentDto,
    ifMatch: string | undefined,
  ): Promise<UpdatedDeploymentAnswer> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await find(manager, caller, reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const before = await detailOf(manager, row);
      if (input.name !== undefined) row.name = input.name;
      if (input.type !== undefined) row.type = input.type;
      if (input.tags !== undefined) row.tags = input.tags;
      if (input.deployment_config !== undefined) row.deploymentConfig = input.deployment_config;
      if (input.auth_settings) {
        const change = { input: input.auth_settings, replaces: input.override_existing ?? false };
        await applySettings(manager, row, change, this.addresses);
      }
      if (input.credentials !== undefined) this.keepCredentials(row, input.credentials);
      if (input.is_default === 1) await this.makeDefault(manager, row);
      if (input.is_default === 0) row.isDefault = false;
      if (input.status === 'archived') archive(row);
      const clientAuth = input.rotate_auth === true ? this.newClientAuth(row) : null;
      const saved = await manager.save(DeploymentEntity, row);
      const action = clientAuth === null ? 'update' : 'rotate';
      const after = await detailOf(manager, saved);
      write.audit({ action, resourceType: RESOURCE, resourceId: row.id, before, after });
      return clientAuth === null ? {} : { client_auth: clientAuth };
    });
  }

  /** Soft; the default one, too. Its gateways go on, and count as nobody's. */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await find(manager, caller, reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const before = await detailOf(manager, row);
      archive(row);
      await manager.save(DeploymentEntity, row);
      write.audit({ action: 'delete', resourceType: RESOURCE, resourceId: row.id, before });
      return {};
    });
  }

  /** Asks the health route of its gateway, and keeps whether it answered. */
  async ping(caller: Principal, reference: string): Promise<PingAnswer> {
    const { manager } = this.dataSource;
    const row = await find(manager, caller, reference);
    const base = row.authSettings.gateway_base_url;
    if (base === undefined) throw invalid('auth_settings.gateway_base_url', 'is needed for a ping');
    const started = performance.now();
    const statusCode = await this.healthOf(base);
    const status = statusCode === 200 ? 'healthy' : 'unhealthy';
    // Not a change of the resource: its etag stays.
    await manager.query('UPDATE deployments SET connection_status = $1 WHERE id = $2', [status, row.id]);
    return {
      status,
      status_code: statusCode,
      response_time_ms: Math.round(performance.now() - started),
      object: 'deployment-ping',
    };
  }

  /** Null: no answer. */
  private async healthOf(base: string): Promise<number | null> {
    const url = `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/health`;
    try {
      const answer = await this.client.fetchBuffered({
        url,
        totalTimeoutMs: PING_TIMEOUT_MS,
        bytesMax: PING_BYTES_MAX,
      });
      return answer.status;
    } catch (error) {
      if (error instanceof OutboundError) return null;
      throw error;
    }
  }

  private newClientAuth(row: DeploymentEntity): string {
    const clientAuth = randomAlphanumeric(CLIENT_AUTH_LENGTH);
    row.clientAuthHash = hashApiKey(this.secrets.apiKeyPepper, clientAuth);
    row.maskedClientAuth = maskSecret(clientAuth);
    return clientAuth;
  }

  private keepCredentials(row: DeploymentEntity, credentials: RegistryCredentialsDto | null): void {
    row.registryUsername = credentials?.username ?? null;
    const binding = `deployment:${row.organisationId}:${row.id}`;
    row.sealedRegistryPassword =
      credentials === null ? null : seal(this.secrets.sealingKeyring, credentials.password, binding);
  }

  private async makeDefault(manager: EntityManager, row: DeploymentEntity): Promise<void> {
    const { organisationId, id } = row;
    await manager.update(
      DeploymentEntity,
      { organisationId, isDefault: true, id: Not(id) },
      { isDefault: false },
    );
    row.isDefault = true;
  }
}

function narrow(rows: SelectQueryBuilder<DeploymentEntity>, query: ListDeploymentsQuery): void {
  const tags = parseTags(query.tags);
  if (query.type !== undefined) rows.andWhere('d.type = :type', { type: query.type });
  if (query.source_type !== undefined)
    rows.andWhere('d.source_type = :source', { source: query.source_type });
  if (tags) rows.andWhere('d.tags @> :tags::jsonb', { tags: JSON.stringify(tags) });
  if (query.workspace_slug !== undefined) {
    rows.andWhere(
      `(d.workspaces_allowed IS NULL OR d.workspaces_allowed && ARRAY(SELECT w.id FROM workspaces w
          WHERE w.organisation_id = :organisationId AND w.status = 'active' AND w.slug IN (:...slugs)))`,
      { slugs: query.workspace_slug },
    );
  }
  if (query.search !== undefined) {
    const search = `%${escapeLike(query.search)}%`;
    rows.andWhere(new Brackets((or) => or.where('d.name ILIKE :search').orWhere('d.slug ILIKE :search')), {
      search,
    });
  }
}

function archive(row: DeploymentEntity): void {
  row.status = 'archived';
  row.isDefault = false;
  row.sealedRegistryPassword = null;
}

async function find(
  manager: EntityManager,
  caller: Principal,
  reference: string,
  lock?: typeof FOR_UPDATE,
): Promise<DeploymentEntity> {
  const where = { ...inOrganisation(caller), ...byReference(reference), status: 'active' } as const;
  return found(await manager.findOne(DeploymentEntity, { where, ...(lock ? { lock } : {}) }));
}

/** Newest first. */
const gatewaysOf = (manager: EntityManager, deploymentIds: readonly string[]): Promise<GatewayEntity[]> =>
  manager.find(GatewayEntity, {
    where: { deploymentId: In([...deploymentIds]) },
    order: { lastSeenAt: 'DESC', id: 'ASC' },
    take: 1_000,
  });

async function detailOf(manager: EntityManager, row: DeploymentEntity): Promise<DeploymentDetailAnswer> {
  const ids = row.workspacesAllowed ?? [];
  const workspaces = await manager.find(WorkspaceEntity, {
    where: { id: In(ids), status: 'active' },
    select: { id: true, slug: true },
    order: { createdAt: 'ASC', id: 'ASC' },
  });
  const shown = workspaces.map(({ id, slug }) => ({ id, slug }));
  return toDeploymentDetail(row, await gatewaysOf(manager, [row.id]), shown);
}

function assertOwn(organisationId: string, named: string | undefined): void {
  if (named !== undefined && named.toLowerCase() !== organisationId) {
    throw invalid('organisation_id', 'organisation_id must be the organisation of the credential');
  }
}

async function freeSlug(
  manager: EntityManager,
  organisationId: string,
  wanted: string | undefined,
  name: string,
): Promise<string> {
  if (wanted === undefined) return `${slugOf(name, SLUG_BASE_MAX)}-${randomHex(3)}`;
  if (await manager.existsBy(DeploymentEntity, { organisationId, slug: wanted, status: 'active' })) {
    throw new GatewayError('conflict', { param: 'slug', message: 'The slug is already used.' });
  }
  return wanted;
}
