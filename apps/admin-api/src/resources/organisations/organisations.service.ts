import { OVERRIDE_DEFAULTS, SECURITY_SETTINGS, securityInForce } from '@gw/auth-scopes';
import { documentKey } from '@gw/contracts';
import { OrganisationEntity, SessionEntity, type UserKeySettings } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { assign, etagOf, viewOf } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { Writes } from '../../platform/unit-of-work/writes';
import { assertMayNameProvider } from '../../platform/auth/identity-provider-rights';
import { endGrantsNotAllowed } from '../../platform/oauth/oauth-grants';
import { assertMayChangeSettings, assertNotAbove, rankOfRole } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { cutSessions, sessionSecondsOf } from '../../platform/auth/session-life';
import { inOrganisation } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { oauthSettingsInForce } from '../../platform/tenant-settings/oauth-settings';
import { scimSettingsInForce } from '../../platform/tenant-settings/scim-settings';
import { findRow, patchRow, type Resource } from '../../platform/resource/rows';
import { SETTINGS, type AdminSettings } from '../../settings';
import { toStoredExportSettings } from '../../platform/tenant-settings/export-settings.dto';
import {
  mergeSettings,
  toStoredUserKeySettings,
  userKeySettingsResponse,
} from '../../platform/tenant-settings/user-key-settings';
import {
  OrganisationResponse,
  UpdateOrganisationDto,
  type OrganisationSettingsResponse,
  type UpdateOrganisationSettingsDto,
} from './organisations.dto';

/** Returns a reference to the caller's organisation, which no path names. */
const ownOrganisation = (caller: Principal, ifMatch?: string): ResourceReference => ({
  caller,
  reference: '',
  ifMatch,
});

@Injectable()
export class OrganisationsService {
  private readonly organisation: Resource<OrganisationEntity> = {
    entity: OrganisationEntity,
    type: 'organisation',
    view: (row) => this.view(row),
    where: (caller) => ({ id: inOrganisation(caller).organisationId, status: 'active' }),
    documents: ({ id }) => [documentKey.organisation(id)],
  };

  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    @Inject(SETTINGS)
    private readonly env: Pick<
      AdminSettings,
      | 'BLOCK_INLINE_CONFIG'
      | 'LOG_RETENTION_DISPLAY'
      | 'METRICS_RETENTION_DISPLAY'
      | 'SCIM_MEMBERSHIP_USER_MODE'
    >,
  ) {}

  async get(caller: Principal): Promise<OrganisationResponse> {
    return this.view(await findRow(this.dataSource.manager, this.organisation, ownOrganisation(caller)));
  }

  async settings(caller: Principal): Promise<OrganisationSettingsResponse> {
    return this.settingsView(
      await findRow(this.dataSource.manager, this.organisation, ownOrganisation(caller)),
    );
  }

  update(caller: Principal, input: UpdateOrganisationDto, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, (write) =>
      patchRow(write, this.organisation, ownOrganisation(caller, ifMatch), (row) =>
        assign(UpdateOrganisationDto, row, input),
      ),
    );
  }

  updateSettings(
    caller: Principal,
    input: UpdateOrganisationSettingsDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    const settings = { ...this.organisation, view: (row: OrganisationEntity) => this.settingsView(row) };
    return this.writes.run(caller, (write) =>
      patchRow(write, settings, ownOrganisation(caller, ifMatch), async (row) => {
        await assertMayRequireFactors(write.manager, caller, row, input);
        if (input.scim_settings !== undefined)
          await assertMayNameProvider(write.manager, caller, 'scim_settings');
        applySettings(caller, row, input);
        await resetOverrides(write.manager, row, input.workspace_overrides);
        if (input.session_settings?.max_session_ttl) await cutSessions(write, row);
        if (input.oauth_settings !== undefined)
          await endGrantsNotAllowed(write, row.id, oauthSettingsInForce(row.settings));
      }),
    );
  }

  private view(row: OrganisationEntity): OrganisationResponse {
    const { LOG_RETENTION_DISPLAY: logs, METRICS_RETENTION_DISPLAY: metrics } = this.env;
    return viewOf(OrganisationResponse, row, {
      object: 'organisation',
      retention: { logs_days: logs, metrics_days: metrics },
    });
  }

  private settingsView(row: OrganisationEntity): OrganisationSettingsResponse {
    const { block_inline_config: blocked = false } = row.dataPlaneSecuritySettings;
    return {
      object: 'organisation-settings',
      settings: {
        debug_log: row.settings.debug_log ?? 1,
        audit: row.settings.audit ?? 'standard',
        default_workspace_user_api_key_auto_create:
          row.settings.default_workspace_user_api_key_auto_create ?? false,
        ...userKeySettingsResponse({ ...USER_KEY_DEFAULTS, ...row.settings }),
      },
      data_plane_security_settings: { block_inline_config: blocked || this.env.BLOCK_INLINE_CONFIG },
      export_settings: { deniedFields: row.exportSettings.deniedFields ?? [] },
      security_settings: securityInForce({
        organisation: row.securitySettings,
        workspace: {},
        overrides: {},
      }),
      session_settings: {
        max_session_ttl: sessionSecondsOf(row),
        require_mfa: row.settings.require_mfa ?? false,
      },
      scim_settings: {
        membership_user_mode: this.env.SCIM_MEMBERSHIP_USER_MODE,
        ...scimSettingsInForce(row.settings),
      },
      oauth_settings: oauthSettingsInForce(row.settings),
      workspace_overrides: { ...OVERRIDE_DEFAULTS, ...row.workspaceOverrides },
      etag: etagOf(row),
    };
  }
}

const USER_KEY_DEFAULTS: UserKeySettings = {
  user_api_key_count: -1,
  user_api_key_ttl: 0,
  user_api_key_max_ttl: 0,
  user_api_key_rotation_period: 0,
  user_api_key_auto_create: false,
  user_api_key_auto_create_scopes: [],
};

function applySettings(
  caller: Principal,
  row: OrganisationEntity,
  input: UpdateOrganisationSettingsDto,
): void {
  const { settings, security_settings: security, workspace_overrides: overrides } = input;
  if (settings !== undefined) {
    row.settings = mergeSettings(row.settings, {
      debug_log: settings.debug_log,
      audit: settings.audit,
      default_workspace_user_api_key_auto_create: settings.default_workspace_user_api_key_auto_create,
      ...toStoredUserKeySettings(settings),
    });
  }
  row.settings = mergeSettings(row.settings, {
    max_session_ttl: input.session_settings?.max_session_ttl,
    require_mfa: input.session_settings?.require_mfa,
  });
  applyIdentitySettings(caller, row, input);
  const block = input.data_plane_security_settings?.block_inline_config;
  if (block !== undefined) {
    row.dataPlaneSecuritySettings = block === null ? {} : { block_inline_config: block };
  }
  const exports = toStoredExportSettings(input.export_settings);
  if (exports !== undefined) row.exportSettings = exports;
  if (security !== undefined) {
    const before = securityInForce({ organisation: row.securitySettings, workspace: {}, overrides: {} });
    assertMayChangeSettings(caller, before, { ...security });
    row.securitySettings = { ...security };
  }
  if (overrides !== undefined)
    row.workspaceOverrides = mergeSettings(row.workspaceOverrides, { ...overrides });
}

/** Applies the settings for the identity provider and for OAuth clients. */
function applyIdentitySettings(
  caller: Principal,
  row: OrganisationEntity,
  { scim_settings: scim, oauth_settings: oauth }: UpdateOrganisationSettingsDto,
): void {
  if (scim !== undefined)
    row.settings = { ...row.settings, scim: mergeSettings(row.settings.scim ?? {}, { ...scim }) };
  if (oauth === undefined) return;
  assertNotAbove(caller, rankOfRole('admin', null));
  row.settings = { ...row.settings, oauth: mergeSettings(row.settings.oauth ?? {}, { ...oauth }) };
}

/**
 * Throws `forbidden` when a caller without a second factor changes `require_mfa`. The caller can
 * thus still log in after the change, and a stolen key cannot turn the requirement off.
 */
async function assertMayRequireFactors(
  manager: EntityManager,
  caller: Principal,
  { settings }: OrganisationEntity,
  input: UpdateOrganisationSettingsDto,
): Promise<void> {
  const wanted = input.session_settings?.require_mfa;
  if (wanted === undefined || (wanted ?? false) === (settings.require_mfa ?? false)) return;
  assertNotAbove(caller, rankOfRole('admin', null));
  const id = caller.sessionId;
  if (id !== null && (await manager.existsBy(SessionEntity, { id, mfa: Not(IsNull()) }))) return;
  throw new GatewayError('forbidden', {
    param: 'session_settings.require_mfa',
    message:
      'Only a user who has logged in with a second factor can change session_settings.require_mfa; add one at POST /v1/auth/mfa/totp and log in with it.',
  });
}

/**
 * Deletes the workspaces' own settings, with the ranks of the roles that set them, when the
 * organisation no longer permits overrides; otherwise they would silently apply again when it
 * permits them later.
 */
async function resetOverrides(
  manager: EntityManager,
  { id, workspaceOverrides }: OrganisationEntity,
  changed: UpdateOrganisationSettingsDto['workspace_overrides'],
): Promise<void> {
  const withdrawn = Object.keys(changed ?? {}).filter((category) => workspaceOverrides[category] === false);
  if (withdrawn.length === 0) return;
  const names = SECURITY_SETTINGS.filter(({ category }) => withdrawn.includes(category)).map(
    ({ name }) => name,
  );
  const settings = withdrawn.includes('user_api_keys') ? Object.keys(USER_KEY_DEFAULTS) : [];
  const fields = withdrawn.includes('export_settings') ? ['deniedFields'] : [];
  const ranks = [
    ...names.map((name) => `security_settings.${name}`),
    ...settings.map((name) => `settings.${name}`),
    ...fields.map((name) => `export_settings.${name}`),
  ];
  await manager.query(
    `UPDATE workspaces SET
       version = version + 1,
       security_settings = security_settings - $2::text[],
       settings = settings - $3::text[],
       export_settings = export_settings - $4::text[],
       set_by = set_by - $5::text[]
     WHERE organisation_id = $1`,
    [id, names, settings, fields, ranks],
  );
}
