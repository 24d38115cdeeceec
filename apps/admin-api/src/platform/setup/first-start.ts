import { scopesAllowedFor } from '@gw/auth-scopes';
import { documentKey } from '@gw/contracts';
import {
  ApiKeyEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { randomAlphanumeric, randomHex, SettingsError, uuidv7 } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import { ApiKeySecretsService } from '../keys/api-key-secrets.service';
import type { AuditCaller, AuditRecorder } from '../unit-of-work/audit-recorder';
import { Write } from '../unit-of-work/writes';
import { hashPassword } from '../auth/passwords';
import { ChangeRecorder } from '../unit-of-work/change-recorder';
import type { Secrets } from '../../settings';
import type { IssuedCredentials } from './credentials-file';
import { adoptInstallation, recordInstallation } from './installation';

export interface FirstStartTools {
  readonly dataSource: DataSource;
  readonly secrets: Secrets;
  readonly audits: AuditRecorder;
  readonly apiKeyPrefix: string;
  readonly ownerEmail: string;
  /** Password of the owner; null generates one. */
  readonly ownerPassword: string | null;
  /**
   * Stores the created credentials before the commit. Null when they cannot be stored, and then no
   * keys are issued.
   */
  readonly keep: ((created: IssuedCredentials) => Promise<void>) | null;
}

/** Ids that the first set-up of a database creates and later set-ups read. */
export interface Installed {
  readonly organisationId: string;
  readonly workspaceId: string;
  /** False when an earlier set-up created the installation. Its secrets are never issued again. */
  readonly isNew: boolean;
}

/**
 * Opens the installation. In an empty database, creates an organisation, its default workspace, an
 * owner and, if `keep` is given, two keys. Throws `SettingsError` when ENCRYPTION_KEY does not open
 * the data, or when the generated password of an owner cannot be stored.
 */
export async function ensureInstalled(tools: FirstStartTools): Promise<Installed> {
  return tools.dataSource.transaction(async (manager) => {
    const installation = await adoptInstallation(manager, tools.secrets);
    if (installation) return installedIn(manager, installation.organisationId);
    return seed(manager, tools);
  });
}

async function installedIn(manager: EntityManager, organisationId: string): Promise<Installed> {
  const { id } = await manager.findOneByOrFail(WorkspaceEntity, { organisationId, isDefault: true });
  return { organisationId, workspaceId: id, isNew: false };
}

async function seed(manager: EntityManager, tools: FirstStartTools): Promise<Installed> {
  if (!tools.keep && tools.ownerPassword === null) {
    throw new SettingsError([
      {
        name: 'OWNER_PASSWORD',
        rule: 'is required to set up an empty database; or set CREDENTIALS_FILE to store a generated password there',
      },
    ]);
  }
  const write = new Write(manager, systemCaller(uuidv7()));
  const { organisation, workspace } = await createOrganisation(write);
  const owner = await createOwner(write, tools, organisation.id);
  const place = {
    organisation_id: organisation.id,
    workspace_id: workspace.id,
    workspace_slug: workspace.slug,
  };
  if (tools.keep) {
    const api_key = await issueKey(write, tools, organisation.id, workspace.id);
    const admin_api_key = await issueKey(write, tools, organisation.id, null);
    // The credentials are stored before the commit: if the process ends in between, the next set-up
    // issues new keys and no key is lost.
    await tools.keep({ api_key, admin_api_key, ...place, ...owner });
  }
  await recordInstallation(manager, tools.secrets, organisation.id);
  await tools.audits.record(manager, write.caller, write.entries);
  await new ChangeRecorder().record(manager, { changed: write.changedKeys });
  return { organisationId: organisation.id, workspaceId: workspace.id, isNew: true };
}

/** The set-up as the actor in the audit log. */
const systemCaller = (organisationId: string): AuditCaller => ({
  kind: 'system',
  organisationId,
  workspaceId: null,
  userId: null,
  apiKeyId: null,
  request: { id: uuidv7(), method: 'SETUP', uri: 'setup', clientIp: null, userAgent: null },
});

interface Place {
  readonly organisation: Pick<OrganisationEntity, 'id'>;
  readonly workspace: Pick<WorkspaceEntity, 'id' | 'slug'>;
}

async function createOrganisation(write: Write): Promise<Place> {
  const organisation = { id: write.caller.organisationId, name: 'Default organisation', slug: 'default' };
  const workspace = { id: uuidv7(), slug: `ws-shared-${randomHex(3)}` };
  await write.manager.insert(OrganisationEntity, organisation);
  await write.manager.insert(WorkspaceEntity, {
    ...workspace,
    organisationId: organisation.id,
    name: 'Shared Team Workspace',
    isDefault: true,
    creationSource: 'default',
  });
  write.changed(documentKey.organisation(organisation.id), documentKey.workspace(workspace.id));
  return { organisation, workspace };
}

async function createOwner(
  write: Write,
  tools: FirstStartTools,
  organisationId: string,
): Promise<Pick<IssuedCredentials, 'owner_email' | 'owner_password'>> {
  const password = tools.ownerPassword ?? randomAlphanumeric(24);
  const id = uuidv7();
  const email = tools.ownerEmail.toLowerCase();
  const passwordHash = await hashPassword(password);
  await write.manager.insert(UserEntity, {
    ...{ id, email, passwordHash, firstName: 'Owner' },
    passwordGenerated: tools.ownerPassword === null,
  });
  await write.manager.insert(OrganisationUserEntity, { organisationId, userId: id, role: 'owner' });
  write.audit({ action: 'create', resourceType: 'users', resourceId: id, after: { email, role: 'owner' } });
  return { owner_email: email, owner_password: password };
}

/** Creates a key with every scope of its type, and returns its secret. */
async function issueKey(
  write: Write,
  tools: FirstStartTools,
  organisationId: string,
  workspaceId: string | null,
): Promise<string> {
  const type = workspaceId === null ? 'organisation-service' : 'workspace-service';
  const id = uuidv7();
  await write.manager.insert(ApiKeyEntity, {
    id,
    type,
    organisationId,
    workspaceId,
    name: workspaceId === null ? 'First organisation key' : 'First workspace key',
    scopes: [...scopesAllowedFor(type)],
    creationMode: 'auto',
  });
  write.audit({ action: 'create', resourceType: 'api_keys', resourceId: id, workspaceId, after: { type } });
  return new ApiKeySecretsService(tools.secrets, { API_KEY_PREFIX: tools.apiKeyPrefix }).issue(write, id);
}
