import { SecretReferenceEntity, type GuardrailEntity } from '@gw/entities';
import { GatewayError, uuidv7, type AddressPolicy } from '@gw/kernel';
import { pick, SecretError, type SecretReader } from '@gw/secret-managers';
import { assertMatches, invalid, listOf, windowOf, type ListAnswer } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { Brackets, DataSource, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { byReference, found, inOrganisation } from '../../platform/auth/tenancy';
import { assertSlugFree } from '../../platform/common/slugs';
import { parseTags } from '../../platform/common/tags';
import { escapeLike } from '../../platform/common/text';
import { workspaceIds } from '../../platform/auth/workspace-references';
import { SECRET_READER } from '../../platform/credentials/secret-reader';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { integrationsUsing } from '../../platform/credentials/secret-mappings';
import { SecretAccess } from '../../platform/credentials/secret-access';
import { maskSecret } from '../../platform/credentials/shown-secret';
import { keysOf } from '../../platform/rows/guardrail-rows';
import { guardrailsUsing } from '../../platform/rows/guardrails.queries';
import { providersChanged } from '../../platform/rows/integrations.queries';
import { autoSlug } from '../../platform/common/slugs';
import { managerTypeOf, readAuthConfig, secretPathFault, type AuthConfig } from './auth-config';
import type {
  CreatedSecretReferenceDto,
  CreateSecretReferenceDto,
  ListSecretReferencesQuery,
  UpdateSecretReferenceDto,
} from './secret-references.dto';
import {
  toSecretReference,
  toSecretReferenceDetail,
  type SecretReferenceAnswer,
  type SecretReferenceDetailAnswer,
  type SecretReferenceTestAnswer,
} from './secret-references.view';

const RESOURCE = 'secret_references';

/** References to secrets that rest elsewhere. The secrets themselves are read by the gateways, and here only to test. */
@Injectable()
export class SecretReferencesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly access: SecretAccess,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    @Inject(SECRET_READER) private readonly read: SecretReader,
  ) {}

  create(caller: Principal, input: CreateSecretReferenceDto): Promise<CreatedSecretReferenceDto> {
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
        organisationId,
        slug,
        name: input.name,
        description: input.description ?? null,
        managerType,
        secretPath: input.secret_path,
        secretKey: input.secret_key ?? null,
        allowedWorkspaces: await allowedWorkspaces(manager, organisationId, input, null),
        tags: input.tags ?? null,
        createdBy: caller.userId,
        rotatedAt: null,
      });
      this.keep(row, auth);
      const saved = await manager.save(SecretReferenceEntity, row);
      const after = toSecretReferenceDetail(saved);
      write.audit({ action: 'create', resourceType: RESOURCE, resourceId: row.id, after });
      return { id: row.id, slug: row.slug, object: 'secret-reference' };
    });
  }

  async list(
    caller: Principal,
    query: ListSecretReferencesQuery,
  ): Promise<ListAnswer<SecretReferenceAnswer>> {
    const { organisationId } = inOrganisation(caller, query.organisation_id);
    const tags = parseTags(query.tags);
    const rows = this.dataSource.manager
      .createQueryBuilder(SecretReferenceEntity, 's')
      .where(`s.organisation_id = :organisationId AND s.status = 'active'`, { organisationId });
    if (query.manager_type !== undefined) {
      rows.andWhere('s.manager_type = :managerType', { managerType: managerTypeOf(query.manager_type) });
    }
    if (tags) rows.andWhere('s.tags @> :tags::jsonb', { tags: JSON.stringify(tags) });
    if (query.search !== undefined) {
      const search = `%${escapeLike(query.search)}%`;
      rows.andWhere(new Brackets((or) => or.where('s.name ILIKE :search').orWhere('s.slug ILIKE :search')), {
        search,
      });
    }
    const [page, total] = await rows
      .orderBy('s.createdAt', 'DESC')
      .addOrderBy('s.id', 'DESC')
      .skip(windowOf(query).skip)
      .take(windowOf(query).take)
      .getManyAndCount();
    return listOf([page.map(toSecretReference), total]);
  }

  async get(caller: Principal, reference: string): Promise<SecretReferenceDetailAnswer> {
    return toSecretReferenceDetail(await find(this.dataSource.manager, caller, reference));
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateSecretReferenceDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    if (Object.values(input).every((value) => value === undefined)) {
      throw invalid('name', 'at least one field is required');
    }
    return this.change(caller, reference, ifMatch, 'update', async (row, manager) => {
      if (input.name !== undefined) row.name = input.name;
      if (input.description !== undefined) row.description = input.description;
      if (input.tags !== undefined) row.tags = input.tags;
      if (input.secret_key !== undefined) row.secretKey = input.secret_key;
      if (input.secret_path !== undefined) {
        assertPath(row.managerType, input.secret_path);
        row.secretPath = input.secret_path;
      }
      if (input.auth_config !== undefined) {
        const saved = { open: row.authConfig, secret: this.access.open(row) };
        this.keep(row, readAuthConfig(row.managerType, input.auth_config, this.addresses, saved));
      }
      row.allowedWorkspaces = await allowedWorkspaces(
        manager,
        row.organisationId,
        input,
        row.allowedWorkspaces,
      );
    });
  }

  /** For a secret that has another value now: gateways read it again at once, and not when they would have anyway. */
  rotate(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.change(caller, reference, ifMatch, 'rotate', (row) => {
      row.rotatedAt = new Date();
    });
  }

  /** Refused while an integration, a virtual key or a guardrail uses it. */
  remove(caller: Principal, reference: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await find(manager, caller, reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const dependents = [
        ...(await integrationsUsing(manager, row.id)).map(dependentIntegration),
        ...(await guardrailsUsing(manager, row.id)).map(dependentGuardrail),
      ];
      if (dependents.length > 0) throw inUse(dependents);
      const before = toSecretReferenceDetail(row);
      row.status = 'archived';
      // Nothing opens it again.
      row.sealedAuth = null;
      await manager.save(SecretReferenceEntity, row);
      write.audit({ action: 'delete', resourceType: RESOURCE, resourceId: row.id, before });
      return {};
    });
  }

  /** Reads the secret as a gateway would, and tells only whether it could. */
  async test(caller: Principal, reference: string): Promise<SecretReferenceTestAnswer> {
    const row = await find(this.dataSource.manager, caller, reference);
    const location = this.access.locationOf(row, null);
    let failure: SecretError | null = null;
    try {
      pick(await this.read(location), location);
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      failure = error;
    }
    const answer = {
      success: failure === null,
      message: failure?.message ?? null,
      reason: failure?.failure ?? null,
      object: 'secret-reference-test',
    } as const;
    await this.writes.run(caller, (write) => {
      write.audit({ action: 'test', resourceType: RESOURCE, resourceId: row.id, after: answer });
      return Promise.resolve();
    });
    return answer;
  }

  private change(
    caller: Principal,
    reference: string,
    ifMatch: string | undefined,
    action: 'update' | 'rotate',
    work: (row: SecretReferenceEntity, manager: EntityManager) => void | Promise<void>,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await find(manager, caller, reference, FOR_UPDATE);
      assertMatches(ifMatch, row);
      const before = toSecretReferenceDetail(row);
      await work(row, manager);
      const saved = await manager.save(SecretReferenceEntity, row);
      const after = toSecretReferenceDetail(saved);
      write.audit({ action, resourceType: RESOURCE, resourceId: row.id, before, after });
      await usersChanged(write, row.id);
      return {};
    });
  }

  private keep(row: SecretReferenceEntity, { open, secret }: AuthConfig): void {
    row.authConfig = { ...open };
    row.maskedAuth = Object.fromEntries(
      Object.entries(secret).map(([name, value]) => [name, maskSecret(value)]),
    );
    row.sealedAuth = this.access.seal(row, secret);
  }
}

async function find(
  manager: EntityManager,
  caller: Principal,
  reference: string,
  lock?: typeof FOR_UPDATE,
): Promise<SecretReferenceEntity> {
  const where = { ...inOrganisation(caller), ...byReference(reference), status: 'active' } as const;
  return found(await manager.findOne(SecretReferenceEntity, { where, ...(lock ? { lock } : {}) }));
}

async function usersChanged(write: Write, referenceId: string): Promise<void> {
  const { manager } = write;
  for (const { id } of await integrationsUsing(manager, referenceId)) await providersChanged(write, id);
  for (const row of await guardrailsUsing(manager, referenceId))
    write.changed(...(await keysOf(manager, row)));
}

const DEPENDENTS_SHOWN_MAX = 20;

interface Dependent {
  readonly kind: 'virtual_keys' | 'integrations' | 'guardrails';
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
    message: `The secret reference is in use by ${String(dependents.length)}: ${names}.`,
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

/** Null: all of them. Throws `validation_failed` for a contradiction and for what is no workspace of the organisation. */
async function allowedWorkspaces(
  manager: EntityManager,
  organisationId: string,
  input: { readonly allow_all_workspaces?: boolean; readonly allowed_workspaces?: readonly string[] },
  saved: string[] | null,
): Promise<string[] | null> {
  const { allow_all_workspaces: all, allowed_workspaces: named } = input;
  if (named === undefined) {
    if (all === false && saved === null) {
      throw invalid('allowed_workspaces', 'allowed_workspaces is required without allow_all_workspaces');
    }
    return all === true ? null : saved;
  }
  if (all === true) {
    throw invalid('allowed_workspaces', 'allowed_workspaces may not be given with allow_all_workspaces');
  }
  const pathOf = (index: number): string => `allowed_workspaces.${String(index)}`;
  return [...new Set(await workspaceIds(manager, organisationId, named, pathOf))];
}
