import { createTestDatabase } from './test-database';

export interface DatabaseOutage {
  /** Cuts all connections and refuses new ones. */
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Ends the outage and releases its resources. */
  release(): Promise<void>;
}

/** Simulates an outage of the database at the URL while its server keeps running. */
export async function databaseOutage(url: string): Promise<DatabaseOutage> {
  const name = new URL(url).pathname.slice(1);
  const other = await createTestDatabase({ empty: true });
  const allow = (allowed: boolean): Promise<unknown> =>
    other.dataSource.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS ${String(allowed)}`);
  const end = async (): Promise<void> => void (await allow(true));
  return {
    begin: async () => {
      await allow(false);
      await other.dataSource.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
        [name],
      );
    },
    end,
    release: async () => {
      await end();
      await other.drop();
    },
  };
}
