import { configCompiler, configSchema, configValidator } from '@gw/config-schema';
import type { Strategy } from './strategy';
import { STRATEGIES } from './strategies';

/** The config language with these strategies: its JSON Schema, its checks and its compiler. */
export const configLanguage = (strategies: readonly Strategy[]) => ({
  schema: configSchema(strategies),
  ...configValidator(strategies),
  compileConfig: configCompiler(strategies),
});

const LANGUAGE = configLanguage(STRATEGIES);

export const CONFIG_SCHEMA = LANGUAGE.schema;
export const { validateConfig, parseConfig, compileConfig } = LANGUAGE;
