import { readSettings, SettingsError } from '@gw/kernel';
import { CONSOLE_SETTINGS } from './console-settings';

describe('CONSOLE_BASE_PATH', () => {
  it.each(['/', 'console', '/console/', '/a//b', '/v1', '/v2/console', '/docs', '/../x', '/a"b', '/a b'])(
    'is refused with the value %s',
    (CONSOLE_BASE_PATH) => {
      expect(() => readSettings(CONSOLE_SETTINGS, { CONSOLE_BASE_PATH })).toThrow(SettingsError);
    },
  );
});
