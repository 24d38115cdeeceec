import { OVERRIDE_DEFAULTS, SECURITY_SETTINGS } from '@gw/auth-scopes';
import { Answer, BooleanField } from '@gw/web';

/** All 35 settings: a part of them is refused, so that no caller changes what they did not see. */
export class SecuritySettingsDto {
  [setting: string]: boolean;
}

/** Those in force. */
export class SecuritySettingsAnswer {
  readonly [setting: string]: boolean;
}

for (const { name, fallback, category } of SECURITY_SETTINGS) {
  const description = `Default ${String(fallback)}; category ${category}.`;
  BooleanField({ description, example: fallback })(SecuritySettingsDto.prototype, name);
  Answer.boolean({ description, example: fallback })(SecuritySettingsAnswer.prototype, name);
}

export class WorkspaceOverridesDto {
  [category: string]: boolean;
}

export class WorkspaceOverridesAnswer {
  readonly [category: string]: boolean;
}

for (const [category, fallback] of Object.entries(OVERRIDE_DEFAULTS)) {
  const description = `Default ${String(fallback)}.`;
  BooleanField({ optional: true, description, example: fallback })(WorkspaceOverridesDto.prototype, category);
  Answer.boolean({ description, example: fallback })(WorkspaceOverridesAnswer.prototype, category);
}
