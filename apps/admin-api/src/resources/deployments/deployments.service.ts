import { deploymentBinding, DeploymentEntity } from '@gw/entities';
import { hashApiKey, randomAlphanumeric, randomHex, seal, uuidv7, type AddressPolicy } from '@gw/kernel';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { assertMatches, invalid, listOf, windowOf, type ListResponse } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { inOrganisation } from '../../platform/auth/tenancy';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { maskSecret } from '../../platform/credentials/shown-secret';
import { Secrets } from '../../settings';
import { applySettings } from './deployment-settings';
import { detailOf, findDeployment, gatewaysOf, narrow } from './deployments.queries';
import type {
  CreateDeploymentDto,
  ListDeploymentsQuery,
  RegistryCredentialsDto,
  UpdateDeploymentDto,
} from './deployments.dto';
import {
  toDeployment,
  type CreatedDeploymentResponse,
  type DeploymentResponse,
  type DeploymentDetailResponse,
  type PingResponse,
  type UpdatedDeploymentResponse,
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

  create(caller: Principal, input: CreateDeploymentDto): Promise<CreatedDeploymentResponse> {
    const { organisationId } = inOrganisation(caller, input.organisation_id);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const slug = input.slug ?? `${slugOf(input.name, SLUG_BASE_MAX)}-${randomHex(3)}`;
      await assertSlugFree(manager, DeploymentEntity, { organisationId, slug, status: 'active' });
      const row = manager.create(DeploymentEntity, {
        id: uuidv7(),
        organisationId,
        slug,
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
      const { id } = row;
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

  async list(caller: Principal, query: ListDeploymentsQuery): Promise<ListResponse<DeploymentResponse>> {
    const { organisationId } = inOrganisation(caller, query.organisation_id);
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

  async get(caller: Principal, reference: string): Promise<DeploymentDetailResponse> {
    const { manager } = this.dataSource;
    return detailOf(manager, await findDeployment(manager, caller, reference));
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateDeploymentDto,
    ifMatch: string | undefined,
  ): Promise<UpdatedDeploymentResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await findDeployment(manager, caller, reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const before = await detailOf(manager, row);
      setPlainFields(row, input);
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
      const row = await findDeployment(manager, caller, reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const before = await detailOf(manager, row);
      archive(row);
      await manager.save(DeploymentEntity, row);
      write.audit({ action: 'delete', resourceType: RESOURCE, resourceId: row.id, before });
      return {};
    });
  }

  /** Asks the health route of its gateway, and keeps whether it answered. */
  async ping(caller: Principal, reference: string): Promise<PingResponse> {
    const { manager } = this.dataSource;
    const row = await findDeployment(manager, caller, reference);
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
    const url = `${base.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')}/v1/health`;
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
    const binding = deploymentBinding(row);
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

function setPlainFields(row: DeploymentEntity, input: UpdateDeploymentDto): void {
  if (input.name !== undefined) row.name = input.name;
  if (input.type !== undefined) row.type = input.type;
  if (input.tags !== undefined) row.tags = input.tags;
  if (input.deployment_config !== undefined) row.deploymentConfig = input.deployment_config;
}

function archive(row: DeploymentEntity): void {
  row.status = 'archived';
  row.isDefault = false;
  row.sealedRegistryPassword = null;
}
