import { OVERRIDE_DEFAULTS, SECURITY_SETTINGS } from '@gw/auth-scopes';
import { ResponseField, BooleanField } from '@gw/web';

/**
 * All 35 settings. A partial set is refused, so that callers change no setting that they have not
 * seen.
 */
export class SecuritySettingsDto {
  [setting: string]: boolean;
}

/** The security settings in force. */
export class SecuritySettingsResponse {
  readonly [setting: string]: boolean;
}

for (const { name, fallback, category } of SECURITY_SETTINGS) {
  const description = `Default ${String(fallback)}; category ${category}.`;
  BooleanField({ description, example: fallback })(SecuritySettingsDto.prototype, name);
  ResponseField.boolean({ description, example: fallback })(SecuritySettingsResponse.prototype, name);
}

export class WorkspaceOverridesDto {
  [category: string]: boolean;
}

export class WorkspaceOverridesResponse {
  readonly [category: string]: boolean;
}

for (const [category, fallback] of Object.entries(OVERRIDE_DEFAULTS)) {
  const description = `Default ${String(fallback)}.`;
  BooleanField({ optional: true, description, example: fallback })(WorkspaceOverridesDto.prototype, category);
  ResponseField.boolean({ description, example: fallback })(WorkspaceOverridesResponse.prototype, category);
}
