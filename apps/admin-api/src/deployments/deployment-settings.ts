import { WorkspaceEntity, type DeploymentAuthSettings, type DeploymentEntity } from '@gw/entities';
import { assertAllowedUrl, type AddressPolicy } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { byReference } from '../auth/tenancy';
import type { DeploymentAuthSettingsDto } from './deployments.dto';

const URLS = ['gateway_base_url', 'mcp_gateway_base_url', 'private_link_endpoint'] as const;
const BITS = ['use_private_link_proxy', 'is_dataservice_hosted', 'is_playground_proxy_allowed'] as const;
/** Of one deployment, after what was added. */
const ITEMS_MAX = 1_000;

interface Change {
  readonly input: DeploymentAuthSettingsDto;
  /** True: lists and maps replace the saved ones. */
  readonly replaces: boolean;
}

/** Lays settings over those of the row. Throws `validation_failed`, or `custom_host_refused` for an address. */
export async function applySettings(
  manager: EntityManager,
  row: DeploymentEntity,
  { input, replaces }: Change,
  policy: AddressPolicy,
): Promise<void> {
  const settings: { -readonly [K in keyof DeploymentAuthSettings]: DeploymentAuthSettings[K] } = {
    ...row.authSettings,
  };
  for (const name of URLS) {
    const value = input[name];
    if (value === undefined) continue;
    if (value === null) {
      delete settings[name];
      continue;
    }
    assertAllowedUrl(policy, value, `auth_settings.${name}`);
    settings[name] = value;
  }
  for (const name of BITS) {
    const value = input[name];
    if (value !== undefined) settings[name] = value;
  }
  const subs = merged(
    settings.jwt_subs_allowed ?? [],
    input.jwt_subs_allowed,
    input.remove_subs_allowed,
    replaces,
  );
  assertFew(subs, 'jwt_subs_allowed');
  if (subs.length > 0 || settings.jwt_subs_allowed) settings.jwt_subs_allowed = subs;
  if (input.jwt_sub_workspace_mapping !== undefined) {
    const mapping = { ...(replaces ? {} : settings.jwt_sub_workspace_mapping) };
    for (const [sub, reference] of Object.entries(input.jwt_sub_workspace_mapping)) {
      const path = `auth_settings.jwt_sub_workspace_mapping.${sub}`;
      mapping[sub] = await workspaceId(manager, row.organisationId, reference, path);
    }
    assertFew(Object.keys(mapping), 'jwt_sub_workspace_mapping');
    settings.jwt_sub_workspace_mapping = mapping;
  }
  row.authSettings = settings;
  row.workspacesAllowed = await workspacesOf(manager, row, input, replaces);
}

async function workspacesOf(
  manager: EntityManager,
  row: DeploymentEntity,
  input: DeploymentAuthSettingsDto,
  replaces: boolean,
): Promise<string[] | null> {
  const { allow_all_workspaces: all, workspaces_allowed: added, remove_workspaces_allowed: removed } = input;
  if (all === true) {
    if (added !== undefined && added.length > 0) {
      throw invalid('auth_settings.workspaces_allowed', 'may not be given with allow_all_workspaces');
    }
    return null;
  }
  const ids = async (list: readonly string[] | undefined, name: string): Promise<string[] | undefined> => {
    if (list === undefined) return undefined;
    const found: string[] = [];
    for (const [index, reference] of list.entries()) {
      const path = `auth_settings.${name}.${String(index)}`;
      found.push(await workspaceId(manager, row.organisationId, reference, path));
    }
    return found;
  };
  if (all === undefined && added === undefined && removed === undefined) return row.workspacesAllowed;
  const next = merged(
    row.workspacesAllowed ?? [],
    await ids(added, 'workspaces_allowed'),
    await ids(removed, 'remove_workspaces_allowed'),
    replaces,
  );
  assertFew(next, 'workspaces_allowed');
  return next;
}

/** Each once, in the order in which they were added. */
function merged(
  saved: readonly string[],
  added: readonly string[] | undefined,
  removed: readonly string[] | undefined,
  replaces: boolean,
): string[] {
  const base = replaces && added !== undefined ? [] : saved;
  const gone = new Set(removed);
  return [...new Set([...base, ...(added ?? [])])].filter((item) => !gone.has(item));
}

function assertFew(items: readonly string[], name: string): void {
  if (items.length <= ITEMS_MAX) return;
  throw invalid(
    `auth_settings.${name}`,
    `has more than ${String(ITEMS_MAX)} items with those that are saved`,
  );
}

async function workspaceId(
  manager: EntityManager,
  organisationId: string,
  reference: string,
  path: string,
): Promise<string> {
  const where = { ...byReference(reference), organisationId, status: 'active' } as const;
  const row = await manager.findOne(WorkspaceEntity, { where, select: { id: true } });
  if (!row) throw invalid(path, 'names no workspace of the organisation');
  return row.id;
}
