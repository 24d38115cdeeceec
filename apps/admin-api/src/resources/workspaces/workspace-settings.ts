import { SECURITY_SETTINGS, type SecuritySettings } from '@gw/auth-scopes';
import { OrganisationEntity, type ExportSettings, type WorkspaceEntity } from '@gw/entities';
import { validationFailed } from '@gw/web';
import type { EntityManager } from 'typeorm';
import { assertMayChangeSettings } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { securityOf } from '../../platform/auth/security';
import type { UpdateWorkspaceDto } from './workspaces.dto';
import { toStoredExportSettings } from '../../platform/tenant-settings/export-settings.dto';
import {
  mayOverride,
  mergeSettings,
  toStoredUserKeySettings,
} from '../../platform/tenant-settings/user-key-settings';

type Input = Pick<
  UpdateWorkspaceDto,
  'settings' | 'security_settings' | 'data_plane_security_settings' | 'export_settings'
>;

/**
 * Changes the row without saving it. A workspace may always log less and block more than its
 * organisation; the gateway ensures that it never logs more or blocks less. Throws
 * `validation_failed` for a setting that workspaces may not override.
 */
export async function applyTenantSettings(
  manager: EntityManager,
  caller: Principal,
  row: WorkspaceEntity,
  input: Input,
): Promise<void> {
  const { settings, security_settings: security, data_plane_security_settings: dataPlane } = input;
  const exports = toStoredExportSettings(input.export_settings);
  if (!settings && !security && !dataPlane && !exports) return;
  const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: row.organisationId });
  if (settings) applySettings(organisation, row, settings);
  if (exports) applyExportSettings(organisation, row, exports);
  const block = dataPlane?.block_inline_config;
  if (block !== undefined)
    row.dataPlaneSecuritySettings = block === null ? {} : { block_inline_config: block };
  if (security) {
    const inForce = await securityOf(manager, row.organisationId, row.id);
    assertMayChangeSettings(caller, inForce, { ...security });
    applySecurity(organisation, row, security, inForce);
  }
}

function applySecurity(
  organisation: OrganisationEntity,
  row: WorkspaceEntity,
  security: NonNullable<Input['security_settings']>,
  inForce: SecuritySettings,
): void {
  for (const { name, category } of SECURITY_SETTINGS) {
    if (security[name] === inForce[name]) continue;
    assertMayOverride(organisation, category, [`security_settings.${name}`]);
  }
  row.securitySettings = Object.fromEntries(
    SECURITY_SETTINGS.filter(({ category }) => mayOverride(organisation, category)).map(({ name }) => [
      name,
      security[name] ?? true,
    ]),
  );
}

function applySettings(
  organisation: OrganisationEntity,
  row: WorkspaceEntity,
  settings: NonNullable<Input['settings']>,
): void {
  const stored = toStoredUserKeySettings(settings);
  const named = Object.keys(stored).filter((name) => stored[name] !== undefined);
  if (named.length > 0) {
    const paths = named.map((name) => `settings.${name}`);
    assertMayOverride(organisation, 'user_api_keys', paths);
  }
  row.settings = mergeSettings(row.settings, {
    debug_log: settings.debug_log,
    audit: settings.audit,
    translation_loss: settings.translation_loss,
    portkey_headers: settings.portkey_headers,
    ...stored,
  });
}

function applyExportSettings(
  organisation: OrganisationEntity,
  row: WorkspaceEntity,
  settings: ExportSettings,
): void {
  assertMayOverride(organisation, 'export_settings', ['export_settings.deniedFields']);
  row.exportSettings = settings;
}

function assertMayOverride(
  organisation: OrganisationEntity,
  category: string,
  paths: readonly string[],
): void {
  if (mayOverride(organisation, category)) return;
  const message = `the organisation does not let workspaces override ${category}`;
  throw validationFailed(paths.map((path) => ({ path, message })));
}
