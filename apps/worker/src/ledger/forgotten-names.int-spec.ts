import { randomUUID } from 'node:crypto';
import { forgetOnce } from '@gw/ledger-store';
import { lockWaits, testDatabase } from '@gw/testing';

describe('forgetOnce', () => {
  const database = testDatabase();

  it('keeps an old name that is used while names are forgotten', async () => {
    const { dataSource } = database;
    const organisationId = randomUUID();
    await dataSource.query(
      `INSERT INTO ledger_once (organisation_id, name, log_id, cost, tokens, priced, named_at)
       VALUES ($1, 'batch', $2, 1, 1, true, now() - interval '410 days')`,
      [organisationId, randomUUID()],
    );
    const use = dataSource.createQueryRunner();
    await use.startTransaction();
    await use.query('UPDATE ledger_once SET named_at = now() WHERE organisation_id = $1', [organisationId]);
    const forgotten = forgetOnce(dataSource.manager);
    await lockWaits(dataSource);
    await use.commitTransaction();
    await use.release();
    expect(await forgotten).toBe(0);
  });
});
