import { consolePath, consoleUrl } from './console-url';

describe('consolePath', () => {
  it.each([
    [null, null, '/console'],
    [null, 'https://console.example.com', '/console'],
    [null, 'https://console.example.com/', '/console'],
    [null, 'https://example.com/tools/gate/', '/tools/gate'],
    ['/ui', 'https://example.com/tools', '/ui'],
  ])('with CONSOLE_BASE_PATH %s and CONSOLE_URL %s returns %s', (CONSOLE_BASE_PATH, CONSOLE_URL, path) => {
    expect(consolePath({ CONSOLE_BASE_PATH, CONSOLE_URL })).toBe(path);
  });
});

describe('consoleUrl', () => {
  it.each([
    [true, null, null, null],
    [true, null, 'https://console.example.com/', 'https://console.example.com/console'],
    [true, null, 'https://example.com/tools/gate/', 'https://example.com/tools/gate'],
    [true, '/ui', 'https://example.com/tools', 'https://example.com/ui'],
    [false, null, 'https://own.example.com/', 'https://own.example.com'],
    [false, '/ui', 'https://own.example.com/app', 'https://own.example.com/app'],
  ])(
    'with CONSOLE_ENABLED %s, CONSOLE_BASE_PATH %s and CONSOLE_URL %s returns %s',
    (CONSOLE_ENABLED, CONSOLE_BASE_PATH, CONSOLE_URL, url) => {
      expect(consoleUrl({ CONSOLE_ENABLED, CONSOLE_BASE_PATH, CONSOLE_URL })).toBe(url);
    },
  );
});
