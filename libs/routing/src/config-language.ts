import { configSchema, configValidator } from '@gw/config-schema';
import { configCompiler } from './compile/compile';
import type { Strategy } from './strategy';
import { STRATEGIES } from './strategies';

/**
 * Builds the config language of the given strategies: its JSON Schema, its checks and its compiler.
 */
export const configLanguage = (strategies: readonly Strategy[]) => ({
  schema: configSchema(strategies),
  ...configValidator(strategies),
  compileConfig: configCompiler(strategies),
});

const LANGUAGE = configLanguage(STRATEGIES);

export const CONFIG_SCHEMA = LANGUAGE.schema;
export const { validateConfig, parseConfig, compileConfig } = LANGUAGE;
