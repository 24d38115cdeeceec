import { readSettings, SettingsError } from '@gw/kernel';
import { CONSOLE_SETTINGS, consolePath } from './console-settings';

describe('The path of the console', () => {
  it.each([
    [null, null, '/console'],
    [null, 'https://console.example.com', '/console'],
    [null, 'https://console.example.com/', '/console'],
    [null, 'https://example.com/tools/gate/', '/tools/gate'],
    ['/ui', 'https://example.com/tools', '/ui'],
  ])('of CONSOLE_BASE_PATH %s and CONSOLE_URL %s is %s', (CONSOLE_BASE_PATH, CONSOLE_URL, path) => {
    expect(consolePath({ CONSOLE_BASE_PATH, CONSOLE_URL })).toBe(path);
  });

  it.each(['/', 'console', '/console/', '/a//b', '/v1', '/v2/console', '/docs', '/../x', '/a"b', '/a b'])(
    'cannot be %s',
    (CONSOLE_BASE_PATH) => {
      expect(() => readSettings(CONSOLE_SETTINGS, { CONSOLE_BASE_PATH })).toThrow(SettingsError);
    },
  );
});
