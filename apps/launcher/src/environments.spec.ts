import type { DataFolder } from './data-folder';
import { environmentsOf, type Environments } from './environments';
import { readLauncherSettings, type Environment } from './settings';

describe('environmentsOf', () => {
  const secrets = {
    encryptionKey: 'key',
    encryptionKeysPrevious: ['earlier'],
    serviceToken: 'token',
    postgresPassword: 'password',
  };
  const ports = { gateway: 8787, admin: 8788, worker: 20_000, reserved: [] };
  const of = (inherited: Environment): Environments =>
    environmentsOf(
      inherited,
      readLauncherSettings(inherited),
      secrets,
      { credentials: '/data/credentials.json' } as DataFolder,
      'postgres://localhost',
      ports,
    );

  it('passes the settings of the operator to every process', () => {
    const { admin, worker, gateway } = of({
      PUBLIC_URL: 'https://gateway.example.com',
      ENCRYPTION_KEYS_PREVIOUS: 'given',
      SHUTDOWN_LEAD: '5',
    });
    expect(admin['PUBLIC_GATEWAY_URL']).toBe('https://gateway.example.com');
    for (const one of [admin, worker, gateway])
      expect(one).toMatchObject({ ENCRYPTION_KEYS_PREVIOUS: 'given', SHUTDOWN_LEAD: '5' });
  });

  it('gives an empty variable the default of an absent one', () => {
    const names = [
      'PUBLIC_URL',
      'PUBLIC_GATEWAY_URL',
      'ENCRYPTION_KEYS_PREVIOUS',
      'SHUTDOWN_LEAD',
      'NODE_ENV',
    ];
    const without = of({});
    expect(without.admin).toMatchObject({
      PUBLIC_GATEWAY_URL: 'http://127.0.0.1:8787',
      ENCRYPTION_KEYS_PREVIOUS: 'earlier',
      SHUTDOWN_LEAD: '0',
    });
    for (const empty of ['', ' '])
      expect(of(Object.fromEntries([...names, 'CONSOLE_URL'].map((name) => [name, empty])))).toEqual(without);
  });
});
