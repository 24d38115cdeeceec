import { readJsonFile, fetchJson } from '@gw/outbound';
import {
  createModelConfigs,
  hasPriceSources,
  type ModelConfigs,
  type ModelConfigSettings,
} from '@gw/pricing';
import type { Log } from '@gw/web';

/** Null: no source is set. */
export function createPriceSources(settings: ModelConfigSettings, log: Log): ModelConfigs | null {
  if (!hasPriceSources(settings)) return null;
  return createModelConfigs({
    settings,
    readers: {
      fetch: fetchJson,
      // The log store is reached through its mount: a folder, as the local files are.
      logStore: readJsonFile,
      file: readJsonFile,
    },
    alarm: ({ kind, provider, source, reason }) => {
      log.error({ kind, provider, source, reason }, 'model configuration is invalid');
    },
  });
}
