import { readSettings, SettingsError } from '@gw/kernel';
import { CONSOLE_SETTINGS, consolePath, consoleUrl } from './console-settings';

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

describe('The URL of the console', () => {
  it.each([
    [true, null, null, null],
    [true, null, 'https://console.example.com/', 'https://console.example.com/console'],
    [true, null, 'https://example.com/tools/gate/', 'https://example.com/tools/gate'],
    [true, '/ui', 'https://example.com/tools', 'https://example.com/ui'],
    [false, null, 'https://own.example.com/', 'https://own.example.com'],
    [false, '/ui', 'https://own.example.com/app', 'https://own.example.com/app'],
  ])(
    'with CONSOLE_ENABLED %s, CONSOLE_BASE_PATH %s and CONSOLE_URL %s is %s',
    (CONSOLE_ENABLED, CONSOLE_BASE_PATH, CONSOLE_URL, url) => {
      expect(consoleUrl({ CONSOLE_ENABLED, CONSOLE_BASE_PATH, CONSOLE_URL })).toBe(url);
    },
  );
});
