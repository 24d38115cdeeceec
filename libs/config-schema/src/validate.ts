import { GatewayError } from '@gw/kernel';
import { Ajv2020 } from 'ajv/dist/2020';
import type { GatewayConfig } from './config';
import { detail, schemaDetail, type ConfigErrorDetail } from './details';
import { CONFIG_LIMITS } from './limits';
import type { ValidateConfigOptions } from './report';
import { checkRules } from './rules';
import { CONFIG_SCHEMA } from './schema';
import { checkStructure } from './structure';

export type { ConfigErrorDetail } from './details';
export type { ValidateConfigOptions } from './report';

export type ConfigResult =
  | { readonly ok: true; readonly config: GatewayConfig }
  | { readonly ok: false; readonly details: readonly ConfigErrorDetail[] };

// All errors are wanted; `checkStructure` has bounded the work before the schema sees a document.
const matchesSchema = new Ajv2020({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
}).compile<GatewayConfig>(CONFIG_SCHEMA);

/**
 * Checks a config document completely and reports all failures at once, at most 100. Without its options it checks only what the
 * document says by itself. The returned config is `value`, not a copy.
 */
export function validateConfig(value: unknown, options: ValidateConfigOptions = {}): ConfigResult {
  const structure = checkStructure(value);
  if (structure.length > 0) return failed(structure);
  const details = matchesSchema(value)
    ? []
    : (matchesSchema.errors ?? []).slice(0, CONFIG_LIMITS.detailsMax).map(schemaDetail);
  details.push(...checkRules(value, options));
  return details.length === 0 ? { ok: true, config: value as GatewayConfig } : failed(details);
}

/** As `validateConfig`, from JSON text. A key that is written twice counts as it stands last. */
export function parseConfig(text: string, options: ValidateConfigOptions = {}): ConfigResult {
  if (Buffer.byteLength(text) > CONFIG_LIMITS.bytesMax) {
    return failed([detail([], 'size', `must not exceed ${String(CONFIG_LIMITS.bytesMax)} bytes`, undefined)]);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failed([detail([], 'json', 'must be JSON', undefined)]);
  }
  return validateConfig(value, options);
}

/** Official SDKs show the message and no details, so it has the first of them. */
const REASON_MAX = 400;

/** The error for an invalid config. `param` names the field or header that carried it. */
export const configInvalid = (details: readonly ConfigErrorDetail[], param = 'config'): GatewayError => {
  const [first, ...others] = details;
  const more = others.length === 0 ? '' : ` (and ${String(others.length)} more, see details)`;
  const reason = first === undefined ? '' : `${first.path} ${first.message}`.slice(0, REASON_MAX);
  const end = more === '' && reason.endsWith('?') ? '' : '.';
  const message = reason === '' ? {} : { message: `The config is not valid: ${reason}${more}${end}` };
  return new GatewayError('config_invalid', { param, details, ...message });
};

const failed = (details: readonly ConfigErrorDetail[]): ConfigResult => ({
  ok: false,
  details: details.slice(0, CONFIG_LIMITS.detailsMax),
});
