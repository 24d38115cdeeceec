import { GatewayError } from '@gw/kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { GatewayConfig } from './config';
import { detail, schemaDetail, type ConfigErrorDetail } from './details';
import { CONFIG_LIMITS } from './bounds';
import type { ValidateConfigOptions } from './report';
import { checkRules } from './rules';
import { configSchema } from './schema';
import type { StrategyLanguage } from './strategy-language';
import { checkStructure } from './structure';

export type { ConfigErrorDetail } from './details';
export type { ValidateConfigOptions } from './report';

export type ConfigResult =
  | { readonly ok: true; readonly config: GatewayConfig }
  | { readonly ok: false; readonly details: readonly ConfigErrorDetail[] };

export interface ConfigValidator {
  /**
   * Checks a whole config document and reports at most 100 errors. Without options it skips the
   * checks that depend on the workspace. The returned config is `value`, not a copy.
   */
  readonly validateConfig: (value: unknown, options?: ValidateConfigOptions) => ConfigResult;
  /** Parses JSON and calls `validateConfig`. The last of duplicate keys counts. */
  readonly parseConfig: (text: string, options?: ValidateConfigOptions) => ConfigResult;
}

/** Creates a validator for configs with these strategies. */
export function configValidator(strategies: readonly StrategyLanguage[]): ConfigValidator {
  // The schema is compiled when the first config is validated, because compiling it is slow.
  let compiled: ValidateFunction<GatewayConfig> | undefined;
  const schemaCheck = (): ValidateFunction<GatewayConfig> =>
    // `checkStructure` has bounded the document, so collecting all errors is cheap.
    (compiled ??= new Ajv2020({
      allErrors: true,
      verbose: true,
      allowUnionTypes: true,
    }).compile<GatewayConfig>(configSchema(strategies)));
  const byMode = new Map<unknown, StrategyLanguage>(strategies.map((strategy) => [strategy.mode, strategy]));

  function validateConfig(value: unknown, options: ValidateConfigOptions = {}): ConfigResult {
    const structure = checkStructure(value);
    if (structure.length > 0) return failed(structure);
    const matchesSchema = schemaCheck();
    const details = matchesSchema(value)
      ? []
      : (matchesSchema.errors ?? []).slice(0, CONFIG_LIMITS.detailsMax).map(schemaDetail);
    details.push(...checkRules(value, options, byMode));
    return details.length === 0 ? { ok: true, config: value as GatewayConfig } : failed(details);
  }

  function parseConfig(text: string, options: ValidateConfigOptions = {}): ConfigResult {
    if (Buffer.byteLength(text) > CONFIG_LIMITS.bytesMax) {
      const message = `must not exceed ${String(CONFIG_LIMITS.bytesMax)} bytes`;
      return failed([detail([], 'size', message, undefined)]);
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return failed([detail([], 'json', 'must be JSON', undefined)]);
    }
    return validateConfig(value, options);
  }

  return { validateConfig, parseConfig };
}

/**
 * Maximum characters of the first detail in the error's message, which is all that official SDKs
 * show.
 */
const REASON_MAX = 400;

/** Creates the error for an invalid config. `param` names the field or header that contained it. */
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
