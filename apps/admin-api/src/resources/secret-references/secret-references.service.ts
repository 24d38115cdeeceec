import {
  AgentIntegrationEntity,
  McpIntegrationEntity,
  SecretReferenceEntity,
  type GuardrailEntity,
  type UpstreamIntegration,
} from '@gw/entities';
import { GatewayError, uuidv7, VendorError, type AddressPolicy } from '@gw/kernel';
import { pick, type SecretReader } from '@gw/secret-managers';
import { assign, columnsOf, invalid, listOf, pickOf, type ListResponse } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { upstreamsUsing } from '../../platform/upstreams/usable-integrations';
import type { Principal } from '../../platform/common/principal';
import { byReference, inOrganisation } from '../../platform/auth/tenancy';
import { assertSlugFree, autoSlug } from '../../platform/common/slugs';
import { tagged } from '../../platform/common/tags';
import { workspaceIds } from '../../platform/auth/workspace-references';
import { SECRET_READER } from '../../platform/credentials/secret-reader';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { integrationsUsing } from '../../platform/credentials/secret-mappings';
import { SecretAccess } from '../../platform/credentials/secret-access';
import { openedOr, unreadable, unreadablePaths } from '../../platform/credentials/unreadable-secrets';
import { maskSecret } from '../../platform/credentials/shown-secret';
import { keysOfAll } from '../../platform/rows/guardrail-rows';
import { guardrailsUsing } from '../../platform/rows/guardrails.queries';
import { providerKeysOf } from '../../platform/rows/integrations.queries';
import { keysOfAgents } from '../../platform/rows/agent-rows';
import { keysOfServers } from '../../platform/rows/mcp-rows';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  archiveRow,
  audit,
  createRow,
  findRow,
  listRows,
  patchRow,
  present,
  type Resource,
} from '../../platform/resource/rows';
import { managerTypeOf, readAuthConfig, secretPathFault, type AuthConfig } from './auth-config';
import {
  SecretReferenceFields,
  type CreateSecretReferenceDto,
  type ListSecretReferencesQuery,
  type UpdateSecretReferenceDto,
} from './secret-references.dto';
import {
  toSecretReference,
  toSecretReferenceDetail,
  type CreatedSecretReferenceResponse,
  type SecretReferenceResponse,
  type SecretReferenceDetailResponse,
  type SecretReferenceTestResponse,
} from './secret-references.view';

const REFERENCE: Resource<SecretReferenceEntity> = {
  entity: SecretReferenceEntity,
  type: 'secret_references',
  view: toSecretReferenceDetail,
  where: (caller, reference) => ({
    ...inOrganisation(caller),
    ...byReference(reference),
    status: 'active',
  }),
  changes: async ({ id }, manager) => [
    ...(await providerKeysOf(manager, await integrationsUsing(manager, id))),
    ...(await keysOfAll(manager, await guardrailsUsing(manager, id))),
    ...(await keysOfServers(manager, ...(await upstreamsUsing(manager, McpIntegrationEntity, id)))),
    ...(await keysOfAgents(manager, ...(await upstreamsUsing(manager, AgentIntegrationEntity, id)))),
  ],
};

/** Fields that are stored unchanged. */
const PLAIN = pickOf(SecretReferenceFields, 'name', 'description', 'secret_path', 'secret_key', 'tags');

/**
 * Manages references to secrets in external managers. Gateways read the secrets; the control plane
 * reads them only to test a reference.
 */
@Injectable()
export class SecretReferencesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly access: SecretAccess,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    @Inject(SECRET_READER) private readonly read: SecretReader,
  ) {}

  create(caller: Principal, input: CreateSecretReferenceDto): Promise<CreatedSecretReferenceResponse> {
    const { organisationId } = inOrganisation(caller, input.organisation_id);
    const managerType = managerTypeOf(input.manager_type);
    assertPath(managerType, input.secret_path);
    const auth = readAuthConfig(managerType, input.auth_config, this.addresses);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const slug = input.slug ?? autoSlug(input.name);
      await assertSlugFree(manager, SecretReferenceEntity, { organisationId, slug, status: 'active' });
      const row = manager.create(SecretReferenceEntity, {
        id: uuidv7(),
        ...columnsOf(PLAIN, input),
        organisationId,
        slug,
        managerType,
        allowedWorkspaces: await allowedWorkspaces(manager, organisationId, input, null),
        createdBy: caller.userId,
        rotatedAt: null,
      });
      this.keep(row, auth);
      const { id } = await createRow(write, REFERENCE, row);
      return { id, slug, object: 'secret-reference' };
    });
  }

  async list(
    caller: Principal,
    query: ListSecretReferencesQuery,
  ): Promise<ListResponse<SecretReferenceResponse>> {
    const { organisationId } = inOrganisation(caller, query.organisation_id);
    const { manager_type: name, search, tags } = query;
    const managerType = name === undefined ? undefined : managerTypeOf(name);
    const [rows, total] = await listRows(this.dataSource.manager, REFERENCE, query, {
      where: { organisationId, status: 'active', ...present({ managerType }), ...tagged(tags) },
      search: { text: search, in: ['name', 'slug'] },
    });
    return listOf([rows.map(toSecretReference), total]);
  }

  async get(at: ResourceReference): Promise<SecretReferenceDetailResponse> {
    return toSecretReferenceDetail(await findRow(this.dataSource.manager, REFERENCE, at));
  }

  update(at: ResourceReference, input: UpdateSecretReferenceDto): Promise<object> {
    if (Object.values(input).every((value) => value === undefined)) {
      throw invalid('name', 'at least one field is required');
    }
    return this.writes.run(at.caller, (write) =>
      patchRow(write, REFERENCE, at, async (row) => {
        const { organisationId, managerType, allowedWorkspaces: saved } = row;
        if (input.secret_path !== undefined) assertPath(managerType, input.secret_path);
        assign(PLAIN, row, input);
        if (input.auth_config !== undefined) {
          const secret = openedOr(
            () => this.access.open(row),
            () => unreadable(row.maskedAuth) as Record<string, string>,
          );
          const before = { open: row.authConfig, secret };
          this.keep(row, readAuthConfig(managerType, input.auth_config, this.addresses, before));
        }
        row.allowedWorkspaces = await allowedWorkspaces(write.manager, organisationId, input, saved);
      }),
    );
  }

  /** Records that the secret has a new value, so that gateways read it again immediately. */
  rotate(at: ResourceReference): Promise<object> {
    const change = (row: SecretReferenceEntity): void => {
      row.rotatedAt = new Date();
    };
    return this.writes.run(at.caller, (write) => patchRow(write, REFERENCE, at, change, 'rotate'));
  }

  /**
   * Archives a reference. Throws `conflict` while an integration of any kind, a virtual key or a
   * guardrail uses it.
   */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, REFERENCE, at, async (row) => {
        const dependents = [
          ...(await integrationsUsing(write.manager, row.id)).map(dependentIntegration),
          ...(await upstreamsUsing(write.manager, McpIntegrationEntity, row.id)).map(
            dependentOf('mcp_integrations'),
          ),
          ...(await upstreamsUsing(write.manager, AgentIntegrationEntity, row.id)).map(
            dependentOf('agent_integrations'),
          ),
          ...(await guardrailsUsing(write.manager, row.id)).map(dependentGuardrail),
        ];
        if (dependents.length > 0) throw inUse(dependents);
        // The reference is no longer usable, so its credentials are deleted.
        row.sealedAuth = null;
      }),
    );
  }

  /** Reads the secret in the same way as a gateway, and returns only whether that succeeded. */
  async test(at: ResourceReference): Promise<SecretReferenceTestResponse> {
    const row = await findRow(this.dataSource.manager, REFERENCE, at);
    const location = this.access.locationOf(row, null);
    let failure: VendorError | null = null;
    try {
      pick(await this.read(location), location);
    } catch (error) {
      if (!(error instanceof VendorError)) throw error;
      failure = error;
    }
    const response = {
      success: failure === null,
      message: failure?.message ?? null,
      reason: failure?.failure ?? null,
      object: 'secret-reference-test',
    } as const;
    await this.writes.run(at.caller, (write) => {
      audit(write, REFERENCE, 'test', row, { after: response });
      return Promise.resolve();
    });
    return response;
  }

  private keep(row: SecretReferenceEntity, { open, secret }: AuthConfig): void {
    row.authConfig = { ...open };
    // Credentials that cannot be opened stay until the request contains new ones.
    if (unreadablePaths(secret).size > 0) return;
    row.maskedAuth = Object.fromEntries(
      Object.entries(secret).map(([name, value]) => [name, maskSecret(value)]),
    );
    row.sealedAuth = this.access.seal(row, secret);
  }
}

const DEPENDENTS_SHOWN_MAX = 20;

interface Dependent {
  readonly kind: 'virtual_keys' | 'integrations' | 'mcp_integrations' | 'agent_integrations' | 'guardrails';
  readonly id: string;
  readonly name: string;
  readonly slug?: string;
}

type UsingIntegration = Awaited<ReturnType<typeof integrationsUsing>>[number];

const dependentIntegration = ({ id, name, slug, isVirtualKey }: UsingIntegration): Dependent => ({
  kind: isVirtualKey ? 'virtual_keys' : 'integrations',
  id,
  name,
  ...(isVirtualKey ? {} : { slug }),
});

const dependentOf =
  (kind: Dependent['kind']) =>
  ({ id, name, slug }: Pick<UpstreamIntegration, 'id' | 'name' | 'slug'>): Dependent => ({
    kind,
    id,
    name,
    slug,
  });

const dependentGuardrail = ({ id, name, slug }: GuardrailEntity): Dependent => ({
  kind: 'guardrails',
  id,
  name,
  slug,
});

function inUse(dependents: readonly Dependent[]): GatewayError {
  const shown = dependents.slice(0, DEPENDENTS_SHOWN_MAX);
  const names = shown.map(({ kind, name }) => `${kind} “${name}”`).join(', ');
  return new GatewayError('validation_failed', {
    message: `The secret reference is in use by ${String(dependents.length)}: ${names}; remove these uses first.`,
    details: shown.map(({ kind, name, slug = name }) => ({
      path: `${kind}.${slug}`,
      message: `${kind} “${name}” uses it.`,
    })),
    extra: { dependents: shown },
  });
}

function assertPath(managerType: SecretReferenceEntity['managerType'], path: string): void {
  const fault = secretPathFault(managerType, path);
  if (fault !== null) throw invalid('secret_path', `secret_path ${fault}`);
}

/**
 * Returns the workspaces that may use the reference; null for all. Throws `validation_failed` for
 * contradictory members and unknown workspaces.
 */
async function allowedWorkspaces(
  manager: EntityManager,
  organisationId: string,
  input: { readonly allow_all_workspaces?: boolean; readonly allowed_workspaces?: readonly string[] },
  saved: string[] | null,
): Promise<string[] | null> {
  const { allow_all_workspaces: all, allowed_workspaces: named } = input;
  if (named === undefined) {
    if (all === false && saved === null) {
      throw invalid(
        'allowed_workspaces',
        'allowed_workspaces is required when allow_all_workspaces is false',
      );
    }
    return all === true ? null : saved;
  }
  if (all === true) {
    throw invalid(
      'allowed_workspaces',
      'allowed_workspaces and allow_all_workspaces are mutually exclusive; send one of them',
    );
  }
  const pathOf = (index: number): string => `allowed_workspaces.${String(index)}`;
  return [...new Set(await workspaceIds(manager, organisationId, named, pathOf))];
}
