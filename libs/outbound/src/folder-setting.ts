import type { Setting } from '@gw/kernel';
import { accessSync, constants, statSync } from 'node:fs';

/** The path of a folder that exists and can be read. */
export const folder: Setting<string> = {
  fallback: undefined,
  parse: (value) => {
    try {
      accessSync(value, constants.R_OK);
      if (statSync(value).isDirectory()) return value;
    } catch {
      // Reported below.
    }
    throw new Error('must be the path of a folder that can be read');
  },
};
