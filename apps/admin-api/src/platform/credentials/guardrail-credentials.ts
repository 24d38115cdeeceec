import { createHmac } from 'node:crypto';
import {
  guardrailBinding,
  type GuardrailSecretContent,
  type GuardrailSecrets,
  type SavedGuardrailCheck,
  type SecretLocation,
} from '@gw/contracts';
import { pluginBinding, PluginEntity, SecretReferenceEntity, type GuardrailEntity } from '@gw/entities';
import {
  findCheck,
  isSecretReference,
  joinSecrets,
  partnerOf,
  secretNameOf,
  type SecretReference,
} from '@gw/guardrails';
import { GatewayError, seal, type Keyring } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { Secrets } from '../../settings';
import { mayUse, SecretAccess, usableReference } from './secret-access';
import { openJson } from './unreadable-secrets';

type Checks = readonly SavedGuardrailCheck[];
type Owner = Pick<GuardrailEntity, 'id' | 'organisationId'>;

/** Credentials of an organisation's partner accounts, by partner. */
export type Accounts = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** Secrets of one guardrail as gateways receive them. `version` changes when the secrets do. */
export interface SealedSecrets {
  readonly sealedSecrets: string | null;
  readonly version: string;
}

const NO_ACCOUNTS: Accounts = new Map();

/**
 * Provides the credentials of checks: from their own parameters, from the organisation's account at
 * the partner, or from a secret manager.
 */
@Injectable()
export class GuardrailCredentials {
  private readonly keyring: Keyring;

  constructor(
    secrets: Secrets,
    private readonly access: SecretAccess,
  ) {
    this.keyring = secrets.sealingKeyring;
  }

  /** Returns the partner accounts that the checks need, by organisation. */
  async accountsOf(
    manager: EntityManager,
    organisationIds: readonly string[],
    checks: Checks,
  ): Promise<ReadonlyMap<string, Accounts>> {
    const partners = [...new Set(checks.flatMap((check) => accountNeededBy(check) ?? []))];
    if (partners.length === 0) return new Map();
    const where = {
      organisationId: In([...organisationIds]),
      pluginProviderId: In(partners),
      status: 'active',
    } as const;
    const accounts = new Map<string, Map<string, Readonly<Record<string, string>>>>();
    for (const row of await manager.findBy(PluginEntity, where)) {
      const accountsOfOrganisation =
        accounts.get(row.organisationId) ?? new Map<string, Readonly<Record<string, string>>>();
      accounts.set(
        row.organisationId,
        accountsOfOrganisation.set(row.pluginProviderId, this.openAccount(row)),
      );
    }
    return accounts;
  }

  /** Returns the checks with the account parameters that they run with, within one organisation. */
  async withAccountParameters(
    manager: EntityManager,
    organisationId: string,
    checks: Checks,
  ): Promise<Checks> {
    const accounts = await this.accountsOf(manager, [organisationId], checks);
    return withAccounts(checks, accounts.get(organisationId) ?? NO_ACCOUNTS);
  }

  /** Throws `conflict` when the secrets cannot be opened. */
  open({ organisationId, id }: Owner, sealedSecrets: string | null): GuardrailSecrets {
    if (sealedSecrets === null) return {};
    return openJson(this.keyring, sealedSecrets, guardrailBinding(organisationId, id));
  }

  seal({ organisationId, id }: Owner, secrets: GuardrailSecrets | GuardrailSecretContent): string {
    return seal(this.keyring, JSON.stringify(secrets), guardrailBinding(organisationId, id));
  }

  /**
   * Seals the secrets for the gateways of a workspace. `references` contains the rows of all
   * references that the checks name.
   */
  sealForGateways(
    owner: Owner,
    saved: { readonly checks: Checks; readonly sealedSecrets: string | null },
    workspaceId: string,
    {
      accounts,
      references,
    }: { accounts: Accounts | undefined; references: ReadonlyMap<string, SecretReferenceEntity> },
  ): SealedSecrets {
    const checks = joinSecrets(saved.checks, this.open(owner, saved.sealedSecrets));
    const completed = withAccounts(checks, accounts ?? NO_ACCOUNTS);
    const parameters: Record<number, Readonly<Record<string, unknown>>> = {};
    completed.forEach((check, at) => {
      const secret = Object.entries(check.parameters ?? {}).filter(
        ([name, value]) => !isSame(saved.checks[at]?.parameters?.[name], value),
      );
      if (secret.length > 0) parameters[at] = Object.fromEntries(secret);
    });
    const locations: Record<string, SecretLocation | null> = {};
    for (const reference of referencesIn(saved.checks)) {
      const row = references.get(reference.secret_reference_id);
      locations[secretNameOf(reference)] =
        row && mayUse(row, workspaceId) ? this.access.locationOf(row, reference.secret_key ?? null) : null;
    }
    if (Object.keys(parameters).length + Object.keys(locations).length === 0)
      return { sealedSecrets: null, version: '' };
    const content: GuardrailSecretContent = { parameters, locations };
    return { sealedSecrets: this.seal(owner, content), version: this.versionOf(content) };
  }

  /**
   * Returns a keyed hash (HMAC) of the secrets, so that a secret cannot be guessed from it. Leaves
   * out the credentials for calling secret managers; when they change, the version of their
   * reference changes too.
   */
  private versionOf({ parameters, locations }: GuardrailSecretContent): string {
    const key = this.keyring.keys.get(this.keyring.current);
    if (!key) throw new GatewayError('internal_error');
    const where = Object.entries(locations).map(([name, location]) => [name, location?.version ?? null]);
    const digest = createHmac('sha256', key).update(JSON.stringify([parameters, where]));
    return digest.digest('base64url').slice(0, 22);
  }

  private openAccount({
    organisationId,
    id,
    sealedCredentials,
  }: PluginEntity): Readonly<Record<string, string>> {
    if (sealedCredentials === null) return {};
    return openJson(this.keyring, sealedCredentials, pluginBinding({ organisationId, id }));
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Returns the partner whose account provides the check's credentials; null if the check has its own
 * or needs none. A check with its own address never uses an account, since the account's
 * credentials would be sent to that address. Accepts unvalidated checks.
 */
export function accountNeededBy({
  id,
  parameters,
}: {
  readonly id?: unknown;
  readonly parameters?: unknown;
}): string | null {
  const definition = typeof id === 'string' ? findCheck(id) : undefined;
  if (!definition) return null;
  const ownParameters = typeof parameters === 'object' && parameters !== null ? parameters : {};
  const credentialNames = [...(definition.secretParameters ?? []), 'endpoint'];
  return credentialNames.some((name) => Object.hasOwn(ownParameters, name)) ? null : partnerOf(definition);
}

const withAccounts = (checks: Checks, accounts: Accounts): Checks =>
  accounts.size === 0 ? checks : checks.map((check) => withAccount(check, accounts));

/**
 * Adds the account's values that are parameters of the check. The check's own parameters take
 * precedence.
 */
function withAccount(check: SavedGuardrailCheck, accounts: Accounts): SavedGuardrailCheck {
  const account = accounts.get(accountNeededBy(check) ?? '');
  if (!account) return check;
  const parameterSchemas = findCheck(check.id)?.parameters['properties'];
  if (typeof parameterSchemas !== 'object' || parameterSchemas === null) return check;
  const accountParameters = Object.entries(account).filter(([name]) => Object.hasOwn(parameterSchemas, name));
  return { ...check, parameters: { ...Object.fromEntries(accountParameters), ...check.parameters } };
}

/** Returns the references in secret parameters of stored checks. */
export const referencesIn = (checks: Checks): readonly SecretReference[] =>
  checks.flatMap(({ id, parameters }) =>
    (findCheck(id)?.secretParameters ?? []).map((name) => parameters?.[name]).filter(isSecretReference),
  );

/** Returns the rows of all references that the checks name, by id. */
export async function referenceRows(
  manager: EntityManager,
  checks: Checks,
): Promise<ReadonlyMap<string, SecretReferenceEntity>> {
  const ids = [...new Set(referencesIn(checks).map(({ secret_reference_id: id }) => id))];
  if (ids.length === 0) return new Map();
  const rows = await manager.findBy(SecretReferenceEntity, { id: In(ids), status: 'active' });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Replaces reference slugs with ids. Throws `validation_failed` for a reference that is unknown or
 * not available to the workspace.
 */
export async function withReferencesById(
  manager: EntityManager,
  owner: Pick<GuardrailEntity, 'organisationId' | 'workspaceId'>,
  checks: Checks,
): Promise<Checks> {
  const byId: SavedGuardrailCheck[] = [];
  for (const [at, check] of checks.entries()) {
    const parameters: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(check.parameters ?? {})) {
      parameters[name] = value;
      if (!isSecretReference(value) || !isSecretOf(check, name)) continue;
      const path = `checks.${String(at)}.parameters.${name}`;
      const row = await usableReference(manager, owner, value.secret_reference_id, path);
      parameters[name] = { ...value, secret_reference_id: row.id };
    }
    byId.push(check.parameters === undefined ? check : { ...check, parameters });
  }
  return byId;
}

const isSecretOf = ({ id }: SavedGuardrailCheck, name: string): boolean =>
  findCheck(id)?.secretParameters?.includes(name) === true;
