import { readJsonFile, fetchJson } from '@gw/outbound';
import {
  createModelConfigs,
  hasPriceSources,
  type ModelConfigs,
  type ModelConfigSettings,
} from '@gw/pricing';
import type { Log } from '@gw/web';

/** Creates the configured price sources; null when none is configured. */
export function createPriceSources(settings: ModelConfigSettings, log: Log): ModelConfigs | null {
  if (!hasPriceSources(settings)) return null;
  return createModelConfigs({
    settings,
    readers: {
      fetch: fetchJson,
      // The log store is a mounted folder, so it is read like local files.
      logStore: readJsonFile,
      file: readJsonFile,
    },
    alarm: ({ kind, provider, source, reason }) => {
      log.error({ kind, provider, source, reason }, 'model configuration is invalid');
    },
  });
}
