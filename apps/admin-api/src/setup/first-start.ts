import { scopesAllowedFor } from '@gw/auth-scopes';
import { documentKey, type InstallationCredentials } from '@gw/contracts';
import {
  ApiKeyEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { randomAlphanumeric, randomHex, uuidv7 } from '@gw/kernel';
import type { DataSource, EntityManager } from 'typeorm';
import { ApiKeySecretsService } from '../api-keys/api-key-secrets.service';
import { Write } from '../audit/writes';
import { hashPassword } from '../auth/passwords';
import { ChangeRecorder } from '../read-model/change-recorder';
import type { Secrets } from '../settings';

/** Everything but the addresses. */
export type Identity = Omit<InstallationCredentials, 'base_url' | 'admin_url'>;

export interface FirstStartTools {
  readonly dataSource: DataSource;
  readonly secrets: Secrets;
  readonly apiKeyPrefix: string;
  readonly ownerEmail: string;
}

/**
 * The identity that the installation begins with. An empty database gets an organisation, its default workspace, an owner and
 * two keys. Where they are there, `known` is handed back if it is of this database; if the file was lost, fresh keys and a
 * fresh owner password are issued (the keys before keep working until someone deletes them).
 */
export async function ensureIdentity(
  tools: FirstStartTools,
  known: InstallationCredentials | null,
): Promise<Identity> {
  return tools.dataSource.transaction(async (manager) => {
    const write = new Write(manager);
    const existing = await oldestOrganisation(manager);
    if (existing && known?.organisation_id === existing.organisation.id) return identityOf(known);
    const place = existing ?? (await createOrganisation(write));
    const owner = await ensureOwner(write, tools, place.organisation.id);
    const { organisation, workspace } = place;
    const identity = {
      api_key: await issueKey(write, tools, organisation.id, workspace.id),
      admin_api_key: await issueKey(write, tools, organisation.id, null),
      organisation_id: organisation.id,
      workspace_id: workspace.id,
      workspace_slug: workspace.slug,
      ...owner,
    };
    await new ChangeRecorder().record(manager, { changed: write.changedKeys });
    return identity;
  });
}

interface Place {
  readonly organisation: Pick<OrganisationEntity, 'id'>;
  readonly workspace: Pick<WorkspaceEntity, 'id' | 'slug'>;
}

const identityOf = (known: InstallationCredentials): Identity => ({
  api_key: known.api_key,
  admin_api_key: known.admin_api_key,
  organisation_id: known.organisation_id,
  workspace_id: known.workspace_id,
  workspace_slug: known.workspace_slug,
  owner_email: known.owner_email,
  owner_password: known.owner_password,
});

async function oldestOrganisation(manager: EntityManager): Promise<Place | null> {
  const [organisation] = await manager.find(OrganisationEntity, {
    order: { createdAt: 'ASC', id: 'ASC' },
    take: 1,
  });
  if (!organisation) return null;
  const workspace = await manager.findOneByOrFail(WorkspaceEntity, {
    organisationId: organisation.id,
    isDefault: true,
  });
  return { organisation, workspace };
}

async function createOrganisation(write: Write): Promise<Place> {
  const organisation = { id: uuidv7(), name: 'Default organisation', slug: 'default' };
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

/** The oldest owner with a fresh password; made when there is none. */
async function ensureOwner(
  { manager }: Write,
  tools: FirstStartTools,
  organisationId: string,
): Promise<Pick<Identity, 'owner_email' | 'owner_password'>> {
  const password = randomAlphanumeric(24);
  const passwordHash = await hashPassword(password);
  const [seat] = await manager.find(OrganisationUserEntity, {
    where: { organisationId, role: 'owner', status: 'active' },
    order: { createdAt: 'ASC', userId: 'ASC' },
    take: 1,
  });
  if (seat) {
    await manager.update(UserEntity, { id: seat.userId }, { passwordHash });
    const { email } = await manager.findOneByOrFail(UserEntity, { id: seat.userId });
    return { owner_email: email, owner_password: password };
  }
  const id = uuidv7();
  const email = tools.ownerEmail.toLowerCase();
  await manager.insert(UserEntity, { id, email, passwordHash, firstName: 'Owner' });
  await manager.insert(OrganisationUserEntity, { organisationId, userId: id, role: 'owner' });
  return { owner_email: email, owner_password: password };
}

/** A key that holds every scope of its type. */
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
  return new ApiKeySecretsService(tools.secrets, { API_KEY_PREFIX: tools.apiKeyPrefix }).issue(write, id);
}
