import { deploymentBinding, DeploymentEntity } from '@gw/entities';
import { hashApiKey, randomAlphanumeric, randomHex, seal, uuidv7, type AddressPolicy } from '@gw/kernel';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { assign, columnsOf, invalid, listOf, type ListResponse } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { assertAllowed } from '../../platform/auth/scope-checks';
import { inOrganisation } from '../../platform/auth/tenancy';
import type { Principal } from '../../platform/common/principal';
import { assertSlugFree } from '../../platform/common/slugs';
import { slugOf } from '../../platform/common/text';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { maskSecret } from '../../platform/credentials/shown-secret';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { archiveRow, changeRow, createRow, findRow, listRows } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { Secrets } from '../../settings';
import { DEPLOYMENT, detailOf, lastSeenOf, matching } from './deployment-rows';
import { applySettings } from './deployment-settings';
import {
  PlainFields,
  type CreateDeploymentDto,
  type ListDeploymentsQuery,
  type RegistryCredentialsDto,
  type UpdateDeploymentDto,
} from './deployments.dto';
import {
  toDeployment,
  type CreatedDeploymentResponse,
  type DeploymentResponse,
  type DeploymentDetailResponse,
  type PingResponse,
  type UpdatedDeploymentResponse,
} from './deployments.view';

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
        ...columnsOf(PlainFields, input),
        id: uuidv7(),
        organisationId,
        slug,
        type: input.type ?? 'production',
        status: 'active',
        isDefault: false,
        sourceType: input.source_type ?? 'api',
        authSettings: {},
        workspacesAllowed: null,
        registryUsername: null,
        sealedRegistryPassword: null,
        createdBy: caller.userId,
      });
      const clientAuth = this.newClientAuth(row);
      await this.apply(manager, row, input, true);
      const { id } = await createRow(write, DEPLOYMENT, row);
      return {
        id,
        slug,
        organisation_id: organisationId,
        client_auth: clientAuth,
        credentials: input.credentials ?? null,
        object: 'deployment',
      };
    });
  }

  async list(caller: Principal, query: ListDeploymentsQuery): Promise<ListResponse<DeploymentResponse>> {
    const { organisationId } = inOrganisation(caller, query.organisation_id);
    const { manager } = this.dataSource;
    const [rows, total] = await listRows(manager, DEPLOYMENT, query, {
      where: matching(organisationId, query),
      search: { text: query.search, in: ['name', 'slug'] },
    });
    const lastSeen = await lastSeenOf(
      manager,
      rows.map(({ id }) => id),
    );
    return listOf([rows.map((row) => toDeployment(row, lastSeen.get(row.id) ?? null)), total]);
  }

  async get(at: ResourceReference): Promise<DeploymentDetailResponse> {
    const { manager } = this.dataSource;
    return detailOf(manager, await findRow(manager, DEPLOYMENT, at));
  }

  update(at: ResourceReference, input: UpdateDeploymentDto): Promise<UpdatedDeploymentResponse> {
    const { rotate_auth: rotates = false, override_existing: replaces = false } = input;
    if (input.status === 'archived') assertAllowed(at.caller, ['deployments.delete']);
    return this.writes.run(at.caller, async (write) => {
      let response: UpdatedDeploymentResponse = {};
      const change = async (row: DeploymentEntity): Promise<void> => {
        assign(PlainFields, row, input);
        await this.apply(write.manager, row, input, replaces);
        if (input.is_default === 0) row.isDefault = false;
        if (input.status === 'archived') archive(row);
        if (rotates) response = { client_auth: this.newClientAuth(row) };
      };
      await changeRow(write, DEPLOYMENT, at, change, rotates ? 'rotate' : 'update');
      return response;
    });
  }

  /**
   * Archives the deployment, even if it is the default. Its gateways continue to run without a
   * deployment.
   */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) => archiveRow(write, DEPLOYMENT, at, archive));
  }

  /**
   * Calls the health route of the deployment's gateway and stores whether it responded with 200.
   */
  async ping(at: ResourceReference): Promise<PingResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, DEPLOYMENT, at);
    const base = row.authSettings.gateway_base_url;
    if (base === undefined) {
      throw invalid('auth_settings.gateway_base_url', 'is not set; set it before you ping the deployment');
    }
    const started = performance.now();
    const statusCode = await this.healthOf(base);
    const status = statusCode === 200 ? 'healthy' : 'unhealthy';
    // Plain SQL leaves the row's version, and thus its etag, unchanged.
    await manager.query('UPDATE deployments SET connection_status = $1 WHERE id = $2', [status, row.id]);
    return {
      status,
      status_code: statusCode,
      response_time_ms: Math.round(performance.now() - started),
      object: 'deployment-ping',
    };
  }

  /** Returns the status of the health route; null when no response arrived. */
  private async healthOf(base: string): Promise<number | null> {
    const url = `${base.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')}/v1/health`;
    const limits = { totalTimeoutMs: PING_TIMEOUT_MS, bytesMax: PING_BYTES_MAX };
    try {
      return (await this.client.fetchBuffered({ url, ...limits })).status;
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

  /** Applies the settings, the credentials and `is_default: 1` of a create or an update. */
  private async apply(
    manager: EntityManager,
    row: DeploymentEntity,
    { auth_settings: settings, credentials, is_default: isDefault }: UpdateDeploymentDto,
    replaces: boolean,
  ): Promise<void> {
    if (settings) await applySettings(manager, row, { input: settings, replaces }, this.addresses);
    if (credentials !== undefined) this.setCredentials(row, credentials);
    if (isDefault !== 1) return;
    const { organisationId, id } = row;
    const others = { organisationId, isDefault: true, id: Not(id) };
    await manager.update(DeploymentEntity, others, { isDefault: false });
    row.isDefault = true;
  }

  private setCredentials(row: DeploymentEntity, credentials: RegistryCredentialsDto | null): void {
    row.registryUsername = credentials?.username ?? null;
    row.sealedRegistryPassword =
      credentials && seal(this.secrets.sealingKeyring, credentials.password, deploymentBinding(row));
  }
}

function archive(row: DeploymentEntity): void {
  row.status = 'archived';
  row.isDefault = false;
  row.sealedRegistryPassword = null;
}
