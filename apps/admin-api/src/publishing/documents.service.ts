import { UUID } from '@gw/kernel';
import { DEFAULT_SECURITY } from '@gw/auth-scopes';
import { documentKey, type DocumentKey, type DocumentsResponse, type ReadModelDocument } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  ConfigEntity,
  ConfigVersionEntity,
  endedApiKeys,
  IntegrationEntity,
  IntegrationModelEntity,
  OrganisationEntity,
  OrganisationPropertiesEntity,
  ProviderEntity,
  RateLimitPolicyEntity,
  UsageLimitPolicyEntity,
  WorkspaceEntity,
  WorkspaceExclusionEntity,
} from '@gw/entities';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { scopesInForce, userRolesOf } from '../platform/auth/key-scopes';
import { CredentialsService } from '../platform/credentials/credentials.service';
import { GuardrailCredentials } from '../platform/credentials/guardrail-credentials';
import { SecretAccess } from '../platform/credentials/secret-access';
import { Secrets, SETTINGS } from '../settings';
import { addAccessTokens, addOauthGrants } from './access-token-documents';
import { addAgentCatalogues, addAgentServers } from './agent-documents';
import {
  apiKeyDocument,
  configDocument,
  endedApiKeyDocument,
  organisationDocument,
  providerDocument,
  workspaceDocument,
} from './document-builders';
import { parseDocumentKey, type WantedRow } from './document-keys';
import { inForce, type EnforcedFeatures } from './features-in-force';
import { addGuardrails } from './guardrail-documents';
import { integrationLimitsOf } from './integration-limits';
import { addMcpServers } from './mcp-documents';
import { addMcpConnections } from './mcp-connection-documents';
import { addMcpCatalogues, addMcpToolsets } from './mcp-toolset-documents';
import { policyResets } from './policy-resets';
import { addPrompts, addPromptVersions } from './prompt-documents';
import { readSeparately } from './separate-reads';
import { SigningKeyDocuments } from './signing-key-documents';
import { addTrusts, addWorkspaceSlugs } from './trust-documents';
import { referencesOf } from './upstream-references';
import { addUsers } from './user-documents';

type Wanted<K extends WantedRow['kind']> = Extract<WantedRow, { kind: K }> & { readonly key: DocumentKey };
type Documents = Map<DocumentKey, ReadModelDocument>;

/**
 * Builds the documents that gateways read. The number of queries depends on the kinds of keys, not
 * on their number.
 */
@Injectable()
export class DocumentsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly credentials: CredentialsService,
    private readonly secrets: SecretAccess,
    private readonly guardrailCredentials: GuardrailCredentials,
    private readonly installation: Secrets,
    private readonly signingKeys: SigningKeyDocuments,
    @Inject(SETTINGS) private readonly features: EnforcedFeatures,
  ) {}

  /** Reads documents as `snapshotOf` does, without those that cannot be built. */
  read(keys: readonly DocumentKey[]): Promise<DocumentsResponse> {
    return readSeparately(keys, (some) => this.snapshotOf(some));
  }

  /**
   * Returns the documents of `keys` and the outbox sequence from one snapshot. The document of an
   * unknown or archived row is null. A workspace's resources are archived with it, so only their
   * own rows are checked.
   */
  private async snapshotOf(keys: readonly DocumentKey[]): Promise<DocumentsResponse> {
    const wanted = keys.flatMap((key) => {
      const row = parseDocumentKey(key);
      return row === null ? [] : [{ ...row, key }];
    });
    const of = <K extends WantedRow['kind']>(kind: K): Wanted<K>[] =>
      wanted.filter((item): item is Wanted<K> => item.kind === kind);
    const keysOf = (kind: WantedRow['kind']): DocumentKey[] => of(kind).map(({ key }) => key);
    const found: Documents = new Map();
    // Outside the transaction, because it may create the installation's first signing keys.
    await this.signingKeys.add(keysOf('signing_key'), found);
    await this.signingKeys.addCardKey(keysOf('card_key'), found);
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      // Sequences increase in commit order (see `recordChange`), so this snapshot contains every
      // change up to this sequence.
      const [row] = await manager.query<[{ sequence: string }]>(
        'SELECT coalesce(max(sequence), 0) AS sequence FROM change_events',
      );
      await this.addApiKeys(manager, of('api_key'), found);
      await addEndedApiKeys(manager, of('ended_api_key'), found);
      await addAccessTokens(manager, of('access_token'), found);
      await addOauthGrants(manager, of('oauth_grant'), found);
      await addUsers(manager, of('user'), found);
      await this.addOrganisations(manager, of('organisation'), found);
      await this.addWorkspaces(manager, of('workspace'), found);
      await this.addProviders(manager, of('provider'), found);
      await this.addConfigs(manager, of('config'), found);
      await addGuardrails(manager, of('guardrail'), found, this.guardrailCredentials);
      await addMcpServers(manager, of('mcp_server'), found, this.credentials, this.secrets);
      await addAgentServers(manager, of('agent_server'), found, this.credentials, this.secrets);
      await addAgentCatalogues(manager, of('agent_catalogue'), found);
      await addMcpToolsets(manager, of('mcp_toolset'), found);
      await addMcpCatalogues(manager, of('mcp_catalogue'), found);
      await addMcpConnections(manager, of('mcp_connection'), found, this.installation.sealingKeyring);
      await addPrompts(manager, of('prompt'), found);
      await addPromptVersions(manager, of('prompt_version'), found);
      await addTrusts(manager, of('trusts'), found);
      await addWorkspaceSlugs(manager, of('workspace_slug'), found);
      const documents = Object.fromEntries(
        keys.map((key) => {
          const document = found.get(key);
          return [key, document ? inForce(document, this.features) : null];
        }),
      );
      return { sequence: Number(row.sequence), documents };
    });
  }

  private async addApiKeys(
    manager: EntityManager,
    wanted: Wanted<'api_key'>[],
    to: Documents,
  ): Promise<void> {
    if (wanted.length === 0) return;
    const secretHash = In(wanted.map((item) => item.secretHash));
    const secrets = await manager.find(ApiKeySecretEntity, { where: { secretHash } });
    const keys = byId(
      await manager.find(ApiKeyEntity, {
        where: { id: In(secrets.map(({ apiKeyId }) => apiKeyId)), status: In(LIVE) },
      }),
    );
    const roles = await userRolesOf(manager, [...keys.values()]);
    const byHash = new Map(secrets.map((secret) => [secret.secretHash, secret]));
    for (const { key, secretHash: hash } of wanted) {
      const secret = byHash.get(hash);
      const apiKey = secret && keys.get(secret.apiKeyId);
      if (apiKey) {
        // Security settings deny no data-plane scope, so key documents do not depend on them.
        const scopes = scopesInForce(apiKey, roles.get(apiKey.id) ?? NO_ROLES, DEFAULT_SECURITY);
        to.set(key, apiKeyDocument(apiKey, secret, scopes));
      }
    }
  }

  private async addOrganisations(
    manager: EntityManager,
    wanted: Wanted<'organisation'>[],
    to: Documents,
  ): Promise<void> {
    if (wanted.length === 0) return;
    const id = In(wanted.map((item) => item.id));
    const rows = byId(await manager.find(OrganisationEntity, { where: { id, status: 'active' } }));
    const held = await manager.findBy(OrganisationPropertiesEntity, { organisationId: id });
    const properties = new Map(held.map((item) => [item.organisationId, item]));
    for (const item of wanted) {
      const row = rows.get(item.id);
      if (row) to.set(item.key, organisationDocument(row, properties.get(row.id) ?? null));
    }
  }

  private async addWorkspaces(
    manager: EntityManager,
    wanted: Wanted<'workspace'>[],
    to: Documents,
  ): Promise<void> {
    if (wanted.length === 0) return;
    const id = In(wanted.map((item) => item.id));
    const rows = byId(await manager.find(WorkspaceEntity, { where: { id, status: 'active' } }));
    const organisationIds = [...rows.values()].map(({ organisationId }) => organisationId);
    const organisations = byId(
      await manager.find(OrganisationEntity, { where: { id: In(organisationIds), status: 'active' } }),
    );
    const defaults = await manager.find(ConfigEntity, {
      where: { workspaceId: id, isDefault: true, status: 'active' },
      select: { id: true, workspaceId: true },
    });
    const excluded = await manager.find(WorkspaceExclusionEntity, {
      where: { workspaceId: id },
      order: { direction: 'ASC' },
    });
    const defaultOf = new Map(defaults.map((config) => [config.workspaceId, config.id]));
    const active = {
      where: { workspaceId: id, status: 'active' },
      order: { createdAt: 'ASC', id: 'ASC' },
    } as const;
    const budgets = await manager.find(UsageLimitPolicyEntity, active);
    const usageLimits = byWorkspace(budgets);
    const resets = await policyResets(manager, budgets);
    const rateLimits = byWorkspace(await manager.find(RateLimitPolicyEntity, active));
    for (const item of wanted) {
      const row = rows.get(item.id);
      const organisation = row && organisations.get(row.organisationId);
      if (organisation) {
        const policies = {
          usageLimits: usageLimits.get(row.id) ?? [],
          rateLimits: rateLimits.get(row.id) ?? [],
          resets,
        };
        const exclusions = excluded
          .filter(({ workspaceId }) => workspaceId === row.id)
          .map(({ direction }) => direction);
        to.set(item.key, workspaceDocument(row, defaultOf.get(row.id) ?? null, policies, exclusions));
      }
    }
  }

  private async addProviders(
    manager: EntityManager,
    wanted: Wanted<'provider'>[],
    to: Documents,
  ): Promise<void> {
    if (wanted.length === 0) return;
    const rows = await manager
      .createQueryBuilder(ProviderEntity, 'provider')
      .where(`(provider.workspaceId, provider.slug) IN (${PAIRS})`, pairsOf(wanted))
      .andWhere(`provider.status <> 'archived'`)
      .getMany();
    if (rows.length === 0) return;
    const integrationId = In([...new Set(rows.map((row) => row.integrationId))]);
    const integrations = byId(
      await manager.find(IntegrationEntity, { where: { id: integrationId, status: 'active' } }),
    );
    const models = await manager.find(IntegrationModelEntity, {
      where: { integrationId },
      order: { slug: 'ASC' },
    });
    const modelsOf = new Map<string, IntegrationModelEntity[]>();
    for (const model of models) {
      const group = modelsOf.get(model.integrationId);
      if (group) group.push(model);
      else modelsOf.set(model.integrationId, [model]);
    }
    const references = await referencesOf(manager, [...integrations.values()]);
    const limitsOf = await integrationLimitsOf(manager, rows);
    const byName = new Map(rows.map((row) => [nameOf(row.workspaceId, row.slug), row]));
    for (const { key, workspaceId, name } of wanted) {
      const row = byName.get(nameOf(workspaceId, name));
      const integration = row && integrations.get(row.integrationId);
      if (!integration) continue;
      const uses = this.secrets.usesOf(integration.secretMappings ?? [], references, workspaceId);
      const parts = {
        models: modelsOf.get(integration.id) ?? [],
        limits: limitsOf(row, integration),
        credential: this.credentials.sealForProvider(integration, row, uses),
      };
      to.set(key, providerDocument(row, integration, parts));
    }
  }

  private async addConfigs(manager: EntityManager, wanted: Wanted<'config'>[], to: Documents): Promise<void> {
    if (wanted.length === 0) return;
    const rows = await manager
      .createQueryBuilder(ConfigEntity, 'config')
      .where(`((config.workspaceId, config.slug) IN (${PAIRS}) OR config.id = ANY(CAST(:ids AS uuid[])))`, {
        ...pairsOf(wanted),
        ids: wanted.map(({ name }) => name).filter((name) => UUID.test(name)),
      })
      .andWhere(`config.status = 'active'`)
      .getMany();
    if (rows.length === 0) return;
    const versionIds = rows.map(({ currentVersionId }) => currentVersionId);
    const versions = byId(await manager.find(ConfigVersionEntity, { where: { id: In(versionIds) } }));
    const byName = new Map<string, ConfigEntity>();
    for (const row of rows) {
      byName.set(nameOf(row.workspaceId, row.slug), row);
      byName.set(nameOf(row.workspaceId, row.id), row);
    }
    for (const { key, workspaceId, name } of wanted) {
      const row = byName.get(nameOf(workspaceId, name));
      const version = row && versions.get(row.currentVersionId);
      if (version) to.set(key, configDocument(row, version));
    }
  }
}

async function addEndedApiKeys(
  manager: EntityManager,
  wanted: Wanted<'ended_api_key'>[],
  to: Documents,
): Promise<void> {
  if (wanted.length === 0) return;
  const ended = await endedApiKeys(
    manager,
    wanted.map(({ secretHash }) => secretHash),
  );
  for (const key of ended) to.set(documentKey.endedApiKey(key.secretHash), endedApiKeyDocument(key));
}

const NO_ROLES = { organisationRole: null, workspaceRole: null };

const LIVE: ApiKeyEntity['status'][] = ['active', 'exhausted', 'expired'];

const PAIRS = 'SELECT * FROM unnest(CAST(:workspaceIds AS uuid[]), CAST(:names AS text[]))';

const pairsOf = (
  wanted: Wanted<'provider' | 'config'>[],
): { readonly workspaceIds: string[]; readonly names: string[] } => ({
  workspaceIds: wanted.map(({ workspaceId }) => workspaceId),
  names: wanted.map(({ name }) => name),
});

function byWorkspace<T extends { readonly workspaceId: string }>(rows: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(row.workspaceId);
    if (group) group.push(row);
    else groups.set(row.workspaceId, [row]);
  }
  return groups;
}

const nameOf = (workspaceId: string, name: string): string => `${workspaceId}:${name}`;

const byId = <T extends { readonly id: string }>(rows: readonly T[]): Map<string, T> =>
  new Map(rows.map((row) => [row.id, row]));
