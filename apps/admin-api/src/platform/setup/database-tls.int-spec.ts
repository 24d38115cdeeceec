import { dataSourceOptions, databaseTls } from '@gw/entities';
import { prepareJobStore } from '@gw/jobs';
import { readSettings } from '@gw/kernel';
import { eventually } from '@gw/testing';
import { createLog } from '@gw/web';
import { DataSource } from 'typeorm';
import { createAdminApi } from '../../app';
import { ADMIN_SETTINGS } from '../../settings';
import { MASTER_KEY, SERVICE_TOKEN } from '../../spec-support/admin-api';
import { TlsPostgres } from '../../spec-support/tls-postgres';
import { withMigratedDatabase } from './database';

interface Session {
  readonly ssl: boolean;
  readonly client: string | null;
}

describe('DB_SSL against servers with and without TLS', () => {
  const postgres = new TlsPostgres();

  const settingsOf = (url: string, environment: Record<string, string>) =>
    readSettings(ADMIN_SETTINGS, {
      DATABASE_URL: url,
      ENCRYPTION_KEY: MASTER_KEY.toString('base64'),
      SERVICE_TOKEN,
      CONTROL_PLANE_RATE_LIMIT: '0',
      ...environment,
    });

  /**
   * Connects in the same way as the product with these settings; returns the session, or the error.
   */
  async function connect(url: string, environment: Record<string, string>): Promise<Session | string> {
    const tls = await databaseTls(url, settingsOf(url, environment));
    const source = new DataSource(dataSourceOptions({ url, tls, poolSize: 1, applicationName: 'test' }));
    try {
      await source.initialize();
      const [row] = await source.query<[Session]>(
        'SELECT ssl, client_dn AS client FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return row;
    } catch (error) {
      return String(Reflect.get(error as object, 'code') ?? (error as Error).message);
    } finally {
      if (source.isInitialized) await source.destroy();
    }
  }

  const SECURE = { ssl: true, client: null };
  const PLAIN = { ssl: false, client: null };
  const REFUSED = 'The server does not support SSL connections';

  it('[ENV-06] DISABLED connects without TLS, even to a server with TLS', async () => {
    expect(await connect(postgres.url, { DB_SSL: 'DISABLED' })).toEqual(PLAIN);
    expect(await connect(postgres.url, {})).toEqual(PLAIN);
  });

  it('[ENV-06] PREFERRED uses TLS if the server has it, and connects without it otherwise', async () => {
    expect(await connect(postgres.url, { DB_SSL: 'PREFERRED' })).toEqual(SECURE);
    expect(await connect(postgres.plainUrl, { DB_SSL: 'PREFERRED' })).toEqual(PLAIN);
  });

  it('[ENV-06] REQUIRED accepts any certificate, and never connects without TLS', async () => {
    expect(await connect(postgres.url, { DB_SSL: 'REQUIRED' })).toEqual(SECURE);
    expect(await connect(postgres.plainUrl, { DB_SSL: 'required' })).toBe(REFUSED);
  });

  it('[ENV-06] VERIFY_CA requires a certificate signed by DB_SSL_CA, for any host name', async () => {
    const { ca, otherCa } = postgres.certificates;
    expect(await connect(postgres.url, { DB_SSL: 'VERIFY_CA', DB_SSL_CA: ca })).toEqual(SECURE);
    expect(await connect(postgres.url, { DB_SSL: 'VERIFY_CA', DB_SSL_CA: otherCa })).toMatch(/CERT|VERIFY/);
    expect(await connect(postgres.url, { DB_SSL: 'VERIFY_CA' })).toMatch(/CERT|VERIFY/);
    expect(await connect(postgres.plainUrl, { DB_SSL: 'VERIFY_CA', DB_SSL_CA: ca })).toBe(REFUSED);
  });

  it.each(['VERIFY_IDENTITY', 'MANAGED_BUNDLE'])(
    '[ENV-06] %s also requires the host name in the certificate',
    async (mode) => {
      const { ca, otherCa } = postgres.certificates;
      expect(await connect(postgres.urlByName, { DB_SSL: mode, DB_SSL_CA: ca })).toEqual(SECURE);
      expect(await connect(postgres.url, { DB_SSL: mode, DB_SSL_CA: ca })).toBe(
        'ERR_TLS_CERT_ALTNAME_INVALID',
      );
      expect(await connect(postgres.urlByName, { DB_SSL: mode, DB_SSL_CA: otherCa })).toMatch(/CERT|VERIFY/);
    },
  );

  it('[ENV-06] DB_SSL_CERT and DB_SSL_KEY authenticate the client', async () => {
    const { clientCert: DB_SSL_CERT, clientKey: DB_SSL_KEY } = postgres.certificates;
    const session = await connect(postgres.url, { DB_SSL: 'REQUIRED', DB_SSL_CERT, DB_SSL_KEY });
    expect(session).toEqual({ ssl: true, client: '/CN=client' });
  });

  it.each([
    ['DB_SSL', 'SOMETIMES'],
    ['DB_SSL_CA', '/nothing/is/here.pem'],
    ['DB_SSL_KEY', '-----BEGIN CERTIFICATE-----'],
  ])('[ENV-09] refuses an invalid %s and names it without its value', (name, value) => {
    const read = (): unknown => settingsOf(postgres.url, { [name]: value });
    expect(read).toThrow(name);
    expect(read).not.toThrow(value);
  });

  it('[ENV-09] refuses a certificate without its key, and a mode that needs a CA bundle without one', async () => {
    const { clientCert: DB_SSL_CERT } = postgres.certificates;
    await expect(connect(postgres.url, { DB_SSL: 'REQUIRED', DB_SSL_CERT })).rejects.toThrow('DB_SSL_KEY');
    await expect(connect(postgres.url, { DB_SSL: 'MANAGED_BUNDLE' })).rejects.toThrow('DB_SSL_CA');
  });

  it('[ENV-06] applies to every connection: of the set-up, the admin API and the jobs', async () => {
    const environment = { DB_SSL: 'VERIFY_IDENTITY', DB_SSL_CA: postgres.certificates.ca };
    const url = postgres.urlByName;
    const settings = settingsOf(url, environment);
    const tls = await databaseTls(url, settings);
    const ofSetup = await withMigratedDatabase({ url, tls, waitMs: 0 }, (source) =>
      source.query<{ ssl: boolean }[]>(
        `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'tollgate-setup'`,
      ),
    );
    expect(ofSetup.length).toBeGreaterThan(1);
    expect(ofSetup.every(({ ssl }) => ssl)).toBe(true);
    await prepareJobStore({ kind: 'postgres', url, tls });
    const { app } = await createAdminApi(settings, createLog('test', 'silent'));
    try {
      const source = app.get(DataSource);
      await eventually(async () => {
        const rows = await source.query<{ name: string; ssl: boolean }[]>(
          `SELECT application_name AS name, ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
           WHERE application_name IN ('tollgate-admin-api', 'admin-api-events')`,
        );
        return new Set(rows.map(({ name }) => name)).size === 2 && rows.every(({ ssl }) => ssl);
      });
    } finally {
      await app.close();
    }
  });
});
