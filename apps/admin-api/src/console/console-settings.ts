import { feature, optional, text, type Setting } from '@gw/kernel';

/** First segments of paths that other parts of the admin API serve. */
const RESERVED = [
  'v1',
  'v2',
  'docs',
  'health',
  'openapi.json',
  'openapi.yaml',
  'oauth',
  'mcp',
  '.well-known',
];
const PATH = /^(?:\/[A-Za-z0-9._~-]+)+$/;

const basePath: Setting<string> = {
  fallback: undefined,
  parse: (value) => {
    if (!PATH.test(value)) throw new Error('must be a path such as /console, without a slash at its end');
    const [, first = ''] = value.split('/');
    if (RESERVED.includes(first) || first.startsWith('.'))
      throw new Error(`cannot begin with /${first}, which serves something else`);
    return value;
  },
};

/** Settings of the console that the admin API serves. */
export const CONSOLE_SETTINGS = {
  /** OFF: the admin API serves no console. */
  CONSOLE_ENABLED: feature(),
  /**
   * Path of the console, in browsers and at the admin API. When absent, the path of CONSOLE_URL,
   * else /console.
   */
  CONSOLE_BASE_PATH: optional(basePath),
  /** Folder of the built console; when absent, the folder of this build. */
  CONSOLE_DIR: optional(text()),
};
