import { documentedSettings } from '@gw/testing';
import { availableParallelism } from 'node:os';
import { LAUNCHER_SETTINGS, reachableHost, readLauncherSettings } from './settings';

describe('LAUNCHER_SETTINGS', () => {
  it('lists every setting in docs/settings.md', () => {
    const documented = documentedSettings();
    expect(Object.keys(LAUNCHER_SETTINGS).filter((name) => !documented.includes(name))).toEqual([]);
  });
});

describe('readLauncherSettings', () => {
  it('requires no settings', () => {
    const settings = readLauncherSettings({});
    expect(settings.ports).toEqual({ gateway: 8787, admin: 8788, worker: null });
    expect(settings).toMatchObject({
      host: '127.0.0.1',
      databaseUrl: null,
      redisUrl: null,
      gatewayWorkers: 1,
    });
  });

  it('enables the sandbox by default only with the embedded Postgres', () => {
    const DATABASE_URL = 'postgres://user:password@db.example/tollgate';
    expect(readLauncherSettings({}).sandboxEnabled).toBe(true);
    expect(readLauncherSettings({ DATABASE_URL }).sandboxEnabled).toBe(false);
    expect(readLauncherSettings({ DATABASE_URL, SANDBOX_ENABLED: 'on' }).sandboxEnabled).toBe(true);
    expect(readLauncherSettings({ SANDBOX_ENABLED: 'off' }).sandboxEnabled).toBe(false);
  });

  it('defaults to real-time priority for the gateway when a core stays free for other processes', () => {
    const policyOf = (environment: Readonly<Record<string, string>>): string =>
      readLauncherSettings(environment).schedulingPolicy;
    expect(policyOf({})).toBe(availableParallelism() > 1 ? 'rr' : 'other');
    expect(policyOf({ GATEWAY_WORKERS: String(availableParallelism()) })).toBe('other');
    expect(policyOf({ CPU_SCHEDULING_POLICY: 'other' })).toBe('other');
    expect(policyOf({ CPU_SCHEDULING_POLICY: 'rr', GATEWAY_WORKERS: '64' })).toBe('rr');
    expect(() => policyOf({ CPU_SCHEDULING_POLICY: 'fifo' })).toThrow('CPU_SCHEDULING_POLICY must be one of');
  });

  it('reports every invalid setting and never its value', () => {
    const read = (): unknown =>
      readLauncherSettings({
        GATEWAY_PORT: 'x',
        ENCRYPTION_KEY: 'too-short',
        REDIS_URL: 'http://secret@redis',
      });
    expect(read).toThrow(/GATEWAY_PORT .*\nREDIS_URL .*\nENCRYPTION_KEY /);
    expect(read).not.toThrow(/too-short|secret/);
  });
});

describe('reachableHost', () => {
  it.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['fd00::7', '[fd00::7]'],
    ['gateway.example', 'gateway.example'],
  ])('reaches a server on %s at %s', (host, reachable) => {
    expect(reachableHost(host)).toBe(reachable);
  });
});
