import type { DeploymentAuthSettings, DeploymentEntity } from '@gw/entities';
import { assertAllowedUrl, type AddressPolicy } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { workspaceIds } from '../../platform/auth/workspace-references';
import type { DeploymentAuthSettingsDto } from './deployments.dto';

const URLS = ['gateway_base_url', 'mcp_gateway_base_url', 'private_link_endpoint'] as const;
const BITS = ['use_private_link_proxy', 'is_dataservice_hosted', 'is_playground_proxy_allowed'] as const;
/** Maximum number of items of one list or map of a deployment, including the saved ones. */
const ITEMS_MAX = 1_000;

type Settings = { -readonly [K in keyof DeploymentAuthSettings]: DeploymentAuthSettings[K] };

interface Change {
  readonly input: DeploymentAuthSettingsDto;
  /** True: the sent lists and maps replace the saved ones. False: their items are added. */
  readonly replaces: boolean;
}

/**
 * Applies settings to the row. Throws `validation_failed`, or `custom_host_refused` for an address
 * that the policy does not allow.
 */
export async function applySettings(
  manager: EntityManager,
  row: DeploymentEntity,
  { input, replaces }: Change,
  policy: AddressPolicy,
): Promise<void> {
  const settings: Settings = { ...row.authSettings };
  setAddresses(settings, input, policy);
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
  assertAtMostItemsMax(subs, 'jwt_subs_allowed');
  if (subs.length > 0 || settings.jwt_subs_allowed) settings.jwt_subs_allowed = subs;
  if (input.jwt_sub_workspace_mapping !== undefined) {
    const mapping = { ...(replaces ? {} : settings.jwt_sub_workspace_mapping) };
    const subjects = Object.keys(input.jwt_sub_workspace_mapping);
    const ids = await workspaceIds(
      manager,
      row.organisationId,
      Object.values(input.jwt_sub_workspace_mapping),
      (index) => `auth_settings.jwt_sub_workspace_mapping.${String(subjects[index])}`,
    );
    for (const [index, id] of ids.entries()) mapping[subjects[index] ?? ''] = id;
    assertAtMostItemsMax(Object.keys(mapping), 'jwt_sub_workspace_mapping');
    settings.jwt_sub_workspace_mapping = mapping;
  }
  row.authSettings = settings;
  row.workspacesAllowed = await workspacesOf(manager, row, input, replaces);
}

function setAddresses(settings: Settings, input: DeploymentAuthSettingsDto, policy: AddressPolicy): void {
  for (const name of URLS) {
    const value = input[name];
    if (value === null) delete settings[name];
    if (typeof value !== 'string') continue;
    assertAllowedUrl(policy, value, `auth_settings.${name}`);
    settings[name] = value;
  }
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
      throw invalid(
        'auth_settings.workspaces_allowed',
        'and allow_all_workspaces are mutually exclusive; send one of them',
      );
    }
    return null;
  }
  const ids = async (list: readonly string[] | undefined, name: string): Promise<string[] | undefined> =>
    list &&
    workspaceIds(manager, row.organisationId, list, (index) => `auth_settings.${name}.${String(index)}`);
  if (all === undefined && added === undefined && removed === undefined) return row.workspacesAllowed;
  const next = merged(
    row.workspacesAllowed ?? [],
    await ids(added, 'workspaces_allowed'),
    await ids(removed, 'remove_workspaces_allowed'),
    replaces,
  );
  assertAtMostItemsMax(next, 'workspaces_allowed');
  return next;
}

/** Returns distinct items, in the order in which they were added. */
function merged(
  saved: readonly string[],
  added: readonly string[] | undefined,
  removed: readonly string[] | undefined,
  replaces: boolean,
): string[] {
  const base = replaces && added !== undefined ? [] : saved;
  const removedItems = new Set(removed);
  return [...new Set([...base, ...(added ?? [])])].filter((item) => !removedItems.has(item));
}

function assertAtMostItemsMax(items: readonly string[], name: string): void {
  if (items.length <= ITEMS_MAX) return;
  throw invalid(
    `auth_settings.${name}`,
    `would have more than ${String(ITEMS_MAX)} items, including the saved ones; remove some first`,
  );
}
